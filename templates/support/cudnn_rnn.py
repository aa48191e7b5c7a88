"""tf.contrib.cudnn_rnn: layers of LSTMs and GRUs with cuDNN's equations, on any device.

Variables have the names and layouts under which TF1 saved these layers (those of the compatible
cells), so that checkpoints are read by name; the opaque buffer is gone.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from .initializers import constant_initializer, glorot_uniform_initializer, zeros_initializer
from .layers import Layer
from .rnn import DropoutWrapper, GRUCell, LSTMStateTuple, MultiRNNCell, RNNCell
from .rnn_blocks import LSTMBlockCell
from .rnn_loops import dynamic_rnn, stack_bidirectional_dynamic_rnn


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """The LSTM of `CudnnLSTM`, one step at a time."""

    def __init__(self, num_units: int, reuse: Any = None, initializer: Any = None,
                 bias_initializer: Any = None) -> None:
        super().__init__(num_units, forget_bias=0.0, reuse=reuse,
                         name="cudnn_compatible_lstm_cell")
        self._initializer, self._bias_initializer = initializer, bias_initializer

    def build(self, input_shape: Any) -> None:
        self._weights(input_shape, 4 * self.output_size, bias=self._bias_initializer)


class CudnnCompatibleGRUCell(GRUCell):
    """The GRU of `CudnnGRU`, one step at a time: it resets behind the product, unlike `GRUCell`."""

    def __init__(self, num_units: int, reuse: Any = None, kernel_initializer: Any = None,
                 bias_initializer: Any = None) -> None:
        super().__init__(num_units, reuse=reuse, kernel_initializer=kernel_initializer,
                         bias_initializer=bias_initializer)

    def build(self, input_shape: Any) -> None:
        units, depth = self.output_size, input_shape[-1]
        start, bias = self._initializer, self._bias_initializer
        self._weights(input_shape, 2 * units, "gates", bias or constant_initializer(1.0))
        for part, rows in (("input", depth), ("hidden", units)):
            self.add_variable(f"candidate/{part}_projection/kernel", [rows, units],
                              initializer=start)
        for part in ("input", "hidden"):
            self.add_variable(f"candidate/{part}_projection/bias", [units],
                              initializer=bias or zeros_initializer())

    def _projected(self, value: tf.Tensor, part: str) -> tf.Tensor:
        head = f"candidate/{part}_projection/"
        return tf.matmul(value, self._made[head + "kernel"]) + self._made[head + "bias"]

    def call(self, inputs: Any, state: Any) -> Any:
        reset, update = tf.split(tf.sigmoid(self._linear([inputs, state], "gates")), 2, 1)
        candidate = self._activation(
            self._projected(inputs, "input") + reset * self._projected(state, "hidden"))
        outputs = (1 - update) * candidate + update * state
        return outputs, outputs


def _block_by_block(initializer: Any, units: int) -> Callable[..., tf.Tensor]:
    """An initializer of [inputs + units, gates * units] that draws every gate's two matrices apart."""

    def initial(shape: Any, dtype: Any = tf.float32, **_: Any) -> tf.Tensor:
        rows, columns = int(shape[0]), int(shape[1])

        def matrix(height: int) -> tf.Tensor:
            return tf.transpose(initializer([units, height], dtype=dtype))

        heights = [rows - units, units] if rows > units else [rows]
        return tf.concat(
            [tf.concat([matrix(height) for height in heights], 0)
             for _ in range(columns // units)], 1)

    return initial


class _CudnnLayer(Layer):
    """Cells on top of each other over [time, batch, features], or batch first."""

    def __init__(
        self, num_layers: int, num_units: int, input_mode: str = "linear_input",
        direction: str = "unidirectional", dropout: float = 0.0, seed: int | None = None,
        dtype: Any = tf.float32, kernel_initializer: Any = None, bias_initializer: Any = None,
        name: str | None = None,
    ) -> None:
        if direction not in ("unidirectional", "bidirectional"):
            raise ValueError(f"Invalid direction: {direction}")
        if input_mode not in ("linear_input", "auto_select"):
            raise ValueError(f"input_mode {input_mode} is not supported, only linear_input")
        super().__init__(name=name, dtype=dtype)
        self.num_layers, self.num_units, self.direction = num_layers, num_units, direction
        self.num_dirs = 1 if direction == "unidirectional" else 2
        self._dropout, self._seed = dropout, seed
        start = kernel_initializer or glorot_uniform_initializer(seed=seed)
        self._kernel_start = _block_by_block(start, num_units)
        self._bias_start = bias_initializer
        self._cells = [
            [self._cell() for _ in range(num_layers)] for _ in range(self.num_dirs)]

    def _cell(self) -> RNNCell:
        raise NotImplementedError

    def _to_cells(self, states: tuple[tf.Tensor, ...]) -> list[list[Any]]:
        """[layers * directions, batch, units] of each part -> states by direction and layer."""
        return [
            [self._joined([part[layer * self.num_dirs + way] for part in states])
             for layer in range(self.num_layers)]
            for way in range(self.num_dirs)]

    def _joined(self, parts: list[tf.Tensor]) -> Any:
        return parts[0]

    def _parts(self, state: Any) -> tuple[Any, ...]:
        return (state,)

    def state_shape(self, batch_size: int) -> tuple[list[int], ...]:
        """Of each part of the state: [layers * directions, batch, units]."""
        return ([self.num_layers * self.num_dirs, batch_size, self.num_units],)

    def call(self, inputs: Any, initial_state: Any = None, sequence_lengths: Any = None,
             time_major: bool = True, training: Any = True) -> Any:
        """(outputs, state) of a sequence; `training`: with dropout between the layers.

        Raises:
            TypeError: `initial_state` is not a tuple.
        """
        if initial_state is not None and not isinstance(initial_state, tuple):
            raise TypeError(f"initial_state must be a tuple, it is {initial_state}")
        starts = None if initial_state is None else self._to_cells(initial_state)
        cells = [
            [DropoutWrapper(cell, input_keep_prob=1 - self._dropout, seed=self._seed)
             if number and training and self._dropout else cell
             for number, cell in enumerate(way)]
            for way in self._cells]
        if self.num_dirs == 1:
            outputs, last = dynamic_rnn(
                MultiRNNCell(cells[0]), inputs, sequence_lengths,
                None if starts is None else tuple(starts[0]), inputs.dtype, time_major=time_major)
            ordered = list(last)
        else:
            outputs, forward, backward = stack_bidirectional_dynamic_rnn(
                cells[0], cells[1], inputs, *(starts or (None, None)), dtype=inputs.dtype,
                sequence_length=sequence_lengths, time_major=time_major)
            ordered = [state for both in zip(forward, backward, strict=True) for state in both]
        return outputs, tuple(
            tf.stack(part) for part in zip(*map(self._parts, ordered), strict=True))

    @property
    def trainable_weights(self) -> list[Any]:
        """Those of the cells."""
        return [v for way in self._cells for cell in way for v in cell.trainable_weights]


class CudnnLSTM(_CudnnLayer):
    """`outputs, (h, c) = layer(inputs, (h, c))`."""

    def _cell(self) -> RNNCell:
        return CudnnCompatibleLSTMCell(
            self.num_units, initializer=self._kernel_start, bias_initializer=_summed(self))

    def _joined(self, parts: list[tf.Tensor]) -> Any:
        return LSTMStateTuple(parts[1], parts[0])

    def _parts(self, state: Any) -> tuple[Any, ...]:
        return state.h, state.c

    def state_shape(self, batch_size: int) -> tuple[list[int], ...]:
        return super().state_shape(batch_size) * 2


class CudnnGRU(_CudnnLayer):
    """`outputs, (h,) = layer(inputs, (h,))`."""

    def _cell(self) -> RNNCell:
        return CudnnCompatibleGRUCell(
            self.num_units, kernel_initializer=self._kernel_start,
            bias_initializer=_summed(self))


def _summed(layer: _CudnnLayer) -> Any:
    """cuDNN has two biases for each gate, which start alike; the cells have their sum."""
    start = layer._bias_start
    if start is None:
        return zeros_initializer()
    return lambda shape, dtype=tf.float32, **_: 2 * start(shape, dtype=dtype)

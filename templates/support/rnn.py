"""tf.nn.rnn_cell: recurrent cells with TF1's variable names and gate order."""

from __future__ import annotations

import collections
import numbers
from typing import Any

import tensorflow as tf

from . import devices
from .initializers import constant_initializer, zeros_initializer
from .layers import Layer
from .scopes import variable_scope
from .store import current_run


class LSTMStateTuple(collections.namedtuple("LSTMStateTuple", ["c", "h"])):
    """The memory `c` and the output `h` of an LSTM."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        """That of both parts.

        Raises:
            TypeError: they differ.
        """
        if self.c.dtype != self.h.dtype:
            raise TypeError(f"Inconsistent internal state: {self.c.dtype} vs {self.h.dtype}")
        return self.c.dtype


def dimensions(size: Any) -> list[int]:
    """The dimensions after the batch of a state or output of that size (a number or a shape)."""
    return [int(size)] if isinstance(size, numbers.Integral) else tf.TensorShape(size).as_list()


def sized(make: Any, sizes: Any) -> Any:
    """`make(size)` for each number or TensorShape of nested sizes."""
    if isinstance(sizes, (numbers.Integral, tf.TensorShape)):
        return make(sizes)
    if hasattr(sizes, "_fields"):
        return type(sizes)(*(sized(make, size) for size in sizes))
    return type(sizes)(sized(make, size) for size in sizes)


class RNNCell(Layer):
    """`outputs, state = cell(inputs, state)` for one time step of [batch, features]."""

    state_size: Any
    output_size: int
    _activation: Any
    _like_layers = False  # whether its scope counts among those whose names are taken

    def __call__(self, inputs: Any, state: Any, scope: Any = None, **kwargs: Any) -> Any:
        if scope is not None and self.scope_name is None:
            self._given_scope = scope
        run = current_run()
        counts = dict(run.scope_counts)
        found = super().__call__(inputs, state, **kwargs)
        if not self._like_layers:  # TF 1 entered the scope around the call once more, and then left it
            run.scope_counts = counts
        return found

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """A state of zeros, [batch_size, *size] for each part of `state_size`."""
        return sized(lambda size: tf.zeros([batch_size, *dimensions(size)], dtype), self.state_size)

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """`zero_state`, with batch size and dtype taken from `inputs` where they are given."""
        if inputs is not None:
            inputs = tf.convert_to_tensor(inputs)
            batch_size, dtype = tf.shape(inputs)[0], inputs.dtype
        return self.zero_state(batch_size, dtype)

    def _weights(self, inputs: Any, size: int, prefix: str = "", bias: Any = None) -> None:
        """Makes PREFIX/kernel for [inputs, state] and PREFIX/bias."""
        depth = inputs[-1] + self._hidden_size()
        head = prefix + "/" if prefix else ""
        self.add_variable(
            head + "kernel", [depth, size], initializer=getattr(self, "_initializer", None)
        )
        self.add_variable(head + "bias", [size], initializer=bias or zeros_initializer())

    def _configured(self) -> dict[str, Any]:
        """What the configurations of all cells have."""
        activation = getattr(self._activation, "__name__", self._activation)
        return {"activation": activation, "reuse": self._reuse}

    def _hidden_size(self) -> int:
        return self.output_size

    def _linear(self, values: list[Any], prefix: str = "") -> tf.Tensor:
        head = prefix + "/" if prefix else ""
        product = tf.matmul(tf.concat(values, 1), self._made[head + "kernel"])
        return tf.nn.bias_add(product, self._made[head + "bias"])


class BasicRNNCell(RNNCell):
    """activation(W [x, h] + b)."""

    _like_layers = True

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        **kw: Any,
    ) -> None:
        super().__init__(name=name, _reuse=reuse, **kw)
        self._num_units = self.state_size = self.output_size = num_units
        self._activation = activation or tf.tanh

    def build(self, input_shape: Any) -> None:
        self._weights(input_shape, self.output_size)

    def get_config(self) -> dict[str, Any]:
        """What the cell is made with again."""
        return {**super().get_config(), "num_units": self.output_size, **self._configured()}

    def call(self, inputs: Any, state: Any) -> Any:
        outputs = self._activation(self._linear([inputs, state]))
        return outputs, outputs


class GRUCell(RNNCell):
    """A gated recurrent unit; the reset gate is applied before the product, unlike in Keras."""

    _like_layers = True

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        **kw: Any,
    ) -> None:
        super().__init__(name=name, _reuse=reuse, **kw)
        self._num_units = self.state_size = self.output_size = num_units
        self._activation = activation or tf.tanh
        self._initializer, self._bias_initializer = kernel_initializer, bias_initializer

    def build(self, input_shape: Any) -> None:
        bias = self._bias_initializer
        self._weights(input_shape, 2 * self.output_size, "gates", bias or constant_initializer(1.0))
        self._weights(input_shape, self.output_size, "candidate", bias)

    def get_config(self) -> dict[str, Any]:
        """What the cell is made with again."""
        return {
            **super().get_config(), "num_units": self.output_size, **self._configured(),
            "kernel_initializer": self._initializer, "bias_initializer": self._bias_initializer,
        }

    def call(self, inputs: Any, state: Any) -> Any:
        gates = tf.sigmoid(self._linear([inputs, state], "gates"))
        reset, update = tf.split(gates, 2, 1)
        candidate = self._activation(self._linear([inputs, reset * state], "candidate"))
        outputs = update * state + (1 - update) * candidate
        return outputs, outputs


class BasicLSTMCell(RNNCell):
    """An LSTM whose gates are ordered input, candidate, forget, output."""

    _like_layers = True

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        **kw: Any,
    ) -> None:
        super().__init__(name=name, _reuse=reuse, **kw)
        self._num_units = self.output_size = num_units
        self._state_is_tuple = state_is_tuple
        self.state_size = self._size(num_units)
        self._forget_bias, self._activation = forget_bias, activation or tf.tanh

    def _size(self, of_output: int) -> Any:
        """(c, h), or both side by side in one tensor."""
        if self._state_is_tuple:
            return LSTMStateTuple(self._num_units, of_output)
        return self._num_units + of_output

    def _parts(self, state: Any) -> Any:
        if self._state_is_tuple:
            return state
        return tf.split(state, [self._num_units, self.output_size], 1)

    def _state(self, c: Any, h: Any) -> Any:
        return LSTMStateTuple(c, h) if self._state_is_tuple else tf.concat([c, h], 1)

    def build(self, input_shape: Any) -> None:
        self._weights(input_shape, 4 * self._num_units)

    def get_config(self) -> dict[str, Any]:
        """What the cell is made with again."""
        return {
            **super().get_config(), "num_units": self._num_units, "forget_bias": self._forget_bias,
            "state_is_tuple": self._state_is_tuple, **self._configured(),
        }

    def call(self, inputs: Any, state: Any) -> Any:
        c, h = self._parts(state)
        i, j, f, o = tf.split(self._linear([inputs, h]), 4, 1)
        c = c * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * self._activation(j)
        h = self._activation(c) * tf.sigmoid(o)
        return h, self._state(c, h)


class LSTMCell(BasicLSTMCell):
    """`BasicLSTMCell` with an initializer, a clipped cell and a projection of the output."""

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: Any = None,
        num_proj_shards: Any = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        **kw: Any,
    ) -> None:
        super().__init__(num_units, forget_bias, state_is_tuple, activation, reuse, name, **kw)
        self._initializer, self._use_peepholes = initializer, use_peepholes
        self._cell_clip, self._num_proj, self._proj_clip = cell_clip, num_proj, proj_clip
        self.output_size = num_proj or num_units
        self.state_size = self._size(self.output_size)

    def build(self, input_shape: Any) -> None:
        units = self._num_units
        self._weights(input_shape, 4 * units)
        if self._use_peepholes:
            for name in ("w_f_diag", "w_i_diag", "w_o_diag"):
                self.add_variable(name, [units], initializer=self._initializer)
        if self._num_proj:
            shape = [units, self._num_proj]
            self.add_variable("projection/kernel", shape, initializer=self._initializer)

    def get_config(self) -> dict[str, Any]:
        """What the cell is made with again."""
        return {
            **super().get_config(), "use_peepholes": self._use_peepholes,
            "cell_clip": self._cell_clip, "initializer": self._initializer,
            "num_proj": self._num_proj, "proj_clip": self._proj_clip,
            "num_unit_shards": None, "num_proj_shards": None,
        }

    def call(self, inputs: Any, state: Any) -> Any:
        c, h = self._parts(state)
        made = self._made
        peep = made if self._use_peepholes else collections.defaultdict(float)
        i, j, f, o = tf.split(self._linear([inputs, h]), 4, 1)
        forget = tf.sigmoid(f + self._forget_bias + peep["w_f_diag"] * c)
        c = forget * c + tf.sigmoid(i + peep["w_i_diag"] * c) * self._activation(j)
        if self._cell_clip is not None:
            c = tf.clip_by_value(c, -self._cell_clip, self._cell_clip)
        h = tf.sigmoid(o + peep["w_o_diag"] * c) * self._activation(c)
        if self._num_proj:
            h = tf.matmul(h, made["projection/kernel"])
            if self._proj_clip is not None:
                h = tf.clip_by_value(h, -self._proj_clip, self._proj_clip)
        return h, self._state(c, h)


class MultiRNNCell(RNNCell):
    """Cells stacked: the output of one is the input of the next."""

    def __init__(self, cells: Any, state_is_tuple: bool = True) -> None:
        super().__init__()
        self._cells, self._state_is_tuple = tuple(cells), state_is_tuple
        sizes = tuple(cell.state_size for cell in self._cells)
        self.state_size = sizes if state_is_tuple else sum(sizes)
        self.output_size = self._cells[-1].output_size

    def call(self, inputs: Any, state: Any) -> Any:
        states: list[Any] = []
        if not self._state_is_tuple:
            state = tf.split(state, [cell.state_size for cell in self._cells], 1)
        for number, (cell, old) in enumerate(zip(self._cells, state, strict=True)):
            with variable_scope(f"cell_{number}"):
                inputs, new = cell(inputs, old)
            states.append(new)
        return inputs, tuple(states) if self._state_is_tuple else tf.concat(states, 1)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Zeros for each cell, as the cells make them."""
        if not self._state_is_tuple:
            return super().zero_state(batch_size, dtype)
        return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)


class DropoutWrapper(RNNCell):
    """Dropout of a cell's inputs, outputs and state; masks are drawn anew at each step."""

    _like_layers = True

    def __init__(
        self,
        cell: RNNCell,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: int | None = None,
    ) -> None:
        if variational_recurrent:
            raise ValueError("variational_recurrent: use recurrent_dropout of a Keras RNN layer")
        super().__init__()
        self.cell, self.seed = cell, seed
        self.keep = (input_keep_prob, output_keep_prob, state_keep_prob)
        self.state_size, self.output_size = cell.state_size, cell.output_size

    def _dropped(self, value: Any, keep: Any) -> Any:
        if isinstance(keep, (int, float)) and keep >= 1:
            return value
        return tf.nest.map_structure(lambda v: tf.nn.dropout(v, 1 - keep, seed=self.seed), value)

    def __call__(self, inputs: Any, state: Any, scope: Any = None, **kwargs: Any) -> Any:
        on_inputs, on_outputs, on_state = self.keep
        outputs, new = self.cell(self._dropped(inputs, on_inputs), state, scope)
        if isinstance(new, LSTMStateTuple):  # TF1 left the memory cell alone
            new = LSTMStateTuple(new.c, self._dropped(new.h, on_state))
        else:
            new = self._dropped(new, on_state)
        return self._dropped(outputs, on_outputs), new


class CellWrapper(RNNCell):
    """A cell around another one, with that one's sizes."""

    _like_layers = True

    def __init__(self, cell: RNNCell) -> None:
        super().__init__()
        self.cell = cell
        self.state_size, self.output_size = cell.state_size, cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The state that the inner cell starts from."""
        return self.cell.zero_state(batch_size, dtype)


class ResidualWrapper(CellWrapper):
    """Adds the inputs to the outputs, or combines them by `residual_fn(inputs, outputs)`."""

    def __init__(self, cell: RNNCell, residual_fn: Any = None) -> None:
        super().__init__(cell)
        self.residual_fn = residual_fn or (
            lambda inputs, outputs: tf.nest.map_structure(tf.add, inputs, outputs)
        )

    def __call__(self, inputs: Any, state: Any, scope: Any = None, **kwargs: Any) -> Any:
        outputs, new = self.cell(inputs, state, scope)
        return self.residual_fn(inputs, outputs), new


class DeviceWrapper(CellWrapper):
    """Runs the cell on a device."""

    def __init__(self, cell: RNNCell, device: Any) -> None:
        super().__init__(cell)
        self.device = device

    def __call__(self, inputs: Any, state: Any, scope: Any = None, **kwargs: Any) -> Any:
        with devices.device(self.device):
            return self.cell(inputs, state, scope)

"""tf.contrib.rnn: the LSTM and GRU of fused kernels."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from .initializers import constant_initializer, zeros_initializer
from .layers import Layer
from .rnn import LSTMStateTuple, RNNCell


class LSTMBlockCell(RNNCell):
    """The LSTM of TF1's fused kernel; the cell is not clipped by default."""

    _like_layers = True

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        dtype: Any = None,
        reuse: Any = None,
        name: str = "lstm_cell",
    ) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse)
        self._num_units = self.output_size = num_units
        self.state_size = LSTMStateTuple(num_units, num_units)
        self._forget_bias, self._cell_clip, self.use_peephole = forget_bias, cell_clip, use_peephole

    def build(self, input_shape: Any) -> None:
        units = self.output_size
        self._weights(input_shape, 4 * units)
        if self.use_peephole:
            for name in ("w_i_diag", "w_f_diag", "w_o_diag"):
                self.add_variable(name, [units])

    def call(self, inputs: Any, state: Any) -> Any:
        c, h = state
        peep = self._made if self.use_peephole else dict.fromkeys(
            ("w_i_diag", "w_f_diag", "w_o_diag"), 0.0
        )
        i, j, f, o = tf.split(self._linear([inputs, h]), 4, 1)
        kept = tf.sigmoid(f + self._forget_bias + peep["w_f_diag"] * c)
        c = tf.tanh(j) * tf.sigmoid(i + peep["w_i_diag"] * c) + c * kept
        if self._cell_clip is not None and self._cell_clip > 0:
            clipped = tf.clip_by_value(c, -self._cell_clip, self._cell_clip)
            c += tf.stop_gradient(clipped - c)  # the kernel's gradient did not see the clipping
        h = tf.tanh(c) * tf.sigmoid(o + peep["w_o_diag"] * c)
        return h, LSTMStateTuple(c, h)


class LSTMBlockFusedCell(Layer):
    """An LSTM over [time, batch, features] in one kernel (BlockLSTM).

    `outputs, state = cell(inputs, initial_state, dtype, sequence_length)`.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        reuse: Any = None,
        dtype: Any = None,
        name: str = "lstm_fused_cell",
    ) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._cell_clip, self.use_peephole = -1 if cell_clip is None else cell_clip, use_peephole

    def build(self, input_shape: Any) -> None:
        units = self._num_units
        self.add_variable("kernel", [input_shape[2] + units, 4 * units])
        self.add_variable("bias", [4 * units], initializer=zeros_initializer())
        if self.use_peephole:
            for name in ("w_i_diag", "w_f_diag", "w_o_diag"):
                self.add_variable(name, [units])

    def call(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None
    ) -> Any:
        if initial_state is None and dtype is None:
            raise ValueError("Either initial_state or dtype needs to be specified")
        shape = tf.shape(inputs)
        zeros = tf.zeros([shape[1], self._num_units], inputs.dtype)
        start = (zeros, zeros) if initial_state is None else initial_state
        made, none = self._made, tf.zeros([self._num_units], inputs.dtype)
        longest = shape[0] if sequence_length is None else tf.reduce_max(sequence_length)
        _, cells, _, _, _, _, outputs = tf.raw_ops.BlockLSTM(
            seq_len_max=tf.cast(longest, tf.int64),
            x=inputs,
            cs_prev=start[0],
            h_prev=start[1],
            w=made["kernel"],
            wci=made.get("w_i_diag", none),
            wcf=made.get("w_f_diag", none),
            wco=made.get("w_o_diag", none),
            b=made["bias"],
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self.use_peephole,
        )
        if sequence_length is None:
            return outputs, LSTMStateTuple(cells[-1], outputs[-1])
        lengths = tf.cast(sequence_length, tf.int32)
        alive = tf.transpose(tf.sequence_mask(lengths, shape[0], inputs.dtype))
        outputs *= alive[..., None]
        at = tf.stack([lengths, tf.range(shape[1])], 1)
        last = [
            tf.gather_nd(tf.concat([first[None], values], 0), at)
            for first, values in zip(start, (cells, outputs), strict=True)
        ]
        return outputs, LSTMStateTuple(*last)


class GRUBlockCell(RNNCell):
    """A GRU with the variable names of TF1's fused kernel."""

    _like_layers = True

    names = ("w_ru", "b_ru", "w_c", "b_c")

    def __init__(
        self,
        num_units: int | None = None,
        cell_size: int | None = None,
        reuse: Any = None,
        name: str = "gru_cell",
    ) -> None:
        super().__init__(name=name, _reuse=reuse)
        if (num_units is None) == (cell_size is None):
            raise ValueError("Exactly one of num_units or cell_size must be provided.")
        self._num_units = self.state_size = self.output_size = num_units or cell_size or 0

    def build(self, input_shape: Any) -> None:
        units = self.output_size
        depth = input_shape[1] + units
        kernel, bias, candidate, shift = self.names
        self.add_variable(kernel, [depth, 2 * units])
        self.add_variable(bias, [2 * units], initializer=constant_initializer(1.0))
        self.add_variable(candidate, [depth, units])
        self.add_variable(shift, [units], initializer=zeros_initializer())

    def call(self, inputs: Any, state: Any) -> Any:
        kernel, bias, candidate, shift = (self._made[name] for name in self.names)
        gates = tf.sigmoid(tf.matmul(tf.concat([inputs, state], 1), kernel) + bias)
        reset, update = tf.split(gates, 2, 1)
        new = tf.tanh(tf.matmul(tf.concat([inputs, reset * state], 1), candidate) + shift)
        outputs = update * state + (1 - update) * new
        return outputs, outputs


class GRUBlockCellV2(GRUBlockCell):
    """`GRUBlockCell` with the names of `GRUCell`."""

    names = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")

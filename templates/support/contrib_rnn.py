"""tf.contrib.rnn: cells that were not in tf.nn.rnn_cell, with TF1's names of variables."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from .initializers import constant_initializer, zeros_initializer
from .rnn import LSTMCell, LSTMStateTuple, RNNCell
from .rnn_wrappers import linear, variable_again
from .scopes import variable_scope


def _normalized(x: tf.Tensor, scope: str, gain: float, shift: float) -> tf.Tensor:
    """Layer norm of [batch, units], its gamma and beta under `scope`."""
    with variable_scope(scope):
        gamma = variable_again("gamma", x.shape[-1:], x.dtype, constant_initializer(gain))
        beta = variable_again("beta", x.shape[-1:], x.dtype, constant_initializer(shift))
    average, variance = tf.nn.moments(x, [1], keepdims=True)
    return tf.nn.batch_normalization(x, average, variance, beta, gamma, 1e-12)


class LayerNormBasicLSTMCell(RNNCell):
    """An LSTM with layer norm before the nonlinearities and dropout of the new input."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: Any = None,
        activation: Any = tf.tanh,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: int | None = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = self.output_size = num_units
        self.state_size = LSTMStateTuple(num_units, num_units)
        self._forget_bias, self._activation, self.layer_norm = forget_bias, activation, layer_norm
        self.norm = (norm_gain, norm_shift)
        self.keep_prob, self.seed = dropout_keep_prob, dropout_prob_seed

    def call(self, inputs: Any, state: Any) -> Any:
        c, h = state
        joined = tf.concat([inputs, h], 1)
        size = 4 * self.output_size
        gates = tf.matmul(joined, variable_again("kernel", [joined.shape[1], size], joined.dtype))
        if not self.layer_norm:
            gates = tf.nn.bias_add(gates, variable_again("bias", [size], joined.dtype))
        i, j, f, o = tf.split(gates, 4, 1)
        if self.layer_norm:
            names = ("input", "transform", "forget", "output")
            i, j, f, o = (
                _normalized(g, n, *self.norm) for g, n in zip((i, j, f, o), names, strict=True)
            )
        new = self._activation(j)
        if not isinstance(self.keep_prob, float) or self.keep_prob < 1:
            new = tf.nn.dropout(new, 1 - self.keep_prob, seed=self.seed)
        c = c * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * new
        if self.layer_norm:
            c = _normalized(c, "state", *self.norm)
        h = self._activation(c) * tf.sigmoid(o)
        return h, LSTMStateTuple(c, h)


class ConvLSTMCell(RNNCell):
    """An LSTM on [batch, *spatial, channels] whose products are convolutions."""

    def __init__(
        self,
        conv_ndims: int,
        input_shape: Any,
        output_channels: int,
        kernel_shape: Any,
        use_bias: bool = True,
        skip_connection: bool = False,
        forget_bias: float = 1.0,
        initializers: Any = None,
        name: str = "conv_lstm_cell",
    ) -> None:
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
        self.ndims, self.kernel_shape = conv_ndims, list(kernel_shape)
        self.channels, self.use_bias = output_channels, use_bias
        self.skip, self._forget_bias = skip_connection, forget_bias
        space = list(input_shape[:-1])
        out = tf.TensorShape([*space, output_channels + skip_connection * input_shape[-1]])
        size = tf.TensorShape([*space, output_channels])
        self.state_size, self.output_size = LSTMStateTuple(size, size), out

    def call(self, inputs: Any, state: Any) -> Any:
        c, h = state
        joined = tf.concat([inputs, h], -1)
        shape = [*self.kernel_shape, joined.shape[-1], 4 * self.channels]
        layout = {1: "NWC", 2: "NHWC", 3: "NDHWC"}[self.ndims]
        kernel = variable_again("kernel", shape, joined.dtype)
        gates = tf.nn.convolution(joined, kernel, padding="SAME", data_format=layout)
        if self.use_bias:
            gates += variable_again("biases", [4 * self.channels], joined.dtype, zeros_initializer())
        i, j, f, o = tf.split(gates, 4, self.ndims + 1)
        c = tf.sigmoid(f + self._forget_bias) * c + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(o)
        if self.skip:
            h = tf.concat([h, inputs], -1)
        return h, LSTMStateTuple(c, h)


class Conv1DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` of [batch, width, channels]."""

    def __init__(self, name: str = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` of [batch, height, width, channels]."""

    def __init__(self, name: str = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` of [batch, depth, height, width, channels]."""

    def __init__(self, name: str = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=3, name=name, **kwargs)


class CoupledInputForgetGateLSTMCell(LSTMCell):
    """An LSTM whose input gate is 1 - its forget gate; optional layer norm."""

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int = 1,
        num_proj_shards: int = 1,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = tf.tanh,
        reuse: Any = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
    ) -> None:
        if num_unit_shards != 1 or num_proj_shards != 1:
            raise ValueError("sharded weights: one variable holds each matrix in TF 2")
        super().__init__(
            num_units, use_peepholes, None, initializer, num_proj, proj_clip, None, None,
            forget_bias, state_is_tuple, activation, reuse,
        )  # fmt: skip
        self.layer_norm, self.norm = layer_norm, (norm_gain, norm_shift)

    def build(self, input_shape: Any) -> None:
        """The variables are made where `call` uses them."""

    def call(self, inputs: Any, state: Any) -> Any:
        c, h = self._parts(state)
        joined = tf.concat([inputs, h], 1)
        size, kind, make = 3 * self._num_units, joined.dtype, self._initializer
        gates = tf.matmul(joined, variable_again("W_0", [joined.shape[1], size], kind, make))
        bias = variable_again("B", [size], kind, zeros_initializer())
        j, f, o = tf.split(gates if self.layer_norm else tf.nn.bias_add(gates, bias), 3, 1)
        if self.layer_norm:
            names = ("transform", "forget", "output")
            j, f, o = (
                _normalized(g, n, *self.norm) for g, n in zip((j, f, o), names, strict=True)
            )
        peep_f = peep_o = 0.0
        if self._use_peepholes:
            peep_f = variable_again("W_F_diag", [self._num_units], kind, make)
            peep_o = variable_again("W_O_diag", [self._num_units], kind, make)
        forget = tf.sigmoid(f + self._forget_bias + peep_f * c)
        c = forget * c + (1 - forget) * self._activation(j)
        if self.layer_norm:
            c = _normalized(c, "state", *self.norm)
        h = tf.sigmoid(o + peep_o * c) * self._activation(c)
        if self._num_proj:
            h = tf.matmul(h, variable_again("W_P_0", [self._num_units, self._num_proj], kind, make))
            if self._proj_clip is not None:
                h = tf.clip_by_value(h, -self._proj_clip, self._proj_clip)
        return h, self._state(c, h)


class NASCell(RNNCell):
    """The cell that neural architecture search found for language models."""

    _like_layers = True

    def __init__(
        self, num_units: int, num_proj: int | None = None, use_bias: bool = False,
        reuse: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units, self._num_proj, self.use_bias = num_units, num_proj, use_bias
        self.output_size = num_proj or num_units
        self.state_size = LSTMStateTuple(num_units, self.output_size)

    def build(self, input_shape: Any) -> None:
        size = 8 * self._num_units
        self.add_variable("recurrent_kernel", [self.output_size, size])
        self.add_variable("kernel", [input_shape[1], size])
        if self.use_bias:
            self.add_variable("bias", [size], initializer=zeros_initializer())
        if self._num_proj:
            self.add_variable("projection_weights", [self._num_units, self._num_proj])

    def call(self, inputs: Any, state: Any) -> Any:
        c, m = state
        made = self._made
        recurrent = tf.matmul(m, made["recurrent_kernel"])
        if self.use_bias:
            recurrent = tf.nn.bias_add(recurrent, made["bias"])
        r = tf.split(recurrent, 8, 1)
        x = tf.split(tf.matmul(inputs, made["kernel"]), 8, 1)
        first = tf.tanh(tf.sigmoid(x[0] + r[0]) * tf.nn.relu(x[1] + r[1]))
        second = tf.tanh(tf.sigmoid(x[2] + r[2]) + tf.nn.relu(x[3] * r[3]))
        third = tf.tanh(tf.tanh(x[4] + r[4]) * tf.sigmoid(x[5] + r[5]))
        fourth = tf.sigmoid(tf.tanh(x[6] + r[6]) + tf.sigmoid(x[7] + r[7]))
        c = tf.tanh(first + c) * second
        m = tf.tanh(c * tf.tanh(third + fourth))
        if self._num_proj:
            m = tf.matmul(m, made["projection_weights"])
        return m, LSTMStateTuple(c, m)


class UGRNNCell(RNNCell):
    """An update gate between the old state and a candidate."""

    def __init__(
        self,
        num_units: int,
        initializer: Any = None,
        forget_bias: float = 1.0,
        activation: Any = tf.tanh,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = self.state_size = self.output_size = num_units
        self._initializer, self._forget_bias, self._activation = initializer, forget_bias, activation

    def call(self, inputs: Any, state: Any) -> Any:
        gate, new = tf.split(
            linear([inputs, state], 2 * self.output_size, self._initializer), 2, 1
        )
        gate = tf.sigmoid(gate + self._forget_bias)
        outputs = gate * state + (1 - gate) * self._activation(new)
        return outputs, outputs


class SRUCell(RNNCell):
    """A simple recurrent unit: the state enters by element-wise products only."""

    _like_layers = True

    def __init__(
        self, num_units: int, activation: Any = None, reuse: Any = None, name: str | None = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=name, _reuse=reuse, **kwargs)
        self._num_units = self.state_size = self.output_size = num_units
        self._activation = activation or tf.tanh

    def build(self, input_shape: Any) -> None:
        self.add_variable("kernel", [input_shape[1], 4 * self.output_size])
        self.add_variable("bias", [2 * self.output_size], initializer=zeros_initializer())

    def call(self, inputs: Any, state: Any) -> Any:
        new, f, r, skip = tf.split(tf.matmul(inputs, self._made["kernel"]), 4, 1)
        gates = tf.sigmoid(tf.nn.bias_add(tf.concat([f, r], 1), self._made["bias"]))
        forget, reset = tf.split(gates, 2, 1)
        c = forget * state + (1 - forget) * new
        return reset * self._activation(c) + (1 - reset) * skip, c

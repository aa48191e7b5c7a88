"""tf.nn.rnn_cell and the functions that run cells over time, with TF1's variable names.

Sequence-to-sequence decoders and cells with layer norm of tf.contrib.rnn are not here; see
tf.keras.layers.RNN for those.
"""

from __future__ import annotations

import collections
from typing import Any

import tensorflow as tf

from .initializers import constant_initializer, zeros_initializer
from .layers import Layer
from .scopes import variable_scope

LSTMStateTuple = collections.namedtuple("LSTMStateTuple", ["c", "h"])


class RNNCell(Layer):
    """`outputs, state = cell(inputs, state)` for one time step of [batch, features]."""

    state_size: Any
    output_size: int

    def __call__(self, inputs: Any, state: Any, scope: Any = None, **kwargs: Any) -> Any:
        if scope is not None and self.scope_name is None:
            self._given_scope = scope
        return super().__call__(inputs, state, **kwargs)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """A state of zeros, [batch_size, size] for each part."""
        return tf.nest.map_structure(
            lambda size: tf.zeros([batch_size, size], dtype), self.state_size
        )

    def _weights(self, inputs: Any, size: int, prefix: str = "", bias: Any = None) -> None:
        """Makes PREFIX/kernel for [inputs, state] and PREFIX/bias."""
        depth = inputs[-1] + self._hidden_size()
        head = prefix + "/" if prefix else ""
        self.add_variable(
            head + "kernel", [depth, size], initializer=getattr(self, "_initializer", None)
        )
        self.add_variable(head + "bias", [size], initializer=bias or zeros_initializer())

    def _hidden_size(self) -> int:
        return self.output_size

    def _linear(self, values: list[Any], prefix: str = "") -> tf.Tensor:
        head = prefix + "/" if prefix else ""
        product = tf.matmul(tf.concat(values, 1), self._made[head + "kernel"])
        return tf.nn.bias_add(product, self._made[head + "bias"])


class BasicRNNCell(RNNCell):
    """activation(W [x, h] + b)."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        **kw: Any,
    ) -> None:
        super().__init__(name=name, _reuse=reuse, **kw)
        self.state_size = self.output_size = num_units
        self.activation = activation or tf.tanh

    def build(self, input_shape: Any) -> None:
        self._weights(input_shape, self.output_size)

    def call(self, inputs: Any, state: Any) -> Any:
        outputs = self.activation(self._linear([inputs, state]))
        return outputs, outputs


class GRUCell(RNNCell):
    """A gated recurrent unit; the reset gate is applied before the product, unlike in Keras."""

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
        self.state_size = self.output_size = num_units
        self.activation = activation or tf.tanh
        self._initializer, self._bias_initializer = kernel_initializer, bias_initializer

    def build(self, input_shape: Any) -> None:
        bias = self._bias_initializer
        self._weights(input_shape, 2 * self.output_size, "gates", bias or constant_initializer(1.0))
        self._weights(input_shape, self.output_size, "candidate", bias)

    def call(self, inputs: Any, state: Any) -> Any:
        gates = tf.sigmoid(self._linear([inputs, state], "gates"))
        reset, update = tf.split(gates, 2, 1)
        candidate = self.activation(self._linear([inputs, reset * state], "candidate"))
        outputs = update * state + (1 - update) * candidate
        return outputs, outputs


class BasicLSTMCell(RNNCell):
    """An LSTM whose gates are ordered input, candidate, forget, output."""

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
        if not state_is_tuple:
            raise ValueError("state_is_tuple=False: use LSTMStateTuple states (c, h)")
        super().__init__(name=name, _reuse=reuse, **kw)
        self.state_size, self.output_size = LSTMStateTuple(num_units, num_units), num_units
        self.forget_bias, self.activation = forget_bias, activation or tf.tanh

    def build(self, input_shape: Any) -> None:
        self._weights(input_shape, 4 * self.state_size.c)

    def call(self, inputs: Any, state: Any) -> Any:
        c, h = state
        i, j, f, o = tf.split(self._linear([inputs, h]), 4, 1)
        c = c * tf.sigmoid(f + self.forget_bias) + tf.sigmoid(i) * self.activation(j)
        h = self.activation(c) * tf.sigmoid(o)
        return h, LSTMStateTuple(c, h)


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
        self._initializer, self.use_peepholes = initializer, use_peepholes
        self.cell_clip, self.num_proj, self.proj_clip = cell_clip, num_proj, proj_clip
        self.output_size = num_proj or num_units
        self.state_size = LSTMStateTuple(num_units, self.output_size)

    def build(self, input_shape: Any) -> None:
        units = self.state_size.c
        self._weights(input_shape, 4 * units)
        if self.use_peepholes:
            for name in ("w_f_diag", "w_i_diag", "w_o_diag"):
                self.add_variable(name, [units], initializer=self._initializer)
        if self.num_proj:
            shape = [units, self.num_proj]
            self.add_variable("projection/kernel", shape, initializer=self._initializer)

    def call(self, inputs: Any, state: Any) -> Any:
        c, h = state
        made = self._made
        peep = made if self.use_peepholes else collections.defaultdict(float)
        i, j, f, o = tf.split(self._linear([inputs, h]), 4, 1)
        forget = tf.sigmoid(f + self.forget_bias + peep["w_f_diag"] * c)
        c = forget * c + tf.sigmoid(i + peep["w_i_diag"] * c) * self.activation(j)
        if self.cell_clip is not None:
            c = tf.clip_by_value(c, -self.cell_clip, self.cell_clip)
        h = tf.sigmoid(o + peep["w_o_diag"] * c) * self.activation(c)
        if self.num_proj:
            h = tf.matmul(h, made["projection/kernel"])
            if self.proj_clip is not None:
                h = tf.clip_by_value(h, -self.proj_clip, self.proj_clip)
        return h, LSTMStateTuple(c, h)


class MultiRNNCell(RNNCell):
    """Cells stacked: the output of one is the input of the next."""

    def __init__(self, cells: Any, state_is_tuple: bool = True) -> None:
        if not state_is_tuple:
            raise ValueError("state_is_tuple=False: the state is a tuple with one entry per cell")
        super().__init__()
        self.cells = tuple(cells)
        self.state_size = tuple(cell.state_size for cell in self.cells)
        self.output_size = self.cells[-1].output_size

    def call(self, inputs: Any, state: Any) -> Any:
        states = []
        for number, (cell, old) in enumerate(zip(self.cells, state, strict=True)):
            with variable_scope(f"cell_{number}"):
                inputs, new = cell(inputs, old)
            states.append(new)
        return inputs, tuple(states)


class DropoutWrapper(RNNCell):
    """Dropout of a cell's inputs, outputs and state; masks are drawn anew at each step."""

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


# ---- over time -----------------------------------------------------------------------------------
def _select(alive: tf.Tensor, new: Any, old: Any) -> Any:
    return tf.nest.map_structure(lambda n, o: tf.where(alive[:, None], n, o), new, old)


def dynamic_rnn(
    cell: RNNCell,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[tf.Tensor, Any]:
    """(outputs of all steps, last state) of [batch, time, features] (or time first).

    Beyond `sequence_length` outputs are 0 and the state stays as it was.
    """
    with variable_scope(scope or "rnn"):
        inputs = tf.convert_to_tensor(inputs)
        steps = inputs if time_major else tf.transpose(inputs, [1, 0, 2])
        batch = steps.shape[1] if steps.shape[1] is not None else tf.shape(steps)[1]
        length = steps.shape[0] if steps.shape[0] is not None else tf.shape(steps)[0]
        if initial_state is None and dtype is None:
            raise ValueError("If there is no initial_state, you must give a dtype.")
        state = cell.zero_state(batch, dtype) if initial_state is None else initial_state

        def body(time: Any, state: Any, outputs: Any) -> Any:
            value, new = cell(steps[time], state)
            if sequence_length is not None:
                alive = time < tf.cast(sequence_length, tf.int32)
                value = _select(alive, value, tf.zeros_like(value))
                new = _select(alive, new, state)
            return time + 1, new, outputs.write(time, value)

        array = tf.TensorArray(inputs.dtype, size=length, element_shape=[None, cell.output_size])
        _, state, array = tf.while_loop(
            lambda time, *_: time < length,
            body,
            (tf.constant(0), state, array),
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
        outputs = array.stack()
        outputs.set_shape([steps.shape[0], steps.shape[1], cell.output_size])
        return outputs if time_major else tf.transpose(outputs, [1, 0, 2]), state


def static_rnn(
    cell: RNNCell,
    inputs: Any,
    initial_state: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[tf.Tensor], Any]:
    """`dynamic_rnn` of a list of [batch, features]; returns a list."""
    outputs, state = dynamic_rnn(
        cell,
        tf.stack(inputs),
        sequence_length,
        initial_state,
        dtype,
        time_major=True,
        scope=scope,
    )
    return tf.unstack(outputs, len(inputs)), state


def bidirectional_dynamic_rnn(
    cell_fw: RNNCell,
    cell_bw: RNNCell,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[tuple[tf.Tensor, tf.Tensor], tuple[Any, Any]]:
    """((forward, backward outputs), (forward, backward state))."""
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)

    def reverse(values: Any) -> tf.Tensor:
        if sequence_length is None:
            return tf.reverse(values, [time_axis])
        return tf.reverse_sequence(values, sequence_length, time_axis, batch_axis)

    common = (parallel_iterations, swap_memory, time_major)
    with variable_scope(scope or "bidirectional_rnn"):
        forward, state_fw = dynamic_rnn(
            cell_fw, inputs, sequence_length, initial_state_fw, dtype, *common, scope="fw"
        )
        backward, state_bw = dynamic_rnn(
            cell_bw, reverse(inputs), sequence_length, initial_state_bw, dtype, *common, scope="bw"
        )
    return (forward, reverse(backward)), (state_fw, state_bw)

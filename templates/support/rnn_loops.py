"""Functions that run recurrent cells over time: dynamic_rnn, static_rnn and their relatives."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from .rnn import RNNCell, dimensions, sized
from .scopes import variable_scope


def transpose_batch_time(x: Any) -> tf.Tensor:
    """[batch, time, ...] from [time, batch, ...], and back."""
    x = tf.convert_to_tensor(x)
    if x.shape.rank is None or x.shape.rank < 2:
        return x
    return tf.transpose(x, [1, 0, *range(2, x.shape.rank)])


def _size(tensor: tf.Tensor, axis: int) -> Any:
    """A dimension: a number where it is known, else a tensor."""
    known = tensor.shape[axis]
    return tf.shape(tensor)[axis] if known is None else known


def _select(alive: tf.Tensor, new: Any, old: Any) -> Any:
    """`new` where a sequence goes on, `old` where it has ended, for nested [batch, ...].

    What is no batch, a count of steps or the history of a cell, goes on.
    """

    def one(n: Any, o: Any) -> Any:
        if isinstance(n, tf.TensorArray) or n.shape.rank == 0:
            return n
        shape = [-1] + [1] * (n.shape.rank - 1)
        return tf.where(tf.reshape(alive, shape), n, tf.cast(o, n.dtype))

    return tf.nest.map_structure(one, new, old)


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
) -> tuple[Any, Any]:
    """(outputs of all steps, last state) of [batch, time, ...] inputs (or time first), also nested.

    Beyond `sequence_length` outputs are 0 and the state stays as it was.
    Raises ValueError if there is neither `initial_state` nor `dtype`.
    """
    with variable_scope(scope or "rnn") as opened:
        steps = tf.nest.map_structure(tf.convert_to_tensor, inputs)
        if not time_major:
            steps = tf.nest.map_structure(transpose_batch_time, steps)
        first = tf.nest.flatten(steps)[0]
        length, batch = _size(first, 0), _size(first, 1)
        if initial_state is None and dtype is None:
            raise ValueError("If there is no initial_state, you must give a dtype.")
        state = cell.zero_state(batch, dtype) if initial_state is None else initial_state
        state = tf.nest.map_structure(
            lambda x: x if isinstance(x, tf.TensorArray) else tf.convert_to_tensor(x), state)
        like = tf.nest.flatten(state)
        kind = tf.as_dtype(dtype) if dtype is not None else like[0].dtype if like else first.dtype
        sizes = tf.nest.flatten(sized(dimensions_of, cell.output_size))
        calls = []

        def body(time: Any, state: Any, arrays: Any) -> Any:
            if calls:
                opened.reuse_variables()
            calls.append(time)
            values, new = cell(tf.nest.map_structure(lambda x: x[time], steps), state)
            tf.nest.assert_same_structure(new, state)
            if sequence_length is not None:
                alive = time < tf.cast(sequence_length, tf.int32)
                values = _select(alive, values, tf.nest.map_structure(tf.zeros_like, values))
                new = _select(alive, new, state)
            flat = tf.nest.flatten(values)
            return time + 1, new, [a.write(time, v) for a, v in zip(arrays, flat, strict=True)]

        arrays = [
            tf.TensorArray(kind, length, element_shape=[first.shape[1], *size.shape])
            for size in sizes
        ]
        _, state, arrays = tf.while_loop(
            lambda time, *_: time < length,
            body,
            (tf.constant(0), state, arrays),
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
        stacked = []
        for array, size in zip(arrays, sizes, strict=True):
            outputs = array.stack()
            outputs.set_shape([first.shape[0], first.shape[1], *size.shape])
            stacked.append(outputs if time_major else transpose_batch_time(outputs))
        return tf.nest.pack_sequence_as(sized(dimensions_of, cell.output_size), stacked), state


class dimensions_of:
    """The static shape after the batch of one output; a leaf for `tf.nest`, which lists are not."""

    def __init__(self, size: Any) -> None:
        self.shape = dimensions(size)


def static_rnn(
    cell: RNNCell,
    inputs: Any,
    initial_state: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`dynamic_rnn` of a list of [batch, ...] inputs; returns a list, one entry a step.

    Steps are written out one by one, so that outputs may differ in what they depend on.
    Raises TypeError unless `inputs` is a list, ValueError for an empty one.
    """
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("inputs must be a sequence")
    if not inputs:
        raise ValueError("inputs must not be empty")
    with variable_scope(scope or "rnn") as opened:
        first = tf.convert_to_tensor(tf.nest.flatten(inputs)[0])
        if initial_state is None and dtype is None:
            raise ValueError("If there is no initial_state, you must give a dtype.")
        state = initial_state
        if state is None:
            state = cell.zero_state(_size(first, 0), dtype)
        outputs = []
        for time, step in enumerate(inputs):
            if time:
                opened.reuse_variables()
            values, new = cell(step, state)
            if sequence_length is not None:
                alive = time < tf.cast(sequence_length, tf.int32)
                values = _select(alive, values, tf.nest.map_structure(tf.zeros_like, values))
                new = _select(alive, new, state)
            state = new
            outputs.append(values)
        return outputs, state


def _reversed(values: Any, sequence_length: Any, time_axis: int, batch_axis: int) -> Any:
    def one(x: Any) -> tf.Tensor:
        if sequence_length is None:
            return tf.reverse(x, [time_axis])
        return tf.reverse_sequence(x, sequence_length, time_axis, batch_axis)

    return tf.nest.map_structure(one, values)


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
) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """((forward, backward outputs), (forward, backward state))."""
    axes = (0, 1) if time_major else (1, 0)
    common = (parallel_iterations, swap_memory, time_major)
    with variable_scope(scope or "bidirectional_rnn"):
        forward, state_fw = dynamic_rnn(
            cell_fw, inputs, sequence_length, initial_state_fw, dtype, *common, scope="fw"
        )
        turned = _reversed(inputs, sequence_length, *axes)
        backward, state_bw = dynamic_rnn(
            cell_bw, turned, sequence_length, initial_state_bw, dtype, *common, scope="bw"
        )
    return (forward, _reversed(backward, sequence_length, *axes)), (state_fw, state_bw)


def static_bidirectional_rnn(
    cell_fw: RNNCell,
    cell_bw: RNNCell,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[tf.Tensor], Any, Any]:
    """(outputs of both directions side by side, one a step; forward state; backward state)."""

    def turned(values: list[Any]) -> list[Any]:
        if sequence_length is None:
            return values[::-1]
        return tf.unstack(tf.reverse_sequence(tf.stack(values), sequence_length, 0, 1))

    with variable_scope(scope or "bidirectional_rnn"):
        common = (dtype, sequence_length)
        forward, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, *common, scope="fw")
        backward, state_bw = static_rnn(
            cell_bw, turned(inputs), initial_state_bw, *common, scope="bw"
        )
    pairs = zip(forward, turned(backward), strict=True)
    return [tf.concat(pair, 1) for pair in pairs], state_fw, state_bw


def stack_bidirectional_dynamic_rnn(
    cells_fw: list[RNNCell],
    cells_bw: list[RNNCell],
    inputs: Any,
    initial_states_fw: list[Any] | None = None,
    initial_states_bw: list[Any] | None = None,
    dtype: Any = None,
    sequence_length: Any = None,
    parallel_iterations: int | None = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> tuple[tf.Tensor, tuple[Any, ...], tuple[Any, ...]]:
    """Bidirectional layers on top of each other: (outputs, forward states, backward states).

    Raises ValueError unless there are as many forward as backward cells, and at least one.
    """
    states: list[tuple[Any, Any]] = []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for number, cells in enumerate(_layers(cells_fw, cells_bw)):
            starts = [s and s[number] for s in (initial_states_fw, initial_states_bw)]
            with variable_scope(f"cell_{number}"):
                both, last = bidirectional_dynamic_rnn(
                    *cells, inputs, sequence_length, *starts, dtype, parallel_iterations,
                    swap_memory, time_major,
                )  # fmt: skip
            inputs = tf.concat(both, 2)
            states.append(last)
    return inputs, tuple(s[0] for s in states), tuple(s[1] for s in states)


def stack_bidirectional_rnn(
    cells_fw: list[RNNCell],
    cells_bw: list[RNNCell],
    inputs: Any,
    initial_states_fw: list[Any] | None = None,
    initial_states_bw: list[Any] | None = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[tf.Tensor], tuple[Any, ...], tuple[Any, ...]]:
    """`stack_bidirectional_dynamic_rnn` of a list of steps."""
    states: list[tuple[Any, Any]] = []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for number, cells in enumerate(_layers(cells_fw, cells_bw)):
            starts = [s and s[number] for s in (initial_states_fw, initial_states_bw)]
            with variable_scope(f"cell_{number}") as opened:
                inputs, *last = static_bidirectional_rnn(
                    *cells, inputs, *starts, dtype, sequence_length, scope=opened
                )
            states.append((last[0], last[1]))
    return inputs, tuple(s[0] for s in states), tuple(s[1] for s in states)


def _layers(cells_fw: list[RNNCell], cells_bw: list[RNNCell]) -> list[tuple[RNNCell, RNNCell]]:
    if not cells_fw or len(cells_fw) != len(cells_bw):
        raise ValueError("there must be as many forward as backward cells, and at least one")
    return list(zip(cells_fw, cells_bw, strict=True))

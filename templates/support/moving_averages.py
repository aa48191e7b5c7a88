"""TF 1's moving averages of variables and tensors, under the names they have in checkpoints."""
from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

import tensorflow as tf

from .devices import beside
from .names import key_of, outside_traces, register_state, variable_name
from .store import GraphKeys, current_run, current_store

FLOATS = (tf.bfloat16, tf.float16, tf.float32, tf.float64)


class ZeroDebias(tf.Module):
    """What a moving average that starts at 0 needs to correct for that: its sum and its count.

    TF 1 called them `<average>/biased` and `<average>/local_step`.
    """

    def __init__(self, average: tf.Variable) -> None:
        super().__init__()
        with beside(average):
            self.biased = tf.Variable(tf.zeros(average.shape, average.dtype), trainable=False,
                                      name=f"{variable_name(average)}/biased")
            self.local_step = tf.Variable(tf.zeros([], average.dtype), trainable=False,
                                          name=f"{variable_name(average)}/local_step")


@tf.autograph.experimental.do_not_convert
def assign_moving_average(variable: Any, value: Any, decay: Any,
                          zero_debias: ZeroDebias | bool = False,
                          name: str | None = None) -> tf.Tensor:
    """variable = decay * variable + (1 - decay) * value; returns the new average.

    Args:
        zero_debias: The correction to use for an average that started at 0.  True (TF 1's
            default) makes one and keeps it in the current variable store.
    """
    if zero_debias is True:
        label = f"{variable_name(variable)}/zero_debias"
        zero_debias = current_store().get_or_make(label, lambda: ZeroDebias(variable))
    value = tf.cast(value, variable.dtype)
    rate = tf.cast(tf.convert_to_tensor(1.0 - decay), variable.dtype)

    def move() -> None:
        if not isinstance(zero_debias, ZeroDebias):
            variable.assign_sub((variable - value) * rate)
            return
        biased, step = zero_debias.biased, zero_debias.local_step
        biased.assign_sub((biased - value) * rate)
        step.assign_add(1.0)
        variable.assign(biased / (1 - tf.pow(1.0 - rate, step)))

    return current_run().after(move, lambda: tf.convert_to_tensor(variable))


class ExponentialMovingAverage(tf.Module):
    """Keeps shadow variables that follow variables (or tensors of a `tf.function`) slowly.

    A shadow of a variable starts at the value the variable has when the shadow is made: call
    `build` before training begins.  A shadow of a tensor starts at 0.  Where a graph is being built,
    `apply` is an operation of it.

    Args:
        decay: How much of the old average stays in each update.
        num_updates: A step counter; the decay is then at most (1 + n) / (10 + n).
        zero_debias: Correct the averages of tensors for their start at 0.
        name: The end of the names of the shadow variables.
    """

    def __init__(self, decay: Any, num_updates: Any = None, zero_debias: bool = False,
                 name: str = "ExponentialMovingAverage") -> None:
        super().__init__()
        self._decay, self._num_updates, self._zero_debias = decay, num_updates, zero_debias
        self._label = name
        self._originals: list[Any] = []
        self._averages: list[tf.Variable] = []
        self._of_variable: dict[int, int] = {}
        self._below: dict[int, str] = {}  # the variable scope in which a shadow was made
        self._of_tensor: dict[Any, int] = {}  # position in the call (in a graph: name) -> index
        self._last_tensors: list[Any] = []
        self._corrections: dict[str, ZeroDebias] = {}
        register_state(self)

    @property
    def name(self) -> str:
        return self._label

    @property
    def state_label(self) -> str:
        """The end of the names of its state in a TF 1 checkpoint."""
        return self._label

    def build(self, var_list: Iterable[Any]) -> None:
        """Makes the shadows of those variables that have none yet.

        Raises:
            TypeError: a variable is not of a floating dtype.
        """
        for variable in var_list:
            if key_of(variable) in self._of_variable:
                continue
            if tf.as_dtype(variable.dtype) not in FLOATS:
                raise TypeError(f"no moving average of {variable_name(variable)}: it is "
                                f"{tf.as_dtype(variable.dtype).name}, not floating point")
            below = f"{current_run().scope.name}/".lstrip("/")
            self._below[key_of(variable)] = below
            with outside_traces(), beside(variable):
                index = self._of_variable[key_of(variable)] = self._add(
                    tf.convert_to_tensor(variable), below + variable_name(variable))
            current_run().made_slot(f"{below}{variable_name(variable)}/{self._label}",
                                    self._averages[index],
                                    functools.partial(tf.convert_to_tensor, variable))
            self._originals.append(variable)
            collection = current_store().registry.collections.setdefault(
                GraphKeys.MOVING_AVERAGE_VARIABLES, [])
            if all(key_of(v) != key_of(variable) for v in collection):
                collection.append(variable)

    def _add(self, start: tf.Tensor, name: str) -> int:
        self._averages.append(tf.Variable(start, trainable=False, name=f"{name}/{self._label}"))
        return len(self._averages) - 1

    def _index_of_tensor(self, position: int, tensor: Any) -> int:
        run = current_run()
        key = tensor.name if run.builds else position
        if key not in self._of_tensor:
            if not tensor.shape.is_fully_defined():
                raise ValueError(f"a moving average needs a static shape, not {tensor.shape}")
            below = f"{run.scope.name}/".lstrip("/")
            name = f"{below}{tensor.op.name}" if run.builds else f"tensor_{position}"
            start = functools.partial(tf.zeros, tensor.shape, tensor.dtype)
            with outside_traces():
                index = self._add(start(), name)
                if self._zero_debias:
                    self._corrections[str(index)] = ZeroDebias(self._averages[index])
            run.made_slot(f"{name}/{self._label}", self._averages[index], start)
            if self._zero_debias:
                for end in ("biased", "local_step"):
                    state = getattr(self._corrections[str(index)], end)
                    run.made_slot(f"{below}{name}/{self._label}/{end}", state,
                                  functools.partial(tf.zeros, state.shape, state.dtype))
            self._of_tensor[key] = index
        return self._of_tensor[key]

    @tf.autograph.experimental.do_not_convert
    def apply(self, var_list: Iterable[Any] | None = None) -> tf.Operation | None:
        """Moves the averages of `var_list` (default: the store's trainable variables) one step.

        Tensors are told apart by their place among the tensors of the list, in a graph by name.

        Returns:
            None; in a trace an operation, for code that names it as a control dependency (what a
            `tf.function` does to variables keeps its order without); in a graph what a session runs.

        Raises:
            TypeError: something is not of a floating dtype.
        """
        items = list(current_store().trainable_variables if var_list is None else var_list)
        variables = [v for v in items if isinstance(v, (tf.Variable, tf.keras.Variable))]
        tensors = [v for v in items if tf.is_tensor(v) and not isinstance(v, tf.Variable)]
        self.build(variables)
        if not current_run().trains:
            return None if tf.executing_eagerly() else tf.no_op()
        self._last_tensors = tensors
        for position, tensor in enumerate(tensors):
            self._index_of_tensor(position, tensor)
        count = None if self._num_updates is None else current_run().read_first(self._num_updates)
        done = current_run().effect(lambda: self._move(variables, tensors, count), self._label)
        if done is None:
            return None if tf.executing_eagerly() else tf.no_op()
        return done

    def _move(self, variables: list[Any], tensors: list[Any], count: Any) -> None:
        decay = tf.convert_to_tensor(self._decay)
        if count is not None:
            count = tf.cast(count, tf.float32)
            decay = tf.minimum(decay, (1.0 + count) / (10.0 + count))
        for variable in variables:
            assign_moving_average(self.average(variable), variable, decay)
        for position, tensor in enumerate(tensors):
            index = self._index_of_tensor(position, tensor)
            assign_moving_average(self._averages[index], tensor, decay,
                                  self._corrections.get(str(index), False))

    def average(self, var: Any) -> tf.Variable | None:
        """The shadow of a variable, or of a tensor of the latest `apply`; None if it has none."""
        index = self._of_variable.get(key_of(var))
        if index is None and current_run().builds:
            index = self._of_tensor.get(getattr(var, "name", None))
        elif index is None:
            index = next((self._of_tensor[position]
                          for position, tensor in enumerate(self._last_tensors)
                          if tensor is var), None)
        return None if index is None else self._averages[index]

    def average_name(self, var: Any) -> str:
        """The shadow's name in checkpoints, whether it exists already or not."""
        average = self.average(var)
        return (f"{variable_name(var)}/{self._label}" if average is None
                else variable_name(average))

    def tf1_variables(self, names: Mapping[str, Any] | None = None) -> dict[str, tf.Variable]:
        """The shadows of variables by the names they have in a TF 1 checkpoint.

        Args:
            names: TF 1 names of the variables; default: the names they have now.
        """
        tf1_names = {key_of(v): n for n, v in (names or {}).items()}
        return {f"{self._below[key]}{tf1_names.get(key, variable_name(variable))}/{self._label}":
                self._averages[self._of_variable[key]]
                for variable in self._originals for key in [key_of(variable)]
                if names is None or key in tf1_names}

    def variables_to_restore(self, moving_avg_variables: Iterable[Any] | None = None
                             ) -> dict[str, Any]:
        """Variables by the name to restore them from: the shadow's where there is one.

        Args:
            moving_avg_variables: Which variables to restore from their averages; default: the
                trainable ones and those that averages were kept of.
        """
        store = current_store()
        names = {key_of(v): n for n, v in store.variables_by_name.items()}
        if moving_avg_variables is None:
            moving_avg_variables = [
                *store.trainable_variables,
                *store.registry.collections.get(GraphKeys.MOVING_AVERAGE_VARIABLES, [])]
        averaged = {key_of(v): v for v in moving_avg_variables}
        found = {f"{self._below.get(key, '')}{names.get(key, variable_name(v))}/{self._label}": v
                 for key, v in averaged.items()}
        for variable in store.global_variables:
            if key_of(variable) not in averaged:
                found[names.get(key_of(variable), variable_name(variable))] = variable
        return found

    def swap(self) -> None:
        """Exchanges every variable with its average; a second call undoes it.

        For an evaluation with the averages in the middle of training.
        """
        for variable in self._originals:
            average = self._averages[self._of_variable[key_of(variable)]]
            kept = tf.identity(variable)
            variable.assign(average)
            average.assign(kept)

"""Symbolic tensors of Keras where TF 1 had tensors of its graph: TensorFlow's operations take them, and
Lambda layers read some beside their input."""
from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import tensorflow as tf


def _symbolic(values: Any) -> bool:
    return any(map(_is_one, tf.nest.flatten(values)))


def _is_one(value: Any) -> bool:
    return isinstance(value, tf.keras.KerasTensor)


class _Computed(tf.keras.Operation):
    """A function of TensorFlow as a step of a model."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def call(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = tf.nest.map_structure(_dense, (args, kwargs))
        return super().compute_output_spec(*args, **kwargs)


def _dense(value: Any) -> Any:
    """A symbolic tensor that is no sparse input: Keras 3.15 takes the product with a number for sparse."""
    if not _is_one(value) or not value.sparse or isinstance(
            value._keras_history.operation, tf.keras.layers.InputLayer):
        return value
    return tf.keras.KerasTensor(value.shape, value.dtype)


class _Operations(tf.__internal__.dispatch.GlobalOpDispatcher):  # type: ignore[misc, name-defined]
    """Gives a model's step for each operation of TensorFlow on a symbolic tensor of Keras."""

    def handle(self, op: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        if _symbolic([args, kwargs]):
            return computed(op, *args, **kwargs)
        return self.NOT_SUPPORTED


_accepted: list[_Operations] = []


def accept() -> None:
    """From here on TensorFlow's operations take symbolic tensors of Keras, as in TF 1."""
    if not _accepted:
        _accepted.append(_Operations())
        _accepted[0].register()


def computed(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`function` of the arguments; of symbolic tensors, the symbolic tensor that a model computes."""
    if not _symbolic([args, kwargs]):
        return function(*args, **kwargs)
    return _Computed(function)(*args, **kwargs)


class Around:
    """What a function, or a method, reads beside its arguments, as it is where this is made."""

    def __init__(self, function: Any) -> None:
        self._object = getattr(function, "__self__", None)
        self._function = function = getattr(function, "__func__", function)
        plain = isinstance(function, types.FunctionType)
        self._cells = [_contents(cell) for cell in function.__closure__ or ()] if plain else []
        self._names = {name: function.__globals__[name] for name in _names(function.__code__)
                       if name in function.__globals__} if plain else {}
        held = getattr(self._object, "__dict__", {}) if plain else {}
        self._attributes = [name for name, value in held.items()
                            if _is_one(value) and name in _names(function.__code__)]
        self._variables: list[Any] = []
        self.tensors = [value for value in (*self._cells, *self._names.values()) if _is_one(value)]
        self.tensors += [held[name] for name in self._attributes]

    @contextlib.contextmanager
    def same_variables(self) -> Iterator[None]:
        """Those that the function makes in the block are the ones that it made when it was called first."""
        known = iter(list(self._variables))

        def made(make: Callable[..., Any], **kwargs: Any) -> Any:
            variable = next(known, None)
            if variable is None:
                with tf.init_scope():
                    variable = make(**{**kwargs, "experimental_enable_variable_lifting": False})
                self._variables.append(variable)
            return variable

        with tf.variable_creator_scope(made):
            yield

    def function(self, tensors: Iterable[Any]) -> Any:
        """The function with `tensors` for the symbolic tensors that it reads."""
        function, given = self._function, iter(tensors)
        if not isinstance(function, types.FunctionType):
            return function if self._object is None else types.MethodType(function, self._object)
        cells = [next(given) if _is_one(value) else value for value in self._cells]
        names = {name: next(given) if _is_one(value) else value for name, value in self._names.items()}
        names["__builtins__"] = function.__globals__["__builtins__"]
        made = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__,
                                  tuple(map(types.CellType, cells)))
        made.__kwdefaults__ = function.__kwdefaults__
        if self._object is None:
            return made
        return functools.partial(self._of_object, made, dict(zip(self._attributes, given, strict=True)))

    def _of_object(self, made: Any, values: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Calls the method while the object has `values` for its symbolic tensors."""
        held = vars(self._object) if values else {}
        kept = {name: held[name] for name in values}
        held.update(values)
        try:
            return made(self._object, *args, **kwargs)
        finally:
            held.update(kept)


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing is bound to the name yet
        return None


def _names(code: types.CodeType) -> set[str]:
    """The global names and attributes in a function, and in those that it makes."""
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*map(_names, inner))


class Lambda(tf.keras.layers.Lambda):
    """The layer, whose function TF 1 called once, where the layer was called: what it reads beside its input
    stays as it was then, symbolic tensors among it are further inputs, and variables are made once."""

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        if not hasattr(self, "_around"):
            self._around = Around(self.function)
        read = self._around.tensors
        if read and not _joined(inputs, len(read)):  # a model gives again what it was made with
            inputs = [inputs, read]
        return super().__call__(inputs, *args, **kwargs)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        inputs, read = inputs if self._around.tensors else (inputs, ())
        whole, self.function = self.function, self._around.function(read)
        try:
            with self._around.same_variables():
                return super().call(inputs, *args, **kwargs)
        finally:
            self.function = whole


def _joined(inputs: Any, count: int) -> bool:
    """Whether the inputs are together with `count` tensors that the function reads."""
    return isinstance(inputs, (list, tuple)) and len(inputs) == 2 and (
        isinstance(inputs[1], (list, tuple)) and len(inputs[1]) == count)

"""Sonnet 1 modules: code in a variable scope of its own, whose variables all calls share.

Names, default initial values and the order of creation are Sonnet 1's, so that checkpoints of TF 1
load by name. Variables live in the current store (see `store`); a module works in eager code and
inside `tf.function`.
"""
from __future__ import annotations

import abc
import contextlib
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from . import initializers as tf1_initializers
from . import scopes
from .store import GraphKeys, VariableScope

SAME = "SAME"
VALID = "VALID"


class Error(Exception):
    """Base class for all errors of modules."""


class NotConnectedError(Error):
    """The module was not called yet, so it has no variables."""


class NotInitializedError(Error):
    """A subclass did not call `__init__` of its base class."""


class IncompatibleShapeError(Error):
    """An input has another shape than earlier ones, or one that the module cannot take."""


class UnderspecifiedError(Error):
    """The output shape does not follow from what was given."""


class NotSupportedError(Error):
    """An operation that modules do not have."""


_building: list[AbstractModule] = []  # the modules whose code runs, innermost last


class AbstractModule(abc.ABC):
    """Base class: a subclass makes its variables with `get_variable` in `_build`.

    `name` (the class name in snake_case by default) is made unique in the scope where the module
    is constructed. Raises ValueError for positional arguments, TypeError for a name that is no
    string.
    """

    def __init__(
        self,
        _sentinel: None = None,
        custom_getter: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        if _sentinel is not None:
            raise ValueError("AbstractModule.__init__ takes named arguments only.")
        if name is None:
            name = _snake_case(type(self).__name__)
        elif not isinstance(name, str):
            raise TypeError(f"Name must be a string, not {name} of type {type(name)}.")
        if not (custom_getter is None or callable(custom_getter)):
            raise TypeError("Given custom_getter is not callable.")
        self._all_variables: dict[str, tf.Variable] = {}
        self._connected = False
        with scopes.variable_scope(
                None, name, custom_getter=self._noting(custom_getter), auxiliary_name_scope=False) as scope:
            self._scope: VariableScope = scope

    def _noting(self, getter: Callable[..., Any] | None) -> Callable[..., Any]:
        """`getter`, with the variables noted that the innermost module gets."""

        def noting(inner: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            variable = inner(*args, **kwargs) if getter is None else getter(inner, *args, **kwargs)
            if _building:
                _building[-1]._all_variables[variable.name] = variable
            return variable

        return noting

    @abc.abstractmethod
    def _build(self, *args: Any, **kwargs: Any) -> Any:
        """The module's computation; written by subclasses."""

    @contextlib.contextmanager
    def _enter_variable_scope(self, reuse: Any = None) -> Iterator[VariableScope]:
        """For submodules that are constructed outside `_build`: opens the module's own scope."""
        self._check_init_called()
        _building.append(self)
        try:
            with scopes.variable_scope(self._scope, reuse=reuse) as scope:
                yield scope
        finally:
            _building.pop()
            if _building:
                _building[-1]._all_variables.update(self._all_variables)

    def _check_init_called(self) -> None:
        if not hasattr(self, "_scope"):
            raise NotInitializedError(
                "You may have forgotten to call super at the start of "
                f"{type(self).__name__}.__init__."
            )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The results of `_build`; all calls share the module's variables."""
        with self._enter_variable_scope(reuse=scopes.AUTO_REUSE):
            outputs = self._build(*args, **kwargs)
        self._connected = True
        return outputs

    @property
    def scope_name(self) -> str:
        """The full name of the module's variable scope."""
        return self._scope.name

    @property
    def module_name(self) -> str:
        """The module's own name, as made unique."""
        return self._scope.name.split("/")[-1]

    @property
    def is_connected(self) -> bool:
        """Whether the module was called."""
        return self._connected

    @property
    def variable_scope(self) -> VariableScope:
        """The module's scope. Raises NotConnectedError before the first call."""
        self._ensure_is_connected()
        return self._scope

    def _ensure_is_connected(self) -> None:
        if not self._connected:
            raise NotConnectedError(
                f"Variables in {self.scope_name} not instantiated yet, __call__ the module first."
            )

    def get_variables(
        self, collection: str = GraphKeys.TRAINABLE_VARIABLES
    ) -> tuple[tf.Variable, ...]:
        """Variables below the module's scope. Raises NotConnectedError before the first call."""
        return get_variables_in_scope(self.variable_scope, collection)

    def get_all_variables(
        self, collection: str = GraphKeys.TRAINABLE_VARIABLES
    ) -> tuple[tf.Variable, ...]:
        """Variables that the module and those it calls use, by name, wherever they were made."""
        self._ensure_is_connected()
        wanted = {id(variable) for variable in scopes.get_collection(collection)}
        found = sorted(self._all_variables.items())
        return tuple(variable for _, variable in found if id(variable) in wanted)

    @classmethod
    def get_possible_initializer_keys(cls) -> set[str]:
        """Names under which initial values can be given."""
        return set(getattr(cls, "POSSIBLE_INITIALIZER_KEYS", ()))


def get_variables_in_scope(
    scope: VariableScope | str, collection: str = GraphKeys.TRAINABLE_VARIABLES
) -> tuple[tf.Variable, ...]:
    """The variables of a collection that are below a scope."""
    name = scope if isinstance(scope, str) else scope.name
    return tuple(scopes.get_collection(collection, re.escape(name) + "/" if name else None))


def get_variables_in_module(
    module: AbstractModule, collection: str = GraphKeys.TRAINABLE_VARIABLES
) -> tuple[tf.Variable, ...]:
    """`module.get_variables(collection)`."""
    return module.get_variables(collection)


def _snake_case(name: str) -> str:
    """``ROIPooling2D`` as ``roi_pooling_2d``."""
    name = re.sub(r"([A-Z][a-z])", r"_\1", name)
    name = re.sub(r"([a-z])([A-Z])", r"\1_\2", name)
    return re.sub(r"([a-z])([0-9][^_]*)", r"\1_\2", name).strip("_").lower()


class Module(AbstractModule):
    """A module whose computation is the function `build`."""

    def __init__(
        self, build: Callable[..., Any], custom_getter: Any = None, name: str | None = None
    ) -> None:
        if not callable(build):
            raise TypeError("Input 'build' must be callable.")
        if name is None:
            name = getattr(build, "__name__", "module")
            name = "module" if name == "<lambda>" else _snake_case(name)
        super().__init__(custom_getter=custom_getter, name=name)
        self._build_function = build

    def _build(self, *args: Any, **kwargs: Any) -> Any:
        return self._build_function(*args, **kwargs)


class Sequential(AbstractModule):
    """Calls `layers` one after the other."""

    def __init__(self, layers: Sequence[Callable[..., Any]], name: str = "sequential") -> None:
        super().__init__(name=name)
        self._layers = tuple(layers)

    @property
    def layers(self) -> tuple[Callable[..., Any], ...]:
        return self._layers

    def _build(self, *args: Any) -> Any:
        for layer in self._layers:
            args = layer(*args)
            args = args if isinstance(args, tuple) else (args,)
        return args[0] if len(args) == 1 else args

    def get_variables(self, *args: Any, **kwargs: Any) -> Any:
        """Raises NotSupportedError: the layers' variables are theirs."""
        raise NotSupportedError("Sequential has no variables of its own; ask its layers.")


class _Weighted(AbstractModule):
    """What modules with a weight `w` and a bias `b` share."""

    def __init__(
        self, use_bias: bool, initializers: Any, regularizers: Any, custom_getter: Any, name: str
    ) -> None:
        super().__init__(custom_getter=custom_getter, name=name)
        self._use_bias = use_bias
        self._initializers = self._checked(initializers, "initializers")
        self._regularizers = self._checked(regularizers, "regularizers")
        self._w: Any = None
        self._b: Any = None

    def _checked(self, given: Mapping[str, Any] | None, what: str) -> dict[str, Any]:
        keys = {"w", "b"} if self._use_bias else {"w"}
        unknown = set(given or ()) - keys
        if unknown:
            raise KeyError(f"Invalid {what} keys {sorted(unknown)}, may only be {sorted(keys)}")
        for key, value in (given or {}).items():
            if not callable(value):
                raise TypeError(f"{what}: the value for {key!r} is not callable")
        return dict(given or {})

    @classmethod
    def get_possible_initializer_keys(cls, use_bias: bool = True) -> set[str]:
        return {"w", "b"} if use_bias else {"w"}

    def _weight(self, shape: Sequence[int], dtype: tf.DType) -> tf.Variable:
        default = tf1_initializers.truncated_normal_initializer(
            stddev=1 / math.sqrt(np.prod(shape[:-1])), dtype=dtype
        )
        self._initializers.setdefault("w", default)
        self._w = scopes.get_variable(
            "w", shape, dtype, self._initializers["w"], self._regularizers.get("w")
        )
        return self._w

    def _bias(self, size: int, dtype: tf.DType) -> tf.Variable:
        self._initializers.setdefault("b", tf1_initializers.zeros_initializer(dtype=dtype))
        self._b = scopes.get_variable(
            "b", (size,), dtype, self._initializers["b"], self._regularizers.get("b")
        )
        return self._b

    @property
    def w(self) -> tf.Variable:
        """The weights. Raises NotConnectedError before the first call."""
        self._ensure_is_connected()
        return self._w

    @property
    def b(self) -> tf.Variable:
        """The bias. Raises NotConnectedError before the first call, AttributeError without one."""
        self._ensure_is_connected()
        if not self._use_bias:
            raise AttributeError("No bias Variable in a module with use_bias=False.")
        return self._b

    @property
    def has_bias(self) -> bool:
        return self._use_bias

    @property
    def initializers(self) -> dict[str, Any]:
        return self._initializers

    @property
    def regularizers(self) -> dict[str, Any]:
        return self._regularizers


class Linear(_Weighted):
    """``inputs @ w + b`` of inputs [batch, size]; [batch, output_size]."""

    def __init__(
        self,
        output_size: int | Callable[[], int],
        use_bias: bool = True,
        initializers: Any = None,
        partitioners: Any = None,
        regularizers: Any = None,
        custom_getter: Any = None,
        name: str = "linear",
    ) -> None:
        super().__init__(use_bias, initializers, regularizers, custom_getter, name)
        self._output_size = output_size
        self._input_shape: tuple[Any, ...] | None = None

    @property
    def output_size(self) -> int:
        if callable(self._output_size):
            self._output_size = self._output_size()
        return self._output_size

    @property
    def input_shape(self) -> Any:
        self._ensure_is_connected()
        return self._input_shape

    def _build(self, inputs: tf.Tensor) -> tf.Tensor:
        shape = tuple(inputs.shape)
        if len(shape) != 2:
            raise IncompatibleShapeError(
                f"{self.scope_name}: rank of shape must be 2 not: {len(shape)}"
            )
        if shape[1] is None:
            raise IncompatibleShapeError(
                f"{self.scope_name}: Input size must be specified at module build time"
            )
        if self._input_shape is not None and self._input_shape[1] != shape[1]:
            raise IncompatibleShapeError(
                f"{self.scope_name}: Input shape must be [batch_size, {self._input_shape[1]}] "
                f"not: [batch_size, {shape[1]}]"
            )
        self._input_shape = shape
        outputs = tf.matmul(inputs, self._weight((shape[1], self.output_size), inputs.dtype))
        if self._use_bias:
            outputs += self._bias(self.output_size, inputs.dtype)
        return outputs


class _Convolution(_Weighted):
    """A convolution over `_rank` spatial dimensions, channels last unless `data_format` says."""

    _rank: int

    def __init__(
        self,
        output_channels: int | Callable[[], int],
        kernel_shape: Any,
        stride: Any = 1,
        rate: Any = 1,
        padding: str = SAME,
        use_bias: bool = True,
        initializers: Any = None,
        partitioners: Any = None,
        regularizers: Any = None,
        mask: Any = None,
        data_format: str | None = None,
        custom_getter: Any = None,
        name: str | None = None,
    ) -> None:
        name = name or f"conv_{self._rank}d"
        super().__init__(use_bias, initializers, regularizers, custom_getter, name)
        self._output_channels = output_channels
        self._kernel_shape = self._tuple(kernel_shape, "kernel_shape")
        self._stride, self._rate = self._tuple(stride, "stride"), self._tuple(rate, "rate")
        if padding not in (SAME, VALID):
            raise ValueError(f"padding must be SAME or VALID, not {padding!r}")
        self._padding, self._mask = padding, mask
        self._data_format = data_format or {1: "NWC", 2: "NHWC", 3: "NDHWC"}[self._rank]
        self._input_channels: int | None = None

    def _tuple(self, value: Any, what: str) -> tuple[int, ...]:
        values = tuple(value) if isinstance(value, (list, tuple)) else (value,) * self._rank
        if what == "stride" and len(values) == self._rank + 2:
            values = values[1:-1]
        if len(values) != self._rank or not all(isinstance(v, (int, np.integer)) for v in values):
            raise IncompatibleShapeError(
                f"{what} must be an integer or {self._rank} integers, not {value!r}"
            )
        return tuple(int(v) for v in values)

    @property
    def output_channels(self) -> int:
        if callable(self._output_channels):
            self._output_channels = self._output_channels()
        return self._output_channels

    @property
    def input_channels(self) -> int:
        self._ensure_is_connected()
        assert self._input_channels is not None
        return self._input_channels

    @property
    def kernel_shape(self) -> tuple[int, ...]:
        return self._kernel_shape

    @property
    def stride(self) -> tuple[int, ...]:
        """The strides of all dimensions of the input."""
        if self._data_format.startswith("NC"):
            return (1, 1, *self._stride)
        return (1, *self._stride, 1)

    @property
    def rate(self) -> tuple[int, ...]:
        return self._rate

    @property
    def padding(self) -> str:
        return self._padding

    def _build(self, inputs: tf.Tensor) -> tf.Tensor:
        first = self._data_format.startswith("NC")
        shape = tuple(inputs.shape)
        if len(shape) != self._rank + 2:
            raise IncompatibleShapeError(
                f"{self.scope_name}: input must have rank {self._rank + 2}, not {len(shape)}"
            )
        channels = shape[1 if first else -1]
        if channels is None:
            raise UnderspecifiedError("Number of input channels must be known at build time")
        if self._input_channels not in (None, channels):
            raise IncompatibleShapeError(
                f"{self.scope_name}: input must have {self._input_channels} channels, "
                f"not {channels}"
            )
        self._input_channels = channels
        kernel_shape = (*self._kernel_shape, channels, self.output_channels)
        kernel = self._weight(kernel_shape, inputs.dtype)
        weights = kernel if self._mask is None else kernel * tf.cast(self._mask, kernel.dtype)
        outputs = tf.nn.convolution(
            inputs, weights, self._stride, self._padding, self._data_format, self._rate
        )
        if self._use_bias:
            bias = self._bias(self.output_channels, inputs.dtype)
            outputs = tf.nn.bias_add(outputs, bias, "NC..." if first else "N...C")
        return outputs


class Conv1D(_Convolution):
    """Convolution of inputs [batch, length, channels]."""

    _rank = 1


class Conv2D(_Convolution):
    """Convolution of inputs [batch, height, width, channels]."""

    _rank = 2


class Conv3D(_Convolution):
    """Convolution of inputs [batch, depth, height, width, channels]."""

    _rank = 3


class BatchReshape(AbstractModule):
    """Reshapes what follows the first `preserve_dims` dimensions; one size may be -1."""

    def __init__(
        self, shape: Any, preserve_dims: int = 1, name: str = "batch_reshape"
    ) -> None:
        super().__init__(name=name)
        if preserve_dims <= 0:
            raise ValueError("Argument preserve_dims should be >= 1")
        self._shape, self._preserve_dims = shape, preserve_dims

    def _build(self, inputs: tf.Tensor) -> tf.Tensor:
        shape = self._shape() if callable(self._shape) else self._shape
        shape = [shape] if isinstance(shape, int) else list(shape)
        kept = inputs.shape[: self._preserve_dims]
        head = list(kept) if kept.is_fully_defined() else tf.shape(inputs)[: self._preserve_dims]
        outputs = tf.reshape(inputs, tf.concat([head, shape], 0))
        if -1 not in shape:
            outputs.set_shape([*kept, *shape])
        elif inputs.shape[self._preserve_dims :].is_fully_defined():
            size = inputs.shape[self._preserve_dims :].num_elements()
            known = math.prod(n for n in shape if n != -1)
            outputs.set_shape([*kept, *(size // known if n == -1 else n for n in shape)])
        return outputs


class BatchFlatten(BatchReshape):
    """Flattens what follows the first `preserve_dims` dimensions."""

    def __init__(self, preserve_dims: int = 1, name: str = "batch_flatten") -> None:
        super().__init__((-1,), preserve_dims, name)


class TrainableVariable(AbstractModule):
    """A variable as a module; a call returns it."""

    POSSIBLE_INITIALIZER_KEYS = ("w",)

    def __init__(
        self,
        shape: Any,
        dtype: tf.DType = tf.float32,
        initializers: Mapping[str, Any] | None = None,
        partitioners: Any = None,
        regularizers: Mapping[str, Any] | None = None,
        custom_getter: Any = None,
        name: str = "trainable_variable",
    ) -> None:
        super().__init__(custom_getter=custom_getter, name=name)
        self._shape, self._dtype = tuple(shape), dtype
        self._initializers = dict(initializers or {})
        self._regularizers = dict(regularizers or {})
        self._w: Any = None

    def _build(self) -> tf.Variable:
        default = tf1_initializers.truncated_normal_initializer(
            stddev=1 / math.sqrt(np.prod(self._shape))
        )
        self._w = scopes.get_variable(
            "w", self._shape, self._dtype, self._initializers.get("w", default),
            self._regularizers.get("w"),
        )  # fmt: skip
        return self._w

    @property
    def w(self) -> tf.Variable:
        """The variable. Raises NotConnectedError before the first call."""
        self._ensure_is_connected()
        return self._w

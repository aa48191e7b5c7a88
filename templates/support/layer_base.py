"""The base class of tf.layers: variables by TF1's scopes, made when a layer is first applied."""

from __future__ import annotations

import contextlib
import copy
import re
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from .scopes import (
    AUTO_REUSE,
    add_to_collection,
    get_variable,
    name_scope,
    of_layer,
    variable_scope,
)
from .store import GraphKeys, VariableStore, current_run, layer_dtypes

# Variables belong to the store: tf.Module is not to list (or save) them a second time.
_UNTRACKED = frozenset(
    {"_around", "_made", "_losses", "_owner_scope", "_owner_store", "_trainable_weights",
     "_non_trainable_weights"}
)  # fmt: skip


class Layer(tf.Module):
    """A layer that makes its variables in the scope where it is first applied.

    Calling it again uses the same variables. `build(input_shape)` makes them with `add_variable`,
    `call(inputs)` computes; subclasses of TF1's `tf.layers.Layer` keep working.
    """

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        activity_regularizer: Any = None,
        _scope: Any = None,
        _reuse: Any = None,
        **_: Any,
    ) -> None:
        self._label = name
        plain = re.sub(r"\W", "_", name or _snake(type(self).__name__)).lstrip("_")
        super().__init__(name=plain if plain[:1].isalpha() else f"layer_{plain}")
        self.trainable, self.built = trainable, False
        self.activity_regularizer = activity_regularizer
        self._dtype = None if dtype is None else tf.as_dtype(dtype)
        self._variable_dtype = self._dtype or tf.float32
        self._open, self._losses = False, []
        self._given_scope, self._reuse, self._scope_name = _scope, _reuse, None
        self._around = current_run().scope if _scope else None  # TF1 opened a given scope here
        self._made: dict[str, Any] = {}
        self._trainable_weights: list[Any] = []
        self._non_trainable_weights: list[Any] = []

    @property
    def scope_name(self) -> str | None:
        """The variable scope of the layer, None before it is applied."""
        return self._scope_name

    @property
    def trainable_weights(self) -> list[Any]:
        """What is trained of the layer's own, none of the layers in it; [] when not trainable."""
        return list(self._trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """What is not trained: all of it when the layer is not trainable."""
        fixed = list(self._non_trainable_weights)
        return fixed if self.trainable else [*self._trainable_weights, *fixed]

    @property
    def weights(self) -> list[Any]:
        return self.trainable_weights + self.non_trainable_weights

    # tf.Module has properties by these names that know nothing of the store.
    @property
    def variables(self) -> list[Any]:  # type: ignore[override]
        return self.weights

    @property
    def trainable_variables(self) -> list[Any]:  # type: ignore[override]
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:  # type: ignore[override]
        return self.non_trainable_weights

    def get_weights(self) -> list[Any]:
        """The values, as arrays in the order of `weights`."""
        return [variable.numpy() for variable in self.weights]

    def set_weights(self, weights: Any) -> None:
        """Assigns values in the order of `weights`."""
        variables = self.weights
        if len(variables) != len(weights):
            raise ValueError(f"{self.name} has {len(variables)} weights, not {len(weights)}")
        for variable, value in zip(variables, weights, strict=True):
            variable.assign(value)

    def count_params(self) -> int:
        """How many numbers the weights hold."""
        return sum(variable.shape.num_elements() for variable in self.weights)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The static shape of the outputs for inputs of `input_shape`; makes no variables."""
        trial = copy.copy(self)
        trial.built, trial._scope_name, trial._made = False, None, {}
        trial._trainable_weights, trial._non_trainable_weights = [], []
        spec = tf.TensorSpec(tf.TensorShape(input_shape), self._dtype or tf.float32)
        with VariableStore().run():
            traced = tf.function(trial.__call__, autograph=False).get_concrete_function(spec)
        return tf.nest.map_structure(lambda output: output.shape, traced.structured_outputs)

    @property
    def dtype(self) -> Any:
        return self._dtype

    def build(self, input_shape: Any) -> None:
        """Makes the variables; nothing to do for a layer without."""
        del input_shape

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Computes the outputs."""
        raise NotImplementedError

    def add_variable(
        self,
        name: str,
        shape: Any,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool = True,
        constraint: Any = None,
        **_: Any,
    ) -> tf.Variable:
        """A variable in the layer's scope."""
        if not self._open:  # build() was called, not the layer
            with self._scoped():
                return self.add_variable(
                    name, shape, dtype, initializer, regularizer, trainable, constraint
                )
        variable = get_variable(
            name,
            shape=shape,
            dtype=dtype or self._variable_dtype,
            initializer=initializer,
            regularizer=of_layer(regularizer, name),
            trainable=trainable and self.trainable,
            constraint=constraint,
        )
        weights = self._trainable_weights if trainable else self._non_trainable_weights
        earlier = self._made.get(name)  # of another store
        weights[:] = [*(v for v in weights if v is not earlier and v is not variable), variable]
        self._made[name] = variable
        return variable

    add_weight = add_variable

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds penalties of the layer, tensors or functions, to those of REGULARIZATION_LOSSES."""
        for loss in losses if isinstance(losses, (list, tuple)) else [losses]:
            penalty = loss() if callable(loss) else loss
            self._losses.append(penalty)
            add_to_collection(GraphKeys.REGULARIZATION_LOSSES, penalty)

    @property
    def losses(self) -> list[Any]:
        """What `add_loss` was given in the latest call."""
        return list(self._losses)

    def get_config(self) -> dict[str, Any]:
        """What a layer is made with again."""
        dtype = None if self._dtype is None else self._dtype.name
        return {"name": self.name, "trainable": self.trainable, "dtype": dtype}

    def _activated(self, outputs: Any) -> Any:
        activation = getattr(self, "activation", None)
        return outputs if activation is None else activation(outputs)

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        run = current_run()
        inputs = tf.nest.map_structure(tf.convert_to_tensor, inputs)
        first = tf.nest.flatten(inputs)[0]
        compute_dtype, variable_dtype = layer_dtypes(first)
        self._variable_dtype = self._dtype or variable_dtype
        if compute_dtype != first.dtype:
            inputs = tf.nest.map_structure(lambda x: tf.cast(x, compute_dtype), inputs)
        with self._scoped():
            self._losses = []
            if not self.built:
                self.build(tf.nest.map_structure(lambda x: x.shape, inputs))
                self.built = True
            else:  # the variables belong to this run too: their penalties count
                run.used.update({v.name.partition(":")[0]: None for v in self._made.values()})
            outputs = self.call(inputs, *args, **kwargs)
            if self.activity_regularizer is not None:
                penalty = self.activity_regularizer(outputs)
                add_to_collection(GraphKeys.REGULARIZATION_LOSSES, penalty)
            return outputs

    @contextlib.contextmanager
    def _scoped(self) -> Iterator[None]:
        """In the layer's variable scope, which is named when it is opened first."""
        with contextlib.ExitStack() as opened:
            if self._scope_name is None:
                around = self._around
                if around is not None and around is not current_run().scope:
                    opened.enter_context(name_scope(around.original_name_scope))
                    opened.enter_context(variable_scope(around, auxiliary_name_scope=False))
                base = self._label or _snake(type(self).__name__)
                if self._reuse:
                    own = variable_scope(self._given_scope or base, reuse=self._reuse)
                else:  # a layer object's own name is made unique, a function's `name` is taken as it is
                    own = variable_scope(self._given_scope, default_name=base)
            else:
                opened.enter_context(name_scope(self._owner_scope.original_name_scope))
                own = variable_scope(self._owner_scope, reuse=AUTO_REUSE, auxiliary_name_scope=False)
            scope = opened.enter_context(own)
            store, was_open = current_run().store, self._open
            if self._scope_name is None or store is not self._owner_store:
                self._scope_name, self._owner_scope, self._owner_store = scope.name, scope, store
            self._open = True
            try:
                yield
            finally:
                self._open = was_open

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Same as calling the layer."""
        return self(inputs, *args, **kwargs)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _UNTRACKED:
            object.__setattr__(self, name, value)  # not tracked: the store is
        else:
            super().__setattr__(name, value)


def _snake(name: str) -> str:
    """MaxPooling2D -> max_pooling2d, as TF1 named layers."""
    name = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()

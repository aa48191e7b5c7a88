"""slim's variables: making them with model collections, finding, filtering and restoring them."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from .arg_scope import add_arg_scope
from .checkpoint import NewCheckpointReader
from .scopes import GraphKeys, Variable, get_collection, get_variable, get_variable_scope
from .store import VariableScope, builds_graph, current_run, name_of


@add_arg_scope
def variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Any = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Callable[..., Any] | None = None,
    use_resource: bool | None = None,
    synchronization: tf.VariableSynchronization = tf.VariableSynchronization.AUTO,
    aggregation: tf.VariableAggregation = tf.VariableAggregation.NONE,
) -> tf.Variable:
    """`get_variable` with a device and default arguments from `arg_scope`."""
    collections = [GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
    getter: Callable[..., Any] = get_variable
    extra: dict[str, Any] = {}
    if custom_getter is not None:
        getter, extra = custom_getter, {"reuse": get_variable_scope().reuse}
    with _on(device):
        return getter(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=list(dict.fromkeys(collections)),
            caching_device=caching_device,
            partitioner=partitioner,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
            **extra,
        )


def _on(device: Any) -> contextlib.AbstractContextManager[Any]:
    """The scope of the device that a variable is asked for, if it is."""
    if not device:
        return contextlib.nullcontext()
    try:  # it is there where the program names devices
        from .devices import device as scope
    except ImportError as error:
        raise RuntimeError("a device is asked for here, and nothing in the repository named one when it "
                           "was migrated: migrate it again") from error
    return scope(device)


@add_arg_scope
def model_variable(
    name: str,
    shape: Any = None,
    dtype: Any = tf.float32,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Any = None,
    **kwargs: Any,
) -> tf.Variable:
    """A variable that is also in the collection MODEL_VARIABLES."""
    homes = [GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    collections = [*([collections] if isinstance(collections, str) else collections or []), *homes]
    return variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=collections,
        **kwargs,
    )


def local_variable(
    initial_value: Any,
    validate_shape: bool = True,
    name: str | None = None,
    use_resource: Any = None,
) -> tf.Variable:
    """A variable that is neither trained nor saved."""
    return Variable(initial_value, False, [GraphKeys.LOCAL_VARIABLES], name=name)


def global_variable(
    initial_value: Any,
    validate_shape: bool = True,
    name: str | None = None,
    use_resource: Any = None,
) -> tf.Variable:
    """A variable that is saved but not trained."""
    return Variable(initial_value, False, [GraphKeys.GLOBAL_VARIABLES], name=name)


def add_model_variable(var: tf.Variable) -> None:
    """Adds a variable to MODEL_VARIABLES, once."""
    if not any(v is var for v in get_collection(GraphKeys.MODEL_VARIABLES)):
        current_run().add_to_collection(GraphKeys.MODEL_VARIABLES, var)


def get_variables(
    scope: str | VariableScope | None = None,
    suffix: str | None = None,
    collection: str = GraphKeys.GLOBAL_VARIABLES,
) -> list[tf.Variable]:
    """Variables of a collection whose names begin with `scope` and end with `suffix`."""
    if isinstance(scope, VariableScope):
        scope = scope.name
    if suffix is not None:
        scope = (scope or "") + ".*" + (suffix if ":" in suffix else suffix + ":")
    return get_collection(collection, scope)


def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[tf.Variable]:
    """`get_variables` of the layers' variables."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[tf.Variable]:
    """`get_variables` of the local variables."""
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: str | None = None) -> list[tf.Variable]:
    """`get_variables` of the trainable variables."""
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[tf.Variable]:
    """Variables whose names end with `suffix`."""
    return get_variables(scope, suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> list[tf.Variable]:
    """Variables whose last name part is `given_name`."""
    return get_variables(scope, f"/{given_name}:|^{given_name}:")


def get_unique_variable(var_op_name: str) -> tf.Variable:
    """The variable of exactly this name; ValueError if there is none."""
    for candidate in get_variables(scope=var_op_name):
        if name_of(candidate) == var_op_name:
            return candidate
    raise ValueError(f"Couldn't find variable {var_op_name}")


def get_variable_full_name(var: tf.Variable) -> str:
    """The name under which a TF1 checkpoint has the variable."""
    return name_of(var) or ""


def get_variables_to_restore(include: Any = None, exclude: Any = None) -> list[tf.Variable]:
    """Global variables in the scopes `include` (None: all) without those in `exclude`."""
    for label, scopes in (("include", include), ("exclude", exclude)):
        if scopes is not None and not isinstance(scopes, (list, tuple)):
            raise TypeError(f"{label} is provided but is not a list or a tuple.")
    included = (
        get_variables()
        if include is None
        else [v for scope in include for v in get_variables(scope)]
    )
    excluded = {id(v) for scope in exclude or () for v in get_variables(scope)}
    return [v for v in included if id(v) not in excluded]


def filter_variables(
    var_list: Any,
    include_patterns: Sequence[str] | None = None,
    exclude_patterns: Sequence[str] | None = None,
    reg_search: bool = True,
) -> list[Any]:
    """Variables whose names fit one of `include_patterns` and none of `exclude_patterns`."""
    fits = re.search if reg_search else re.match
    chosen = list(var_list)
    if include_patterns is not None:
        chosen = [v for v in chosen if any(fits(p, v.name) for p in include_patterns)]
    if exclude_patterns is not None:
        chosen = [v for v in chosen if not any(fits(p, v.name) for p in exclude_patterns)]
    return chosen


def assign_from_values(var_names_to_values: Mapping[str, Any]) -> tuple[Any, dict[Any, Any]]:
    """Assigns values to variables by name, now.

    Gives TF 1's pair of an operation and what to feed it: where a graph is being built for a
    session, that operation assigns; eagerly it is None, and nothing needs to be fed ever.
    """
    assigned = []
    for name, value in var_names_to_values.items():
        var = get_unique_variable(name)
        assigned.append(var.assign(np.reshape(value, var.shape.as_list())))
    return tf.group(*assigned), {}


def assign_from_values_fn(var_names_to_values: Mapping[str, Any]) -> Callable[..., None]:
    """A function that assigns the values when it is called (with a session if there is a graph)."""
    return _assigner(lambda: assign_from_values(var_names_to_values))


def _assigner(assign: Callable[[], tuple[Any, dict[Any, Any]]]) -> Callable[..., None]:
    """A function of a session, ignored in eager code, that does what `assign` does."""
    if not builds_graph():
        return lambda session=None: assign() and None
    operation, _ = assign()  # before the session, and possibly the graph, is finished
    run = current_run()
    return lambda session=None: run.perform(operation)


def assign_from_checkpoint(
    model_path: str,
    var_list: Any,
    ignore_missing_vars: bool = False,
    reshape_variables: bool = False,
) -> tuple[Any, dict[Any, Any]]:
    """Assigns variables from a TF1 checkpoint, now; the result is that of `assign_from_values`.

    `var_list`: variables, or {name in the checkpoint: variable or list of variables}. Raises
    ValueError for a missing variable (unless ignored) or another shape.
    """
    reader = NewCheckpointReader(model_path)
    named = var_list if isinstance(var_list, Mapping) else {name_of(v): v for v in var_list}
    assigned = []
    for name, targets in named.items():
        if not reader.has_tensor(name):
            if not ignore_missing_vars:
                raise ValueError(f"Checkpoint {model_path} is missing variable [{name}]")
            logging.warning("Checkpoint %s is missing variable [%s]", model_path, name)
            continue
        value = reader.get_tensor(name)
        for var in targets if isinstance(targets, (list, tuple)) else [targets]:
            if not reshape_variables and tuple(var.shape) != value.shape:
                raise ValueError(
                    f"Total size of new array must be unchanged for {name}: variable "
                    f"{tuple(var.shape)}, checkpoint {value.shape}"
                )
            if builds_graph():  # a graph of weights as constants would soon be too large
                [value] = tf.raw_ops.RestoreV2(
                    prefix=model_path, tensor_names=[name], shape_and_slices=[""],
                    dtypes=[reader.get_variable_to_dtype_map()[name]],
                )
            assigned.append(var.assign(tf.reshape(value, var.shape.as_list())))
    return tf.group(*assigned), {}


def assign_from_checkpoint_fn(
    model_path: str,
    var_list: Any,
    ignore_missing_vars: bool = False,
    reshape_variables: bool = False,
) -> Callable[..., None] | None:
    """A function that restores when it is called (with a session if there is a graph).

    None if nothing of `var_list` is in the checkpoint and missing variables are ignored.
    """
    if not var_list:
        raise ValueError("var_list cannot be empty")
    if ignore_missing_vars:
        reader = NewCheckpointReader(model_path)
        named = var_list if isinstance(var_list, Mapping) else {name_of(v): v for v in var_list}
        for name in named:
            if not reader.has_tensor(name):
                logging.warning("Variable %s missing in checkpoint %s", name, model_path)
        var_list = {name: v for name, v in named.items() if reader.has_tensor(name)}
        if not var_list:
            logging.warning("No Variables to restore")
            return None
    return _assigner(
        lambda: assign_from_checkpoint(model_path, var_list, reshape_variables=reshape_variables)
    )

"""TF1's variable scopes, name scopes and collections, and Keras models made of graph functions.

The state is in a `VariableStore`; see `store` for what holds while building and while running.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from .arg_scope import (
    add_arg_scope,
    arg_scope,
    arg_scope_func_key,
    arg_scoped_arguments,
    current_arg_scope,
    has_arg_scope,
)
from .draws import glorot_uniform
from .names import current_graph, hashable, lifted, outside_traces
from .store import (
    GraphKeys,
    Run,
    VariableScope,
    VariableStore,
    current_run,
    current_store,
    in_tf1_graph,
    name_of,
    reset_default_store,
)


class _AutoReuse:
    def __repr__(self) -> str:
        return "AUTO_REUSE"

    def __deepcopy__(self, memo: Any) -> _AutoReuse:
        return self


AUTO_REUSE = _AutoReuse()


# ---- scopes ------------------------------------------------------------------------------------
class name_scope:
    """`with name_scope(name, default_name=None, values=None) as path:`; path ends with `/`.

    Unlike `tf.name_scope` it makes the path unique, also in eager mode. A name that ends with `/`
    is entered as it is; an empty one goes back to the root.
    """

    def __init__(self, name: str | None, default_name: str | None = None, values: Any = None):
        self.name = default_name if name is None else name
        if self.name is None and values is not None:
            raise ValueError("name_scope with values needs a name or a default_name")

    def __enter__(self) -> str:
        self.run = run = current_run()
        self.outer = run.name_scope
        if not self.name:
            path = ""
        elif self.name.endswith("/"):
            path = self.name
        else:
            path = run.unique_name(run.open_name_scope() + self.name) + "/"
            if run.builds:  # operations and summaries of that name are called otherwise
                with tf.name_scope(""):
                    tf.compat.v1.get_default_graph().unique_name(path[:-1])
        run.name_scope = path
        self.native = tf.name_scope(path)  # for tensor names, profiles and error messages
        self.native.__enter__()
        return path

    def __exit__(self, *exc: Any) -> None:
        self.native.__exit__(*exc)
        self.run.name_scope = self.outer


class variable_scope:
    """`with variable_scope(name_or_scope, ...) as scope:`, with all of TF1's rules.

    A `default_name` (used if `name_or_scope` is None) is made unique among its siblings. `values`
    is accepted and needs no action in TF 2; `partitioner` and `caching_device`
    are only remembered, since a variable is no longer sliced or cached by hand.
    """

    def __init__(
        self,
        name_or_scope: str | VariableScope | None,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Callable[..., Any] | None = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: bool | None = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if name_or_scope is None and default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if name_or_scope is not None and not isinstance(name_or_scope, (str, VariableScope)):
            raise TypeError(
                f"variable_scope: name_or_scope must be a string or a scope, not {name_or_scope!r}"
            )
        if reuse not in (True, False, None, AUTO_REUSE):
            raise ValueError(f"reuse must be True, False, None or AUTO_REUSE, not {reuse!r}")
        self.name_or_scope, self.default_name = name_or_scope, default_name
        self.reuse = reuse or None  # False means: inherit
        self.auxiliary_name_scope = auxiliary_name_scope
        self.custom_getter = custom_getter
        self.constraint = constraint
        self.changes = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "dtype": dtype,
            "use_resource": use_resource,
        }

    def __enter__(self) -> VariableScope:
        self.run = run = current_run()
        self.outer = run.scope
        given = self.name_or_scope
        if given is None and self.reuse:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        label = given.name.split("/")[-1] if isinstance(given, VariableScope) else given
        label = self.default_name if label is None else label
        if not self.auxiliary_name_scope:
            self.names: Any = contextlib.nullcontext(run.open_name_scope())
        elif label:
            self.names = name_scope(label)
        else:  # the root scope is entered again
            self.names = contextlib.nullcontext("")
        path = self.names.__enter__()
        if isinstance(given, VariableScope):
            # A jump to a scope object: its own settings hold, not those of the enclosing scope.
            base, full, path = given, given.name, given.original_name_scope
        else:
            base, full = self.outer, self._full_name(run, given)
        scope = base.replaced(**self.changes)
        scope.name, scope.original_name_scope = full, path
        scope.reuse, scope.constraint = self.reuse or base.reuse, self.constraint
        if self.custom_getter is not None:
            scope.custom_getter = _chained(self.custom_getter, base.custom_getter)
        run.scope_counts[full] = run.scope_counts.get(full, 0) + 1
        self.saved_counts = dict(run.scope_counts) if isinstance(given, VariableScope) else None
        self.scope = run.scope = scope
        self.of_graph: Any = contextlib.nullcontext()
        if in_tf1_graph():  # what tf.compat.v1 makes here has this scope in its names, too
            own = tf.compat.v1.VariableScope(tf.compat.v1.AUTO_REUSE, full)
            self.of_graph = tf.compat.v1.variable_scope(own, auxiliary_name_scope=False)
        self.of_graph.__enter__()
        return scope

    def _full_name(self, run: Run, given: str | None) -> str:
        prefix = self.outer.name + "/" if self.outer.name else ""
        if given is not None:
            return prefix + given
        name, index = f"{prefix}{self.default_name}", 0
        while run.scope_counts.get(name if not index else f"{name}_{index}", 0):
            index += 1
        return name if not index else f"{name}_{index}"

    def __exit__(self, *exc: Any) -> None:
        run = self.run
        if run.scope is not self.scope:
            raise RuntimeError("Improper nesting of variable_scope.")
        if self.saved_counts is not None:
            run.scope_counts = self.saved_counts
        else:  # default names below a scope start afresh when it is opened again
            below = self.scope.name + "/"
            for name in run.scope_counts:
                if name.startswith(below):
                    run.scope_counts[name] = 0
        run.scope = self.outer
        self.of_graph.__exit__(*exc)
        self.names.__exit__(*exc)


def _chained(getter: Callable[..., Any], outer: Callable[..., Any] | None) -> Callable[..., Any]:
    """`getter` around the enclosing scope's getter: the innermost is asked first."""
    if outer is None:
        return getter
    return lambda inner, *args, **kwargs: getter(functools.partial(outer, inner), *args, **kwargs)


@contextlib.contextmanager
def variable_op_scope(
    values: Any, name_or_scope: Any, default_name: str | None = None, **kwargs: Any
) -> Iterator[VariableScope]:
    """Old spelling of `variable_scope`."""
    with variable_scope(name_or_scope, default_name, values, **kwargs) as scope:
        yield scope


def get_variable_scope() -> VariableScope:
    """The innermost open variable scope."""
    return current_run().scope


def no_regularizer(_: Any) -> None:
    """Given as `regularizer`: no penalty, whatever the enclosing scope says."""
    return None


# ---- variables ---------------------------------------------------------------------------------
@tf.autograph.experimental.do_not_convert
def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable[..., Any] | None = None,
    constraint: Any = None,
    synchronization: tf.VariableSynchronization = tf.VariableSynchronization.AUTO,
    aggregation: tf.VariableAggregation = tf.VariableAggregation.NONE,
) -> tf.Variable:
    """The variable `name` of the current scope: made, or found if the scope reuses.

    In a run (`store.run()`, `ScopedModel`, a `tf.function`) the variable of an earlier run is
    found. Raises ValueError as TF1 did: made twice without reuse, reused but never made, another
    shape or dtype than the existing one, no shape and no initial value.
    """
    scope = get_variable_scope()
    getter = custom_getter and _chained(custom_getter, scope.custom_getter)
    getter = getter or scope.custom_getter
    if dtype is None and initializer is not None and not callable(initializer):
        dtype = getattr(initializer, "dtype", None) or tf.constant(initializer).dtype  # as in TF1
    arguments = {
        "name": f"{scope.name}/{name}" if scope.name else name,
        "shape": shape,
        "dtype": dtype or scope.dtype,
        "initializer": scope.initializer if initializer is None else initializer,
        "regularizer": scope.regularizer if regularizer is None else regularizer,
        "reuse": scope.reuse,
        "trainable": trainable,
        "collections": collections,
        "caching_device": caching_device or scope.caching_device,
        "partitioner": partitioner or scope.partitioner,
        "validate_shape": validate_shape,
        "use_resource": scope.use_resource if use_resource is None else use_resource,
        "constraint": scope.constraint if constraint is None else constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
    }
    return getter(_stored_variable, **arguments) if getter else _stored_variable(**arguments)


def _stored_variable(
    name: str,
    shape: Any = None,
    dtype: Any = tf.float32,
    initializer: Any = None,
    regularizer: Any = None,
    reuse: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    constraint: Any = None,
    synchronization: tf.VariableSynchronization = tf.VariableSynchronization.AUTO,
    aggregation: tf.VariableAggregation = tf.VariableAggregation.NONE,
    **_: Any,
) -> tf.Variable:
    """What custom getters call as `getter`: find or make by full name, without the scope."""
    run = current_run()
    shape = _whole(shape)
    store, dtype = run.store, tf.as_dtype(dtype)
    name = run.shared_name(name)
    existing = store.variables_by_name.get(name)
    if existing is not None:
        if name in run.used and not reuse:
            raise ValueError(
                f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
                "reuse=AUTO_REUSE in variable_scope, or to execute the function once more inside "
                "`with store.run():`?"
            )
        _check_same(name, existing, shape, dtype)
        run.used[name] = None
        return existing
    if reuse is True:
        raise ValueError(
            f"Variable {name} does not exist, or was not created with get_variable(). "
            "Did you mean to set reuse=AUTO_REUSE in variable_scope?"
        )
    if trainable is None:
        trainable = synchronization != tf.VariableSynchronization.ON_READ
    initial = _where_it_works(
        functools.partial(_initial_value, name, shape, dtype, initializer), name)
    with outside_traces(), tf.name_scope(""):  # lifted out of any tf.function; the name is complete
        variable = tf.Variable(
            run.first_value(initial),
            trainable=trainable,
            name=name,
            dtype=dtype,
            constraint=constraint,
            synchronization=synchronization,
            aggregation=aggregation,
            shape=None if validate_shape else tf.TensorShape(None),
        )
    variable.tf1_resource = use_resource
    _register(run, name, variable, trainable, collections)
    run.made(variable, initial)
    if regularizer is not None:
        store.registry.regularizers[name] = regularizer
        called = getattr(regularizer, "called", None)
        store.registry.penalties[name] = f"{run.open_name_scope()}{called}" if called else name
        run.penalize(name)
    return variable


def of_layer(regularizer: Any, name: str) -> Any:
    """The `regularizer` of a layer's weight, which TF 1 called `name`: its penalty is called by the name
    scope that is open around the layer, by which towers ask for their own, and not by the variable."""
    if regularizer is None:
        return None

    def penalty(weight: Any) -> Any:
        return regularizer(weight)

    penalty.called = name  # type: ignore[attr-defined]
    return penalty


def _whole(shape: Any) -> Any:
    """A shape with whole numbers for dimensions like 3.0, which TF1 took."""
    if not isinstance(shape, (list, tuple)):
        return shape
    return [int(d) if isinstance(d, (float, np.floating)) and d == int(d) else d for d in shape]


def _check_same(name: str, existing: tf.Variable, shape: Any, dtype: tf.DType) -> None:
    if shape is not None and not tf.TensorShape(shape).is_compatible_with(existing.shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {shape} and found shape "
            f"{tuple(existing.shape)}."
        )
    if dtype != existing.dtype:
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {dtype.name} and found dtype "
            f"{existing.dtype.name}."
        )


def _register(run: Run, name: str, variable: Any, trainable: bool, collections: Any) -> None:
    names = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
    if trainable and GraphKeys.TRAINABLE_VARIABLES not in names:
        names.append(GraphKeys.TRAINABLE_VARIABLES)
    run.store.add(name, hashable(variable), names)
    run.used[name] = None


def _initial_value(name: str, shape: Any, dtype: tf.DType, initializer: Any) -> Any:
    if inspect.isclass(initializer):
        initializer = initializer()
    if initializer is not None and not callable(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        return tf.cast(_constant_value(initializer), dtype)
    if shape is None or not tf.TensorShape(shape).is_fully_defined():
        if initializer is not None and shape is None and not _takes_shape(initializer):
            return initializer()
        raise ValueError(
            f"Shape of a new variable ({name}) must be fully defined, but instead was {shape}."
        )
    shape = tf.TensorShape(shape).as_list()
    if initializer is None:
        if not (dtype.is_floating or dtype.is_integer or dtype.is_bool):
            raise ValueError(f"an initializer for variable {name} of {dtype} is required")
        return glorot_uniform(shape, dtype) if dtype.is_floating else tf.zeros(shape, dtype)
    if isinstance(initializer, tf.keras.initializers.Initializer):
        # A Keras initializer repeats its values, TF1's did not: a fresh one for each variable.
        initializer = initializer.clone()
    if not _takes_shape(initializer):
        return initializer()
    return initializer(shape, dtype=dtype)


def _where_it_works(compute: Callable[[], Any], name: str) -> Callable[[], Any]:
    """`compute` eagerly; one that goes on from tensors of the graph around it computes in there."""
    around, builds = current_graph(), current_run().builds

    def first_value() -> Any:
        try:
            return _constant_value(compute())
        except TypeError:  # so TensorFlow refuses a tensor of a graph that is not the current one
            if not isinstance(around, tf.__internal__.FuncGraph):
                raise
        except ValueError:  # so `lifted` does, of what is fed
            if not builds:
                raise
        with around.as_default(), tf.name_scope(f"{name}/Initializer/"):
            value = compute()
            try:
                return lifted(value)
            except ValueError:  # it is fed to the initializer
                if not builds:
                    raise
                return value

    return first_value


def _constant_value(value: Any) -> Any:
    """`value`, or what it comes to: what a trace computed cannot be read outside of it."""
    if tf.is_tensor(value) and not hasattr(value, "numpy") and (
            tf.executing_eagerly() or value.graph is not current_graph()):
        known = tf.get_static_value(value)
        return lifted(value) if known is None else known
    return value


def _takes_shape(initializer: Any) -> bool:
    """Whether it is an initializer (of a shape) and not a function that returns the value."""
    try:
        return bool(inspect.signature(initializer).parameters)
    except (TypeError, ValueError):
        return True


def get_local_variable(name: str, *args: Any, **kwargs: Any) -> tf.Variable:
    """`get_variable` of a variable that is not trainable, saved or restored."""
    kwargs["collections"] = [*(kwargs.get("collections") or ()), GraphKeys.LOCAL_VARIABLES]
    return get_variable(name, *args, **{**kwargs, "trainable": False})


def Variable(
    initial_value: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    validate_shape: bool = True,
    caching_device: Any = None,
    name: str | None = None,
    variable_def: Any = None,
    dtype: Any = None,
    expected_shape: Any = None,
    import_scope: str | None = None,
    constraint: Any = None,
    use_resource: bool | None = None,
    synchronization: tf.VariableSynchronization = tf.VariableSynchronization.AUTO,
    aggregation: tf.VariableAggregation = tf.VariableAggregation.NONE,
    shape: Any = None,
) -> tf.Variable:
    """TF1's `tf.Variable`: named after the name scope, unique, in the collections.

    Use it where code depends on `global_variables()` or on TF1 names; elsewhere `tf.Variable` does.
    """
    if variable_def is not None:
        raise ValueError("variable_def: rebuild the variable from a checkpoint instead")
    run = current_run()
    full = run.unique_name(run.open_name_scope() + (name or "Variable"))
    existing = run.store.variables_by_name.get(full)
    if existing is not None and full not in run.used:
        run.used[full] = None
        run.unshared.add(full)
        return existing
    if existing is not None:  # a get_variable of this run has the name
        full = run.unique_name(full)
    run.unshared.add(full)
    initial = _where_it_works(
        initial_value if callable(initial_value) else lambda: initial_value, full)
    with outside_traces(), tf.name_scope(""):
        variable = tf.Variable(
            run.first_value(initial),
            trainable=True if trainable is None else trainable,
            name=full,
            dtype=dtype,
            constraint=constraint,
            synchronization=synchronization,
            aggregation=aggregation,
            shape=shape if shape is not None or validate_shape else tf.TensorShape(None),
        )
    variable.tf1_resource = use_resource
    _register(run, full, variable, variable.trainable, collections)
    run.made(variable, initial)
    return variable


# ---- collections -------------------------------------------------------------------------------
def add_to_collection(name: str, value: Any) -> None:
    """Adds `value` to a collection: of the store for a variable, of the current run otherwise."""
    current_run().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Adds `value` to several collections (a name, an iterable of names, or None)."""
    for name in dict.fromkeys([names] if isinstance(names, str) else names or ()):
        current_run().add_to_collection(name, value)


def get_collection(key: str, scope: str | None = None) -> list[Any]:
    """The values in a collection.

    REGULARIZATION_LOSSES are computed when asked, within the gradient tape that is recording.
    Asking for UPDATE_OPS performs the pending moving-average updates, so that they happen exactly
    where a TF1 training step depended on them; `tf.control_dependencies` on them is harmless.
    """
    return current_run().get_collection(key, scope)


def get_collection_ref(key: str) -> list[Any]:
    """The collection's own list, to be changed in place."""
    return current_run().get_collection_ref(key)


def clear_collection(name: str) -> None:
    """Empties a collection."""
    current_run().get_collection_ref(name).clear()


def global_variables(scope: str | None = None) -> list[tf.Variable]:
    """All saved variables in creation order; `scope` is a regex that names begin with."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def report_uninitialized_variables(
    var_list: Iterable[Any] | None = None, name: str = "report_uninitialized_variables"
) -> tf.Tensor:
    """Names of the variables without a value, as strings [n]: none where TF 2 made them; a graph
    that is built as in TF 1 knows which it gave their first values."""
    listed = [*global_variables(), *local_variables()] if var_list is None else list(var_list)
    return current_run().without_value(listed, name)


def is_variable_initialized(variable: Any) -> tf.Tensor:
    """Whether a variable has its first value: True, but in graphs that are built as in TF 1."""
    return tf.equal(tf.size(current_run().without_value([variable], "IsVariableInitialized")), 0)


def trainable_variables(scope: str | None = None) -> list[tf.Variable]:
    """The variables made with trainable=True, in creation order."""
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def local_variables(scope: str | None = None) -> list[tf.Variable]:
    """Variables that are not saved (counters of running metrics)."""
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[tf.Variable]:
    """The variables of layers."""
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[tf.Variable]:
    """Variables that a moving average follows."""
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


all_variables = global_variables


# ---- the global step ---------------------------------------------------------------------------
def get_global_step(graph: VariableStore | None = None) -> tf.Variable | None:
    """The training step counter (int64 scalar) of the store, or else its variable called
    "global_step"; None if there is none."""
    registry = (graph or current_store()).registry
    steps = registry.collections.get(GraphKeys.GLOBAL_STEP)
    return steps[0] if steps else registry.variables.get("global_step")


def create_global_step(graph: VariableStore | None = None) -> tf.Variable:
    """Makes the step counter, below the variable scopes that are open; ValueError if it exists."""
    store = graph or current_store()
    if get_global_step(store) is not None:
        raise ValueError('"global_step" already exists.')
    with contextlib.nullcontext() if store is current_store() else store.as_default():
        return get_variable("global_step", [], tf.int64, tf.zeros, trainable=False,
                            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP])


def get_or_create_global_step(graph: VariableStore | None = None) -> tf.Variable:
    """The step counter, made if need be."""
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


class graph_function:
    """A local graph function that is called more than once: each call is a run of its own.

    Decorates a function, or is called with `input_signature` (as for `tf.function`) to trace it.
    Variables of earlier calls are found again; the state is in the store that is current at the
    call. `graph()` is the traced graph, for code that looks at operations.
    """

    def __init__(self, fn: Callable[..., Any] | None = None, *, input_signature: Any = None):
        self.input_signature = input_signature
        self._traced: Any = None
        if fn is not None:
            self._set(fn)

    def _set(self, fn: Callable[..., Any]) -> None:
        functools.update_wrapper(self, fn)
        self.fn = fn
        if self.input_signature is not None:
            self._traced = tf.function(self._run, input_signature=self.input_signature)

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        with current_store().run():
            return self.fn(*args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not hasattr(self, "fn"):  # @graph_function(input_signature=...)
            self._set(args[0])
            return self
        return (self._traced or self._run)(*args, **kwargs)

    def graph(self, *args: Any, **kwargs: Any) -> tf.Graph:
        """The graph as traced for the arguments (none needed with an input_signature)."""
        traced = self._traced or tf.function(self._run)
        return traced.get_concrete_function(*args, **kwargs).graph


# ---- models ------------------------------------------------------------------------------------
class ScopedModel(tf.keras.Model):
    """A graph function as a Keras model with variables of its own.

    `fn(inputs, ..., <training_arg>=bool)` is executed in `call`; its layers find their variables
    by TF1 scope. `fit`, `tf.function`, `export`, weights files and `load_tf1_checkpoint` work.
    In a training call the batch norm updates are performed at the end. `dtype` is a Keras policy
    (`"mixed_float16"`, `"float64"`).
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        training_arg: str | None = "is_training",
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.fn, self.training_arg, self.fn_kwargs = fn, training_arg, kwargs
        self.store = VariableStore(dtype_policy=self.dtype_policy)

    def build(self, input_shape: Any) -> None:
        """Makes the variables by tracing `fn` in both modes; nothing is computed."""
        shapes = input_shape if isinstance(input_shape, dict) else tf.TensorShape(input_shape)
        specs = tf.nest.map_structure(
            lambda shape: tf.TensorSpec(shape, self.compute_dtype), shapes
        )
        for training in (True, False):
            tf.function(
                lambda x, training=training: self._execute(training, x), autograph=False
            ).get_concrete_function(specs)
        self.built = True

    def _execute(self, training: bool, *args: Any, **kwargs: Any) -> Any:
        mode = {self.training_arg: training} if self.training_arg else {}
        with self.store.run(apply_updates=training) as run:
            outputs = self.fn(*args, **{**self.fn_kwargs, **mode, **kwargs})
            self._extra_losses = list(run.collections.get(GraphKeys.LOSSES, ()))
        return outputs

    def call(self, inputs: Any, *args: Any, training: bool | None = False, **kwargs: Any) -> Any:
        outputs = self._execute(bool(training), inputs, *args, **kwargs)
        for loss in self._extra_losses:
            self.add_loss(loss)
        return outputs

    def load_tf1_checkpoint(
        self, path: str, strict: bool = True, name_map: Any = None
    ) -> list[str]:
        """See `VariableStore.load_tf1_checkpoint`; build or call the model first."""
        return self.store.load_tf1_checkpoint(path, strict=strict, name_map=name_map)

    @property
    def variables_by_name(self) -> dict[str, tf.Variable]:
        """TF1 name to variable."""
        return self.store.variables_by_name

    # Keras would list only variables that it has made itself.
    @property
    def variables(self) -> list[tf.Variable]:
        return [*self.store.variables, *super().variables]

    @property
    def weights(self) -> list[tf.Variable]:
        return self.variables

    @property
    def trainable_variables(self) -> list[tf.Variable]:
        return list(self.store.trainable_variables) if self.trainable else []

    @property
    def trainable_weights(self) -> list[tf.Variable]:
        return self.trainable_variables

    @property
    def non_trainable_variables(self) -> list[tf.Variable]:
        trainable = {id(v) for v in self.trainable_variables}
        return [v for v in self.variables if id(v) not in trainable]

    @property
    def non_trainable_weights(self) -> list[tf.Variable]:
        return self.non_trainable_variables

    def _get_regularization_losses(self) -> list[tf.Tensor]:
        return self.store.losses  # part of Keras's `losses`, and so of `fit`

    def save_own_variables(self, store: Any) -> None:
        for name, variable in self.variables_by_name.items():
            store[name] = variable.numpy()

    def load_own_variables(self, store: Any) -> None:
        for name, variable in self.variables_by_name.items():
            variable.assign(store[name])


__all__ = [
    "AUTO_REUSE",
    "GraphKeys",
    "Run",
    "ScopedModel",
    "Variable",
    "VariableScope",
    "VariableStore",
    "add_arg_scope",
    "add_to_collection",
    "add_to_collections",
    "all_variables",
    "arg_scope",
    "arg_scope_func_key",
    "arg_scoped_arguments",
    "clear_collection",
    "create_global_step",
    "current_arg_scope",
    "current_run",
    "current_store",
    "get_collection",
    "get_collection_ref",
    "get_global_step",
    "get_local_variable",
    "get_or_create_global_step",
    "get_variable",
    "get_variable_scope",
    "graph_function",
    "global_variables",
    "has_arg_scope",
    "local_variables",
    "model_variables",
    "moving_average_variables",
    "name_of",
    "name_scope",
    "no_regularizer",
    "report_uninitialized_variables",
    "reset_default_store",
    "trainable_variables",
    "variable_op_scope",
    "variable_scope",
]

"""Where the variables of TF1-style code live: the successor of the default graph.

A `VariableStore` owns variables by their TF1 names. What TF1 kept in the graph while it was being
built (open scopes, counters that make default names unique, collections of tensors) is a `Run`:

* *Building* (no run is open): the TF1 rules of one graph hold for as long as the store lives.
  Layers called twice get fresh names (`Conv`, `Conv_1`), `get_variable` of a name that exists
  raises unless the scope reuses.
* *Building a TF1 graph* (`with tf.Graph().as_default():` and no store): see `session_graphs`.
* *Running* (`with store.run():`): one execution of a graph function. Counters start afresh and the
  variables of earlier executions are found again, so the same function can run once per step.
  `ScopedModel` opens a run for each call, and every trace of a `tf.function` is a run by itself.

    with VariableStore().as_default() as store:      # was: with tf.Graph().as_default()
        for images in dataset:
            with store.run():                        # was: sess.run(...)
                logits = network(images)
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import tensorflow as tf

from .names import (
    current_graph,
    hashable,
    is_seed,
    layer_variable_name,
    named_by_maker,
    outside_traces,
    unlifted,
)


class GraphKeys:
    """Names of the standard collections (TF1's `tf.GraphKeys`)."""

    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    CONCATENATED_VARIABLES = "concatenated_variables"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    REGULARIZATION_LOSSES = "regularization_losses"
    LOSSES = "losses"
    SAVERS = "savers"
    SAVEABLE_OBJECTS = "saveable_objects"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"
    # Long gone names that TF1 still accepted.
    VARIABLES = "variables"


class VariableScope:
    """One opened variable scope: a name prefix and the defaults for variables made below it."""

    def __init__(
        self,
        reuse: Any = False,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Callable[..., Any] | None = None,
        name_scope: str = "",
        dtype: Any = tf.float32,
        use_resource: bool | None = None,
        constraint: Any = None,
    ) -> None:
        self.name = name
        self.reuse = reuse
        self.initializer = initializer
        self.regularizer = regularizer
        self.caching_device = caching_device
        self.partitioner = partitioner
        self.custom_getter = custom_getter
        self.original_name_scope = name_scope
        self.dtype = dtype
        self.use_resource = use_resource
        self.constraint = constraint

    def replaced(self, **changes: Any) -> VariableScope:
        """A copy in which `changes` (attribute name to value) hold; None keeps the old value."""
        copy = VariableScope()
        copy.__dict__.update(self.__dict__)
        copy.__dict__.update({k: v for k, v in changes.items() if v is not None})
        return copy

    def reuse_variables(self) -> None:
        """From here on variables of this scope are looked up instead of made."""
        self.reuse = True

    def set_initializer(self, initializer: Any) -> None:
        self.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        self.regularizer = regularizer

    def set_dtype(self, dtype: Any) -> None:
        self.dtype = dtype

    def set_custom_getter(self, custom_getter: Any) -> None:
        self.custom_getter = custom_getter

    def set_partitioner(self, partitioner: Any) -> None:
        """Remembered only: one variable per name replaces TF1's sliced variables."""
        self.partitioner = partitioner

    def set_caching_device(self, caching_device: Any) -> None:
        self.caching_device = caching_device

    def set_use_resource(self, use_resource: bool) -> None:
        self.use_resource = use_resource

    def get_collection(self, name: str) -> list[Any]:
        """The values of collection `name` that belong to this scope."""
        return current_run().get_collection(name, self.name + "/" if self.name else None)

    def global_variables(self) -> list[tf.Variable]:
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[tf.Variable]:
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def trainable_variables(self) -> list[tf.Variable]:
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)


class Run:
    """What one execution of graph-building code keeps: scopes, counters, collections.

    A name may be made (or found) once per run without reuse, as in one TF1 graph.
    """

    at_once = False  # whether updates wait for nobody, as in TensorFlow 1's eager mode
    builds = False  # whether what changes state is an operation that happens when it is asked for

    def __init__(self, store: VariableStore, scope: VariableScope | None = None) -> None:
        self.store = store
        self.scope = scope or VariableScope()
        self.name_scope = ""  # as TF1 writes it: "" or "a/b/"
        self.around = ""  # what tf.name_scope had open when the run began: no part of its names
        self.scope_counts: dict[str, int] = {}
        self.name_counts: dict[str, int] = {}
        self.used: dict[str, None] = {}  # names of variables, in the order of their first use
        self.unshared: set[str] = set()  # those that `get_variable` does not find: of `Variable`, of Keras
        self._shared: dict[str, str] = {}  # what `get_variable` calls its own beside these
        self.trains = True  # False: training operations are built for nobody to run
        self.aliases: dict[int, list[str]] = {}  # id of a collected tensor -> its end point names
        self.collections: dict[str, list[Any]] = {}
        self.summaries: set[str] = set()  # names of those that the code makes itself
        self.messages: list[Any] | None = None  # of summaries, where hooks may ask for them
        self._pending_updates: list[tuple[str, Callable[[], Any], tuple[str, ...]]] = []
        self._applied: dict[str, list[tuple[str, Any]]] = {}  # by collection; with TF1's op names
        self._functions: dict[str, tuple[Any, dict[str, Any]]] = {}  # see `begin`

    def begin(self, function: Any) -> None:
        """Called for the graph of a function that is traced as a part of this run: where it is one's second
        trace, in which no variables may be made, this is again as it was when the first began."""
        graph, before = self._functions.get(function.name, (None, {}))
        if graph is function:
            return
        if graph is not None and _is_traced_again():
            vars(self).update(_copied(before))
        self._functions[function.name] = function, _copied(vars(self))

    @tf.autograph.experimental.do_not_convert
    def open_name_scope(self) -> str:
        """`name_scope`, with what plain `tf.name_scope` opened inside of it."""
        path = tf.get_current_name_scope()
        path = f"{path}/".removeprefix(self.around) if path else ""
        return path if path.startswith(self.name_scope) else self.name_scope

    def unique_name(self, name: str) -> str:
        """`name` (a full path), with `_1`, `_2`, … appended when this run has used it before."""
        key = name.lower()  # TF1 compares names without case, for file systems that do
        count = self.name_counts.get(key, 0)
        self.name_counts[key] = count + 1
        if not count:
            return name
        candidate = name
        while candidate.lower() in self.name_counts:
            candidate = f"{name}_{count}"
            count += 1
        self.name_counts[key] = count
        self.name_counts[candidate.lower()] = 1
        return candidate

    def shared_name(self, name: str) -> str:
        """What the variable is called that `get_variable` knows as `name`."""
        if name in self.unshared and name not in self._shared:
            self._shared[name] = self.unique_name(name)
        return self._shared.get(name, name)

    def effect(self, change: Callable[[], Any], name: str | None = None,
               given: Sequence[Any] = ()) -> Any:
        """What changes state: it happens now; where a graph is built, it becomes an operation, which
        happens once the tensors `given` are known."""
        return change()

    def gathered(self) -> Any:
        """``with run.gathered():``, in which what waits for many waits for one instead."""
        return contextlib.nullcontext()

    def after(self, change: Callable[[], Any], value: Callable[[], Any]) -> Any:
        """What `value` gives once `change` has happened."""
        change()
        return value()

    def perform(self, operation: Any) -> None:
        """Makes what `effect` gave happen, if it has not yet."""

    def value(self, tensor: Any) -> Any:
        """The value of a tensor, as an array."""
        return tensor.numpy()

    def first_value(self, initial: Any) -> Any:
        """What a new variable begins with."""
        return initial()

    def made(self, variable: Any, initial: Callable[[], Any]) -> None:
        """Called for a new variable with what computes its first value."""
        return  # AutoGraph takes docstrings away

    def made_slot(self, name: str, variable: Any, initial: Callable[[], Any]) -> None:
        """Called for new state that training keeps for a variable (`name`: "w/Momentum")."""
        return

    def shared_slot(self, name: str) -> Any:
        """What training kept for a variable before, in a scope that reuses what it has."""
        return

    def made_scalar(self, name: str, variable: Any, initial: Callable[[], Any]) -> None:
        """Called for new state that training keeps for no variable in particular."""
        return

    def lifted(self, make: Callable[..., Any], **kwargs: Any) -> Any:
        """A variable that code which knows nothing of the store makes: those of Keras layers are its
        own, as they were the graph's in TF 1. Code that runs again finds those of its first run."""
        run = current_run()
        ours = run.store is self.store and not named_by_maker()
        name = layer_variable_name(kwargs.get("initial_value"), run.open_name_scope()) if ours else None
        if name is None or is_seed(name) and not tf.inside_function():
            return make(**kwargs)
        known = self.store.registry.seeds if is_seed(name) else self.store.variables_by_name
        name = run.unique_name(name)
        run.unshared.add(name)
        if name in known:
            return known[name]
        with outside_traces(), tf.name_scope(""):
            made = unlifted(make, **{**kwargs, "name": name})
        if is_seed(name):
            known[name] = made
        else:
            self.store.add(name, hashable(made), variable_collections(**kwargs))
        return made

    def without_value(self, variables: Sequence[Any], name: str) -> tf.Tensor:
        """The names of those variables that have no value yet, as strings [n]: TF 2 makes none."""
        return tf.zeros([0], tf.string, name=name)

    def initializer_of(self, collection: str) -> Any:
        """The operation that gives the variables of a collection their first values; only a graph
        that is being built has one."""

    def read_first(self, value: Any) -> Any:
        """`value`; of a variable, in a graph, what it is before a call changes it."""
        return value

    def hide(self, variables: Sequence[Any]) -> None:
        """Called for variables that are none of the program's, such as Keras' counters."""

    def write_meta_graph(self, path: str | None, saved: Mapping[str, Any], as_text: bool = False,
                         clear_devices: bool = False) -> Any:
        """Writes the graph that is being built, with a saver for the variables `saved`; gives it."""

    def add_to_collection(self, name: str, value: Any) -> None:
        """Variables go to the store (for all runs), anything else to this run."""
        home = self.store.registry if isinstance(value, tf.Variable) else self
        home.collections.setdefault(name, []).append(value)
        if isinstance(value, tf.Tensor) and name_of(value) is None:
            value.tf1_scope = tf.get_current_name_scope() + "/"  # all that TF 2 knows of its name

    def add_update(
        self, name: str, update: Callable[[], Any], collections: Sequence[str] = ("update_ops",)
    ) -> None:
        """Registers a deferred update, such as of batch norm's moving average.

        It happens once one of the collections is read (TF1 programs read UPDATE_OPS exactly where
        they make their training step depend on it), or at the end of
        `store.run(apply_updates=True)`.
        """
        if self.at_once:
            update()
            return
        self._pending_updates.append((name, update, tuple(collections)))

    def apply_updates(self, collection: str | None = None, scope: str | None = None) -> None:
        """Performs the pending updates of `collection` whose names match `scope` (None: all)."""
        pending, self._pending_updates = self._pending_updates, []
        for name, update, homes in pending:
            wanted = collection is None or collection in homes
            if wanted and (scope is None or re.match(scope, name)):
                result = update()
                for home in homes:
                    self.collections.setdefault(home, []).append(result)
                    self._applied.setdefault(home, []).append((name, result))
            else:
                self._pending_updates.append((name, update, homes))

    def penalize(self, name: str) -> None:
        """Called for a new variable with a regularizer; its penalty is computed when read."""
        return  # AutoGraph takes docstrings away

    def regularization_losses(self, scope: str | None = None) -> list[tf.Tensor]:
        """Penalties of the regularized variables that this run has used, computed now."""
        with tf.name_scope("regularization"):
            return [
                penalty
                for name in self.used
                if name in self.store.registry.regularizers
                and (scope is None or re.match(scope, f"{self.store.registry.penalties[name]}/Regularizer"))
                for penalty in [self.store.regularization_loss(name)]
                if penalty is not None
            ]

    @tf.autograph.experimental.do_not_convert
    def get_collection(self, name: str, scope: str | None = None) -> list[Any]:
        """A new list of the values under `name`; `scope` filters as TF1 did (regex prefix of the
        value's name, values without a name left out)."""
        self.apply_updates(name, scope)
        values = [*self.store.registry.collections.get(name, []), *self.collections.get(name, [])]
        if scope is not None:
            applied = [result for op, result in self._applied.get(name, ()) if re.match(scope, op)]
            known = {id(result) for result in applied}
            values = applied + [v for v in values if id(v) not in known and _matches(scope, v)]
        if name == GraphKeys.REGULARIZATION_LOSSES:
            values = self.regularization_losses(scope) + values
        return values

    def get_collection_ref(self, name: str) -> list[Any]:
        """The list itself, for code that clears or extends a collection in place."""
        self.apply_updates(name)
        if name in self.store.registry.collections:
            return self.store.registry.collections[name]
        return self.collections.setdefault(name, [])


class _Registry:
    """A store's tables, in an object of their own so that `tf.Module` does not wrap them."""

    def __init__(self) -> None:
        self.variables: dict[str, tf.Variable] = {}
        self.objects: dict[str, Any] = {}
        self.regularizers: dict[str, Callable[[tf.Variable], Any]] = {}
        self.seeds: dict[str, tf.Variable] = {}  # of Keras' layers: no variables of the program
        self.penalties: dict[str, str] = {}  # what TF 1 called them, in front of /Regularizer, by variable
        self.collections: dict[str, list[tf.Variable]] = {}


class VariableStore(tf.Module):
    """Variables by TF1 name, in TF1 creation order; `tf.train.Checkpoint` can track it.

    `dtype_policy` (a Keras policy or its name; None: the global one) says in which precision the
    layers compute.
    """

    def __init__(self, name: str | None = None, dtype_policy: Any = None) -> None:
        super().__init__(name=name)
        self.registry = _Registry()
        self.dtype_policy = dtype_policy
        self._building = _Holder(Run(self))

    @property
    def variables_by_name(self) -> dict[str, tf.Variable]:
        """TF1 name (without `:0`) to variable, in creation order."""
        return self.registry.variables

    @property
    def global_variables(self) -> tuple[tf.Variable, ...]:
        return tuple(self.registry.collections.get(GraphKeys.GLOBAL_VARIABLES, ()))

    @property
    def variables(self) -> tuple[tf.Variable, ...]:
        extra = [v for layer in self.registry.objects.values() for v in _variables(layer)]
        return (*self.registry.variables.values(), *extra)

    @property
    def trainable_variables(self) -> tuple[tf.Variable, ...]:
        return self._trained()

    def _trained(self) -> tuple[tf.Variable, ...]:
        extra = [v for layer in self.registry.objects.values() for v in _variables(layer, True)]
        return (*self.registry.collections.get(GraphKeys.TRAINABLE_VARIABLES, ()), *extra)

    @property
    def non_trainable_variables(self) -> tuple[tf.Variable, ...]:
        trainable = {id(v) for v in self._trained()}
        return tuple(v for v in self.variables if id(v) not in trainable)

    @property
    def losses(self) -> list[tf.Tensor]:
        """Regularization penalties of all variables, computed now."""
        penalties = [self.regularization_loss(name) for name in self.registry.regularizers]
        return [penalty for penalty in penalties if penalty is not None]

    def regularization_loss(self, name: str) -> tf.Tensor | None:
        """The penalty of the variable called `name`; None where the regularizer gives none."""
        return self.registry.regularizers[name](self.registry.variables[name])

    @contextlib.contextmanager
    def as_default(self) -> Iterator[VariableStore]:
        """Makes this the store that TF1-style calls of this thread use.

        It took the place of a graph of TF 1 and has nothing to do with one that is being built
        around it: what is computed with it is computed at once.
        """
        graph = in_tf1_graph() or not tf.executing_eagerly() and (
            current_run().builds and not self._building.run.builds)
        eager = tf.__internal__.eager_context.eager_mode if graph else contextlib.nullcontext
        with eager(), entered(self._building.run), (
                tf.variable_creator_scope(self._building.run.lifted)):
            yield self

    @contextlib.contextmanager
    def run(self, apply_updates: bool = False) -> Iterator[Run]:
        """One execution of a graph function: fresh scope counters and collections, same variables.

        `apply_updates=True` performs batch norm's moving-average updates at the end; otherwise
        they happen only if the code reads the collection UPDATE_OPS, as in TF1.
        """
        outer = current_run()
        run = Run(self)
        if outer.store is self:
            run.scope, run.name_scope = outer.scope, outer.open_name_scope()
        around = tf.get_current_name_scope()
        run.around = f"{around}/".removesuffix(run.name_scope) if around else ""
        with entered(run):
            yield run
            if apply_updates:
                run.apply_updates()

    def build_in(self, run: Run) -> None:
        """Code that makes this the current store executes in `run`."""
        self._building = _Holder(run)

    def add(self, name: str, variable: Any, collections: list[str] | None = None) -> None:
        """Registers a variable under its TF1 name and makes it visible to checkpoints."""
        self.registry.variables[name] = variable
        setattr(self, name, variable)  # tracked; '/' in an attribute name is escaped by TF
        for collection in collections or ():
            self.registry.collections.setdefault(collection, []).append(variable)

    def get_or_make(self, name: str, make: Callable[[], Any]) -> Any:
        """Any other object with state (a Keras layer, a metric) under a TF1 name, made once."""
        if name not in self.registry.objects:
            with outside_traces(named=False):
                self.registry.objects[name] = make()
            setattr(self, name, self.registry.objects[name])
        return self.registry.objects[name]

    def load_tf1_checkpoint(
        self,
        path: str,
        strict: bool = True,
        name_map: Mapping[str, str] | Callable[[str], str] | None = None,
    ) -> list[str]:
        """Assigns the values of a TF1 checkpoint by variable name; returns the names not found.

        `name_map` gives the name in the checkpoint: a function of the variable's name, or
        `{prefix here: prefix there}` (the longest prefix that fits is used).
        Raises KeyError if a variable is missing and `strict`, ValueError if a shape differs or
        nothing has been built yet.
        """
        if not self.variables_by_name:
            raise ValueError(
                f"cannot load {path}: there are no variables yet; call the model or network once "
                "(or ScopedModel.build) so that they exist"
            )
        reader = tf.train.load_checkpoint(path)
        shapes = reader.get_variable_to_shape_map()
        sources = {name: _mapped(name, name_map) for name in self.variables_by_name}
        missing = [name for name, source in sources.items() if source not in shapes]
        if missing and strict:
            raise KeyError(f"not in checkpoint {path}: {', '.join(missing)} (strict=False skips)")
        for name, source in sources.items():
            if source not in shapes:
                continue
            variable = self.variables_by_name[name]
            if list(variable.shape) != list(shapes[source]):
                raise ValueError(
                    f"{name} has shape {tuple(variable.shape)} but {source} in {path} has "
                    f"{tuple(shapes[source])}"
                )
            variable.assign(tf.cast(reader.get_tensor(source), variable.dtype))
        return missing


def _variables(layer: tf.keras.layers.Layer, trainable: bool = False) -> Iterable[Any]:
    """Those of a layer that is kept in a store, or of what else is."""
    if trainable:
        return getattr(layer, "trainable_variables", ())
    return getattr(layer, "variables", ())


class _Holder:
    """Keeps a store's own run out of `tf.Module`'s tracking."""

    def __init__(self, run: Run) -> None:
        self.run = run


class _Runs(threading.local):
    """The open runs of each thread, innermost last; a thread starts with none."""

    def __init__(self) -> None:
        self.stack: list[Run] = []


_runs = _Runs()
_default_store = VariableStore("default_store")


def variable_collections(collections: Sequence[str] | None = None, trainable: bool | None = None,
                         **others: Any) -> list[str]:
    """The collections of a variable that is made with these arguments."""
    del others
    found = list(collections or [GraphKeys.GLOBAL_VARIABLES])
    if trainable is not False and GraphKeys.LOCAL_VARIABLES not in found:
        found.append(GraphKeys.TRAINABLE_VARIABLES)
    return found


@contextlib.contextmanager
def entered(run: Run) -> Iterator[None]:
    """Code of the block executes in `run`."""
    _runs.stack.append(run)
    try:
        yield
    finally:
        _runs.stack.remove(run)


def _mapped(name: str, name_map: Mapping[str, str] | Callable[[str], str] | None) -> str:
    if name_map is None:
        return name
    if callable(name_map):
        return name_map(name)
    for prefix in sorted(name_map, key=len, reverse=True):
        if name.startswith(prefix):
            return name_map[prefix] + name[len(prefix) :]
    return name


@tf.autograph.experimental.do_not_convert
def current_run() -> Run:
    """The innermost open run; else, in a `tf.function`, the run of its trace; else the store's own."""
    run = _runs.stack[-1] if _runs.stack else _default_store._building.run
    if run.builds:
        return run
    if run is run.store._building.run and tf.inside_function():
        return _run_of_body() or _run_of_trace(run)
    if not _runs.stack and not tf.executing_eagerly():
        return _run_of_graph()
    return run


def update_at_once() -> None:
    """Layers update their moving averages in each call from now on, as they did in TF 1's eager mode."""
    Run.at_once = True


def in_tf1_graph() -> bool:
    """Whether the default graph is one of TF1: nothing is computed at once, and nothing traced."""
    return not tf.executing_eagerly() and not tf.inside_function()


def builds_graph() -> bool:
    """Whether code here builds a TF1 graph for a session, instead of computing or being traced."""
    return current_run().builds


def _run_of_graph() -> Run:
    """The run of the TF1 graph that is being built."""
    try:  # it is there where the program builds such graphs
        from .session_graphs import run_of_graph
    except ImportError as error:
        raise RuntimeError("a graph of TensorFlow 1 is built here, and nothing in the repository did so "
                           "when it was migrated: migrate it again") from error
    return run_of_graph()


def _run_of_body() -> Run | None:
    """The run of the TF1 graph to which the body of a loop or branch belongs, None elsewhere."""
    with tf.init_scope():  # out of all traces: into that graph, or where things compute at once
        return None if tf.executing_eagerly() else _run_of_graph()


def _run_of_trace(building: Run) -> Run:
    """A `tf.function` may be traced many times; each trace finds the variables of the earlier."""
    graph: tf.Graph = current_graph()
    inner: Any = None
    while isinstance(getattr(graph, "outer_graph", None), tf.__internal__.FuncGraph):
        inner, graph = graph, graph.outer_graph  # what is in the function belongs to its run
    runs = graph.get_collection_ref("variable_store_runs")  # lives and dies with the trace
    run = next((run for run in runs if run.store is building.store), None)
    if run is None:
        run = Run(building.store, building.scope)
        run.name_scope = building.name_scope
        runs.append(run)
    if type(inner) is tf.__internal__.FuncGraph:  # no branch or loop, but a function that is called
        run.begin(inner)
    return run


def _is_traced_again() -> bool:
    """Whether a function that made variables is traced anew, without these."""
    with tf.init_scope():
        made_by: Any = current_graph()._variable_creator_stack
    return any(creator.__name__ == "invalid_creator_scope" for _, creator in made_by)


def _copied(state: dict[str, Any]) -> dict[str, Any]:
    """The dicts, lists and sets of a run's state, and the lists in them, as they are now."""
    return {
        name: {k: list(v) if isinstance(v, list) else v for k, v in value.items()}
        if isinstance(value, dict) else value.copy()
        for name, value in state.items()
        if isinstance(value, (dict, list, set)) and name != "_functions"
    }


def current_store() -> VariableStore:
    """The store that TF1-style calls use now (TF1's default graph)."""
    return current_run().store


_resets: list[Callable[[], None]] = []


def on_reset(do: Callable[[], None]) -> None:
    """`reset_default_store` calls `do`, too."""
    if do not in _resets:
        _resets.append(do)


def reset_default_store() -> None:
    """Forgets all ambient variables, scopes and collections (TF1's `tf.reset_default_graph`)."""
    global _default_store
    if _runs.stack and not _runs.stack[-1].builds:
        raise RuntimeError("reset_default_store() inside `with store.as_default()` or a run")
    _default_store = VariableStore("default_store")
    for reset in _resets:
        reset()


def _matches(scope: str, value: Any) -> bool:
    """Whether the value's name (with `:0`) begins as the regex `scope` says.

    Of eager tensors the name scope counts in which they were collected.
    """
    known = name_of(value) is not None
    name = value.name if known else getattr(value, "tf1_name", getattr(value, "tf1_scope", None))
    return isinstance(name, str) and re.match(scope, name) is not None


def name_of(value: Any) -> str | None:
    """TF1's `value.op.name`: the name without `:0`; None where TF 2 values have none."""
    try:
        name = value.name
    except AttributeError:  # eager tensors
        return None
    return name.partition(":")[0] if isinstance(name, str) else None


def layer_dtypes(inputs: tf.Tensor) -> tuple[tf.DType, tf.DType]:
    """(dtype to compute in, dtype of new variables) of a layer on `inputs`.

    As in TF1 the input decides, unless a mixed precision policy is set: then floating inputs up to
    32 bits are computed in the policy's compute dtype while variables stay float32.
    """
    policy = current_store().dtype_policy or tf.keras.mixed_precision.global_policy()
    if isinstance(policy, str):
        policy = tf.keras.mixed_precision.Policy(policy)
    dtype = tf.as_dtype(inputs.dtype)
    if policy.compute_dtype == policy.variable_dtype or not dtype.is_floating or dtype.size > 4:
        return dtype, dtype
    return tf.as_dtype(policy.compute_dtype), tf.as_dtype(policy.variable_dtype)

"""What code that builds a graph (see `graphs`) makes of changes, variables and collections."""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from .devices import asked_for
from .graph_exports import meta_graph_of, written_meta_graph
from .graph_functions import outside
from .names import current_graph, hashable, is_seed, key_of, layer_variable_name, variable_name
from .slices import ASKED
from .store import GraphKeys, Run, VariableStore, current_run, variable_collections


class GraphRun(Run):
    """The one run of a graph that is being built: what changes state becomes an operation of it."""

    builds = True

    def __init__(self, store: VariableStore, graph: Any) -> None:
        super().__init__(store)
        self.graph = graph
        self.initialized: set[int] = set()  # ids of variables that have a value in this session
        self._changed: set[int] = set()  # of those whose first value earlier sessions changed
        self._initial: dict[int, tuple[Any, Any]] = {}
        self._initializers: dict[int, tf.Operation] = {}
        self._hidden: set[int] = set()
        self._starts_anew = False
        self._meta_graph: tuple[Any, Any] | None = None  # what it depends on, the message

    # ---- changes -----------------------------------------------------------------------------
    def effect(self, change: Callable[[], Any], name: str | None = None,
               given: Sequence[Any] = ()) -> Any:
        """All that `change` does, in its order, as one operation.

        In a branch or a loop it is a call of a function, which keeps the order; elsewhere the order
        is kept where the operations are run (see `graph_functions`).
        """
        scope_of = tf.name_scope(name or "update")
        if current_graph() is not self.graph.traced:
            @tf.function(autograph=False)
            def changed() -> tf.Tensor:
                with tf.control_dependencies([tf.identity(value) for value in given]):
                    ready = tf.no_op()
                with tf.control_dependencies([ready]):
                    change()
                return tf.constant(True)

            with scope_of:
                return changed().op
        before = len(self.graph.traced.get_operations())
        with self.graph.ordered(), scope_of as scope, tf.control_dependencies(
                [_behind(value) for value in tf.nest.flatten(list(given), expand_composites=True)]
                ), self.gathered():
            change()
            made = self.graph.traced.get_operations()[before:]
            with tf.control_dependencies([o for o in made if o.op_def.is_stateful]):
                done = tf.no_op(scope)
        for operation in made:
            self.graph.effects[operation.name] = done.name
        return done

    @contextlib.contextmanager
    def gathered(self) -> Iterator[None]:
        """What the block makes waits for one operation instead of for many."""
        ready = tf.no_op("ready")
        with tf.control_dependencies(None), tf.control_dependencies([ready]):
            yield

    def read_first(self, value: Any) -> Any:
        """TF 1 read what a change goes by as soon as nothing was left that it had to wait for."""
        if not isinstance(value, (tf.Variable, tf.keras.Variable)) or (
                current_graph() is not self.graph.traced):
            return value
        made = tf.convert_to_tensor(value)
        self.graph.read_first.add(made.op.name)
        return made

    def after(self, change: Callable[[], Any], value: Callable[[], Any]) -> Any:
        with tf.control_dependencies([self.effect(change)]):
            return tf.nest.map_structure(tf.identity, value())

    def perform(self, operation: Any) -> None:
        self.graph.compute(operation)

    def value(self, tensor: Any) -> Any:
        return self.graph.compute(tensor)

    def add_update(
        self, name: str, update: Callable[[], Any], collections: Sequence[str] = ("update_ops",)
    ) -> None:
        """The update becomes an operation at once, which runs if something depends on it."""
        operation = self.effect(update) if current_graph() is self.graph.traced else self._told(update)
        for collection in collections:
            self.add_to_collection(collection, operation)
            self._applied.setdefault(collection, []).append((name, operation))

    def _told(self, update: Callable[[], Any]) -> tf.Operation:
        """An operation of the graph for an update in a branch, which nothing outside of it can reach: a
        function that runs the operation tells the branch to perform the update where it is taken."""
        with self.graph.traced.as_default(), tf.control_dependencies(None):
            told = tf.compat.v1.placeholder_with_default(False, [], ASKED)
            done = tf.no_op("asked")
        self.graph.told[done.name] = told
        tf.cond(told, lambda: tf.identity(self.effect(update).outputs[0]), lambda: tf.constant(False))
        return done

    # ---- collections -------------------------------------------------------------------------
    def penalize(self, name: str) -> None:
        with tf.name_scope(f"{self.store.registry.penalties[name]}/Regularizer/"):
            penalty = self.store.regularization_loss(name)
        if penalty is not None:
            self.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, penalty)

    def regularization_losses(self, scope: str | None = None) -> list[tf.Tensor]:
        return []  # they are in the collection

    def get_collection(self, name: str, scope: str | None = None) -> list[Any]:
        if name in (GraphKeys.TRAINABLE_VARIABLES, GraphKeys.GLOBAL_VARIABLES):
            self._find_others()
        found = super().get_collection(name, scope)
        known = {id(value) for value in found}
        return found + [value for value in self.graph.traced.get_collection(name, scope)
                        if id(value) not in known]  # TensorFlow's own code adds there

    def hide(self, variables: Sequence[Any]) -> None:
        self._hidden |= {key_of(variable) for variable in variables}

    def _find_others(self) -> None:
        """Variables that the graph reads and others made (layers of Keras) are its own as well."""
        known = {id(v) for v in self.store.variables_by_name.values()} | self._hidden
        for variable in list(self.graph.read.values()):
            if id(variable) not in known:
                collections = [GraphKeys.GLOBAL_VARIABLES]
                collections += [GraphKeys.TRAINABLE_VARIABLES] * bool(variable.trainable)
                self.store.add(variable_name(variable), hashable(variable), collections)

    # ---- variables ---------------------------------------------------------------------------
    def lifted(self, make: Callable[..., Any], **kwargs: Any) -> Any:
        """A variable that code which knows nothing of the graph makes in it."""
        if kwargs.get("experimental_enable_variable_lifting") is False:  # made by what knows it
            return make(**kwargs)
        if current_run() is not self:  # of a store that is entered inside of the graph's block
            return make(**kwargs)
        initial = kwargs["initial_value"]
        opened = self.open_name_scope()
        name = self.unique_name(
            layer_variable_name(initial, opened) or opened + (kwargs.get("name") or "Variable"))
        self.unshared.add(name)
        with tf.init_scope(), tf.name_scope(""):
            first = self.first_value(initial)
            made = make(**{**kwargs, "initial_value": first, "name": name})
        made.tf1_resource = True
        if is_seed(name):
            self.hide([made])
        else:
            self.store.add(name, hashable(made), variable_collections(**kwargs))
        self.made(made, initial if callable(initial) else lambda: initial)
        return made

    def first_value(self, initial: Any) -> Any:
        """What a first value comes to; zeros as long as it follows from what must be fed."""
        value = initial() if callable(initial) else initial
        if not _is_symbolic(value):
            return value
        try:
            return self.value(value)
        except tf.errors.InvalidArgumentError:
            return tf.zeros([size or 0 for size in value.shape or ()], value.dtype)

    def made(self, variable: Any, initial: Callable[[], Any]) -> None:
        """Remembers how to compute the first value of a new variable, for `initialize`."""
        _give_to_graph(variable, self)
        here = current_graph() or self.graph.traced
        name = variable_name(variable)
        variable.asked_device = asked_for(here, variable, name)
        with self.graph.traced.name_scope(None):
            self.graph.traced.unique_name(name)  # it was an operation's: a summary of it is called otherwise
        self._initial[id(variable)] = variable, initial

    def made_slot(self, name: str, variable: Any, initial: Callable[[], Any]) -> None:
        """The slot is a variable of the graph."""
        full, count = name, 0
        while full in self.store.variables_by_name:
            count += 1
            full = f"{name}_{count}"
        self._keep_state(full, variable, initial)

    def shared_slot(self, name: str) -> Any:
        """The variable that has the slot's name, if the scope reuses; names are taken until it is left."""
        full = stem = f"{self.scope.name}/{name}".lstrip("/")
        count = 0
        while self.scope_counts.get(full):
            count += 1
            full = f"{stem}_{count}"
        self.scope_counts[full] = 1
        return self.store.variables_by_name.get(full) if self.scope.reuse else None

    def made_scalar(self, name: str, variable: Any, initial: Callable[[], Any]) -> None:
        self._keep_state(self.unique_name(name), variable, initial)

    def _keep_state(self, name: str, variable: Any, initial: Callable[[], Any]) -> None:
        variable._handle_name = f"{name}:0"  # Keras has names of its own
        self.store.add(name, hashable(variable), [GraphKeys.GLOBAL_VARIABLES])
        self.made(variable, initial)

    def initialize(self, variables: Sequence[Any], inputs: Sequence[Any] = (),
                   values: Sequence[Any] = ()) -> None:
        """Gives variables their first values, which may follow from inputs of the graph.

        They have them when they are made, so that the first call changes nothing; later ones draw
        anew, as another run of TF 1's operation did; the first of another session draws the same
        again if there is a seed.
        """
        if self._starts_anew:
            self._starts_anew = False
            seed = self.graph.traced.seed
            if seed is not None:
                with outside():
                    tf.random.set_seed(seed)
        for variable in variables:
            key = id(variable)
            if key in self._initial:
                with outside():
                    self._initialize(variable, self._initial[key][1], inputs, values)
            self.initialized.add(key)

    def _initialize(self, variable: Any, initial: Callable[[], Any], inputs: Sequence[Any],
                    values: Sequence[Any]) -> None:
        drawn = np.random.get_state()
        value = initial()
        np.random.set_state(drawn)  # TF 1 asked NumPy once, where the graph was built
        if _is_symbolic(value):
            needed = self.graph.function_of(list(inputs), value)
            variable.assign(needed(*values))
        elif id(variable) in self.initialized | self._changed:
            variable.assign(value)

    def initializer(self, variable: Any) -> tf.Operation:
        """The operation that gives one variable its first value, made once."""
        if id(variable) not in self._initializers:
            self._initializers[id(variable)] = self.graph.python_operation(
                lambda *given: self.initialize([variable], *given),
                f"{variable_name(variable)}/Assign")
        return self._initializers[id(variable)]

    def without_value(self, variables: Sequence[Any], name: str) -> tf.Tensor:
        def asked() -> tf.Tensor:
            return tf.constant([variable_name(v) for v in variables if id(v) not in self.initialized],
                               tf.string)

        return self.graph.late(asked, tf.TensorSpec([None], tf.string, name))

    def initializer_of(self, collection: str) -> tf.Operation:
        """The operation that gives those variables their first values that a collection has by
        then: what is made later was often meant as well."""
        return self.graph.python_operation(
            lambda *given: self.initialize(self.get_collection(collection), *given), "init")

    def write_meta_graph(self, path: str | None, saved: Mapping[str, Any], as_text: bool = False,
                         clear_devices: bool = False) -> Any:
        version = self.graph.traced.version, clear_devices, *map(id, saved.values())
        if self._meta_graph is None or self._meta_graph[0] != version:
            self._meta_graph = version, meta_graph_of(self.graph, saved, clear_devices)
        return written_meta_graph(self._meta_graph[1], path, as_text)

    # ---- sessions ----------------------------------------------------------------------------
    def start_session(self) -> None:
        """From here on variables are as before they were initialised."""
        self._changed |= self.initialized
        self.initialized = set()
        self._starts_anew = True

    def values(self) -> dict[int, Any]:
        """The values of the variables that have one, by id."""
        return {key: self._initial[key][0].read_value() for key in self.initialized
                if key in self._initial}

    def set_values(self, values: Mapping[int, Any]) -> None:
        """Puts back what `values` gave."""
        self._changed |= self.initialized
        for key, value in values.items():
            self._initial[key][0].assign(value)
        self.initialized = set(values)


def _behind(value: Any) -> Any:
    """What happens after `value` is known, also where that is fed and not computed."""
    return tf.identity(value).op if isinstance(value, tf.Tensor) and _is_symbolic(value) else (
        getattr(value, "op", value))


def _is_symbolic(value: Any) -> bool:
    return isinstance(value, tf.Tensor) and not hasattr(value, "numpy")


class _Named:
    """What `variable.op` tells of."""

    type = "VarHandleOp"

    def __init__(self, variable: Any) -> None:
        self.name = variable_name(variable)
        self.device = variable.asked_device


class _OfGraph:
    """What TF 1's variables had besides those of TF 2."""

    graph_run: GraphRun
    asked_device: str

    @property
    def built_by(self) -> Any:
        """The `Graph` of the variable."""
        return self.graph_run.graph

    @property
    def op(self) -> Any:
        return _Named(self)

    @property
    def initializer(self) -> tf.Operation:
        """The operation that gives the variable its first value."""
        return self.graph_run.initializer(self)

    @property
    def initial_value(self) -> Any:
        return self.graph_run._initial[id(self)][1]()

    def initialized_value(self) -> tf.Tensor:
        return tf.convert_to_tensor(self)

    def eval(self, session: Any = None) -> Any:
        """The value, as an array."""
        return self.graph_run.value(self)

    def load(self, value: Any, session: Any = None) -> None:
        """Sets the value at once."""
        with outside():
            self.assign(value)  # type: ignore[attr-defined]

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None,
               read_value: bool = True) -> Any:
        if tf.executing_eagerly():
            self.graph_run.initialized.add(id(self))
        return super().assign(value, use_locking, name, read_value)  # type: ignore[misc]


_kinds: dict[type, type] = {}  # class of a variable -> its subclass for graphs


def _give_to_graph(variable: Any, run: GraphRun) -> None:
    kind: Any = type(variable)
    if not issubclass(kind, _OfGraph):
        if kind not in _kinds:
            _kinds[kind] = type(kind)(kind.__name__, (_OfGraph, kind), {})
        variable.__class__ = _kinds[kind]
    variable.graph_run = run

"""Graphs that are built once, as in TF 1, and functions of them, which take a session's place.

    @graphs.building
    def main():
        x = graphs.placeholder(tf.float32, [None, 4])
        loss = network(x)
        train = optimizers.AdamOptimizer().minimize(loss)
        train_step = graphs.function([x], [train, loss])     # was: sess.run([train, loss], {x: ...})
        for batch in batches:
            _, value = train_step(batch)

Variables are eager `tf.Variable`s, kept by TF 1 name in the graph's store.  What changes state
(`minimize`, `assign`) is an operation: it happens where a function that was made of it is called.
"""
from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
import threading
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import tensorflow as tf

from .draws import global_seed
from .ending import called
from .ending import graphs as open_graphs
from .graph_exports import graph_def_of
from .graph_functions import Function, structure
from .graph_runs import GraphRun
from .names import current_graph, layers_numbered, placed_as_asked
from .store import (
    GraphKeys,
    VariableStore,
    current_run,
    entered,
    on_reset,
    reset_default_store,
)

Element = Any  # tf.Tensor, tf.Operation, tf.SparseTensor, tf.Variable, or a name of one


class _Traced(tf.__internal__.FuncGraph):
    """The operations of a graph; what they read from outside is captured."""

    built_by: Graph

    @property
    def seed(self) -> int | None:
        """That of the program: a seed is set for what is built later."""
        return global_seed()

    @seed.setter
    def seed(self, value: int | None) -> None:
        if hasattr(self, "built_by"):  # by the program, not while TensorFlow makes the graph
            with tf.init_scope():
                tf.random.set_seed(value)

    def _create_op_internal(self, op_type: str, inputs: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
        """As in TF 1, an operation goes into the graph of what it reads, whichever one is built."""
        graphs = (getattr(value, "graph", None) for value in inputs)
        other = next((graph for graph in graphs if isinstance(graph, _Traced) and graph is not self), None)
        if other is None:
            return super()._create_op_internal(op_type, inputs, *args, **kwargs)
        with other.as_default():
            kwargs["name"] = other.unique_name((kwargs.get("name") or op_type).rstrip("/"))
            inputs = [_constant_here(value) if value.graph is self else value for value in inputs]
            return other._create_op_internal(op_type, inputs, *args, **kwargs)

    def watch_variable(self, v: Any) -> None:
        if current_run() is self.built_by.run:  # and not of a store that is entered inside of the block
            self.built_by.read.setdefault(id(v), v)


def _constant_here(value: tf.Tensor) -> tf.Tensor:
    """A constant of another graph, in the one that is built. Raises ValueError for what is none."""
    known = tf.get_static_value(value)
    if known is None:
        raise ValueError(f"{value} must be from the same graph as what is computed with it")
    return tf.constant(known, value.dtype)


class Resource:
    """A resource of the runtime, such as a queue, made when it is first needed."""

    _count = itertools.count()

    def __init__(self, make: Callable[[str], Any], close: Callable[[Any], Any] | None) -> None:
        self.handle: Any = None
        self._make, self._close, self._lock = make, close, threading.Lock()

    def __call__(self) -> Any:
        with self._lock:
            if self.handle is None:
                with tf.init_scope():
                    self.handle = self._make(f"resource_{next(self._count)}")
            return self.handle

    def end(self) -> None:
        if self.handle is not None and self._close is not None:
            with tf.init_scope():
                self._close(self.handle)


class Graph:
    """A graph that code builds into `with graph.as_default()`."""

    def __init__(self) -> None:
        with tf.init_scope():
            placed_as_asked()
            self.traced = _Traced("graph", collections={})
        self.traced.built_by = self
        self.read: dict[int, Any] = {}  # variables that the graph reads, by id
        self.effects: dict[str, str] = {}  # operations that make up one change -> that
        self.told: dict[str, tf.Tensor] = {}  # operations that happen in a branch -> what tells it so
        self.read_first: set[str] = set()  # reads that stand ahead of changes
        self.python: dict[str, Callable[..., None]] = {}  # operations that Python does
        self.session: Any = None  # whose values the variables have
        self._had_session = False
        self._earlier: list[weakref.ref[Any]] = []
        self.resources: list[Resource] = []
        self._late: dict[tuple[str, int], tuple[Callable[[], Any], Any]] = {}
        self._functions: dict[Any, Function] = {}
        self._layers: dict[str, int] = defaultdict(int)
        self._lock = threading.RLock()
        self.store = VariableStore("graph_store")
        self.run = GraphRun(self.store, self)
        self.store.build_in(self.run)
        tf.compat.v1.disable_tensor_equality()  # tensors are keys of feeds, and in lists
        open_graphs.add(self)

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Graph]:
        """Code of the block builds into this graph."""
        if current_graph() is self.traced and current_run() is self.run:
            yield self
            return
        with self.traced.as_default(), entered(self.run), layers_numbered(self._layers), (
                tf.variable_creator_scope(self.run.lifted)):
            yield self

    def __eq__(self, other: object) -> bool:
        """The graph of a tensor (`x.graph`) is that which the program made."""
        return self.traced is getattr(other, "traced", other)

    def __hash__(self) -> int:
        return hash(self.traced)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "traced":
            raise AttributeError(name)
        return getattr(self.traced, name)

    # ---- elements ----------------------------------------------------------------------------
    def element(self, name: str) -> Element:
        """What is called `name`: a tensor (``x:0``), a variable or an operation.

        Raises:
            KeyError: nothing is.
        """
        stem, _, index = name.partition(":")
        for variable in (stem, stem.removesuffix("/read")):
            if variable in self.store.variables_by_name and index in ("", "0"):
                return self.store.variables_by_name[variable]
        return self.traced.as_graph_element(name)

    get_tensor_by_name = get_operation_by_name = as_graph_element = element

    def get_operations(self) -> list[tf.Operation]:
        """The operations that were made, in their order."""
        inner = {tensor.op.name for _, tensor in self.traced.captures}
        inner |= {name for name, _ in self._late}
        return [o for o in self.traced.get_operations() if o.name not in inner]

    def get_collection(self, name: str, scope: str | None = None) -> list[Any]:
        return self.run.get_collection(name, scope)

    def get_collection_ref(self, name: str) -> list[Any]:
        return self.run.get_collection_ref(name)

    def add_to_collection(self, name: str, value: Any) -> None:
        self.run.add_to_collection(name, value)

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """The GraphDef, with resources for variables."""
        return graph_def_of(self, add_shapes)

    def finalize(self) -> None:
        """Nothing: functions that are made later do not change those that were made."""

    # ---- what is behind the operations -------------------------------------------------------
    def late(self, value: Callable[[], Any], spec: tf.TensorSpec) -> tf.Tensor:
        """A tensor of the graph that is `value()`, asked for whenever a function runs."""
        made = self.traced.capture_call_time_value(value, spec)
        self._late[made.op.name, 0] = value, spec
        return made

    def resource(self, make: Callable[[str], Any], name: str, close: Callable[[Any], Any] | None = None
                 ) -> tf.Tensor:
        """The handle of a resource, called `name`, that each session has of its own.

        Args:
            make: Makes it, under a name that no other has.
            close: What happens to it at the end of a session.
        """
        made = Resource(make, close)
        self.resources.append(made)
        return self.late(made, tf.TensorSpec([], tf.resource, name))

    @contextlib.contextmanager
    def ordered(self) -> Iterator[None]:
        """Branches and loops of the block do what they do in the order of their text."""
        kept = self.traced._add_control_dependencies
        self.traced._add_control_dependencies = True
        try:
            yield
        finally:
            self.traced._add_control_dependencies = kept

    def python_operation(self, do: Callable[..., None], name: str) -> tf.Operation:
        """An operation for which a function calls ``do(inputs, values)`` before all else."""
        with self.traced.as_default():
            made = tf.no_op(name)
        self.python[made.name] = do
        return made

    def bound(self) -> dict[tuple[str, int], Callable[[], Any]]:
        """What takes the place of tensors from outside in functions of the graph."""
        found: dict[tuple[str, int], Callable[[], Any]] = {
            (inner.op.name, 0): functools.partial(_captured, outer)
            for outer, inner in self.traced.captures}
        return found | {key: functools.partial(_asked, *late) for key, late in self._late.items()}

    # ---- sessions ----------------------------------------------------------------------------
    def use(self, session: Any) -> None:
        """From here on variables have the values that they have in `session`, which keeps those
        of the one before as long as it lives; in a new one none has been initialised."""
        if session is self.session:
            return
        with self._lock, tf.init_scope():
            if self.session is not None:
                self.session.kept = self.run.values(), [r.handle for r in self.resources]
            if session.kept is not None:
                self.run.set_values(session.kept[0])
                for resource, handle in zip(self.resources, session.kept[1], strict=False):
                    resource.handle = handle
                session.kept = None
            elif self._had_session:
                self._start_anew()
            self._earlier = [r for r in self._earlier if r() not in (None, session)]
            self._earlier.append(weakref.ref(session))
            self.session, self._had_session = session, True

    def _start_anew(self) -> None:
        self.run.start_session()
        for resource in self.resources:
            resource.handle = None
        self._functions = {key: f for key, f in self._functions.items() if not f.draws}

    def end(self, session: Any) -> None:
        """Closes what a session has open; the one before goes on."""
        self._earlier = [r for r in self._earlier if r() not in (None, session)]
        if session is self.session:
            for resource in self.resources:
                resource.end()
            self.session = None
            if self._earlier:
                self.use(self._earlier[-1]())

    def variable_handles(self) -> dict[str, Any]:
        """The variables whose handles are tensors of the graph, by the names of these."""
        known = {id(v.handle): v for v in (*self.store.variables_by_name.values(),
                                           *self.read.values()) if hasattr(v, "handle")}
        return {inner.name: known[id(outer)] for outer, inner in self.traced.captures
                if id(outer) in known}

    def reads_of(self, variable: tf.Variable) -> list[tf.Tensor]:
        """What operations of the graph have read of a variable."""
        handles = {name for name, known in self.variable_handles().items() if known is variable}
        return [o.outputs[0] for o in self.traced.get_operations()
                if o.type == "ReadVariableOp" and o.inputs[0].name in handles]

    def compute(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """The values of a nest of tensors, operations (None) and variables, once."""
        given = dict(feed_dict or {})
        with called():
            return self.function_of(list(given), fetches)(*given.values())

    def function_of(self, inputs: Sequence[Any], outputs: Any, jit_compile: bool = False) -> Function:
        """The function from `inputs` to `outputs`, made once."""
        flat, key, rebuild = structure(self, outputs)
        given = [self.element(value) if isinstance(value, str) else value for value in inputs]
        made = (tuple(map(id, given)), key, jit_compile)
        found = self._functions.get(made)
        if found is None:
            with self._lock:
                found = self._functions.get(made)
                if found is None:
                    found = Function(self, given, flat, rebuild, jit_compile)
                    self._functions[made] = found
        return found


def _captured(outer: Any) -> Any:
    return current_graph().capture(outer)


def _asked(value: Callable[[], Any], spec: tf.TensorSpec) -> Any:
    return current_graph().capture_call_time_value(value, spec)


# ---- which graph -------------------------------------------------------------------------------
class _Process:
    """The default graph of the process."""

    graph: Graph | None = None


class _Blocks(threading.local):
    """The blocks of a thread that build the graph of the process, innermost last."""

    def __init__(self) -> None:
        self.open: list[contextlib.ExitStack] = []
        self.kept: list[Any] = []


_blocks = _Blocks()


def default_graph() -> Graph:
    """The graph that is being built around the call, else the one of the process."""
    traced = current_graph()
    while traced is not None:
        if hasattr(traced, "built_by"):
            found: Graph = traced.built_by
            return found
        traced = getattr(traced, "outer_graph", None)
    if _Process.graph is None:
        on_reset(_reset)
        _Process.graph = Graph()
    return _Process.graph


def _reset() -> None:
    """The process has a new, empty graph, into which open blocks go on to build."""
    _Process.graph = None
    _begin_again()


def _begin_again() -> None:
    for block in _blocks.open[-1:]:
        block.close()
        block.enter_context(default_graph().as_default())


@contextlib.contextmanager
def closed() -> Iterator[None]:
    """Open blocks go on building behind this one, which may drop the graphs that are open."""
    for block in _blocks.open[-1:]:
        block.close()
    yield
    for block in _blocks.open[-1:]:
        block.enter_context(default_graph().as_default())


def take_over(graph: Graph) -> Graph | None:
    """Makes a graph the one of the process; the one that was it, None if that is not the default graph."""
    earlier = default_graph()
    if earlier is graph or earlier is not _Process.graph:
        return None
    _Process.graph = graph
    _begin_again()
    return earlier


def clear_session(free_memory: bool = True) -> None:
    """Keras's, which in TF 1 gave the process a new graph, too, in which all names are free."""
    for block in _blocks.open[-1:]:
        block.close()  # TensorFlow resets nothing inside of a graph
    tf.keras.backend.clear_session(free_memory)
    reset_default_store()


@contextlib.contextmanager
def process_graph() -> Iterator[Graph]:
    """Code of the block builds into the graph of the process, as all of TF 1 did."""
    opened = _blocks.open  # a module that ends has no names any more
    with contextlib.ExitStack() as block:
        opened.append(block)
        try:
            yield block.enter_context(default_graph().as_default())
        finally:
            opened.remove(block)


def build() -> None:
    """From here on this thread builds the graph of the process, as TF 1 did."""
    if tf.executing_eagerly():
        block = process_graph()
        block.__enter__()
        _blocks.kept.append(block)  # it would end with its last reference


def building(unit: Any) -> Any:
    """Makes a function build into a graph: the one around its call, else that of the process.

    Of a class, all methods and properties do.
    """
    if isinstance(unit, type):
        for name, member in list(vars(unit).items()):
            if isinstance(member, property) and member.fget is not None:
                setattr(unit, name, member.getter(building(member.fget)))
            elif inspect.isfunction(member):
                setattr(unit, name, building(member))
        return unit
    if inspect.isgeneratorfunction(unit) or not inspect.isroutine(unit):
        return unit  # decorators may give anything

    @functools.wraps(unit)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not tf.executing_eagerly():
            return unit(*args, **kwargs)
        with process_graph():
            return unit(*args, **kwargs)

    wrapper.__signature__ = inspect.signature(unit)  # type: ignore[attr-defined]  # Keras asks, past `wraps`
    return wrapper


# ---- inputs ------------------------------------------------------------------------------------
def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> tf.Tensor:
    """An input of the functions that are made of this graph."""
    return tf.raw_ops.Placeholder(dtype=dtype, shape=tf.TensorShape(shape), name=name)


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> tf.Tensor:
    """An input that has the value `input` where a function does not take it."""
    value = tf.convert_to_tensor(input)
    return tf.raw_ops.PlaceholderWithDefault(input=value, shape=tf.TensorShape(shape), name=name)


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> tf.SparseTensor:
    """A sparse input: functions take (indices, values, shape).

    `shape` may be a tensor, as in TF 1, which is the dense shape where none is given.
    """
    prefix, rank, dense = f"{name}/" if name else "", None, None
    if tf.is_tensor(shape):
        rank, dense = shape.shape[0], tf.cast(shape, tf.int64)
    elif shape is not None:
        rank = tf.TensorShape(shape).rank
        if tf.TensorShape(shape).is_fully_defined():
            dense = tf.constant(shape, tf.int64)
    indices = placeholder(tf.int64, [None, rank], f"{prefix}indices" if name else None)
    values = placeholder(dtype, [None], f"{prefix}values" if name else None)
    if dense is None:
        dense = placeholder(tf.int64, [rank], f"{prefix}shape" if name else None)
    return tf.SparseTensor(indices=indices, values=values, dense_shape=dense)


# ---- functions ---------------------------------------------------------------------------------
def function(inputs: Sequence[Any], outputs: Any, jit_compile: bool = False) -> Callable[..., Any]:
    """The function of the graph that computes the nest `outputs` from `inputs`.

    One that no values can be given for, as of the mode that a program is not in (an input is None,
    or one is missing), fails when it is called, as TF 1 failed when it was run.

    Args:
        inputs: Placeholders, or any tensors of the graph (their values are then not computed).
        outputs: A nest of tensors, operations and variables.
        jit_compile: Whether XLA compiles it; where XLA refuses, the log says why and it runs as it is.

    Returns:
        A callable that takes a value for each input; the same one for the same arguments.
    """
    try:
        if any(value is None for value in inputs):
            raise TypeError("The value of a feed cannot be given for None")
        return _graph_of([*inputs, outputs]).function_of(inputs, outputs, jit_compile)
    except (TypeError, tf.errors.InvalidArgumentError) as error:
        return functools.partial(_fails, error)


def _fails(error: Exception, *values: Any) -> Any:
    raise error


def run(fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
    """What `function` of the keys of `feed_dict` and of `fetches` gives for its values.

    For what is put together when the program runs; else make a `function` once.
    """
    return _graph_of([*(feed_dict or ()), fetches]).compute(fetches, feed_dict)


def evaluate(value: Any, feed_dict: Mapping[Any, Any] | None = None, session: Any = None) -> Any:
    """``value.eval(...)``: of a graph's tensors and variables by `run`, of others by themselves."""
    del session
    if isinstance(value, (tf.Tensor, tf.SparseTensor, tf.Variable)):
        return run(value, feed_dict if isinstance(feed_dict, Mapping) else None)  # or a session
    return value.eval() if feed_dict is None else value.eval(feed_dict)


def perform(operation: Any, feed_dict: Mapping[Any, Any] | None = None, session: Any = None) -> Any:
    """``operation.run(...)``: of a graph's operations by `run`, of other objects by themselves."""
    del session
    if isinstance(operation, (tf.Operation, tf.Tensor, tf.Variable)):
        return run(operation, feed_dict)
    return operation.run() if feed_dict is None else operation.run(feed_dict)


def _graph_of(values: Any) -> Graph:
    for value in tf.nest.flatten(values):
        try:
            found = getattr(value, "built_by", None) or getattr(value, "op", value).graph.built_by
        except AttributeError:  # eager tensors have none
            continue
        return found
    return default_graph()


# ---- first values ------------------------------------------------------------------------------
def variables_initializer(var_list: Sequence[Any], name: str = "init") -> tf.Operation:
    """The operation that gives variables their first values."""
    graph, variables = default_graph(), list(var_list)
    return graph.python_operation(lambda *given: graph.run.initialize(variables, *given), name)


def global_variables_initializer() -> tf.Operation:
    """The operation that gives all variables but the local ones their first values."""
    return default_graph().run.initializer_of(GraphKeys.GLOBAL_VARIABLES)


def local_variables_initializer() -> tf.Operation:
    """The operation that gives the local variables their first values."""
    return default_graph().run.initializer_of(GraphKeys.LOCAL_VARIABLES)


def tables_initializer(name: str = "init_all_tables") -> tf.Operation:
    """The operation that fills the tables of the graph."""
    return tf.group(*default_graph().get_collection(GraphKeys.TABLE_INITIALIZERS), name=name)

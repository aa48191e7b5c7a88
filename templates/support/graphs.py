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
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from .names import current_graph, hashable, variable_name
from .store import GraphKeys, Run, VariableStore, entered, on_reset

Element = Any  # tf.Tensor, tf.Operation, tf.SparseTensor, tf.Variable, or a name of one


class GraphRun(Run):
    """The one run of a graph that is being built: what changes state becomes an operation of it."""

    builds = True

    def __init__(self, store: VariableStore, graph: Graph) -> None:
        super().__init__(store)
        self.graph = graph
        self._initial: dict[int, tuple[Any, Callable[[], Any]]] = {}
        self._initialized: set[int] = set()
        self._hidden: set[int] = set()

    def effect(self, change: Callable[[], Any], name: str | None = None,
               given: Sequence[Any] = ()) -> Any:
        """All that `change` does, in its order, as one operation."""

        @tf.function(autograph=False)
        def changed() -> tf.Tensor:
            # A function is put in line when it runs: without this, what it changes could change
            # before what `given` was computed from is read.
            with tf.control_dependencies([tf.identity(value) for value in given]):
                ready = tf.no_op()
            with tf.control_dependencies([ready]):
                change()
            # In line, what follows the call waits for its result alone: that waits for the changes.
            with tf.control_dependencies([
                    op for op in current_graph().get_operations() if op.op_def.is_stateful]):
                return tf.constant(True)

        with tf.name_scope(name or "update"):
            return changed().op

    def after(self, change: Callable[[], Any], value: Callable[[], Any]) -> Any:
        with tf.control_dependencies([self.effect(change)]):
            return tf.nest.map_structure(tf.identity, value())

    def perform(self, operation: Any) -> None:
        function([], operation)()

    def value(self, tensor: Any) -> Any:
        return run(tensor)

    @contextlib.contextmanager
    def adopting(self) -> Iterator[None]:
        """Variables that TensorFlow's own functions make in the block are the graph's."""

        def adopt(make: Callable[..., Any], **kwargs: Any) -> Any:
            made = make(**kwargs)
            name = self.unique_name(variable_name(made))
            self.store.add(name, hashable(made), list(kwargs.get("collections") or ()))
            initial = kwargs["initial_value"]
            self.made(made, initial if callable(initial) else lambda: initial)
            return made

        with tf.variable_creator_scope(adopt):
            yield

    def add_update(
        self, name: str, update: Callable[[], Any], collections: Sequence[str] = ("update_ops",)
    ) -> None:
        """The update becomes an operation at once, which runs if something depends on it."""
        operation = self.effect(update)
        for collection in collections:
            self.add_to_collection(collection, operation)
            self._applied.setdefault(collection, []).append((name, operation))

    def penalize(self, name: str) -> None:
        penalty = self.store.regularization_loss(name)
        if penalty is not None:
            self.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, penalty)

    def get_collection(self, name: str, scope: str | None = None) -> list[Any]:
        if name in (GraphKeys.TRAINABLE_VARIABLES, GraphKeys.GLOBAL_VARIABLES):
            self._find_others()
        return super().get_collection(name, scope)

    def hide(self, variables: Sequence[Any]) -> None:
        self._hidden |= {id(getattr(variable, "value", variable)) for variable in variables}

    def _find_others(self) -> None:
        """Variables that the graph reads and others made (layers of Keras) are its own as well."""
        known = {id(v) for v in self.store.variables_by_name.values()} | self._hidden
        for variable in list(self.graph.read.values()):
            if id(variable) not in known:
                collections = [GraphKeys.GLOBAL_VARIABLES]
                collections += [GraphKeys.TRAINABLE_VARIABLES] * bool(variable.trainable)
                self.store.add(variable_name(variable), hashable(variable), collections)

    def regularization_losses(self, scope: str | None = None) -> list[tf.Tensor]:
        return []  # they are in the collection

    def made(self, variable: Any, initial: Callable[[], Any]) -> None:
        """Remembers how to compute the first value of a new variable, for `initialize`."""
        self._initial[id(variable)] = variable, initial

    def made_slot(self, name: str, variable: Any, initial: Callable[[], Any]) -> None:
        """The slot is a variable of the graph, below the variable scope in which training was asked for."""
        full = stem = f"{self.scope.name}/{name}" if self.scope.name else name
        count = 0
        while full in self.store.variables_by_name:
            count += 1
            full = f"{stem}_{count}"
        self._keep_state(full, variable, initial)

    def made_scalar(self, name: str, variable: Any, initial: Callable[[], Any]) -> None:
        self._keep_state(self.unique_name(self.open_name_scope() + name), variable, initial)

    def _keep_state(self, name: str, variable: Any, initial: Callable[[], Any]) -> None:
        self.store.add(name, hashable(variable), [GraphKeys.GLOBAL_VARIABLES])
        self.made(variable, initial)

    def initialize(self, variables: Sequence[Any]) -> None:
        """Gives variables their first values.  They have them when they are made, so that the
        first call changes nothing; later ones draw anew, as another run of TF 1's operation did."""
        for variable in variables:
            if id(variable) in self._initialized and id(variable) in self._initial:
                variable.assign(self._initial[id(variable)][1]())
            self._initialized.add(id(variable))


class Graph:
    """A graph that code builds into `with graph.as_default()`."""

    def __init__(self) -> None:
        self._whole = tf.compat.v1.wrap_function(lambda: None, [])
        self.traced = self._whole.graph
        self.traced.built_by = self
        self.read: dict[int, Any] = {}  # variables that the graph reads, by id
        self.traced.watch_variable = lambda v: self.read.setdefault(id(v), v)
        self.store = VariableStore("graph_store")
        self.run = GraphRun(self.store, self)
        self.store.build_in(self.run)
        self._functions: dict[Any, Function] = {}
        tf.compat.v1.disable_tensor_equality()  # tensors are keys of feeds, and in lists

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Graph]:
        """Code of the block builds into this graph."""
        with self.traced.as_default(), entered(self.run):
            yield self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "traced":
            raise AttributeError(name)
        return getattr(self.traced, name)

    def element(self, name: str) -> Element:
        """What is called `name`: a tensor (``x:0``), a variable or an operation.

        Raises:
            KeyError: nothing is.
        """
        stem, _, index = name.partition(":")
        if stem in self.store.variables_by_name and index in ("", "0"):
            return self.store.variables_by_name[stem]
        return self.traced.as_graph_element(name)

    get_tensor_by_name = get_operation_by_name = as_graph_element = element

    def get_collection(self, name: str, scope: str | None = None) -> list[Any]:
        return self.run.get_collection(name, scope)

    def get_collection_ref(self, name: str) -> list[Any]:
        return self.run.get_collection_ref(name)

    def add_to_collection(self, name: str, value: Any) -> None:
        self.run.add_to_collection(name, value)

    def finalize(self) -> None:
        """Nothing: functions that are made later do not change those that were made."""

    def function_of(self, inputs: Sequence[Any], outputs: Any, jit_compile: bool) -> Function:
        """The function from `inputs` to `outputs`, made once."""
        flat, key, rebuild = _structure(self, outputs)
        given = [self._input(value) for value in inputs]
        made = (tuple(map(id, given)), key, jit_compile)
        if made not in self._functions:
            self._functions[made] = Function(self, given, flat, rebuild, jit_compile)
        return self._functions[made]

    def _input(self, value: Any) -> Any:
        return self.element(value) if isinstance(value, str) else value


def _structure(graph: Graph, value: Any) -> tuple[list[Any], Any, Callable[[Iterator[Any]], Any]]:
    """What is fetched by a nest: (its elements, what tells two nests apart, a function that puts
    the elements' values into the nest's form)."""
    if isinstance(value, tf.compat.v1.SparseTensorValue):
        value = tuple(value)
    if isinstance(value, Mapping):
        parts = {name: _structure(graph, inner) for name, inner in value.items()}
        flat = [element for part in parts.values() for element in part[0]]
        key = ("dict", *((name, part[1]) for name, part in parts.items()))
        return flat, key, lambda found: {name: part[2](found) for name, part in parts.items()}
    if isinstance(value, (list, tuple)):
        inner = [_structure(graph, part) for part in value]
        flat = [element for part in inner for element in part[0]]
        kind = type(value)
        make: Callable[[list[Any]], Any] = (
            (lambda found: kind(*found)) if hasattr(kind, "_fields") else kind)
        return flat, (kind.__name__, *(part[1] for part in inner)), (
            lambda found: make([part[2](found) for part in inner]))
    if isinstance(value, str):
        value = graph.element(value)
    if value is None:
        raise TypeError("None is fetched: it is no tensor, operation or variable")
    value = getattr(value, "fetched", value)
    return [value], id(value), next


class Function:
    """Computes `outputs` from `inputs`, with only what is between them: call it with their values.

    Operations among the outputs happen, and give None; variables are read after them.  Values are
    numpy arrays and scalars, as a session's were.
    """

    def __init__(self, graph: Graph, inputs: list[Any], outputs: list[Any],
                 rebuild: Callable[[Iterator[Any]], Any], jit_compile: bool = False) -> None:
        self.graph, self.inputs, self._rebuild = graph, inputs, rebuild
        with graph.as_default():
            fetched = [None if isinstance(v, tf.Variable) else _computed(v) for v in outputs]
            others = [v for part in fetched for v in tf.nest.flatten(part, expand_composites=True)
                      if v is not None]
            with tf.control_dependencies([getattr(v, "op", v) for v in others]):
                fetched = [_read(v) if part is None else part
                           for v, part in zip(outputs, fetched, strict=True)]
        given = tf.nest.flatten(inputs, expand_composites=True)
        try:
            self._pruned = graph._whole.prune(given, fetched)
        except Exception as error:
            raise _explained(error, graph) from error
        self._compute: Callable[..., Any] = self._pruned
        if jit_compile:
            self._compute = tf.function(lambda *values: self._pruned(*values), jit_compile=True)

    def __call__(self, *values: Any) -> Any:
        if len(values) != len(self.inputs):
            raise TypeError(f"{len(self.inputs)} values are needed, not {len(values)}")
        with tf.init_scope():
            given = [part for spec, value in zip(self.inputs, values, strict=True)
                     for part in _fed(spec, value)]
            found = self._compute(*given)
        return self._rebuild(map(_as_fetched, found))


def _computed(value: Any) -> Any:
    """A graph element as it is, anything else as a tensor."""
    if isinstance(value, (tf.Tensor, tf.Operation, tf.SparseTensor, tf.IndexedSlices)):
        return tf.identity(value) if hasattr(value, "numpy") else value
    return tf.convert_to_tensor(value)


def _read(variable: Any) -> tf.Tensor:
    return variable.read_value()


def _as_fetched(value: Any) -> Any:
    if value is None or isinstance(value, np.ndarray):
        return value
    if isinstance(value, tf.SparseTensor):
        return tf.compat.v1.SparseTensorValue(*(
            part.numpy() for part in (value.indices, value.values, value.dense_shape)))
    if isinstance(value, tf.IndexedSlices):
        shape = None if value.dense_shape is None else value.dense_shape.numpy()
        return tf.compat.v1.ConvertIndexed(value.values.numpy(), value.indices.numpy(), shape)
    return value.numpy() if value.dtype not in (tf.resource, tf.variant) else value


def _fed(spec: Any, value: Any) -> list[Any]:
    """The tensors that are given for an input.

    Raises:
        ValueError: the shape is not one of the input's.
    """
    if isinstance(spec, tf.SparseTensor):
        indices, values, shape = (value.indices, value.values, value.dense_shape) if isinstance(
            value, tf.SparseTensor) else value
        return [part for own, given in zip(
            (spec.indices, spec.values, spec.dense_shape), (indices, values, shape), strict=True)
            for part in _fed(own, given)]
    if isinstance(value, tf.Tensor) and value.dtype == spec.dtype:
        tensor = value
    else:
        kind = spec.dtype.as_numpy_dtype
        given = value if spec.dtype == tf.string else np.asarray(value, kind)
        tensor = tf.convert_to_tensor(given, spec.dtype)
    if not spec.shape.is_compatible_with(tensor.shape):
        raise ValueError(f"cannot feed a value of shape {tuple(tensor.shape)} for {spec.name}, "
                         f"which has shape {spec.shape}")
    return [tensor]


def _explained(error: Exception, graph: Graph) -> Exception:
    """What TF 1 said where a value was missing, instead of how functions are cut out of graphs."""
    text = str(error)
    if "placeholder" in text.lower() and "lift" in text.lower():
        name = text.rpartition("placeholder ")[2].split("'")[1:2] or [text]
        return tf.errors.InvalidArgumentError(
            None, None, f"You must feed a value for placeholder tensor {name[0]!r}")
    return error


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
    for block in _blocks.open[-1:]:
        block.close()
        block.enter_context(default_graph().as_default())


@contextlib.contextmanager
def process_graph() -> Iterator[Graph]:
    """Code of the block builds into the graph of the process, as all of TF 1 did."""
    with contextlib.ExitStack() as block:
        _blocks.open.append(block)
        try:
            yield block.enter_context(default_graph().as_default())
        finally:
            _blocks.open.remove(block)


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
    if inspect.isgeneratorfunction(unit):
        return unit

    @functools.wraps(unit)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not tf.executing_eagerly():
            return unit(*args, **kwargs)
        with process_graph():
            return unit(*args, **kwargs)

    return wrapper


# ---- inputs ------------------------------------------------------------------------------------
def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> tf.Tensor:
    """An input of the functions that are made of this graph."""
    return tf.raw_ops.Placeholder(dtype=dtype, shape=tf.TensorShape(shape), name=name)


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> tf.Tensor:  # noqa: A002
    """An input that has the value `input` where a function does not take it."""
    value = tf.convert_to_tensor(input)
    return tf.raw_ops.PlaceholderWithDefault(input=value, shape=tf.TensorShape(shape), name=name)


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> tf.SparseTensor:
    """A sparse input: functions take (indices, values, shape)."""
    rank = None if shape is None else tf.TensorShape(shape).rank
    known = None if shape is None or not tf.TensorShape(shape).is_fully_defined() else shape
    prefix = f"{name}/" if name else ""
    return tf.SparseTensor(
        indices=placeholder(tf.int64, [None, rank], f"{prefix}indices" if name else None),
        values=placeholder(dtype, [None], f"{prefix}values" if name else None),
        dense_shape=(tf.constant(known, tf.int64) if known is not None else
                     placeholder(tf.int64, [rank], f"{prefix}shape" if name else None)))


# ---- functions ---------------------------------------------------------------------------------
def function(inputs: Sequence[Any], outputs: Any, jit_compile: bool = False) -> Function:
    """The function of the graph that computes the nest `outputs` from `inputs`.

    Args:
        inputs: Placeholders, or any tensors of the graph (their values are then not computed).
        outputs: A nest of tensors, operations and variables.
        jit_compile: Whether XLA compiles it.

    Returns:
        A callable that takes a value for each input; the same one for the same arguments.
    """
    return _graph_of([*inputs, outputs]).function_of(inputs, outputs, jit_compile)


def run(fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
    """What `function` of the keys of `feed_dict` and of `fetches` gives for its values.

    For what is put together when the program runs; else make a `function` once.
    """
    given = dict(feed_dict or {})
    return _graph_of([*given, fetches]).function_of(list(given), fetches, False)(*given.values())


def evaluate(value: Any, feed_dict: Mapping[Any, Any] | None = None, session: Any = None) -> Any:
    """``value.eval(...)``: of a graph's tensors and variables by `run`, of others by themselves."""
    del session
    if isinstance(value, (tf.Tensor, tf.SparseTensor, tf.Variable)):
        return run(value, feed_dict)
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
            found = getattr(getattr(value, "graph", None), "built_by", None)
        except AttributeError:  # eager tensors and variables have none
            continue
        if found is not None:
            return found
    return default_graph()


# ---- first values ------------------------------------------------------------------------------
def variables_initializer(var_list: Sequence[Any], name: str = "init") -> tf.Operation:
    """The operation that gives variables their first values."""
    run_, variables = default_graph().run, list(var_list)
    return _python_operation(lambda: run_.initialize(variables), name)


def global_variables_initializer() -> tf.Operation:
    """The operation that gives all variables but the local ones their first values."""
    run_ = default_graph().run
    return _python_operation(lambda: run_.initialize(run_.get_collection(
        GraphKeys.GLOBAL_VARIABLES)), "init")


def local_variables_initializer() -> tf.Operation:
    """The operation that gives the local variables their first values."""
    run_ = default_graph().run
    return _python_operation(lambda: run_.initialize(run_.get_collection(
        GraphKeys.LOCAL_VARIABLES)), "init")


def tables_initializer(name: str = "init_all_tables") -> tf.Operation:
    """The operation that fills the tables of the graph."""
    return tf.group(*default_graph().traced.get_collection(GraphKeys.TABLE_INITIALIZERS), name=name)


def _python_operation(do: Callable[[], None], name: str) -> tf.Operation:
    operation: tf.Operation = tf.numpy_function(do, [], [], name=name)
    return operation

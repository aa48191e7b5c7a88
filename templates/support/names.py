"""What TF 1 called things: names of variables, and of the state that training keeps beside them."""
from __future__ import annotations

import contextlib
import contextvars
import inspect
import re
import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import tensorflow as tf

# Objects such as optimizers and moving averages, in the order in which they were made; and whether
# that was in a trace, which then has made all their state.
_states: list[tuple[weakref.ref[Any], bool]] = []

_hashable: dict[type, type] = {}  # class of a variable -> its subclass with a hash


def variable_name(variable: Any) -> str:
    """The variable's name without ':0': `path` of a Keras variable, else `name`."""
    return (getattr(variable, "path", None) or variable.name).split(":")[0]


def named(tensor: Any, name: str) -> Any:
    """`tensor`, which `op_name` says to be called `name` in the current name scope.

    Tensors of a graph have their name already.
    """
    if tf.executing_eagerly() and isinstance(tensor, tf.Tensor):
        with tf.name_scope(name) as path:
            tensor.tf1_name = path.rstrip("/")
    return tensor


def op_name(value: Any) -> str:
    """TF1's `value.op.name`: of a variable its name without `:0`, of a graph tensor its op's name.

    Raises AttributeError for eager tensors without a name from `named`: TF 2 gives them none.
    """
    given = getattr(value, "tf1_name", None)
    if given is not None:
        return str(given)
    try:
        name = value.op.name
    except AttributeError:  # eager variables have no op
        name = None if isinstance(value, tf.Tensor) else getattr(value, "name", None)
    if not isinstance(name, str):
        raise AttributeError(
            "an eager tensor has no name in TF 2; look its op up in the graph of a traced function"
        )
    return name.partition(":")[0]


def clean_tag(name: str) -> str:
    """What TF 1 made of a summary's name: `W:0` is `W_0`."""
    return re.sub(r"[^-/\w.]", "_", name).lstrip("/")


def label_of(tensor: Any) -> str:
    """A label for what is known of a tensor's name: an eager one has that of its name scope."""
    try:
        return op_name(tensor)
    except AttributeError:
        return tf.get_current_name_scope() or "tensor"


def hashable(variable: Any) -> Any:
    """`variable`, which is itself to others as in TF 1: in lists and sets, as a key, by `==`.

    With anything else than a variable `==` stays elementwise.
    """
    kind: Any = type(variable)
    if kind.__hash__ is not object.__hash__:
        if kind not in _hashable:
            _hashable[kind] = type(kind)(kind.__name__, (kind,), _identity(kind))
        variable.__class__ = _hashable[kind]
    return variable


def _identity(kind: Any) -> dict[str, Any]:
    """What TF 1's variables had and those of a class have not: two are equal only if they are one."""

    def equal(self: Any, other: Any) -> Any:
        if isinstance(other, (tf.Variable, tf.keras.Variable)):
            return key_of(self) == key_of(other)
        return kind.__eq__(self, other)

    def different(self: Any, other: Any) -> Any:
        if isinstance(other, (tf.Variable, tf.keras.Variable)):
            return key_of(self) != key_of(other)
        return kind.__ne__(self, other)

    found: dict[str, Any] = {"__hash__": object.__hash__, "__eq__": equal, "__ne__": different}
    if getattr(kind, "initialized_value", None) is tf.Variable.initialized_value:  # which raises
        found["initialized_value"] = kind.read_value  # others are asked for it while they are being made
    return found


def key_of(variable: Any) -> int:
    """What identifies a variable, whether one holds it or the Keras variable around it."""
    return id(variable.value if isinstance(variable, tf.keras.Variable) else variable)


def layer_variable_name(initial: Any, opened: str) -> str | None:
    """TF 1's name of a variable that a layer of Keras makes, None for others.

    initial: what the variable is made with. opened: the name scopes that are open (``a/b/``); of the
    layer's own ones there may be fewer, for Keras makes some variables once it has left them.
    """
    cells = getattr(initial, "__closure__", None) or ()
    made = next((c.cell_contents for c in cells if isinstance(c.cell_contents, tf.keras.Variable)), None)
    if made is None:
        return None
    around, own = opened.split("/")[:-1], made.path.split("/")[:-1]
    for count in range(min(len(around), len(own)), 0, -1):
        if all(re.fullmatch(rf"{re.escape(name)}(_\d+)?", scope)
               for scope, name in zip(around[-count:], own, strict=False)):
            around = around[:-count]
            break
    return "/".join([*around, _path_of_tf1(made)])


def _path_of_tf1(made: Any) -> str:
    """The path of a variable of Keras that is being made. In TF 1 a Sequential that knew its input's
    shape made its layers while they were added, in no scope of its own; Keras 3 opens one."""
    state = keras_state()
    scopes = state.get_global_attribute("name_scope_stack") if state is not None else None
    opened = [scope for scope in scopes or () if isinstance(scope.caller, tf.keras.Sequential)]
    calls, frame = set(), inspect.currentframe() if opened else None
    while frame is not None:
        if frame.f_code.co_name == "__call__":
            calls.add(id(frame.f_locals.get("self")))
        frame = frame.f_back
    parts = made.path.split("/")
    for scope in opened:
        if id(scope.caller) not in calls and scope.name in parts[:-1]:
            parts.remove(scope.name)
    return "/".join(parts)


def is_seed(name: str) -> bool:
    """Whether a variable is the seed of a layer of Keras (Dropout): TF 1 drew from the graph's seed."""
    return name.endswith("seed_generator_state")


@contextlib.contextmanager
def layers_numbered(counts: dict[str, int]) -> Iterator[None]:
    """Keras numbers the layers that are made here on from `counts`: each graph of TF 1 had its own."""
    state = keras_state()
    if state is None:  # layers of a second graph are numbered on
        yield
        return
    outer = state.get_global_attribute("object_name_uids")
    state.set_global_attribute("object_name_uids", counts)
    try:
        yield
    finally:
        state.set_global_attribute("object_name_uids", outer)


def keras_state() -> Any:
    """Where Keras keeps its open name scopes and numbers of layers; None for one that has them elsewhere."""
    try:
        from keras.src.backend.common import global_state
    except ImportError:
        return None
    return global_state


def unlifted(make: Any, **kwargs: Any) -> Any:
    """A variable that a function which is being traced does not take for its own."""
    return make(**{**kwargs, "experimental_enable_variable_lifting": False})


def current_graph() -> Any:
    """The graph that is being built or traced here. Asking adds no operation to it."""
    return tf.compat.v1.get_default_graph()


_named_by_maker = contextvars.ContextVar("named_by_maker", default=False)


@contextlib.contextmanager
def outside_traces(named: bool = True) -> Iterator[None]:
    """Variables made in here by a function that is being traced outlive the trace.

    `tf.init_scope` alone leaves them to `tf.function`, which would trace a second time. named: what
    makes them gives them their TF 1 names (an optimizer its state's), as layers of Keras do not.
    """
    token = _named_by_maker.set(named)
    try:
        with tf.init_scope(), tf.variable_creator_scope(unlifted):
            placed_as_asked()
            yield
    finally:
        _named_by_maker.reset(token)


def named_by_maker() -> bool:
    """Whether what makes variables here gives them their TF 1 names itself."""
    return _named_by_maker.get()


def placed_as_asked() -> None:
    """Devices that are not there are replaced, unless the program said no: TensorFlow forgets that where
    it starts its devices while something is traced."""
    tf.config.set_soft_device_placement(tf.config.get_soft_device_placement())


@tf.autograph.experimental.do_not_convert
def lifted(value: Any) -> Any:
    """A tensor of a trace as it is outside: a first value that is computed from constants.

    A tensor that is asked again is drawn anew, as another run of TF 1 drew it.

    Raises:
        ValueError: it depends on an argument of the traced function.
    """
    if not isinstance(getattr(value, "graph", None), tf.__internal__.FuncGraph):
        return value
    if hasattr(value, "tf1_lifted"):
        with tf.init_scope():
            return value.tf1_lifted()
    captured = {id(inner): outer for outer, inner in value.graph.captures}
    upstream: dict[str, Any] = {}
    given: dict[str, Any] = {}
    pending = [value.op]
    while pending:
        op = pending.pop()
        if op.name in upstream:
            continue
        upstream[op.name] = op
        if op.type == "Placeholder":
            if id(op.outputs[0]) not in captured:
                raise ValueError(f"{value.name} depends on {op.name}, which is only known when the "
                                 "function is called: it cannot be a variable's first value")
            given[op.outputs[0].name] = lifted(captured[id(op.outputs[0])])
            continue
        pending += [tensor.op for tensor in op.inputs] + list(op.control_inputs)
    graph_def = value.graph.as_graph_def()
    kept = [node for node in graph_def.node if node.name in upstream]
    del graph_def.node[:]
    graph_def.node.extend(kept)

    def computed() -> Any:
        here = current_graph()  # which takes what is eager, a variable's handle say, as a capture only
        taken = {k: here.capture(v) if isinstance(here, tf.__internal__.FuncGraph) else v
                 for k, v in given.items()}
        return tf.graph_util.import_graph_def(
            graph_def, input_map=taken, return_elements=[value.name], name="lifted")[0]

    with tf.init_scope():
        if not tf.executing_eagerly():
            return computed()
        function = tf.function(computed, autograph=False).get_concrete_function()
        if not given:
            value.tf1_lifted = function
        return function()


def register_state(owner: Any) -> None:
    """Makes `owner` known to `states_of` for as long as it lives.

    It must have `build(variables)`, `tf1_variables(names)` and `state_label`, the end of the names
    of its state.  One that is made in a trace lives as long as the traced function.
    """
    _states.append((weakref.ref(owner), bool(tf.inside_function())))
    if tf.inside_function():
        graph: tf.Graph = current_graph()
        while isinstance(getattr(graph, "outer_graph", None), tf.__internal__.FuncGraph):
            graph = graph.outer_graph
        graph.get_collection_ref("training_state").append(owner)


def states_of(names: Mapping[str, Any], stored: Iterable[str] = ()) -> dict[str, Any]:
    """The variables that optimizers and moving averages keep for the variables `names`.

    Args:
        names: The variables by TF 1 name.
        stored: Names in a checkpoint; state that is found there is made if it is missing.

    Returns:
        The state by TF 1 name ("w/Momentum").
    """
    _states[:] = [state for state in _states if state[0]() is not None]
    stored = set(stored)
    found: dict[str, Any] = {}
    for reference, traced in _states:
        owner = reference()
        if owner is None:
            continue
        kept = owner.tf1_variables(names)
        if len(owner.tf1_variables()) > len(kept) and not any(_is_of(name, names) for name in kept):
            continue  # it trains another graph's variables
        missing = [v for n, v in names.items() if _called(f"{n}/{owner.state_label}", stored)]
        if missing and not traced:
            owner.build(missing)
        state = owner.tf1_variables(names)
        if any(_is_of(name, names) for name in state):
            for name, variable in state.items():
                label, count = _called(name, stored) or name, 0
                while label in found:  # a second optimizer of the same name
                    count += 1
                    label = f"{name}_{count}"
                found[label] = variable
    return found


def _is_of(name: str, names: Mapping[str, Any]) -> bool:
    """Whether state is that of one of the variables `names`, below whatever scope it was made."""
    path = name.rsplit("/", 1)[0].split("/")
    return any("/".join(path[first:]) in names for first in range(len(path)))


def _called(name: str, stored: set[str]) -> str:
    """What state is called in a checkpoint: as it is here, or below the one scope that is there."""
    below = [other for other in stored if other.endswith(f"/{name}")]
    return name if name in stored else below[0] if len(below) == 1 else ""

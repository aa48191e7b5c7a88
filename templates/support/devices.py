"""Where operations and variables are put, as TF 1 understood it: `tf.device` with all that it took.

TensorFlow 2's `tf.device` refuses functions, takes an empty name for the CPU, and fails for a task
that this process does not know.
"""
from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

_log = logging.getLogger(__name__)
DeviceFunction = Callable[[Any], Any]  # of an operation: the name of its device


_told: set[str] = set()


class _Asked(threading.local):
    """About the variable that a thread is making: what device functions inside of this one said, and
    whether functions outside still count."""

    def __init__(self) -> None:
        self.device = ""
        self.closed = False


_asked = _Asked()


class device:
    """`with device(name_or_function):`, with TF 1's meaning.

    A name says where operations and variables go; what it leaves open, scopes around it say, and ""
    leaves all open. None: no scope counts any more, inside TensorFlow chooses. A `tf.DeviceSpec` is
    its name. A function is asked about each variable and each operation of a trace that is made, and
    outweighs the scopes inside of it; about eager operations it is asked once, where it is opened.

    Jobs and tasks that this process has no part in are left out of a name: one process is all of
    them. A device that is not there is replaced by TensorFlow, if soft placement is on (as it is).
    """

    def __init__(self, device_name_or_function: Any) -> None:
        self.wanted = device_name_or_function
        self._scopes = contextlib.ExitStack()

    def __enter__(self) -> None:
        for scope in _scopes(self.wanted):
            self._scopes.enter_context(scope)

    def __exit__(self, *exc: Any) -> bool | None:
        return self._scopes.__exit__(*exc)


def _scopes(wanted: Any) -> list[contextlib.AbstractContextManager[Any]]:
    """What TensorFlow 2 has to open for the scope that is wanted."""
    if not tf.compat.v1.executing_eagerly_outside_functions():
        return [tf.compat.v1.device(wanted)]  # a graph for a session: it is TF 1's own
    if wanted is None:
        return [tf.device(None), tf.variable_creator_scope(_alone)]
    if not callable(wanted):
        name = _here(wanted)
        return [tf.device(name)] if name else []
    if tf.inside_function():
        scope = tf.compat.v1.device(lambda op: _here(wanted(op)))
    else:
        name = _here(wanted(_plain_operation()))
        scope = tf.device(name) if name else contextlib.nullcontext()
    return [scope, tf.variable_creator_scope(_placing(wanted))]


def _here(wanted: Any) -> str:
    """The name of a device without the tasks of a cluster that this process is no part of."""
    name = str(wanted.to_string() if hasattr(wanted, "to_string") else wanted or "")
    spec = tf.DeviceSpec.from_string(name)
    task = (spec.job, spec.replica, spec.task)
    if task == (None, None, None):
        return name
    known = [tf.DeviceSpec.from_string(d.name) for d in tf.config.list_logical_devices()]
    if any(_agrees(task, (d.job, d.replica, d.task)) for d in known):
        return name
    if name not in _told:
        _told.add(name)
        _log.warning("no task of this process is %s: its part is done here", name)
    return str(tf.DeviceSpec(device_type=spec.device_type, device_index=spec.device_index).to_string())


def _agrees(wanted: tuple[Any, ...], task: tuple[Any, ...]) -> bool:
    return all(part is None or part == own for part, own in zip(wanted, task, strict=True))


def _placing(function: DeviceFunction) -> Callable[..., Any]:
    """A creator of variables that puts them where a device function says, also out of a trace."""

    def make(make_next: Any, **kwargs: Any) -> Any:
        if _asked.closed:
            return make_next(**kwargs)
        said = _asked.device
        name = _asked.device = _here(function(_variable_operation(kwargs, said)))
        try:
            with tf.device(name) if name else contextlib.nullcontext():
                return make_next(**kwargs)
        finally:
            _asked.device = said

    return make


def _alone(make_next: Any, **kwargs: Any) -> Any:
    """A creator of variables about which no function outside is asked."""
    closed, _asked.closed = _asked.closed, True
    try:
        return make_next(**kwargs)
    finally:
        _asked.closed = closed


def _plain_operation() -> Any:
    """An operation for device functions to look at, which takes no part in anything."""
    with tf.Graph().as_default():
        return tf.raw_ops.NoOp()


def _variable_operation(kwargs: dict[str, Any], device: str) -> Any:
    """The operation that a variable was in TF 1, for device functions to look at."""
    value, shape, dtype = (kwargs.get(key) for key in ("initial_value", "shape", "dtype"))
    dtype = tf.as_dtype(dtype or getattr(value, "dtype", None) or tf.float32)
    shape = tf.TensorShape(getattr(value, "shape", None) if shape is None else shape)
    with tf.Graph().as_default(), tf.device(device):
        made = tf.raw_ops.VariableV2(shape=shape, dtype=dtype, name=_op_name(kwargs.get("name")))
    return made.op


def asked_for(graph: Any, variable: Any, name: str) -> str:
    """The device that scopes which are open in a graph ask for a variable; TF 1: `variable.op.device`."""
    scopes = graph._device_function_stack
    if not scopes.peek_objs():
        return ""
    with tf.Graph().as_default() as scratch:
        scratch._device_function_stack = scopes
        made = tf.raw_ops.VariableV2(shape=variable.shape, dtype=variable.dtype, name=_op_name(name))
    return str(made.op.device)


def _op_name(name: Any) -> str:
    """`name` as far as an operation may be called so."""
    text = "".join(c if c.isalnum() or c in "_./\\-" else "_" for c in str(name or "Variable"))
    return text if text[0].isalnum() or text[0] == "." else f"v{text}"


@contextlib.contextmanager
def beside(variable: Any) -> Iterator[None]:
    """What is made in here lies where `variable` does, as a slot of an optimizer did in TF 1."""
    kept = variable.value if isinstance(variable, tf.keras.Variable) else variable
    where = getattr(kept, "device", "") if tf.executing_eagerly() else ""
    with tf.device(where) if where else contextlib.nullcontext():
        yield

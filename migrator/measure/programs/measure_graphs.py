"""Objects that build a graph around placeholders of their own, the same way before and after a migration.

Keeps to Python 3.7: it also runs under TF 1.15.
"""

from __future__ import annotations

import argparse
import builtins
import contextlib
import functools
import os
from collections.abc import Callable, Iterator
from typing import Any

import child_setup  # type: ignore[import-not-found]  # found through measure_probe

SLOTS = ("/Momentum", "/Adam", "/Adam_1", "/RMSProp", "/RMSProp_1", "/RMSProp_2", "/Adagrad",
         "/Adadelta", "/Adadelta_1", "/Ftrl", "/Ftrl_1")  # fmt: skip


def argument(value: Any) -> Any:
    """An argument as a workload file has it: `{call = "module:function", args = [...]}` is what that gives,
    with the attributes in `set`; `{namespace = {...}}` an object with attributes, those in `none` without a
    value.

    Raises Unusable.
    """
    if isinstance(value, list):
        return [argument(v) for v in value]
    if isinstance(value, dict) and "namespace" in value and set(value) <= {"namespace", "none"}:
        given = {k: argument(v) for k, v in value["namespace"].items()}
        return argparse.Namespace(**dict(dict.fromkeys(value.get("none", [])), **given))
    if isinstance(value, dict) and {"call", "args"} <= set(value) <= {"call", "args", "set"}:
        module, _, name = value["call"].partition(":")
        known = module == "builtins" and getattr(builtins, name)
        made = (known or child_setup.target(value["call"]))(*argument(value["args"]))
        for attribute, content in value.get("set", {}).items():
            setattr(made, attribute, argument(content))
        return made
    return value


def arguments(config: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Arguments by name. Files that they are read from have paths relative to the repository."""
    here = os.getcwd()
    os.chdir(config["root"])
    try:
        return {k: argument(v) for k, v in given.items()}
    finally:
        os.chdir(here)


def made(config: dict[str, Any]) -> Any:
    """The object that builds a graph."""
    workload = config["workload"]
    return child_setup.target(workload["call"])(**arguments(config, workload["kwargs"]))


def function(config: dict[str, Any]) -> Callable[..., Any]:
    """What is called with the inputs by name: a function, or a method of an object that is made for it."""
    workload = config["workload"]
    owner, dot, method = workload["call"].rpartition(".")
    called = child_setup.target(workload["call"])
    if dot and ":" in owner and isinstance(child_setup.target(owner), type):
        called = getattr(child_setup.target(owner)(**arguments(config, workload.get("made") or {})), method)
    return functools.partial(called, **arguments(config, workload["kwargs"]))


def fetched(thing: Any, names: list[str]) -> list[Any]:
    """What is fetched of an object by the names of its attributes. Raises Unusable."""
    for name in names:
        if getattr(thing, name, None) is None:
            raise child_setup.Unusable(f"{type(thing).__name__} has no {name}")
    return [getattr(thing, name) for name in names]


@contextlib.contextmanager
def replaced(owners: list[Any], name: str, other: Callable[..., Any]) -> Iterator[None]:
    """An attribute of modules is another function meanwhile."""
    kept = [getattr(owner, name) for owner in owners]
    for owner in owners:
        setattr(owner, name, other)
    try:
        yield
    finally:
        for owner, value in zip(owners, kept):  # noqa: B905
            setattr(owner, name, value)


def described(thing: Any, placeholders: list[Any], guess: int) -> list[dict[str, Any]]:
    """Inputs as a workload has them, for placeholders in the order in which they were made: named by the
    object's attribute, of sizes as they say, `guess` for what they leave open behind the batch.

    Numbers without a shape are 1: they are rates and switches. Raises Unusable.
    """
    attributes = {id(v): k for k, v in vars(thing).items()} if hasattr(thing, "__dict__") else {}
    specs = []
    for tensor in placeholders:
        kind, rank = tensor.dtype.name, tensor.shape.ndims
        name = attributes.get(id(tensor), tensor.op.name)
        if kind == "string":
            raise child_setup.Unusable(f"the placeholder {name!r} takes strings")
        sizes = [] if rank is None else tensor.shape.as_list()
        shape = ["batch" if d is None and i == 0 else d or guess for i, d in enumerate(sizes)]
        low, high = (0.0, 2.0 if "int" in kind else 1.0) if shape else (1.0, 1.0)
        specs.append({"name": name, "shape": shape, "dtype": kind, "low": low, "high": high, "seed": 0})
    return specs


_SAME_VALUES = dict.fromkeys((
    "Identity", "PlaceholderWithDefault", "Cast", "Reshape", "ExpandDims", "Squeeze", "Transpose", "SplitV",
    "Unpack", "StridedSlice", "Slice", "Tile", "ReverseV2",
), 0)  # fmt: skip
_SAME_VALUES["Split"] = 1  # {operation: which input the numbers of its outputs come from}
_JOINED = ("Pack", "ConcatV2")


def limits(tf: Any, inputs: dict[str, Any]) -> dict[str, int]:
    """{input: the first number that it may not hold}, by what reads it: the rows of what is looked up by it,
    the depth of a one-hot, the classes that a label is one of."""
    found: dict[str, int] = {}
    for name, tensor in inputs.items():
        waiting, seen, bounds = [tensor], {tensor.op.name}, []
        while waiting:
            read = waiting.pop()
            for op in read.consumers():
                place = [i for i, tensor in enumerate(op.inputs) if tensor is read][-1]
                if op.name not in seen and (op.type in _JOINED or _SAME_VALUES.get(op.type) == place):
                    seen.add(op.name)
                    waiting += op.outputs
                bounds.append(_limit(tf, op, place))
        known = [b for b in bounds if b]
        if known:
            found[name] = min(known)
    return found


def _limit(tf: Any, op: Any, place: int) -> int | None:
    """How many numbers an operation takes of an input; None where it takes any, or nothing says it."""
    if op.type == "OneHot" and place == 0:
        depth = tf.get_static_value(op.inputs[1])
        return None if depth is None else int(depth)
    if op.type == "ResourceGather" and place == 1 and op.inputs[0].op.type == "VarHandleOp":
        sizes = [d.size for d in op.inputs[0].op.get_attr("shape").dim]
        return sizes[0] if sizes else None
    if op.type in ("Gather", "GatherV2") and place == 1:
        axis = tf.get_static_value(op.inputs[2]) if len(op.inputs) > 2 else 0
    elif op.type == "SparseSoftmaxCrossEntropyWithLogits" and place == 1:
        axis = -1
    else:
        return None
    rank = op.inputs[0].shape.ndims
    return None if axis is None or not rank else op.inputs[0].shape.as_list()[int(axis)]


def computed(tf: Any, fetch: Any) -> Any:
    """An operation that holds every result of a nest of fetches at once and hands none out, as a function
    holds its results until it returns. Fetching the operations themselves would free each one early."""
    parts = tf.nest.flatten(fetch)
    numbers = [p for p in parts if isinstance(p, tf.Tensor) and p.dtype != tf.string]
    others = [getattr(p, "op", p) for p in parts if not any(p is n for n in numbers)]
    with tf.control_dependencies(others):
        return tf.identity_n(numbers)[0].op if numbers else tf.group(*others)


def is_slot(name: str, trained: set[str]) -> bool:
    """Whether a variable is an optimizer's, by the names of those that are trained."""
    return any(name.endswith(end) and name[: -len(end)].endswith(tuple(trained)) for end in SLOTS)

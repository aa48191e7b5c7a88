"""What is printed and compared of the devices that operations were placed on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.tree_walk import calls_in, last_name, walk
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding, Rung

_FIELD = "log_device_placement"


@tells(_FIELD, "tensorflow")
def logged_otherwise(changed: Changed) -> Iterator[Finding]:
    """A session that was told to log where operations are placed: TensorFlow 1 wrote a line for each
    operation of the graph, TensorFlow 2 writes one when it runs, in other words."""
    for node in walk(changed.before.tree):
        match node:
            case ast.Call(keywords=words) if any(
                    word.arg == _FIELD and _is_true(word.value) for word in words):
                at: ast.expr | ast.stmt = node
            case ast.Assign(targets=[ast.Attribute(attr=attr)], value=value) if (
                    attr == _FIELD and _is_true(value)):
                at = node
            case _:
                continue
        yield changed.told(
            "TF404", at,
            "TensorFlow 2 logs where operations are placed in other words than TensorFlow 1, as they run",
            "Whatever reads this log has to read the new lines.",
            rung=Rung.SUPPORT,
        )  # fmt: skip


@tells("assertDeviceEqual", ".device", "tensorflow")
def compared(changed: Changed) -> Iterator[Finding]:
    """A test that knows the device that a tensor or variable asked for."""
    for call in calls_in(changed.before.tree):
        if last_name(call.func) == "assertDeviceEqual" and any(
                isinstance(given, ast.Attribute) and given.attr == "device" for given in call.args):
            yield changed.told(
                "TF405", call,
                "the device of a variable or tensor is the whole name of where it lies "
                "(/job:localhost/replica:0/task:0/device:CPU:0), not what was asked for",
                "Compare what this machine can have, or drop the assertion.",
            )  # fmt: skip


def _is_true(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value in (True, 1)

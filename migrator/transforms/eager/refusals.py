"""What a test asks that eager code cannot answer: it keeps its graph then."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from migrator.engine.cst_walk import only, own, own_calls
from migrator.transforms import _flow as flow
from migrator.transforms.eager.body import SessionBody
from migrator.transforms.eager.units import Run, Unit, Unsupported

_OPERATIONS = frozenset(
    f"tensorflow.get_default_graph().{name}"
    for name in ("as_graph_def", "get_operation_by_name", "get_operations", "get_tensor_by_name")
)
_SAME_EACH_TIME = ("tensorflow.", "numpy.", "builtins.", "math.", "collections.", "functools.")


def refuse_questions(body: SessionBody, moved: set[int]) -> None:
    """Raises Unsupported for questions about operations of the graph, and about static shapes with
    unknown dimensions outside of what is traced (`moved`: ids of statements that went there)."""
    shapes = "get_shape" in body.text
    for unit in body.units:
        for node in own_calls(unit.node):
            if body.resolve(node.func) in _OPERATIONS:
                raise Unsupported(
                    node,
                    "the operations of the graph are asked for",
                    "trace the part with tf.function and ask the graph of the concrete function",
                )
        if shapes and id(unit.node) not in moved and _asserts_unknown_shape(unit):
            raise Unsupported(
                unit.node,
                "a static shape with unknown dimensions is asserted",
                "trace the part with tf.function, with None in the input signature",
            )


def _asserts_unknown_shape(unit: Unit) -> bool:
    if not any(name.value == "None" for name in only(flow.walk(unit.node), cst.Name)):
        return False
    text = flow.code_of(unit.node)
    if "assert" not in text or "None" not in text or "get_shape" not in text:
        return False
    return any(
        isinstance(node, (cst.List, cst.Tuple))
        and any(flow.key_of(element.value) == "None" for element in node.elements)
        for node in own(unit.node)
    )


def refuse_repeated(body: SessionBody, run: Run, upstream: Iterable[Unit]) -> None:
    """Raises Unsupported where a loop runs the same fetches again and again although they may give
    something else each time: random values, or what the project's own functions made."""
    loops = [block for block in run.unit.path if isinstance(block, (cst.For, cst.While))]
    if not loops:
        return  # in a comprehension, over the fetches
    wanted = flow.reads(run.fetches)
    for loop in loops:
        if isinstance(loop, cst.For) and wanted & {
            key for name in flow.bound_names(loop.target) if (key := flow.key_of(name))
        }:
            return
    # Fetches that the loop builds anew come from what it was given: values, unless drawn in a graph.
    anew = wanted <= {
        name for unit in body.units
        if unit.order < run.unit.order and loops[-1] in unit.path for name in unit.writes
    }
    for unit in upstream:
        if unit.order >= run.unit.order or loops[-1] in unit.path:
            continue
        for node in own_calls(unit.node):
            name = body.resolve(node.func) or ""
            if "random" in name or not (anew or name.startswith(_SAME_EACH_TIME)):
                raise Unsupported(
                    run.call,
                    "a loop runs again what was built before it",
                    "call the function that builds it inside of the loop",
                )

"""Names of gradients: TensorFlow 2 computes them by other operations, after which they are called."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.tree_walk import last_name, walk
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding

_LOOPS = (ast.For, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@tells("gradients", ".name")
def named_gradients(changed: Changed) -> Iterator[Finding]:
    """``grads = tf.gradients(loss, variables)``, ``grads[i].name``; ``for g, v in pairs: g.op.name``."""
    if not changed.in_graph:
        return
    kept = {key: kind for key, values in changed.assigned.items() for value in values
            if (kind := _kind(value, changed))}  # fmt: skip
    if not kept:
        return
    seen: set[tuple[int, int]] = set()
    for node in walk(changed.before.tree):
        names = _loop_names(node, kept) if isinstance(node, _LOOPS) else set()
        for asked in walk(node) if names else (node,):
            at = (getattr(asked, "lineno", 0), getattr(asked, "col_offset", 0))
            if at in seen or not isinstance(asked, ast.Attribute) or asked.attr != "name":
                continue
            value = asked.value
            if isinstance(value, ast.Attribute) and value.attr == "op":
                value = value.value
            if _is_gradient(value, kept, names):
                seen.add(at)
                yield changed.told(
                    "TF308", asked,
                    "a gradient is called after the operation that computes it, which is another one in "
                    "TensorFlow 2 where sums, shapes or biases are concerned",
                    "What is written under it has another name then: use the variable's, which stays.",
                )  # fmt: skip


def _kind(value: ast.expr, changed: Changed) -> str:
    """``list`` of gradients, ``pairs`` of them and variables, or nothing."""
    if not isinstance(value, ast.Call):
        return ""
    if changed.before.names.resolve_node(value.func) == "tensorflow.gradients":
        return "list"
    return "pairs" if last_name(value.func) == "compute_gradients" else ""


def _loop_names(loop: ast.AST, kept: dict[str, str]) -> set[str]:
    """What a loop calls the gradients that it goes over."""
    if isinstance(loop, ast.For):
        return _targets(loop.target, loop.iter, kept)
    return set().union(*(_targets(part.target, part.iter, kept) for part in loop.generators))  # type: ignore[attr-defined]


def _targets(target: ast.expr, over: ast.expr, kept: dict[str, str]) -> set[str]:
    parts = target.elts if isinstance(target, ast.Tuple) else []
    if isinstance(over, ast.Call) and last_name(over.func) == "enumerate" and len(parts) == 2 and over.args:
        return _targets(parts[1], over.args[0], kept)
    if isinstance(over, ast.Call) and last_name(over.func) == "zip":
        found: set[str] = set()
        for part, arg in zip(parts, over.args, strict=False):
            found |= _targets(part, arg, kept)
        return found
    kind = kept.get(ast.unparse(over), "")
    named = target if kind == "list" else parts[0] if kind == "pairs" and parts else None
    return {named.id} if isinstance(named, ast.Name) else set()


def _is_gradient(value: ast.expr, kept: dict[str, str], names: set[str]) -> bool:
    if isinstance(value, ast.Name):
        return value.id in names
    if not isinstance(value, ast.Subscript):
        return False
    if isinstance(value.value, ast.Subscript):
        first = isinstance(value.slice, ast.Constant) and value.slice.value == 0
        return first and kept.get(ast.unparse(value.value.value)) == "pairs"
    return kept.get(ast.unparse(value.value)) == "list"

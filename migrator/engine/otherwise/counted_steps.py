"""Steps that are counted beside the update whose learning rate follows from them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from migrator.analysis.parsed import Parsed
from migrator.analysis.tree_walk import calls_in, walk
from migrator.analysis.values import argument
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding


@tells("assign", "Optimizer(")
def counted_beside(changed: Changed) -> Iterator[Finding]:
    """Steps that are counted beside the update whose learning rate follows from them."""
    scopes = [changed.before.tree, *(n for n in walk(changed.before.tree) if isinstance(n, ast.FunctionDef))]
    told: set[int] = set()
    for scope in reversed(scopes):
        calls = calls_in(scope)
        assigned: dict[str, list[ast.expr]] = {}
        ordered: set[int] = set()  # calls that wait for something
        for node in walk(scope):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    assigned.setdefault(ast.unparse(target), []).append(node.value)
            elif isinstance(node, ast.With) and any(
                    "control_dependencies" in ast.unparse(item.context_expr) for item in node.items):
                ordered.update(id(inner) for part in node.body for inner in walk(part))
        rates = [argument(call, 0, "learning_rate") for call in calls
                 if ast.unparse(call.func).endswith("Optimizer")]
        behind = _behind([rate for rate in rates if rate is not None], assigned)
        for call in calls:
            symbol = changed.before.names.resolve_node(call.func)
            if symbol not in ("tensorflow.group", "tensorflow.control_dependencies"):
                continue
            parts = [part for given in call.args
                     for part in (given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given])]
            made = [value for part in parts for value in assigned.get(ast.unparse(part), [part])]
            for change in made if len(parts) > 1 else ():
                counted = _assigned_to(change, changed.before)
                if counted in behind and id(change) not in ordered | told:
                    told.add(id(change))
                    yield changed.told(
                        "TF310", change,
                        f"the learning rate follows from {counted}, and TensorFlow 1 left open whether it is "
                        "read before or after this: both happened, from run to run. Now one always happens",
                        "Count behind the update (with tf.control_dependencies), and give the schedule the "
                        "number that is meant.",
                    )  # fmt: skip


def _behind(found: list[ast.expr], assigned: Mapping[str, list[ast.expr]]) -> set[str]:
    """Names and attributes that some expressions follow from, by way of those that are assigned."""
    names: set[str] = set()
    for expression in found:  # grows on the way
        for node in walk(expression):
            if isinstance(node, (ast.Name, ast.Attribute)) and (name := ast.unparse(node)) not in names:
                names.add(name)
                found.extend(assigned.get(name, ()))
    return names


def _assigned_to(node: ast.expr, before: Parsed) -> str:
    """What ``x.assign_add(1)`` or ``tf.assign(x, x + 1)`` changes, "" for anything else."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("assign", "assign_add", "assign_sub")):  # fmt: skip
        return ""
    plain = (before.names.resolve_node(node.func) or "").startswith("tensorflow.assign")
    variable = argument(node, 0, "ref") if plain else node.func.value
    return "" if variable is None else ast.unparse(variable)

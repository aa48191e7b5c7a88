"""Steps that are counted beside an update that goes by them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from migrator.analysis.parsed import Parsed
from migrator.analysis.tree_walk import calls_in, walk
from migrator.analysis.values import argument
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding


@tells("assign")
def counted_beside(changed: Changed) -> Iterator[Finding]:
    """Steps that are counted beside an update that goes by them: its learning rate, what it assigns."""
    scopes = [changed.before.tree, *(n for n in walk(changed.before.tree) if isinstance(n, ast.FunctionDef))]
    told: set[int] = set()
    for scope in reversed(scopes):
        calls = calls_in(scope)
        assigned: dict[str, list[ast.expr]] = {}
        listed: dict[str, list[ast.expr]] = {}  # what is appended to lists
        ordered: set[int] = set()  # calls that wait for something
        for node in walk(scope):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    assigned.setdefault(ast.unparse(target), []).append(node.value)
            elif isinstance(node, ast.With) and any(
                    "control_dependencies" in ast.unparse(item.context_expr) for item in node.items):
                ordered.update(id(inner) for part in node.body for inner in walk(part))
            elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".append") and node.args:
                listed.setdefault(ast.unparse(node.func).removesuffix(".append"), []).append(node.args[0])
        rates = [argument(call, 0, "learning_rate") for call in calls
                 if ast.unparse(call.func).endswith("Optimizer")]
        behind = _behind([rate for rate in rates if rate is not None], assigned)
        for call in calls:
            symbol = changed.before.names.resolve_node(call.func)
            if symbol not in ("tensorflow.group", "tensorflow.control_dependencies"):
                continue
            parts = [part for given in call.args for part in _items(given, listed)]
            made = [value for part in parts for value in assigned.get(ast.unparse(part), [part])]
            changes = {id(change): _assigned_to(change, changed.before) for change in made}
            for change in made if len(parts) > 1 else ():
                counted = changes[id(change)]
                if not counted or id(change) in ordered | told:
                    continue
                values = [value for other in made if changes[id(other)] not in ("", counted)
                          and isinstance(other, ast.Call) for value in other.args]
                rate = counted in behind
                if rate or _waits_for_nothing(change) and counted in _behind(values, assigned):
                    told.add(id(change))
                    yield changed.told(
                        "TF310", change,
                        f"{'the learning rate' if rate else 'what is assigned beside this'} follows from "
                        f"{counted}, and TensorFlow 1 left open whether it is read before or after this: "
                        "both happened, from run to run. Now one always happens",
                        "Count behind the update (with tf.control_dependencies), and give "
                        f"{'the schedule' if rate else 'it'} the number that is meant.",
                    )  # fmt: skip


def _waits_for_nothing(change: ast.expr) -> bool:
    """Whether ``t.assign_add(1)`` may happen at once; ``v.assign(v_t)`` waits for what `v_t` reads."""
    assert isinstance(change, ast.Call)
    return ast.unparse(change.func).endswith(("assign_add", "assign_sub")) and all(
        isinstance(value, ast.Constant) for value in change.args[-1:])


def _items(given: ast.expr, listed: Mapping[str, list[ast.expr]]) -> list[ast.expr]:
    """What a group is given: the items of a list, also of one that was filled by `append`."""
    if isinstance(given, (ast.List, ast.Tuple)):
        return given.elts
    name = ast.unparse(given.value if isinstance(given, ast.Starred) else given)
    return listed.get(name, [given])


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

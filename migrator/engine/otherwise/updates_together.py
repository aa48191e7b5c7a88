"""Updates of one run of which one's gradient goes through the variables of the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from migrator.analysis.tree_walk import calls_in, last_name, walk
from migrator.analysis.values import argument
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding

_UPDATES = ("minimize", "apply_gradients")
_INPUTS = ("placeholder", "placeholder_with_default", "Variable", "constant", "get_variable", "Session",
           "ConfigProto", "Saver", "get_collection", "trainable_variables")


@tells("run(")
def updates_together(changed: Changed) -> Iterator[Finding]:
    """``sess.run([d_train, g_train])``, where both losses follow from the same layers: nothing set whether
    the gradient of one came before or after the other's update of the variables that it goes through."""
    text = changed.before.text
    if text.count(".minimize(") + text.count(".apply_gradients(") < 2:
        return
    ordered = {id(part) for node in walk(changed.before.tree) if isinstance(node, ast.With) and any(
        "control_dependencies" in ast.unparse(item.context_expr) for item in node.items)
        for inner in node.body for part in walk(inner)}
    updates: dict[str, ast.Call] = {}
    for name, values in changed.assigned.items():
        made = values[-1]
        if len(values) == 1 and isinstance(made, ast.Call) and last_name(made.func) in _UPDATES and (
                id(made) not in ordered):
            updates[name] = made
    told: set[frozenset[str]] = set()
    for call in calls_in(changed.before.tree):
        if last_name(call.func) not in ("run", "group") or not call.args:
            continue
        given = call.args if last_name(call.func) == "group" else getattr(call.args[0], "elts", [])
        named = [name for part in given if (name := ast.unparse(part)) in updates]
        for one, other in combinations(named, 2):
            pair = frozenset((one, other))
            if len(pair) == 2 and pair not in told and _share(changed, updates[one], updates[other]):
                told.add(pair)
                yield changed.told(
                    "TF310", call,
                    f"{one} and {other} follow from the same layers, and TensorFlow 1 left open whether the "
                    "gradient of one was taken before or after the other had updated the variables that it "
                    "goes through: both happened, from run to run. Now it goes through those that the "
                    "forward pass read",
                    "Set the order that is meant: two runs, or tf.control_dependencies.",
                )  # fmt: skip


def _share(changed: Changed, one: ast.Call, other: ast.Call) -> bool:
    """Whether two updates train variables of their own, and what they go by has a part in common."""
    trained = [_variables(changed, call) for call in (one, other)]
    if not all(trained) or trained[0] == trained[1]:
        return False
    common = _behind(changed, one) & _behind(changed, other)
    return any(isinstance(value, ast.Call) and last_name(value.func) not in _INPUTS
               for name in common for value in changed.assigned.get(name, ()))


def _variables(changed: Changed, update: ast.Call) -> str:
    """The text of what an update trains, as far as it is said."""
    if last_name(update.func) == "minimize":
        listed = argument(update, 2, "var_list")
        return "" if listed is None else ast.unparse(listed)
    made = [v for name in sorted(_behind(changed, update)) for v in changed.assigned.get(name, ())]
    for call in (part for value in [*update.args[:1], *made] for part in walk(value)):
        if isinstance(call, ast.Call) and last_name(call.func) in ("compute_gradients", "gradients"):
            listed = argument(call, 1, "var_list") or argument(call, 1, "xs")
            if listed is not None:
                return ast.unparse(listed)
    return ""


def _behind(changed: Changed, update: ast.Call) -> set[str]:
    """Names and attributes that what an update is given follows from."""
    todo: list[ast.AST] = list(update.args[:1] or [k.value for k in update.keywords if k.arg == "loss"])
    names: set[str] = set()
    for expression in todo:  # grows on the way
        for node in walk(expression):
            if isinstance(node, (ast.Name, ast.Attribute)) and (name := ast.unparse(node)) not in names:
                names.add(name)
                todo.extend(changed.assigned.get(name, ()))
    return names

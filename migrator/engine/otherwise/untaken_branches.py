"""What a branch needs that is never taken."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.tree_walk import walk
from migrator.analysis.values import argument
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding

_NORMS = frozenset({"tensorflow.contrib.layers.batch_norm", "tensorflow.contrib.slim.batch_norm",
                    "tensorflow.contrib.layers.batch_normalization"})
_TENSORS = frozenset({"tensorflow.cast", "tensorflow.constant", "tensorflow.convert_to_tensor"})
_FED = ("tensorflow.placeholder", "tensorflow.placeholder_with_default")


@tells("batch_norm", "updates_collections", "cond(")
def updates_of_untaken_branches(changed: Changed) -> Iterator[Finding]:
    """A batch norm that updates its averages at once, made ahead of a choice whose condition is no tensor
    that is fed: TensorFlow 1 left out the branch that a constant does not take, and what it needs."""
    names = changed.before.names
    for function in walk(changed.before.tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        nodes = list(walk(function))
        made = {ast.unparse(node.targets[0]) for node in nodes
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
                and names.resolve_node(node.value.func) in _NORMS and _updates_at_once(node.value)}
        for call in nodes if made else ():
            if not isinstance(call, ast.Call) or names.resolve_node(call.func) != "tensorflow.cond":
                continue
            given = argument(call, 0, "pred")
            needed = {ast.unparse(branch.body) for branch in (*call.args, *(k.value for k in call.keywords))
                      if isinstance(branch, ast.Lambda)} & made
            if needed and isinstance(given, ast.Call) and names.resolve_node(given.func) in _TENSORS and (
                    given.args and not _is_fed(changed, function, given.args[0])):
                yield changed.told(
                    "TF314", call,
                    f"{', '.join(sorted(needed))} updates moving averages also where the other branch is "
                    "taken; TensorFlow 1 left that out where the condition is a constant",
                    "Choose in Python (if training: ... else: ...), with each batch norm in its own branch. "
                    "With a condition that is fed, TensorFlow 1 updated in both cases, too.")


def _updates_at_once(call: ast.Call) -> bool:
    given = {word.arg: word.value for word in call.keywords}
    updates, training = given.get("updates_collections"), given.get("is_training")
    return isinstance(updates, ast.Constant) and updates.value is None and (
        not isinstance(training, ast.Constant) or training.value is not False)


def _is_fed(changed: Changed, function: ast.FunctionDef, condition: ast.expr) -> bool:
    """Whether a condition is a placeholder in all that the file makes of it, or gives the function for it."""
    values = [condition]
    parameters = [p.arg for p in (*function.args.posonlyargs, *function.args.args)]
    if isinstance(condition, ast.Name) and condition.id in parameters:
        place = parameters.index(condition.id)
        calls = [node for node in walk(changed.before.tree) if isinstance(node, ast.Call)
                 and ast.unparse(node.func).rpartition(".")[2] == function.name]
        method = parameters[0] in ("self", "cls")
        found = [argument(call, place - method, condition.id) for call in calls]
        values = [value for value in found if value is not None]
    made = [maker for value in values for maker in changed.assigned.get(ast.unparse(value), [value])]
    names = changed.before.names
    return bool(made) and all(
        isinstance(maker, ast.Call) and names.resolve_node(maker.func) in _FED for maker in made)

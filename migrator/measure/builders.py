"""Classes that build a graph around placeholders of their own, told by how the repository makes and runs
them: `net = Net(FLAGS.width)` … `sess.run([net.loss, net.train_op], {net.images: ...})`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from migrator.analysis.tree_walk import elements, self_attribute
from migrator.measure.arguments import Arguments, Unknown, bound
from migrator.measure.modules import Module, Modules, called, own
from migrator.workload.spec import Workload

_MOST = 6  # objects
_UPDATES = ("minimize", "apply_gradients", "create_train_op", "optimize_loss")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A workload as far as the text tells it: the placeholders tell the rest when the graph is built.

    guessed: the arguments whose sizes are guesses.
    """

    workload: Workload
    guessed: tuple[str, ...]


def find(modules: Modules) -> tuple[list[Candidate], list[tuple[str, str]]]:
    """(what can be tried, (what cannot, why)). Runs nothing."""
    found: dict[str, Candidate] = {}
    missing: list[tuple[str, str]] = []
    for path in modules.by_depth():
        for scope, call in _calls(modules.trees[path]):
            meant = called(call.func, modules.names(path))
            made = modules.definition(meant) if meant else None
            if not meant or not isinstance(made, ast.ClassDef):
                continue
            attributes = _attributes(made)
            if not any(_is_placeholder(value) for values in attributes.values() for value in values):
                continue
            fetched = _fetched(modules.trees[path], attributes)
            for mode, fetches in fetched.items():
                title = f"{PurePosixPath(path).name}: {meant[1]}, {mode}"
                arguments = Arguments(modules, path, scope)
                try:
                    kwargs = _given(call, made, arguments)
                except Unknown as error:
                    missing.append((title, f"what is {error} there?"))
                    continue
                workload = _workload(title, mode, *meant, kwargs, fetches)
                guessed = tuple(dict.fromkeys(arguments.guessed))
                found.setdefault(title, Candidate(workload, guessed))
    return list(found.values())[:_MOST], missing[:_MOST]


def _workload(
    title: str, mode: str, module: Module, name: str, kwargs: dict[str, Any], fetches: tuple[str, ...]
) -> Workload:
    return Workload(title, "graph", mode, call=f"{module.dotted}:{name}", kwargs=kwargs, fetches=fetches,
                    roots=module.roots)  # fmt: skip


def _calls(tree: ast.Module) -> Iterator[tuple[ast.AST | None, ast.Call]]:
    """All calls of a file, with the function that they are in."""
    scopes: list[ast.AST] = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    for scope in (tree, *scopes):
        for node in own(scope):
            if isinstance(node, ast.Call):
                yield (None if scope is tree else scope), node


def _attributes(made: ast.ClassDef) -> dict[str, list[ast.expr]]:
    """{attribute: what the methods of a class assign to it}."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(made):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for part in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
                    if (name := self_attribute(part)) is not None:
                        found.setdefault(name, []).append(node.value)
    return found


def _is_placeholder(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and getattr(value.func, "attr", "") == "placeholder"


def _fetched(tree: ast.Module, attributes: dict[str, list[ast.expr]]) -> dict[str, tuple[str, ...]]:
    """{mode: attributes of the object} for what runs of a file fetch that feed: with an update, and without.

    Where what is fetched has a name, it is what that name is given last.
    """
    named = {
        n.targets[0].id: n.value for n in ast.walk(tree)
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
    }  # fmt: skip
    found: dict[str, tuple[str, ...]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or getattr(node.func, "attr", "") != "run" or not node.args:
            continue
        if len(node.args) < 2 and not any(k.arg == "feed_dict" for k in node.keywords):
            continue
        wanted = node.args[0]
        wanted = named.get(wanted.id, wanted) if isinstance(wanted, ast.Name) else wanted
        names = tuple(dict.fromkeys(
            n.attr for n in elements(wanted) if isinstance(n, ast.Attribute) and n.attr in attributes
            and not any(_is_placeholder(v) for v in attributes[n.attr])
        ))  # fmt: skip
        trains = any(
            isinstance(v, ast.Call) and getattr(v.func, "attr", "") in _UPDATES
            for name in names for v in attributes[name]
        )  # fmt: skip
        mode = "training" if trains else "inference"
        if len(names) > len(found.get(mode, ())):
            found[mode] = names
    return found


def _given(call: ast.Call, made: ast.ClassDef, arguments: Arguments) -> dict[str, Any]:
    """{parameter: value} of a call. Raises Unknown."""
    init = next((n for n in made.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    found = {name: arguments.value(value, name) for name, value in bound(call, init, True)}
    return {name: value for name, value in found.items() if value is not None}

"""Every TF 1 parameter of a supported symbol is one of the support function, in the same place."""

from __future__ import annotations

import ast

import pytest

from migrator.engine.ruleset import RuleSet
from tests.rules.conftest import ROOT

SUPPORT = ROOT / "templates" / "support"
MODULES = {path.stem: ast.parse(path.read_text()) for path in SUPPORT.glob("*.py")}
Definition = ast.FunctionDef | ast.ClassDef
# Positional arguments mean something else; what TF 1 wrote there is always a keyword.
OTHERWISE = {
    "tf.contrib.learn.RunConfig": "the options of estimator.RunConfig, by keyword",
    "tf.train.Optimizer": "subclasses are written anew: a learning rate and a name",
}


def definition(module: str, name: str) -> tuple[str, Definition] | None:
    """Where a symbol of the support package is defined; None for an assigned value."""
    for node in MODULES[module].body if module in MODULES else ():
        if isinstance(node, Definition) and node.name == name:
            return module, node
        if isinstance(node, ast.ImportFrom) and node.level and node.module:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return definition(node.module, alias.name)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            if any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
                return definition(module, node.value.id)
    return None


def arguments(module: str, node: Definition) -> ast.arguments | None:
    """The parameters of a function, or of a class's own or inherited constructor."""
    if isinstance(node, ast.FunctionDef):
        return node.args
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and member.name == "__init__":
            return member.args
    for base in node.bases:
        found = definition(module, base.id) if isinstance(base, ast.Name) else None
        if found is not None:
            return arguments(*found)
    return None


def supported(rules: RuleSet) -> list[tuple[str, str, list[str], ast.arguments, bool]]:
    """(symbol, target, TF 1's positional parameters, parameters here, whether of a class)."""
    rows = []
    for symbol, entry in sorted(rules.packs.support.items()):
        signature = rules.tf1.signature("tensorflow" + symbol[2:])
        module, _, name = entry.target.partition(".")
        found = definition(module, name) if signature is not None else None
        own = arguments(*found) if found is not None else None
        if signature is None or found is None or own is None:
            continue
        old = [p.name for p in signature if p.kind == "positional" and p.name != "self"]
        rows.append((symbol, entry.target, old, own, isinstance(found[1], ast.ClassDef)))
    return rows


def test_parameters_are_taken(rules: RuleSet) -> None:
    rows = supported(rules)
    assert len(rows) > 350
    wrong = []
    for symbol, target, old, own, of_class in rows:
        if symbol in OTHERWISE:
            continue
        places = [a.arg for a in [*own.posonlyargs, *own.args]][int(of_class) :]
        known = {*places, *(a.arg for a in own.kwonlyargs)}
        missing = [] if own.kwarg else [name for name in old if name not in known]
        moved = [] if own.vararg else [
            (name, places[i]) for i, name in enumerate(old[: len(places)]) if places[i] != name
        ]
        if missing or moved:
            wrong.append((symbol, target, missing, moved))
    assert wrong == []


@pytest.mark.parametrize("symbol", sorted(OTHERWISE))
def test_exceptions_are_needed(symbol: str, rules: RuleSet) -> None:
    assert symbol in rules.packs.support

"""Calls that a dict of Python 2 took, and a class of the project takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.python2 import runs_on_python2
from migrator.analysis.tree_walk import calls_in
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding


@tells(".has_key(", unchanged=True)
def undecided_has_key(changed: Changed) -> Iterator[Finding]:
    """`x.has_key(k)` in a module of Python 2, where a class of the project has such a method."""
    if not (changed.index.has_own_has_key and runs_on_python2(changed.index, changed.path)):
        return
    for call in calls_in(changed.before.tree):
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr == "has_key" and ast.unparse(func.value) != "self":
            yield changed.told(
                "PY107", call,
                "dicts have no has_key in Python 3, and a class of this program has one: whether this is a "
                "dict the text does not say",
                "Write `k in x` where x is a dict; there is nothing to do where it is one of that class.",
            )

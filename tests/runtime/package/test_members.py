"""What the tables say the support package has, down to the methods of its classes, is there."""

from __future__ import annotations

import importlib
import types
from typing import Any

import pytest

from migrator.engine.dispositions import every
from migrator.engine.options import Options
from migrator.engine.ruleset import load_ruleset

pytest.importorskip("tensorflow")


def missing(target: str) -> str:
    """The first part of a dotted name that is not there, empty if all are."""
    parts = target.split(".")
    found: Any = None
    length = len(parts)
    while found is None and length > 1:
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            length -= 1
    for name in parts[length:]:
        if isinstance(found, types.FunctionType) or "__new__" in getattr(found, "__dict__", ()):
            return ""  # it makes the object whose attribute is meant
        if not hasattr(found, name):
            return name
        found = getattr(found, name)
    return ""


def test_each_target_is_there() -> None:
    records = [r for r in every(load_ruleset(Options())) if r.kind == "support"]
    assert len(records) > 1000
    assert [r.symbol for r in records if missing(r.target)] == []

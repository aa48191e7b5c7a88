"""Shared by the tests of the rule packs: the rule set, the cases, the support package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from migrator.engine.options import Options
from migrator.engine.ruleset import RuleSet, load_ruleset

ROOT = Path(__file__).resolve().parents[2]


def tool(name: str) -> ModuleType:
    """A script of rules/tools as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "rules" / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def rules() -> RuleSet:
    """The shipped rules."""
    return load_ruleset(Options())

"""What tests of single texts share: the text that a module becomes, with the shipped rules."""

from __future__ import annotations

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset
from migrator.model import FileResult

RULES = load_ruleset(Options())


def result_of(text: str, path: str = "m.py") -> FileResult:
    """What migrating a module alone gives; a second run must leave the new text as it is."""
    result = migrate_text(path, text, ProjectIndex(), Options(), RULES)
    assert not result.error
    if result.new_text is not None:
        again = migrate_text(path, result.new_text, ProjectIndex(), Options(), RULES)
        assert again.new_text is None, again.new_text
    return result


def migrated(text: str, path: str = "m.py") -> str:
    """The text that a module becomes, which may be its old one."""
    new = result_of(text, path).new_text
    return text if new is None else new

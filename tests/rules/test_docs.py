"""The generated pages are what the packs say now."""

from __future__ import annotations

from migrator.engine.dispositions import every
from migrator.engine.ruleset import RuleSet
from tests.rules.conftest import tool


def test_pages_are_up_to_date() -> None:
    """If not: python rules/tools/make_docs.py"""
    pages = tool("make_docs").pages()
    assert len(pages) == 4
    stale = [
        path.name
        for path, text in pages.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    assert stale == []


def test_what_is_not_proven_has_a_reason(rules: RuleSet) -> None:
    """Rewritten and supported symbols without a recorded case; no reason outlives its symbols."""
    docs = tool("make_docs")
    cases = docs.proven(rules)
    bare = [
        r.symbol for r in every(rules) if r.kind in ("rewritten", "support")
        and ".python." not in r.symbol and not cases.get(r.symbol)
    ]  # fmt: skip
    assert [symbol for symbol in bare if not docs.unproven(symbol)] == []
    prefixes = {
        prefix for prefix in docs.reasons()
        if not any(symbol == prefix or symbol.startswith(prefix + ".") for symbol in bare)
    }  # fmt: skip
    assert prefixes == set()
    assert len(bare) < 160  # a third of them are methods of the classes of tensorflow_probability

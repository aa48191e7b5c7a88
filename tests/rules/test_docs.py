"""The generated pages are what the packs say now."""

from __future__ import annotations

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

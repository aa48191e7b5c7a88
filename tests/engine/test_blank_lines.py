"""Blank lines and comments around code that an edit took away."""

from __future__ import annotations

import pytest

from migrator.analysis.parsed import Parsed
from migrator.engine.blank_lines import closed
from migrator.engine.comments import restored


def tidied(old: str, new: str) -> str:
    return closed(Parsed(old), Parsed(new))


@pytest.mark.parametrize(
    ("old", "new", "tidy"),
    [
        ("for x in y:\n    d = {}\n\n    f(x)\n", "for x in y:\n\n    f(x)\n", "for x in y:\n    f(x)\n"),
        ("def g():\n    a()\n\n    d = {}\n\n    b(d)\n    c()\n",
         "def g():\n    a()\n\n\n    b(1)\n    c()\n",
         "def g():\n    a()\n\n    b(1)\n    c()\n"),
        ("a()\n\n\nd = 1\n\n\nb()\n", "a()\n\n\n\n\nb()\n", "a()\n\n\nb()\n"),
        ("with s:\n    a()\n\n    d = 1\n\n    b()\n", "a()\n\n\n\nb()\n", "a()\n\n\nb()\n"),
    ],
)  # fmt: skip
def test_what_only_code_that_is_gone_kept_apart(old: str, new: str, tidy: str) -> None:
    assert tidied(old, new) == tidy


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def g():\n\n    a()\n    x(1)\n", "def g():\n\n    a()\n    x(2)\n"),
        ("def g():\n    a()\n\n\n    b()\n    x(1)\n", "def g():\n    a()\n\n\n    b()\n    x(2)\n"),
        ("s = 1\nt = '''a:\n\n\n\nb'''\n", "t = '''a:\n\n\n\nb'''\n"),
        ("def g():\n\n    d = 1\n    a()\n", "def g():\n\n    a()\n"),
        ("a()\nd = 1\n\nb()\n", "a()\n\n\ndef f():\n    pass\n\n\nb()\n"),
    ],
)
def test_other_blank_lines_stay(old: str, new: str) -> None:
    assert tidied(old, new) == new


def test_a_comment_stays_before_what_followed_it_in_a_block_that_is_gone() -> None:
    old = "with s:\n    # all of them\n    init()\n\n    for i in r:\n        f(i)\n\nend()\n"
    new = "for i in r:\n    f(i)\n\nend()\n"
    assert restored(old, Parsed(old).tree, new, Parsed(new).tree) == "# all of them\n" + new


def test_a_comment_that_became_part_of_a_docstring_is_not_said_again() -> None:
    old = "x = p()  # pictures, RGB\ny = f(x)\n"
    new = "def g(x):\n    \'\'\'Computes y.\n\n    x: pictures, RGB\n    \'\'\'\n    return f(x)\n"
    assert restored(old, Parsed(old).tree, new, Parsed(new).tree) == new


def test_a_comment_stands_above_the_one_of_the_code_that_follows() -> None:
    old = "a()\n\n# the session\ns = t()\n\n# what it gives\nb = f(s)\n"
    new = "a()\n\n# what it gives\nb = f()\n"
    after = "a()\n\n# the session\n# what it gives\nb = f()\n"
    assert restored(old, Parsed(old).tree, new, Parsed(new).tree) == after

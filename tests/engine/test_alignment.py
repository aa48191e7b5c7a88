"""Continuation lines follow the bracket that they were aligned with."""

from __future__ import annotations

import textwrap

import pytest

from migrator.analysis.parsed import Parsed
from migrator.engine.alignment import aligned
from migrator.engine.docstrings import moved_along


def made(old: str, new: str) -> str:
    return aligned(Parsed(textwrap.dedent(old).lstrip("\n")), Parsed(textwrap.dedent(new).lstrip("\n")))


CASES = {
    "moved to the right": (
        """
        x = tf.log(a,
                   name="x")
        """,
        """
        x = tf.math.log(a,
                   name="x")
        """,
        """
        x = tf.math.log(a,
                        name="x")
        """,
    ),
    "moved to the left, with what stands in it": (
        """
        tf.logging.info("%s %s", tf.concat([a,
                                            b], 0),
                        c)  # c
        """,
        """
        logging.info("%s %s", tf.concat([a,
                                            b], 0),
                        c)  # c
        """,
        """
        logging.info("%s %s", tf.concat([a,
                                         b], 0),
                     c)  # c
        """,
    ),
    "a hanging bracket inside moves along": (
        """
        if True:
            y = tf.log(a,
                       f(
                           b,
                       ))
        """,
        """
        if True:
            y = tf.math.log(a,
                       f(
                           b,
                       ))
        """,
        """
        if True:
            y = tf.math.log(a,
                            f(
                                b,
                            ))
        """,
    ),
    "strings stay": (
        '''
        x = tf.log(a, """
          text
        """,
                   b)
        ''',
        '''
        x = tf.math.log(a, """
          text
        """,
                   b)
        ''',
        '''
        x = tf.math.log(a, """
          text
        """,
                        b)
        ''',
    ),
    "headers": (
        """
        with tf.variable_scope(a,
                               b):
            pass
        """,
        """
        with scopes.variable_scope(a,
                               b):
            pass
        """,
        """
        with scopes.variable_scope(a,
                                   b):
            pass
        """,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_lines_follow_their_bracket(case: str) -> None:
    old, new, wanted = CASES[case]
    assert made(old, new) == textwrap.dedent(wanted).lstrip("\n")


STAY = {
    "not aligned before": ("x = tf.log(a,\n  b)\n", "x = tf.math.log(a,\n  b)\n"),
    "nothing behind the bracket": ("x = tf.log(\n    a)\n", "x = tf.math.log(\n    a)\n"),
    "tabs": ("if a:\n\tx = tf.log(a,\n\t           b)\n", "if a:\n\tx = tf.math.log(a,\n\t           b)\n"),
    "a line would become too long": (
        f"x = tf.log(a,\n           {'b' * 86})\n", f"x = tf.math.log(a,\n           {'b' * 86})\n"),
    "an unchanged statement": ("y = 1\nx = f(a,\n      b)\n", "y = 2\nx = f(a,\n      b)\n"),
    "another line end in a string": ("x = '\\\n' + f(a,\n        b)\n", "x = '\\\n' + g(a,\n        b)\n"),
}


@pytest.mark.parametrize("case", STAY)
def test_other_lines_stay(case: str) -> None:
    old, new = STAY[case]
    assert made(old, new) == new


def test_line_ends_stay() -> None:
    assert made("x = tf.log(a,\r\n           b)\r\n", "x = tf.math.log(a,\r\n           b)\r\n") == (
        "x = tf.math.log(a,\r\n                b)\r\n")


@pytest.mark.parametrize("new", [
    'def f():\n    """Says.\n\n    All:\n        x: it\n    """\n',
    'if a:\n  if b:\n    def f():\n      """Says.\n\n      All:\n          x: it\n      """\n',
])
def test_docstrings_move_along(new: str) -> None:
    old = 'with s:\n        def f():\n            """Says.\n\n            All:\n                x: it\n'
    old += '            """\n'
    unmoved = new[: new.index('"""')] + old[old.index('"""') :]
    assert moved_along(Parsed(old), Parsed(unmoved)) == new


@pytest.mark.parametrize("doc", ['"""Says.\n  less\n        """', '"""One line."""'])
def test_docstrings_that_stay(doc: str) -> None:
    old, new = f"with s:\n    def f():\n        {doc}\n", f"def f():\n    {doc}\n"
    assert moved_along(Parsed(old), Parsed(new)) == new

"""What is translated piece by piece becomes what fissix makes of the whole module."""

from __future__ import annotations

import pytest

from migrator.analysis.py2_pieces import in_pieces
from migrator.analysis.py2_syntax import _refactored, _tools

ABOVE = "import os\n\n\ndef above(a):\n    return a\n\n\n"
BELOW = "\n\nclass Below(object):\n    x = 1\n\n    def method(self):\n        return 2\n"
STATEMENTS = """
x = d.keys()
x = d.items( )
for k in d.iterkeys(): print(k)
x = d.viewvalues()
x = map(f, s)
x = filter(None, s)
x = zip(a, b)[0]
x = [range(3)]
for i in range(n): print(i)
for i in (range(n)): print(i)
for i in range(n) + range(m): print(i)
for i in range(len(d.keys())): print(i)
x = [i for i in range(n) if i]
x = 3 not in range(n)
for i in xrange(3): print(i)
x = unicode(y), unichr(3), long(4), basestring
x = u'a' + 'b'
x = '\\\\u0041'
raise (E, 'why')
x = isinstance(f(y), (int, int))
x = isinstance(y, (int, long))
x = types.StringType
x = y.has_key(3)
x = f.im_func
x = g.throw(E, 'why')
x = apply(f, s)
x = reduce(f, s)
reload(os)
x = it.next()
from itertools import izip, chain
x = raw_input('?'); y = buffer(x)
raise StandardError
class C(object): __metaclass__ = M
dataset = dataset.map(f).filter(g)
"""


def whole(text: str) -> str:
    return _refactored(_tools()[1], text)


@pytest.mark.parametrize("statement", STATEMENTS.strip().split("\n"))
def test_as_the_whole_module(statement: str) -> None:
    for head, indent in (
        ("", ""), ("def f(a):\n", "    "), ("class C(B):\n\n    def m(self):\n", " " * 8),
        ("class C(B):\n    y = 1\n", "    "), ("if a:\n", "    "), ("x = 1; ", ""),
        ("class C(object):\n    def __nonzero__(self):\n", " " * 8),
    ):
        text = ABOVE + head + indent + statement + "\n" + BELOW
        try:
            compile(text, "text", "exec", dont_inherit=True)
        except SyntaxError:
            continue
        assert in_pieces(text, whole) == whole(text)


def test_only_what_is_touched() -> None:
    seen: list[str] = []

    def translated(text: str) -> str:
        seen.append(text)
        return whole(text)

    touched = "    def two(self):\n        return d.keys()\n"
    middle = f"class C(B):\n    def one(self):\n        return 1\n\n{touched}"
    in_pieces(ABOVE + middle + BELOW, translated)
    assert seen == [f"if 1:\n{touched}"]
    assert in_pieces(ABOVE + BELOW, pytest.fail) == ABOVE + BELOW

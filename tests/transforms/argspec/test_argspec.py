"""inspect.getargspec: what is unpacked gets four fields, attributes get their new names."""

from __future__ import annotations

import inspect

import pytest

from tests.transforms.texts import migrated


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import inspect\na = inspect.getargspec(f).args\n",
         "import inspect\na = inspect.getfullargspec(f).args\n"),
        ("import inspect\nk = inspect.getargspec(f).keywords\n",
         "import inspect\nk = inspect.getfullargspec(f).varkw\n"),
        ("import inspect\na, v, k, d = inspect.getargspec(f)\n",
         "import inspect\na, v, k, d = inspect.getfullargspec(f)[:4]\n"),
        ("import inspect\nfirst = inspect.getargspec(f)[0]\n",
         "import inspect\nfirst = inspect.getfullargspec(f)[:4][0]\n"),
        ("from inspect import getargspec\nprint(getargspec(f).defaults)\n",
         "from inspect import getfullargspec\nprint(getfullargspec(f).defaults)\n"),
        ("from inspect import getargspec as spec\na, v, k, d = spec(f)\n",
         "from inspect import getfullargspec as spec\na, v, k, d = spec(f)[:4]\n"),
        ("import inspect as i\nspecs = map(i.getargspec, fs)\n",
         "import inspect as i\nspecs = map(i.getfullargspec, fs)\n"),
        ("def f(inspect):\n    return inspect.getargspec(f)\n",
         "def f(inspect):\n    return inspect.getargspec(f)\n"),
    ],
)  # fmt: skip
def test_rewritten(before: str, after: str) -> None:
    assert migrated(before) == after


def test_results_run() -> None:
    before = "import inspect\n\ndef f(a, b=2, *c, **d): pass\n"
    before += "names, rest, more, defaults = inspect.getargspec(f)\n"
    found: dict[str, object] = {}
    exec(migrated(before), found)
    assert (found["names"], found["rest"], found["more"], found["defaults"]) == (
        ["a", "b"], "c", "d", (2,),
    )  # fmt: skip
    assert not hasattr(inspect, "getargspec")

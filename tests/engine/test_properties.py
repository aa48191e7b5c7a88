"""Properties over generated programs: nothing to do means byte for byte the same; what is done
compiles, is a fixed point, and leaves every other line alone."""

from __future__ import annotations

import ast

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from migrator.model import Status
from tests.engine.helpers import migrate

names = st.sampled_from(["x", "y", "slim", "layers", "data", "n"])
atoms = st.one_of(names, st.integers(0, 9).map(str), st.sampled_from(["'tf.log'", "[1, 2]", "(3)"]))
gaps = st.sampled_from([", ", ",", ",\n    ", ",  # why\n    ", " , "])


def calls(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    one = st.sampled_from(["tf.log", "tf.to_float", "tf.nn.relu", "T.to_float", "log", "tf.no_such"])
    two = st.sampled_from(["tf.swap", "tf.div2", "tf.nn.dropout"])
    return st.one_of(
        st.tuples(one, inner).map(lambda p: f"{p[0]}({p[1]})"),
        st.tuples(one, gaps, inner).map(lambda p: f"{p[0]}({p[2]}{p[1]}name='n')"),
        st.tuples(two, inner, gaps, inner).map(lambda p: f"{p[0]}({p[1]}{p[2]}{p[3]})"),
        st.tuples(inner, inner).map(lambda p: f"tf.reduce_sum({p[0]}, {p[1]}, keep_dims=True)"),
        st.tuples(inner, st.sampled_from(["+", "*", "-", "**", "if c else"]), inner).map(
            lambda p: f"({p[0]} {p[1]} {p[2]})"
        ),
        inner.map(lambda e: f"[{e} for x in {e}]"),
        inner.map(lambda e: f"(lambda tf: {e})"),
        inner.map(lambda e: f"(lambda q: {e})"),
        inner.map(lambda e: f"({e}).shape"),
        inner.map(lambda e: f"{{'a': {e}, **d}}"),
    )


expressions = st.recursive(atoms, calls, max_leaves=8)
statements = st.one_of(
    expressions.map(lambda e: f"r = {e}"),
    expressions.map(lambda e: f"def f(a=({e}), *k, tf=1):\n    return tf.log({e})"),
    expressions.map(lambda e: f"class C:\n    a = ({e})\n    def m(self): return ({e})"),
    expressions.map(lambda e: f"with g({e}) as w:\n    tf.enable_eager_execution()"),
    expressions.map(lambda e: f"assert ({e}), 'é'  # tf.log"),
    st.just("untouched = 'tf.to_float'   # keep\t"),
)
heads = st.sampled_from(
    [
        "import tensorflow as tf\nimport tensorflow as T\nfrom tensorflow import log\n",
        "import os\nimport tensorflow.compat.v1 as tf\nT = tf\nlog = tf.log\n",
        "'''Doc.'''\ntry:\n  import tensorflow as tf\nexcept ImportError:\n  tf = None\nT, log = 1, 2\n",
    ]
)
programs = st.tuples(heads, st.lists(statements, min_size=1, max_size=5)).map(
    lambda p: p[0] + "\n".join(p[1]) + "\n"
)
quick = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@quick
@given(programs)
def test_results_compile_and_are_fixed_points(text: str) -> None:
    ast.parse(text)
    result = migrate(text)
    assert result.status in (Status.CHANGED, Status.UNCHANGED), result.error
    assert not any(f.code == "TF000" for f in result.findings), result.findings
    if result.new_text is not None:
        ast.parse(result.new_text)
        assert result.changes
        again = migrate(result.new_text)
        assert again.new_text is None


@quick
@given(programs)
def test_lines_without_edits_stay(text: str) -> None:
    result = migrate(text)
    if result.new_text is None:
        return
    touched = {n for c in result.changes for n in range(c.line, c.end_line + 1)}
    new_lines = result.new_text.split("\n")
    position = 0
    for number, line in enumerate(text.split("\n"), 1):
        if number not in touched:
            assert line in new_lines[position:], (number, line)
            position += new_lines[position:].index(line) + 1


@quick
@given(programs)
def test_programs_without_tensorflow_come_back(text: str) -> None:
    plain = (
        text.replace("tensorflow.compat.v1", "paddle").replace("tensorflow", "paddle")
    )
    result = migrate(plain)
    assert result.new_text is None and result.old_text == plain

"""Functions that are passed on instead of called: what takes their place takes TF 1's calls."""

from __future__ import annotations

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset
from migrator.model import FileResult, Rung


def migrated(code: str) -> FileResult:
    text = f"import functools\nimport tensorflow as tf\n{code}\n"
    result = migrate_text("m.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    again = migrate_text(
        "m.py", result.new_text or text, ProjectIndex(), Options(), load_ruleset(Options())
    )
    assert again.new_text is None
    return result


def body(result: FileResult) -> str:
    text = result.new_text or result.old_text
    return text[text.index("\n", text.rindex("import ")) :].strip()


V1 = "tf.compat.v1.nn.dropout"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(x, drop=tf.nn.dropout): return drop(x, 0.5)", f"def f(x, drop={V1}): return drop(x, 0.5)"),
        ("class A:\n    drop = staticmethod(tf.nn.dropout)", f"class A:\n    drop = staticmethod({V1})"),
        ("class A:\n    drop = tf.nn.dropout", f"class A:\n    drop = {V1}"),
        ("t = [tf.nn.dropout, {'d': tf.nn.dropout}]", f"t = [{V1}, {{'d': {V1}}}]"),
        ("p = functools.partial(tf.nn.dropout, keep_prob=k)", f"p = functools.partial({V1}, keep_prob=k)"),
        ("d = tf.nn.dropout if t else None\nd(x, 0.5)", f"d = {V1} if t else None\nd(x, 0.5)"),
        ("if t:\n    d = tf.nn.dropout\nelse:\n    d = g\nd(x, 0.5)",
         f"if t:\n    d = {V1}\nelse:\n    d = g\nd(x, 0.5)"),
        ("m = map(tf.argmax, a)", "m = map(tf.compat.v1.argmax, a)"),
    ],
)  # fmt: skip
def test_what_means_something_else_stays_tf1s(before: str, after: str) -> None:
    result = migrated(before)
    assert body(result) == after
    found = [f for f in result.findings if f.rung is Rung.COMPAT]
    assert found and all("value" in f.advice for f in found)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(tf.to_float)", "f(lambda x, name='ToFloat': tf.cast(x, tf.float32, name=name))"),
        ("f(tf.nn.xw_plus_b)",
         "f(lambda x, weights, biases, name=None: tf.nn.bias_add(tf.matmul(x, weights), biases, name=name))"),
        ("f(tf.log, tf.nn.relu)", "f(tf.math.log, tf.nn.relu)"),
        ("f(tf.py_func)", "f(math_ops.py_func)"),
    ],
)  # fmt: skip
def test_what_takes_every_call_is_native(before: str, after: str) -> None:
    result = migrated(before)
    assert body(result).splitlines()[-1] == after
    assert result.findings == ()


def test_aliases_whose_calls_are_seen_stay_native() -> None:
    result = migrated("d = tf.nn.dropout\ny = d(x, 0.5)\ns = tf.nn.softmax\nz = s(x, dim=0)")
    assert body(result) == "d = tf.nn.dropout\ny = d(x, rate=1 - 0.5)\ns = tf.nn.softmax\nz = s(x, axis=0)"
    assert result.findings == ()


def test_keywords_that_went_are_told_where_calls_are_not_seen() -> None:
    result = migrated("f(tf.reduce_mean)")
    assert result.new_text is None
    (finding,) = result.findings
    assert finding.code == "TF104" and "keep_dims is keepdims now" in finding.advice
    assert migrated("dense(x, activation=tf.nn.softmax)").findings == ()  # called with a tensor alone
    assert migrated("y = tf.layers.dense(x, 3, tf.nn.softmax)").findings == ()  # by its place
    assert [f.code for f in migrated("y = tf.layers.dense(*x, tf.nn.softmax)").findings] == ["TF104"]


@pytest.mark.parametrize(("calls", "told"), [
    ("fn(x, name='p')", False), ("[fn(a) for a in x]", False), ("fn(x, dim=1)", True), ("fn(x, 1)", True),
    ("fn(*x)", True), ("fn(x, **k)", True), ("other(fn)", True), ("fn(x) + x.map(fn)", True),
    ("fn(x) if locals() else 0", True),
])  # fmt: skip
def test_a_default_that_its_function_only_calls_is_seen(calls: str, told: bool) -> None:
    for head in ("def net(x, k, fn=tf.nn.softmax)", "async def net(x, *, k, fn=tf.nn.softmax)"):
        result = migrated(f"{head}:\n    return {calls}")
        assert [f.code for f in result.findings] == ["TF104"] * told, calls


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tf.expand_dims(x, None, 'e', 0)", "tf.expand_dims(x, name='e', axis=0)"),
        ("tf.expand_dims(x, axis=None, dim=0)", "tf.expand_dims(x, axis=0)"),
        ("tf.expand_dims(x, 0, dim=None)", "tf.expand_dims(x, 0)"),
        ("tf.reduce_sum(x, None, None, None, [0], True)",
         "tf.reduce_sum(x, name=None, axis=[0], keepdims=True)"),
        ("tf.expand_dims(x, 1, dim=0)", "tf.compat.v1.expand_dims(x, 1, dim=0)"),  # TF 1 refuses it, too
    ],
)  # fmt: skip
def test_a_parameter_under_two_names(before: str, after: str) -> None:
    assert body(migrated(before)) == after


def test_a_value_that_leads_to_itself() -> None:
    """By its name: in the function that a condition takes, `rate` is what it will be."""
    found = migrated(
        "def rate_of(rate, step, warm):\n"
        "    warm_rate = rate * tf.cast(step, tf.float32) / tf.cast(warm, tf.float32)\n"
        "    rate = tf.cond(step < warm, lambda: warm_rate, lambda: rate)\n    return rate\n\n\n"
        "def rows():\n    return tf.data.Dataset.range(3).make_one_shot_iterator().get_next()")
    assert not [f for f in found.findings if f.code == "TF000"]

"""The idiom of random selectors runs one branch, and is otherwise left alone."""

from typing import Any

import pytest

from tests.transforms.texts import migrated

HEAD = "import tensorflow as tf\nfrom tensorflow.python.ops import control_flow_ops\n\n\n"

ONE = """\
def select(x, func, sel, num_cases):
    return control_flow_ops.merge([
        func(control_flow_ops.switch(x, tf.equal(sel, case))[1], case)
        for case in range(num_cases)])[0]
"""

SEVERAL = """\
def select(x, func, sel, num_cases):
    results = [list() for t in x]
    for case in range(num_cases):
        new_x = [control_flow_ops.switch(t, tf.equal(sel, case))[1] for t in x]
        output = func(tuple(new_x), case)
        for j in range(len(x)):
            results[j].append(output[j])

    for i in range(len(x)):
        results[i] = control_flow_ops.merge(results[i])[0]
    return tuple(results)
"""

SEVERAL_AFTER = """\
def select(x, func, sel, num_cases):
    def compute_case(case):
        new_x = [t for t in x]
        output = func(tuple(new_x), case)
        return [output[j] for j in range(len(x))]

    results = list(tf.switch_case(sel, [lambda case=case: compute_case(case) for case in range(num_cases)]))
    return tuple(results)
"""


def functions(text: str) -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(compile(text, "m.py", "exec"), space)
    return space


def test_one_tensor() -> None:
    new = migrated(HEAD + ONE)
    assert "control_flow_ops" not in new
    assert migrated(new) == new
    tf = pytest.importorskip("tensorflow")
    ran: list[int] = []

    def func(x: Any, case: int) -> Any:
        ran.append(case)
        return x * 10 + case

    select = functions(new)["select"]
    assert [int(select(tf.constant(7), func, tf.constant(c), 3)) for c in range(3)] == [70, 71, 72]
    assert ran == [0, 1, 2], "one branch a call"
    traced = tf.function(lambda c: select(tf.constant(7), lambda x, k: x * 10 + k, c, 3))
    assert int(traced(tf.constant(2))) == 72


def test_several_tensors() -> None:
    new = migrated(HEAD + SEVERAL)
    assert new.endswith(SEVERAL_AFTER)
    assert migrated(new) == new
    tf = pytest.importorskip("tensorflow")
    select = functions(new)["select"]
    x = (tf.constant(1), tf.constant(2))
    assert [int(v) for v in select(x, lambda t, c: (t[0] + c, t[1] * c), tf.constant(2), 3)] == [3, 4]


@pytest.mark.parametrize(
    "text",
    [
        ONE.replace("tf.equal(sel, case)", "tf.less(sel, case)"),
        ONE.replace("range(num_cases)", "num_cases"),
        ONE.replace("[1], case", "[0], case"),
        SEVERAL.replace("results[i] = control", "results[0] = control"),
        SEVERAL.replace("append(output[j])", "append(output[j], case)"),
    ],
)
def test_other_uses_stay(text: str) -> None:
    assert "control_flow_ops.switch(" in migrated(HEAD + text)

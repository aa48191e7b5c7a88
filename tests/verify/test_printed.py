"""Which printed lines and numbers stand for each other, and which are left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrator.verify import printed


def numbers(text: str) -> list[float]:
    (line,) = printed.lines(text)
    return [value for value, _ in line.numbers]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("step 3: loss 0.25, 12.3 sec/batch", [3, 0.25]),
        ("epoch 1/10 loss=2.5e-01 (0.52s)", [1, 10, 0.25]),
        ("2019-01-02 10:11:12,123 accuracy 1", [1]),
        ("Writing to ./runs/1511234567/model-20", [20]),
        ("train_acc= 0.5 time= 0.05", [0.5]),
        ("global step 7: loss = 1.5 (0.2 sec/step)", [7, 1.5]),
        ("step 1  image/sec 0.8  remaining 3", [1, 3]),
        ("conv2d_1 3x3 float32 relu6", []),
        ("[ 1. -2.5 nan]", [1, -2.5, float("nan")]),
        ("<object at 0x7f0a1b2c3d4e> has 2", [2]),
        ("3/3 complete 5.03 images/sec 0m0s elapsed 1h2m03s remaining", [3, 3]),
        ("saved in /tmp/tmpab12cd/x", []),
    ],
)
def test_numbers_that_are_compared(text: str, expected: list[float]) -> None:
    assert numbers(text) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "2026-11-23 10:00:00.123456: I tensorflow/core/util/port.cc:153] oneDNN",
        "WARNING:tensorflow:From x.py:3: The name tf.log is deprecated.", "x.py:3: UserWarning: old",
        "W0000 00:00:1795428155.282078   19860 port.cc:153] words", 'x is Tensor("x:0", shape=(2,))',
        "10:00:00:WARNING: From a.py:3: The name tf.log is deprecated. Please use tf.math.log instead.",
        "W: From a.py:3: py_func (from b) is deprecated and will be removed in a future version.\n"
        "Instructions for updating:\ntf.py_func is deprecated. Instead, there are two\n    - this\n\n",
        " 10%|#         | 1/10 [00:01<00:09]\r 20%|##        | 2/10",
    ],
)  # fmt: skip
def test_lines_that_say_nothing_about_the_program(text: str) -> None:
    assert printed.lines(text) == []


def test_two_spellings_of_one_thing() -> None:
    pairs = [
        ("shape (?, ?, 3)", "shape (None, None, 3)"), ("[0.5, 1]", "[np.float32(0.5), np.int64(1)]"),
        ("in /a/b/tree/x", "in /c/tree/x"),
        ("INFO:tensorflow:loss 1", "I1123 10:00:00.000000 7 a.py:3] loss 1"),
        ("\x1b[32mok\x1b[0m", "ok"), ("half\rwhole", "whole"),
        ("Namespace(a='x, y', b=3, c=[1, 2])", "Namespace(b=3, c=[1, 2], a='x, y')"),
        ("log in out/log_1795809410", "log in out/log_1795899999"),
        ("[['w:0',\n  TensorShape([Dimension(1), Dimension(4)])],\n ['b:0', 2]]",
         "[['w:0', TensorShape([1, 4])],\n ['b:0', 2]]"),
    ]  # fmt: skip
    for old, new in pairs:
        folders = ["/a/b", "/c"]
        found = printed.compare(printed.lines(old, folders), printed.lines(new, folders))
        assert not found.lost and not found.added, (old, new)
        assert all(n.difference == 0 for n in found.numbers.values())


def compared(before: str, after: str) -> printed.Comparison:
    return printed.compare(printed.lines(before), printed.lines(after))


def test_lines_are_paired_by_their_words_and_whole_numbers() -> None:
    before = "start\nstep 1 loss 0.5\nstep 2 loss 0.4\nend\n"
    after = "start\nstep 2 loss 0.4\nstep 1 loss 0.5\nend\n"
    assert all(n.difference == 0 for n in compared(before, after).numbers.values())


def test_a_lost_and_a_new_line() -> None:
    found = compared("a\nstep 1 loss 0.5\nb\n", "a\nb\nc\n")
    assert found.lost == ("step 1 loss 0.5",) and found.added == ("c",)


def test_numpys_padding_does_not_change_which_lines_are_a_pair() -> None:
    old = printed.lines("[[0.9445856]\n [0.9706981]\n [0.4345733]]\n[-1.5  0.5]")
    new = printed.lines("[[0.9445856 ]\n [0.9706982 ]\n [0.43457323]]\n[ 1.5 -0.5]")
    compared = printed.compare(old, new)
    assert [(n.before, n.after) for n in compared.numbers.values()] == [
        (0.9445856, 0.9445856), (0.9706981, 0.9706982), (0.4345733, 0.43457323), (-1.5, 1.5), (0.5, -0.5),
    ]  # fmt: skip


def test_what_is_broken_into_other_lines_is_compared_all_the_same() -> None:
    found = compared("[['w',\n  Dimension(1), 0.5]]", "[['w', 1, 0.75]]")
    assert not found.lost and [n.difference > 0.3 for n in found.numbers.values()] == [False, True]
    other = compared("[['w',\n  Dimension(1)]]", "[['v', 1]]")
    assert len(other.lost) == 2 and other.added == ("[['v', 1]]",)


def test_what_follows_an_advice_of_tensorflow_is_the_programs() -> None:
    text = "Instructions for updating:\nUse x.\n\nloss 0.5\n  accuracy 1\n"
    assert [line.text for line in printed.lines(text)] == ["loss 0.5", "  accuracy 1"]


def test_a_shifted_step_is_a_difference() -> None:
    found = compared("at 1: 0.5\nat 2: 0.25\n", "at 0: 0.5\nat 1: 0.25\n")
    assert any(n.exact and n.difference >= 1 for n in found.numbers.values())


def test_numbers_are_compared_as_far_as_they_are_printed() -> None:
    (close,) = compared("loss 0.1234", "loss 0.1235").numbers.values()
    (far,) = compared("loss 0.1234", "loss 0.1240").numbers.values()
    assert close.difference == 0 and far.difference == pytest.approx(5e-4 / 0.124, rel=0.1)
    (whole,) = compared("n 3", "n 4").numbers.values()
    assert whole.exact and whole.difference == 1


def test_what_is_not_finite() -> None:
    assert next(iter(compared("x nan", "x nan").numbers.values())).difference == 0
    assert next(iter(compared("x 0.5", "x nan").numbers.values())).difference == float("inf")


def test_a_log_that_two_handlers_wrote_counts_once() -> None:
    log = "INFO:tensorflow:loss = 1.5\nI1123 10:00:00.000000 7 hooks.py:3] loss = 1.5\nend\n"
    assert [x.text for x in printed.logged(log)] == ["loss = 1.5", "end"]


@given(st.text(max_size=200))
def test_any_text_is_equal_to_itself(text: str) -> None:
    found = compared(text, text)
    assert not found.lost and not found.added
    assert all(n.difference == 0 for n in found.numbers.values())


def test_the_values_of_an_eager_tensor_stand_for_what_a_graph_printed() -> None:
    before = 'x: Tensor("x:0", shape=(2, 2), dtype=float32)\nloss 0.5\n'
    after = (
        "x: tf.Tensor(\n[[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float32) y: <tf.Variable 'v:0' shape=(2,) "
        "dtype=float32, numpy=\narray([1., 2.],\n  dtype=float32)>\nloss 0.5\n"
        "z: tf.Tensor(3, shape=(), dtype=int32)\n"
    )
    assert [line.text for line in printed.lines(after)] == ["loss 0.5"]
    found = printed.compare(printed.lines(before), printed.lines(after))
    assert not found.lost and not found.added and len(found.numbers) == 1


def test_lines_of_tracebacks_are_where_the_migration_put_them() -> None:
    found = printed.compare(
        printed.lines('  File "./feeder.py", line 74, in run\n'),
        printed.lines('  File "./feeder.py", line 76, in run\n'),
    )
    assert not found.lost and not found.added and not found.numbers


def test_a_number_that_is_whole_by_chance_keeps_its_place() -> None:
    found = compared("tv: 16088.9\ntv: 24203.3\ntv: 35905.1\n", "tv: 16089\ntv: 24203.3\ntv: 35905.1\n")
    assert [(n.before, n.after) for n in found.numbers.values()] == [
        (16088.9, 16089), (24203.3, 24203.3), (35905.1, 35905.1)]
    assert max(n.difference for n in found.numbers.values()) < 1e-5

"""Rows of numbers leave a text and come back as they were."""

from __future__ import annotations

import libcst as cst
import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrator.engine.cst_walk import exchanged, only, walk
from migrator.engine.folding import Folded

ROWS = """x = np.array([[0, 1.5, -2e-3], [True, False, .5]], dtype=np.float32)
y = f((1, 2, 3), [1, 2, 3], [1,  2, 3], z[0, 1], g (1, 2), "a: [1, 2, 3]")  # like: [4, 5, 6]
"""


def test_what_is_folded_is_shorter_by_nodes_and_as_long_by_letters() -> None:
    folded = Folded(ROWS)
    assert len(folded.text) == len(ROWS)
    assert "[0, 1" in ROWS and "[0, 1.5" not in folded.text
    assert "z[0, 1]" in folded.text and "g (1, 2)" in folded.text  # an index and a call
    before, after = (len(walk(cst.parse_module(text))) for text in (ROWS, folded.text))
    assert after < before / 1.5
    assert folded.unfold(folded.text) == ROWS


def test_rows_written_alike_stay_alike() -> None:
    first, second, third = Folded("f([1, 2], [1, 2], [2, 1])").text[2:-1].split(", ")
    assert first == second != third


@pytest.mark.parametrize(
    "text",
    ["x = 0x_ff + f([1, 2, 3])", "f([1, 2].index(1))", "f([1, 2]if x else [])", "f([1, a, 2])"],
)
def test_what_cannot_be_told_apart_stays(text: str) -> None:
    assert Folded(text).text == text


@given(st.text("([{,:= \n])}12.-e+_x0f\"'#TrueFalse", max_size=60))
def test_any_text_comes_back(text: str) -> None:
    folded = Folded(text)
    assert folded.unfold(folded.text) == text
    assert len(folded.text) == len(text)


def test_only_what_holds_an_exchanged_part_is_new() -> None:
    module = cst.parse_module("a = f(b)\nc = d\n")
    name = next(n for n in only(walk(module), cst.Name) if n.value == "b")
    made = exchanged(module, {id(name): cst.Name("e"), id(module.body[1]): None})
    assert made.code == "a = f(e)\n"
    same = exchanged(module, {id(name): cst.Name("e")})
    assert same.code == "a = f(e)\nc = d\n" and same.body[1] is module.body[1]

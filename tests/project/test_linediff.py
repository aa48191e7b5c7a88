"""Differences of lines: those of difflib for short texts, right and quick for long ones."""

from __future__ import annotations

import difflib
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from migrator.project import linediff
from migrator.project.linediff import matcher, unified

LINES = st.lists(st.sampled_from("abcdefg"), max_size=30)


def rebuilt(old: list[str], new: list[str]) -> list[str]:
    """The new lines, from the opcodes; the opcodes must tile both texts."""
    at = new_at = 0
    made: list[str] = []
    for tag, low, high, new_low, new_high in matcher(old, new).get_opcodes():
        assert (low, new_low) == (at, new_at) and (high, new_high) >= (low, new_low)
        assert tag != "equal" or old[low:high] == new[new_low:new_high]
        made += old[low:high] if tag == "equal" else new[new_low:new_high]
        at, new_at = high, new_high
    assert (at, new_at) == (len(old), len(new))
    return made


@settings(max_examples=300, deadline=None)
@given(LINES, LINES, st.integers(0, 8))
def test_opcodes_make_the_new_text(old: list[str], new: list[str], short: int) -> None:
    before = linediff._SHORT
    linediff._SHORT = short
    try:
        assert rebuilt(old, new) == new
    finally:
        linediff._SHORT = before


@given(LINES, LINES)
def test_short_texts_differ_as_difflib_says(old: list[str], new: list[str]) -> None:
    wanted = list(difflib.unified_diff(old, new, lineterm=""))[2:]
    assert list(unified(old, new)) == wanted


def test_a_long_text_with_few_changes_has_few_differences() -> None:
    old = [f"line {number % 700}" for number in range(50_000)]
    new = list(old)
    for number in range(100, 50_000, 1000):
        new[number] = f"new {number}"
    new[30_000:30_000] = ["added"] * 5
    assert rebuilt(old, new) == new
    assert sum(line[0] == "-" for line in unified(old, new)) == 50


NASTY = {
    "all the same": (["a"] * 40_000, ["a"] * 40_001),
    "nothing the same": (["a"] * 40_000, ["b"] * 40_000),
    "turned around": ([str(n) for n in range(40_000)], [str(n) for n in range(40_000)][::-1]),
    "mixed up": ([str(n) for n in range(40_000)],
                 random.Random(1).sample([str(n) for n in range(40_000)], 40_000)),
    "pairs": ([str(n // 2) for n in range(40_000)], [str(n // 2) for n in range(1, 40_000)][::-1]),
    "few kinds": (random.Random(2).choices("abcd", k=40_000), random.Random(3).choices("abcd", k=40_000)),
    "cells": ([f"{n}" if n % 2 else "x = tf.log(1)" for n in range(40_000)],
              [f"{n}" if n % 2 else "x = tf.math.log(1)" for n in range(40_000)]),
}  # fmt: skip


@pytest.mark.parametrize("name", list(NASTY))
def test_no_text_takes_long(name: str) -> None:
    old, new = NASTY[name]
    started = time.monotonic()
    assert rebuilt(old, new) == new
    assert time.monotonic() - started < 10

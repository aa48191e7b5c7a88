"""Loaders of every format, on good files that were damaged a little or a lot."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.project.loaders import LOADERS, SEEDS

PIECES = st.sampled_from(
    [b"", b"\0", b"\xff", b"\xe2\x80\xae", b"{", b"}", b"[", b"]", b'"', b"'", b"\n", b",", b":", b"null",
     b"-1", b"1e999", b"9" * 5000, b"[[[[" * 3000, b"../", b"/etc/passwd", b"NaN", b'"\\ud800"', b"true",
     b"[migrator]\n", b"=", b"\r", b"{}", b"[]", b'{"a": 1}', b"*", b"!", b"\\", b"**/"]
)  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn, seeds: list[bytes]) -> bytes:
    """A good file with some spans replaced."""
    data = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.sampled_from([0, 0, 1, 1, 2, 5, 20, 100])))
        data = data[:start] + draw(st.one_of(PIECES, st.binary(max_size=4))) + data[end:]
    return data


@pytest.mark.parametrize("name", sorted(LOADERS))
def test_good_files_are_read(name: str) -> None:
    for data in SEEDS[name]:
        LOADERS[name](data)


@pytest.mark.parametrize("name", sorted(LOADERS))
def test_damaged_files_are_refused_in_words(name: str) -> None:
    @settings(
        max_examples=150, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(damaged(SEEDS[name]))
    def damage(data: bytes) -> None:
        LOADERS[name](data)

    damage()

"""Fingerprints are GitHub's own: the values of github/codeql-action's tests."""

from __future__ import annotations

import pytest

from migrator.cli.fingerprints import line_hashes

GREETINGS = [
    "e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1",
    "b3edc88f2938467e:1", "c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["c129715d7a2bc9a3:1"]),
        (
            " a\nb\n  \t\tc\n d",
            ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"],
        ),
        (" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n", GREETINGS),
        (" hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r", GREETINGS),
        (" hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n", GREETINGS),
        (" hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n", GREETINGS),
        (
            "Lorem ipsum dolor sit amet.\n" * 10,
            [
                *(f"a7f2ff13bc495cf2:{n}" for n in range(1, 7)), "a7f2ff1481e87703:1",
                "a9cf91f7bbf1862b:1", "55ec222b86bcae53:1", "cc97dc7b1d7d8f7b:1",
                "c129715d7a2bc9a3:1",
            ],
        ),
    ],
)  # fmt: skip
def test_lines_have_the_numbers_of_the_action(text: str, expected: list[str]) -> None:
    assert line_hashes(text) == expected


def test_a_line_keeps_its_number_when_lines_before_it_change() -> None:
    text = "".join(f"value_{n} = {n} * 17 + offset\n" for n in range(40))
    assert line_hashes("import os\n\n" + text)[2:] == line_hashes(text)
    assert len(line_hashes("\U0001f600 = '\ud800'\n")) == 2

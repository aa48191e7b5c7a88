"""Names for what a rewrite adds: none that the program has already."""

from __future__ import annotations

from collections.abc import Container


def fresh_name(wanted: str, taken: Container[str]) -> str:
    """`wanted`, or the first of wanted_2, wanted_3, ... that is not taken."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name

"""Advice about TF 1.15 symbols without a rule: from `rules/advice/families.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from migrator import resources
from migrator.engine.packs import Entry

CODE = "TF003"


@dataclass(frozen=True, slots=True)
class Family:
    """What to use in place of the symbols below a prefix (``tf.contrib.metrics``).

    `generic`: it says no more than that they are gone; only names that TF 1.15 did not document
    may be left to such a family.
    """

    prefix: str
    advice: str
    link: str
    code: str = CODE
    generic: bool = False

    @property
    def text(self) -> str:
        """Advice and page in one line."""
        return f"{self.advice} See {self.link}."


@cache
def families() -> Mapping[str, Family]:
    """Prefix -> family.

    Raises FileNotFoundError for an incomplete installation.
    """
    path = resources.rules_dir() / "advice" / "families.toml"
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    return {prefix: Family(prefix, **entry) for prefix, entry in document["families"].items()}


def family_of(symbol: str) -> Family:
    """The family of the longest prefix of a symbol as it is written (``tf.contrib.crf.x``)."""
    known = families()
    while symbol not in known:
        symbol = symbol.rpartition(".")[0]
    return known[symbol]


def gone(name: str) -> Entry:
    """The table entry of a canonical name that only the TF 1.15 snapshot has."""
    shown = "tf" + name[len("tensorflow") :]
    family = family_of(shown)
    message = f"{shown} is not in TensorFlow 2"
    return Entry(shown, family.text, family.code, family.text, message)


def kept(name: str) -> str:
    """Advice about a canonical name that TensorFlow 2 has in tf.compat.v1 only."""
    family = family_of("tf" + name[len("tensorflow") :])
    return "Rewrite it for TensorFlow 2 when you touch this code." if family.generic else family.text

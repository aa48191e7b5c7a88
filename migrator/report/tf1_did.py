"""What TensorFlow 1 did, in a sentence, for whoever has to rewrite it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache

from migrator.analysis.api import load_api
from migrator.resources import rules_dir


@cache
def _said() -> tuple[dict[str, str], dict[str, str]]:
    """({symbol or its beginning: sentence}, {code: sentence}) of rules/advice/tf1_did.toml."""
    table = tomllib.loads((rules_dir() / "advice" / "tf1_did.toml").read_text(encoding="utf-8"))
    return table["did"], table["codes"]


def sentence(code: str, symbol: str) -> str:
    """What a symbol did, or a program of this code's kind; else its signature; "" where none is known."""
    symbols, codes = _said()
    if code in codes:
        return codes[code]
    name = "tf." + symbol.removeprefix("tensorflow.").removeprefix("tf.")
    if name.startswith("tf.train.") and name.endswith("Optimizer"):
        name = "tf.train.Optimizer"
    known = [k for k in symbols if name == k or name.startswith((k + ".", k + "_"))]
    return symbols[max(known, key=len)] if known else _signature(name)


def _signature(name: str) -> str:
    symbols = load_api(rules_dir() / "api" / "tf1.15.json").symbols
    entry = symbols.get(name.replace("tf.", "tensorflow.", 1))
    told = entry.get("signature") if isinstance(entry, Mapping) else entry
    return f"TensorFlow 1.15 had {name}{told}." if isinstance(told, str) else ""

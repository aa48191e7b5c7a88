"""What symbols of the support package were called in TF 1.

A program that one round of the engine left in its session is looked at again once the rules have
put support symbols into it; what is said about `tf.layers.dense` must then hold for its successor.
"""

from __future__ import annotations

import tomllib
from functools import cache

from migrator import resources

_PACKAGE = "tf1_support."


def tf1_symbol(symbol: str) -> str:
    """The canonical TF 1 name of a support symbol, any other as it is.

    >>> tf1_symbol("tf1_support.slim.conv2d")
    'tensorflow.contrib.slim.conv2d'
    >>> tf1_symbol("project.tf1_support.scopes.get_variable")
    'tensorflow.get_variable'
    >>> tf1_symbol("project.tf1_support.no_such.name")
    'project.tf1_support.no_such.name'
    >>> tf1_symbol("tf1_support.devices.device")
    'tensorflow.device'
    """
    if _PACKAGE not in symbol:
        return symbol
    return _successors().get(symbol.partition(_PACKAGE)[2], symbol)


@cache
def _successors() -> dict[str, str]:
    """Support symbol -> the TF 1 symbol that it succeeds, the shortest where there are several; what
    only rules write, by the first of them."""
    found: dict[str, str] = {}
    by_rule: dict[str, str] = {}
    for file in sorted(resources.rules_dir().glob("*.toml")):
        pack = tomllib.loads(file.read_text("utf-8"))
        for name, support in pack.get("support", {}).items():
            new = "tensorflow." + name.removeprefix("tf.")
            if isinstance(support, str) and len(new) < len(found.get(support, new + " ")):
                found[support] = new
        for rule in pack.get("rule", ()):
            first = rule["match"] if isinstance(rule["match"], str) else rule["match"][0]
            target, called, _ = rule.get("rewrite", "").partition("(")
            if called and target.startswith(_PACKAGE) and first.startswith("tf."):
                name = first.partition("(")[0].removeprefix("tf.")
                by_rule.setdefault(target.removeprefix(_PACKAGE), f"tensorflow.{name}")
    return by_rule | found

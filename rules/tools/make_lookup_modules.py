"""Writes templates/support/named_*.py: what modules of TF 1 had, under TF 1's names.

    PYTHONPATH=. python rules/tools/make_lookup_modules.py     (then make_support_index.py)

For code that looks names up when it runs (`getattr(tf.train, name)`, a dotted path in a list of
places to look in).  The tables say which definition of the support package each name is.  A module
that the tables map as a whole (`tf.layers`) needs none.
"""

from __future__ import annotations

import re

from migrator import resources
from migrator.engine.options import Options
from migrator.engine.ruleset import RuleSet, load_ruleset

# Module of TF 1 -> (modules of the support package that count, empty for all; where the rest is)
MODULES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "tf.train": (
        ("optimizers", "regularized_optimizers", "moving_average_optimizer", "schedules",
         "moving_averages"),
        ("tf.train", "tf.compat.v1.train"),
    ),
    "tf.contrib.opt": ((), ()),
    "tf.nn.rnn_cell": ((), ()),
    "tf.contrib.rnn": ((), ()),
    "tf.contrib.layers": ((), ()),
    "tf.initializers": ((), ("tf.initializers",)),
}  # fmt: skip
_SUPPORT = "tf1_support."


def module_text(module: str, rules: RuleSet) -> str:
    """The text of the module that has what `module` had."""
    counted, rest = MODULES[module]
    prefix = f"tensorflow{module[2:]}."
    found: dict[str, set[str]] = {}
    for symbol in rules.tf1.symbols:
        name = symbol.removeprefix(prefix)
        decided = rules.disposition(symbol)
        if symbol == name or "." in name or decided.kind != "support" or not decided.target:
            continue
        home, _, member = decided.target.removeprefix(_SUPPORT).partition(".")
        if "." not in member and (not counted or home in counted):
            found.setdefault(home, set()).add(member if member == name else f"{member} as {name}")
    lines = [f'"""What {module} had in TF 1, by the names there, for code that looks names up."""',
             "from __future__ import annotations", ""]  # fmt: skip
    if rest:
        lines += ["from typing import Any", "", "import tensorflow as tf", ""]
    for home in sorted(found):
        names = sorted(found[home], key=str.lower)
        line = f"from .{home} import {', '.join(names)}"
        if len(line) > 100:
            line = "\n".join([f"from .{home} import (", *(f"    {name}," for name in names), ")"])
        lines.append(line)
    names = sorted(re.split(" as ", name)[-1] for members in found.values() for name in members)
    if rest:
        lines += ["", "", "def __getattr__(name: str) -> Any:",
                  '    """What TensorFlow 2 has under its old name."""',
                  f"    for module in ({', '.join(rest)}{',' if len(rest) == 1 else ''}):",
                  "        if hasattr(module, name):",
                  "            return getattr(module, name)",
                  f'    raise AttributeError(f"{module} has no {{name}}")', ""]  # fmt: skip
    lines += ["", "__all__ = [", *(f'    "{name}",' for name in names), "]"]
    return "\n".join(lines) + "\n"


def main() -> None:
    """One file for each module of TF 1."""
    rules = load_ruleset(Options())
    folder = resources.templates_dir() / "support"
    for module in MODULES:
        path = folder / f"named_{module[3:].replace('.', '_')}.py"
        path.write_text(module_text(module, rules), encoding="utf-8")


if __name__ == "__main__":
    main()

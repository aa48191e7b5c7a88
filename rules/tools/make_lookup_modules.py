"""Writes templates/support/named_*.py: what modules of TF 1 had, under TF 1's names.

    PYTHONPATH=. python rules/tools/make_lookup_modules.py     (then make_support_index.py)

For code that looks names up when it runs (`getattr(tf.train, name)`, a dotted path in a list of
places to look in).  The tables say which definition of the support package each name is.  A module
that the tables map as a whole (`tf.layers`) needs none.
"""

from __future__ import annotations

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


def _import_order(name: str) -> tuple[int, str]:
    """Constants, classes, functions, as linters want them."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name.lower())


def module_text(module: str, rules: RuleSet) -> str:
    """The text of the module that has what `module` had."""
    counted, rest = MODULES[module]
    prefix = f"tensorflow{module[2:]}."
    found: dict[str, set[str]] = {}
    others: dict[str, str] = {}  # name -> that of its definition
    for symbol in rules.tf1.symbols:
        name = symbol.removeprefix(prefix)
        decided = rules.disposition(symbol)
        if symbol == name or "." in name or decided.kind != "support" or not decided.target:
            continue
        home, _, member = decided.target.removeprefix(_SUPPORT).partition(".")
        if "." not in member and (not counted or home in counted):
            found.setdefault(home, set()).add(member)
            if member != name:
                others[name] = member
    lines = [f'"""What {module} had in TF 1, by the names there, for code that looks names up."""',
             "from __future__ import annotations", ""]  # fmt: skip
    if rest:
        lines += ["from typing import Any", "", "import tensorflow as tf", ""]
    for home in sorted(found):
        names = sorted(found[home], key=_import_order)
        line = f"from .{home} import {', '.join(names)}"
        if len(line) > 100:
            line = "\n".join([f"from .{home} import (", *(f"    {name}," for name in names), ")"])
        lines.append(line)
    if others:
        lines += ["", *(f"{name} = {others[name]}" for name in sorted(others))]
    public = sorted({*others, *(name for names in found.values() for name in names)})
    if rest:
        lines += ["", "", "def __getattr__(name: str) -> Any:",
                  '    """What TensorFlow 2 has under its old name."""']  # fmt: skip
        for other in rest[:-1]:
            lines += [f"    if hasattr({other}, name):", f"        return getattr({other}, name)"]
        lines += [f"    return getattr({rest[-1]}, name)", ""]
    lines += ["", "__all__ = [", *(f'    "{name}",' for name in public), "]"]
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

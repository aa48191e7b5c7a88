"""Calls that leave an argument out: where TF 2 takes something else for it, something is done.

Both snapshots are compared parameter by parameter.  A default that differs, or a parameter that is
gone, is written out (`written` in the keywords), rewritten by a rule, or `rules/advice/defaults.toml`
says why it changes nothing.
"""

from __future__ import annotations

import ast
import tomllib

from migrator.engine.dispositions import Record, every
from migrator.engine.ruleset import RuleSet
from tests.rules.conftest import ROOT


def equal(first: str | None, second: str | None) -> bool:
    """Whether two defaults, as source text, are the same value (``0`` and ``0.0``)."""
    if str(first).lower() == str(second).lower():  # 'zeros', 'Zeros'
        return True
    try:
        return bool(ast.literal_eval(str(first)) == ast.literal_eval(str(second)))
    except (ValueError, SyntaxError):
        return False


def differences(record: Record, rules: RuleSet) -> dict[str, str]:
    """Parameter -> how a call that leaves it out is another call in TF 2."""
    fit = rules.fit("tensorflow" + record.symbol[2:], "tensorflow" + record.target[2:])
    new = {p.name: p for p in fit.new or ()}
    old = rules.tf1.signature("tensorflow" + record.symbol[2:]) or ()
    found, covered = {}, set()
    for parameter in old:
        known = fit.target(parameter.name)
        covered.add(known.to if known is not None else "")
        if parameter.kind in ("*", "**") or parameter.default is None:
            continue  # TF 1 wanted it given
        if known is not None and known.written:
            continue
        if known is None or not known.to:
            found[parameter.name] = f"was {parameter.default} by default and is gone"
        elif known.to in new and not equal(parameter.default, new[known.to].default):
            hidden = new[known.to].default is None and parameter.default == "None"
            if not hidden:  # one of two names had to be given: filter and filters
                was, now = parameter.default, new[known.to].default
                found[parameter.name] = f"was {was} by default and is {now}"
    if old and not any(p.kind == "*" for p in old):
        for parameter in new.values():
            if parameter.default is None and parameter.kind in ("positional", "keyword"):
                if parameter.name not in covered:
                    found[parameter.name] = "is wanted by TF 2"
    return found


def by_rule(record: Record, rules: RuleSet) -> bool:
    """Whether rules, which have cases of their own, decide about the calls of a symbol."""
    return rules.disposition("tensorflow" + record.symbol[2:]).kind == "rule"


def test_other_defaults_are_known(rules: RuleSet) -> None:
    path = ROOT / "rules" / "advice" / "defaults.toml"
    table = tomllib.loads(path.read_text())
    reasons, everywhere = table["harmless"], table["everywhere"]
    left, used = [], set()
    for record in every(rules):
        if record.kind not in ("same", "renamed", "rewritten") or ".python." in record.symbol:
            continue
        if not record.target.startswith("tf.") or by_rule(record, rules):
            continue
        for name, difference in differences(record, rules).items():
            if f"{name} {difference}" in everywhere:
                used.add(("", f"{name} {difference}"))
            elif name in reasons.get(record.target, {}):
                used.add((record.target, name))
            else:
                left.append(f"{record.symbol} -> {record.target}: {name} {difference}")
    assert left == []
    known = {(target, name) for target, table in reasons.items() for name in table}
    assert used == known | {("", difference) for difference in everywhere}


def test_what_is_written_out_is_a_default_of_tf1(rules: RuleSet) -> None:
    for symbol, table in rules.packs.keywords.items():
        for name, keyword in table.items():
            if not keyword.written or keyword.written.startswith("tf1_support."):
                continue
            if symbol.startswith("keras."):  # tests/transforms/training/cases/keras2_defaults compares
                continue
            signature = rules.tf1.signature("tensorflow" + symbol[2:]) or ()
            default = next(p.default for p in signature if p.name == name)
            assert equal(default, keyword.written), (symbol, name)

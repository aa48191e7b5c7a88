"""What becomes of every TF 1.15 symbol, and of each of its parameters: one record a symbol.

The engine decides lazily, name by name; here the same decisions are laid out for all symbols of
the snapshot, for `migrator explain`, the coverage table and the tests of completeness.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from migrator.engine.gone import kept
from migrator.engine.lookup import Disposition
from migrator.engine.options import Options
from migrator.engine.pattern import canonical_of
from migrator.engine.ruleset import RuleSet, load_ruleset

KINDS = ("same", "renamed", "rewritten", "support", "compat", "manual")
_KIND_OF = {
    "same": "same", "module": "same", "rename": "renamed", "rule": "rewritten",
    "support": "support", "compat": "compat", "manual": "manual",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Record:
    """The disposition of one symbol.

    `kind` is one of KINDS, or ``""`` where nothing is decided (a gap, which the tests refuse).
    `target` is the dotted name that takes its place; `codes` are those of the rules that do it;
    `keywords` says for each parameter that is not simply the same what becomes of it.
    """

    symbol: str
    kind: str
    target: str = ""
    codes: tuple[str, ...] = ()
    advice: str = ""
    keywords: dict[str, str] = field(default_factory=dict)


@cache
def _shipped() -> RuleSet:
    return load_ruleset(Options())


def written(name: str) -> str:
    """A canonical name as people write it: ``tf.nn.relu``, ``tf1_support.slim.conv2d``."""
    return "tf" + name[len("tensorflow") :] if name.split(".")[0] == "tensorflow" else name


def keyword_changes(rules: RuleSet, key: str, target: str) -> dict[str, str]:
    """Parameter -> what becomes of it, for those that TF 2 does not take as they were."""
    if ".keras." in target or not target.startswith("tensorflow."):
        return {}
    fit = rules.fit(key, target)
    if fit.new is None:
        return {}
    found: dict[str, str] = {}
    for name in fit.differs:
        known = fit.target(name)
        if known is None:
            found[name] = "gone: calls that give it stay on tf.compat.v1 or get a finding"
        elif not known.to:
            values = f" when it is {' or '.join(known.values)}" if known.values else ""
            found[name] = f"dropped{values}"
        elif known.to != name:
            found[name] = f"is {known.to} now"
        else:
            found[name] = "has another place: written with its keyword"
    return found


def _record(rules: RuleSet, name: str, found: Disposition) -> Record:
    kind = _KIND_OF.get(found.kind, "")
    entry = found.entry
    advice = (entry.advice or (entry.target if kind == "manual" else "")) if entry else ""
    codes: tuple[str, ...] = (entry.code,) if entry is not None and entry.code else ()
    target = ""
    keywords: dict[str, str] = {}
    if kind in ("same", "renamed"):
        target = (found.target or found.key) + found.rest
        keywords = keyword_changes(rules, name, target)
        if keywords:
            kind, codes = "rewritten", (*codes, "TF104")
    elif kind == "support":
        target = found.target + found.rest
    elif kind == "rewritten":
        compiled = rules.rules.get(found.key, ())
        codes = tuple(sorted({item.rule.code for item in compiled}))
        target = found.key + found.rest if found.exists else ""
        if found.exists:
            keywords = keyword_changes(rules, name, found.key)
        if all(item.template is None and not item.rule.delete for item in compiled):
            kind, advice = "manual", compiled[0].rule.advice if compiled else advice
    elif kind in ("manual", "compat"):
        compat = rules.compat_target(found.key)
        if compat is not None and not found.exists:
            kind, target, advice = "compat", compat + found.rest, advice or kept(name)
        else:
            kind = "manual"
    return Record(written(name), kind, written(target), codes, advice, keywords)


def explain(symbol: str, rules: RuleSet | None = None) -> Record:
    """What becomes of a TF 1 symbol, written as in code (``tf.contrib.layers.l2_regularizer``)."""
    rules = rules or _shipped()
    name = canonical_of(symbol.split("."))
    return _record(rules, name, rules.disposition(name))


def every(rules: RuleSet | None = None) -> Iterator[Record]:
    """The records of all symbols of the TF 1.15.5 snapshot, in name order."""
    rules = rules or _shipped()
    for name in sorted(rules.tf1.symbols):
        if name.startswith("tensorflow.compat.") or rules.tf1.kind(name) == "module":
            continue
        yield _record(rules, name, rules.disposition(name))


def counts(rules: RuleSet | None = None) -> Counter[str]:
    """How many symbols have each kind of disposition."""
    return Counter(record.kind for record in every(rules))

"""Advice says something that one can do: a name that TF 2.21 has, a package, a page."""

from __future__ import annotations

import re

import pytest

from migrator.engine.dispositions import Record, every
from migrator.engine.gone import CODE, families, family_of
from migrator.engine.ruleset import RuleSet

NAME = re.compile(r"\btf(?:\.[A-Za-z_]\w*)+")
# Told to be in TensorFlow's own sources or in another version, which the text says.
ELSEWHERE = {
    "tf.keras.layers.experimental.RandomFourierFeatures",
    "tf.python.framework.convert_to_constants",
    "tf.python.keras",
    "tf.estimator",
    "tf.contrib.learn",
}


@pytest.fixture(scope="module")
def manual(rules: RuleSet) -> list[Record]:
    return [record for record in every(rules) if record.kind == "manual"]


def test_every_manual_symbol_has_concrete_advice(manual: list[Record]) -> None:
    """None is empty, and none of TF 1.15's documented symbols is left to a generic sentence."""
    assert [r.symbol for r in manual if len(r.advice) < 20] == []
    generic = {family.text for family in families().values() if family.generic}
    left = [r.symbol for r in manual if r.advice in generic]
    assert left == []


def test_advice_names_what_to_use(manual: list[Record]) -> None:
    vague = {r.advice for r in manual if "tf." not in r.advice and "http" not in r.advice}
    assert vague == set()


def test_advice_names_only_what_is_there(manual: list[Record], rules: RuleSet) -> None:
    wrong = set()
    for advice in {r.advice for r in manual} | {f.advice for f in families().values()}:
        for name in NAME.findall(advice.replace(".*", "")):
            full = "tensorflow" + name[2:]
            known = full in rules.tf2 or rules.disposition(full).kind in ("same", "module")
            if not known and name not in ELSEWHERE:
                wrong.add((name, advice[:60]))
    assert wrong == set()


def test_what_stays_on_compat_has_advice(rules: RuleSet) -> None:
    stays = [r for r in every(rules) if r.kind == "compat"]
    assert [r.symbol for r in stays if not r.advice] == []
    concrete = [r for r in stays if "https://" in r.advice or "tf." in r.advice]
    assert len(concrete) > 0.8 * len(stays)


def test_families_are_used_and_documented(rules: RuleSet) -> None:
    used = {family_of(r.symbol).prefix for r in every(rules) if r.kind in ("manual", "compat")}
    for prefix, family in families().items():
        assert family.link.startswith("https://"), prefix
        assert re.fullmatch(r"TF\d{3}", family.code), prefix
        assert family.generic or family.advice.endswith("."), prefix
    unused = {p for p, f in families().items() if p not in used and not f.generic}
    assert unused == set()
    assert families()["tf.contrib.crf"].code != CODE

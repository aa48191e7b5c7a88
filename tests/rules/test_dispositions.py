"""Every TF 1.15 symbol has one disposition, and no disposition points to what is not there."""

from __future__ import annotations

import ast
import importlib
import operator
from collections import Counter
from pathlib import Path

import pytest

from migrator import support
from migrator.engine.dispositions import KINDS, Record, every, explain
from migrator.engine.ruleset import RuleSet
from tests.rules.conftest import ROOT, tool

SUPPORT = ROOT / "templates" / "support"


@pytest.fixture(scope="module")
def records(rules: RuleSet) -> list[Record]:
    return list(every(rules))


def test_every_symbol_has_a_disposition(records: list[Record]) -> None:
    assert [record.symbol for record in records if record.kind not in KINDS] == []
    counts = Counter(record.kind for record in records)
    print(dict(counts))
    assert sum(counts.values()) > 14_000 and set(counts) == set(KINDS)


def test_a_symbol_that_needs_a_person_has_advice(records: list[Record]) -> None:
    assert [r.symbol for r in records if r.kind == "manual" and not r.advice] == []


def exported() -> dict[str, set[str]]:
    export = tool("make_tables").exported
    return {path.stem: export(path) for path in SUPPORT.glob("*.py")}


def test_native_and_compat_targets_exist(records: list[Record], rules: RuleSet) -> None:
    missing = []
    for record in records:
        target = record.target
        if record.kind in ("manual", "support") or not target.startswith("tf."):
            continue
        name = "tensorflow" + target[2:]
        if name.startswith("tensorflow.core."):
            continue
        parent = name.rpartition(".")[0]
        if name not in rules.tf2 and rules.tf2.kind(parent) != "class" and not exists(name, rules):
            missing.append((record.symbol, target))
    assert missing == []


def exists(name: str, rules: RuleSet) -> bool:
    """Whether a name or the class that it is a member of is in the snapshot."""
    while name.count(".") > 1:
        if rules.tf2.kind(name) == "class" or name in rules.tf2.symbols:
            return True
        name = name.rpartition(".")[0]
    return False


def test_support_targets_are_written(rules: RuleSet) -> None:
    offered = exported()
    missing = []
    for symbol, entry in rules.packs.support.items():
        module, _, rest = entry.target.partition(".")
        if module not in offered:
            missing.append((symbol, entry.target))
        elif rest and rest.split(".")[0] not in offered[module]:
            if not support.has(entry.target) or not _gives(module, rest):
                missing.append((symbol, entry.target))
    assert missing == []


def _gives(module: str, name: str) -> bool:
    """Whether a module that looks names up when they are asked for finds one."""
    try:
        operator.attrgetter(name)(importlib.import_module(f"templates.support.{module}"))
    except AttributeError:
        return False
    return True


def test_rewrites_call_what_tf2_has(rules: RuleSet) -> None:
    wrong = []
    for rule in rules.packs.rules:
        if not rule.rewrite:
            continue
        for node in ast.walk(ast.parse(rule.rewrite, mode="eval")):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            name = ast.unparse(node.func)
            if not name.startswith("tf.") or "(" in name:
                continue
            full = "tensorflow" + name[2:]
            signature = rules.tf2.signature(full)
            known = {p.name for p in signature or ()}
            given = {k.arg for k in node.keywords if k.arg is not None}
            if full not in rules.tf2 or (signature is not None and not given <= known):
                wrong.append((rule.code, name, sorted(map(str, given - known))))
    assert wrong == []


def test_renamed_keywords_exist_in_tf2(rules: RuleSet) -> None:
    wrong = []
    for symbol, table in rules.packs.keywords.items():
        if symbol == "*":
            continue
        record = explain(symbol, rules)
        if record.kind not in ("same", "renamed", "rewritten") or not record.target:
            continue
        signature = rules.tf2.signature("tensorflow" + record.target[2:])
        if signature is None or any(p.kind == "**" for p in signature):
            continue
        names = {p.name for p in signature}
        wrong += [(symbol, old, k.to) for old, k in table.items() if k.to and k.to not in names]
    assert wrong == []


def test_same_means_called_alike(records: list[Record], rules: RuleSet) -> None:
    """A symbol that is the same takes every positional order and keyword of TF 1."""
    wrong = []
    for record in records:
        if record.kind not in ("same", "renamed") or ".keras." in record.target:
            continue
        fit = rules.fit("tensorflow" + record.symbol[2:], "tensorflow" + record.target[2:])
        if fit.new is not None and fit.differs:
            wrong.append((record.symbol, fit.differs))
    assert wrong == []


@pytest.mark.parametrize(
    ("symbol", "kind", "target"),
    [
        ("tf.contrib.layers.l2_regularizer", "support", "tf1_support.slim.l2_regularizer"),
        ("tf.nn.relu", "same", "tf.nn.relu"),
        ("tf.keras.__version__", "same", "tf.keras.__version__"),
        ("tf.log", "renamed", "tf.math.log"),
        ("tf.argmax", "rewritten", "tf.argmax"),
        ("tf.to_float", "rewritten", ""),
        ("tf.placeholder", "support", "tf1_support.graphs.placeholder"),
        ("tf.contrib.seq2seq.BeamSearchDecoder", "manual", ""),
        ("tf.contrib.tpu.TPUEstimator", "support", "tf1_support.tpu.TPUEstimator"),
        ("tf.python.ops.array_ops.placeholder", "support", "tf1_support.graphs.placeholder"),
        ("tf.contrib.layers.python.layers.layers.conv2d", "support", "tf1_support.slim.conv2d"),
        ("tf.flags.DEFINE_string", "renamed", "absl.flags.DEFINE_string"),
    ],
)
def test_explained(symbol: str, kind: str, target: str, rules: RuleSet) -> None:
    record = explain(symbol, rules)
    assert (record.kind, record.target) == (kind, target)


def test_keywords_are_explained(rules: RuleSet) -> None:
    record = explain("tf.nn.conv2d", rules)
    assert record.keywords["filter"] == "is filters now"
    assert record.keywords["use_cudnn_on_gpu"] == "dropped"
    assert record.keywords["name"] == "has another place: written with its keyword"


def test_snapshots_are_of_the_versions_they_name() -> None:
    for name, version in (("tf1.15", '"1.15.5"'), ("tf2.21", '"2.21')):
        path: Path = ROOT / "rules" / "api" / f"{name}.json"
        assert version in path.read_text()[:60]

"""Cases of rules and tables give on TF 2.21 what TF 1.15.5 was recorded to give.

Both the engine's own output for `before` and the `after` that a rule documents, where that is another
text, are run, all in one child process, so that TensorFlow is imported once.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import RuleSet
from migrator.model import Status
from tests.rules.conftest import ROOT, tool

recorder = tool("record_cases")
PROOFS = {proof.name: proof for proof in recorder.proofs()}
GRADIENT_TOLERANCE = 1e-5  # of the largest derivative, at least of 1
HEAD = "import tensorflow as tf\n"

needs_tensorflow = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None, reason="TensorFlow 2.21 is not installed"
)


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(recorder.RECORDED.read_text())
    return document


@pytest.fixture(scope="module")
def migrated(rules: RuleSet) -> dict[str, str]:
    """Case -> what the engine makes of its `before`."""
    index, options = ProjectIndex(), Options()
    found = {}
    for name, proof in PROOFS.items():
        result = migrate_text("case.py", HEAD + proof.before + "\n", index, options, rules)
        assert result.status in (Status.CHANGED, Status.UNCHANGED), (name, result.error)
        found[name] = result.new_text or HEAD + proof.before + "\n"
    return found


@pytest.fixture(scope="module")
def results(migrated: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Results on TF 2.21 of the outputs and of the documented `after`s."""
    folder: Path = tmp_path_factory.mktemp("support")
    (folder / "tf1_support").symlink_to(ROOT / "templates" / "support")
    sources = {
        f"{name} output": PROOFS[name].runnable(text)
        for name, text in migrated.items()
    }
    same = {p.name for p in PROOFS.values() if migrated[p.name].strip() == (HEAD + p.after).strip()}
    sources |= {
        f"{p.name} after": p.runnable(p.after)
        for p in PROOFS.values()
        if p.after and p.name not in same
    }
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))
    document: dict[str, Any] = recorder.run(sys.executable, sources, {"PYTHONPATH": path})
    for table in ("results", "gradients", "variables"):  # a text is run once
        found = document[table]
        found |= {f"{n} after": found[f"{n} output"] for n in same if f"{n} output" in found}
    return document


def test_recording_is_of_these_cases(recorded: dict[str, Any]) -> None:
    """A case that changed must be recorded anew: rules/tools/record_cases.py."""
    assert recorded["tensorflow"] == "1.15.5"
    assert recorded["sources"] == {
        proof.name: proof.recorded for proof in PROOFS.values()
    }


@pytest.mark.parametrize("name", [p.name for p in PROOFS.values() if p.proves])
def test_what_a_case_proves_stands_in_it(name: str, rules: RuleSet) -> None:
    for symbol in PROOFS[name].proves:
        assert "tensorflow" + symbol[2:] in rules.tf1, symbol
        assert symbol.rpartition(".")[2] in PROOFS[name].before, symbol


def difference(want: Any, got: Any, tolerance: float) -> str:
    """What differs between two results, empty when nothing does."""
    if "error" in got:
        return str(got["error"])
    if "dict" in want:
        found = got.get("dict", {})
        if sorted(want["dict"]) != sorted(found):
            return f"{want} became {got}"
        pairs_ = ((v, found[k]) for k, v in want["dict"].items())
        return next((d for d in (difference(a, b, tolerance) for a, b in pairs_) if d), "")
    if "list" in want:
        if len(want["list"]) != len(got.get("list", ())):
            return f"{want} became {got}"
        pairs = zip(want["list"], got["list"], strict=True)
        return next((d for d in (difference(a, b, tolerance) for a, b in pairs) if d), "")
    if want["dtype"] != got.get("dtype") or want["shape"] != got.get("shape"):
        return f"{want['dtype']}{want['shape']} became {got.get('dtype')}{got.get('shape')}"
    if want["dtype"] == "string":
        return "" if want["values"] == got["values"] else f"{want} became {got}"
    values, scale = np.asarray(want["values"]), 1.0
    if want["dtype"] in ("float16", "float32"):  # sums of another processor differ as their terms do
        scale = max(scale, float(np.abs(values[np.isfinite(values)]).max(initial=0.0)))
    close = np.allclose(values, got["values"], rtol=tolerance, atol=tolerance * scale)
    return "" if close else f"{want['values']} became {got['values']}"


@needs_tensorflow
@pytest.mark.parametrize("name", sorted(PROOFS))
def test_output_equals_tf1(name: str, recorded: dict[str, Any], results: dict[str, Any]) -> None:
    proof, want = PROOFS[name], recorded["results"][name]
    got = results["results"]
    assert difference(want, got[f"{name} output"], proof.tolerance) == ""
    if proof.after:
        assert difference(want, got[f"{name} after"], proof.tolerance) == ""


def derivative(gradients: dict[str, Any], label: str, like: Any) -> Any:
    """A recorded gradient; none at all is a gradient of zeros."""
    found = gradients.get(label)
    return found or {**like, "values": np.zeros(like["shape"]).ravel().tolist()}


@needs_tensorflow
@pytest.mark.parametrize("name", sorted(PROOFS))
def test_gradients_equal_tf1(name: str, recorded: dict[str, Any], results: dict[str, Any]) -> None:
    """By every constant and every trainable variable; where TF 1 gave none, TF 2 gives none."""
    want = recorded["gradients"].get(name, {})
    for kind in ("output", "after") if PROOFS[name].after else ("output",):
        got = results["gradients"].get(f"{name} {kind}", {})
        if name not in recorded["gradients"]:
            continue  # TF 1.15 had no gradient of this operation
        for label in sorted({*want, *got}):
            first = derivative(want, label, got.get(label) or want[label])
            second = derivative(got, label, first)
            scale = max(1.0, float(np.abs(first["values"]).max(initial=0.0)))
            assert difference(first, second, GRADIENT_TOLERANCE * scale) == "", (label, kind)


@needs_tensorflow
@pytest.mark.parametrize("name", sorted(p.name for p in PROOFS.values() if p.weights))
def test_variables_are_named_as_in_tf1(
    name: str, recorded: dict[str, Any], results: dict[str, Any]
) -> None:
    assert results["variables"][f"{name} output"] == recorded["variables"][name]


@pytest.mark.parametrize("name", [p.name for p in PROOFS.values() if p.after])
def test_output_is_what_the_rule_documents(name: str, migrated: dict[str, str]) -> None:
    proof = PROOFS[name]
    assert migrated[name].removeprefix(HEAD).strip() == proof.after.strip()


def test_output_has_no_compat(migrated: dict[str, str]) -> None:
    left = {name for name, text in migrated.items() if "compat.v1" in text}
    assert left == {proof.name for proof in PROOFS.values() if proof.compat}


def test_output_is_a_fixed_point(migrated: dict[str, str], rules: RuleSet) -> None:
    index, options = ProjectIndex(), Options()
    for name, text in migrated.items():
        again = migrate_text("case.py", text, index, options, rules)
        assert again.status is Status.UNCHANGED, (name, text, again.new_text)

"""Session programs that stay TF1: they still run on TensorFlow 2, with the same results.

`cases/NAME/before.py` cannot be made native; `after.py` is what migration leaves (`after_MODULE.py`
of other modules), `expected.npz` what TF 1.15.5 computed (recorded by `../training/record.py`).
MIGRATOR_UPDATE_GOLDENS=1 rewrites the texts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from migrator.model import Finding, Rung
from tests.transforms.projects import (
    assert_same_results,
    case_names,
    changed_again,
    copy_case,
    migrate_in_place,
    migrated_texts,
    outcome,
    run_programs,
)

CASES = Path(__file__).parent / "cases"
NAMES = case_names(CASES)
#: what each program's findings name in their order, and functions that are native beside it
REASONS: dict[str, tuple[list[str], dict[str, int]]] = {
    "loaded_and_grown": (["the graph itself is copied or changed"], {}),
    "later_ops": (["is asked for what is in it by name"], {}),
    "recurrent": (["makes placeholders of its own"], {}),
    "keras_layers": (["its graph makes Keras layers"], {}),
    "meta_graph": (["is imported again"], {}),
    "metrics": (["a metric that counts over several runs"], {}),
    "mixed": (["train_op is read"], {"predict": 1}),
    "optimize_loss": (["makes the training op"], {}),
    "model_in_main": (["given the session", "passed to evaluate", "passed to evaluate"], {}),
    "named_tensors": (["is asked for what is in it by name"], {}),
    "supervised_graph": (["is asked for what is in it by name"], {}),
    "trainer": (["runs what other code builds"] * 3, {}),
    "undecided": ([
        "is not a dict literal", "evaluate is given the session",
        "the session is passed to evaluate", "the graph is run in parts (partial_run_setup)",
        "the graph itself is copied or changed (graph.as_graph_def)",
    ], {"predict": 1}),
    "session_factory": (["runs a graph of the module", "makes placeholders of its own"], {}),
    "shared_session": (["runs what other code builds"] * 2, {}),
    "script": (["is asked for what is in it by name"], {}),
}


Kept = dict[str, tuple[Path, tuple[Finding, ...]]]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """Every case, migrated into a folder of its own, with what was said about it."""
    result = {}
    for name in NAMES:
        folder = tmp_path_factory.mktemp(name)
        copy_case(CASES / name, folder)
        result[name] = folder, migrate_in_place(folder).findings
    return result


#: Programs that give up eager execution, which have a process each.
LAZY = ("loaded_and_grown", "model_in_main", "script", "shared_session", "trainer")


@pytest.fixture(scope="module")
def ran(kept: Kept) -> Kept:
    """The programs after they ran."""
    run_programs(folder for name, (folder, _) in kept.items() if name not in LAZY)
    for name in LAZY:
        run_programs([kept[name][0]])
    return kept


@pytest.mark.parametrize("name", NAMES)
def test_text_and_finding(name: str, kept: Kept) -> None:
    folder, findings = kept[name]
    migrated_texts(CASES / name, folder)
    told = [f for f in findings if f.code == "TF390"]
    for finding, reason in zip(told, REASONS[name][0], strict=True):
        assert reason in finding.message and finding.advice and finding.rung is Rung.COMPAT


@pytest.mark.parametrize("name", NAMES)
def test_it_runs_and_computes_the_same(name: str, ran: Kept) -> None:
    folder, _ = ran[name]
    assert outcome(folder)["traces"] == REASONS[name][1]
    assert_same_results(CASES / name, folder)


@pytest.mark.parametrize("name", NAMES)
def test_second_migration_changes_nothing(name: str, kept: Kept) -> None:
    assert changed_again(kept[name][0]) == []

"""What `migrator scan` says of every place that runs a session."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from click.testing import CliRunner

from migrator.cli.main import cli as main

CASES = Path(__file__).parent / "cases"


def test_scan_gives_the_rung_and_the_reason_of_each_run(tmp_path: Path) -> None:
    for name in ("before.py", "networks.py"):
        shutil.copy(CASES / "mixed" / name, tmp_path)
    shutil.copy(CASES / "model_object" / "before.py", tmp_path / "model.py")
    answer = CliRunner().invoke(main, ["scan", str(tmp_path), "--json"])
    assert answer.exit_code == 0, answer.output
    runs = json.loads(answer.stdout)["runs"]
    texts = {p.name: p.read_text() for p in tmp_path.glob("*.py")}
    assert len(runs) == sum(text.count(".run(") for text in texts.values())
    for run in runs:
        assert ".run(" in texts[run["path"]].splitlines()[run["line"] - 1] and run["reason"]
    assert {run["rung"] for run in runs} == {"native", "support"}
    called = {run["fetches"]: run["function"] for run in runs if run["rung"] == "native"}
    assert called["probabilities"] == "compute_probabilities"
    assert called["[model.loss, model.acc]"] == "compute_loss_and_acc"
    shown = CliRunner().invoke(main, ["scan", str(tmp_path), "--verbose"]).output
    assert "before.py:" in shown

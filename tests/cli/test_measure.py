"""`migrator measure`, `fit` and `merge` on the command line; the child processes are stood in for."""

from __future__ import annotations

import importlib.util
import json
import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from migrator.cli import measure_options
from migrator.cli.main import cli
from migrator.measure import environment, jobs, records
from migrator.measure.jobs import Job, Outcome


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "net.py").write_text(
        "import tensorflow as tf\n\ndef build():\n    return tf.keras.applications.MobileNet()\n\n"
        "if __name__ == '__main__':\n    build()\n"
    )
    monkeypatch.setattr(jobs, "execute", execute)
    monkeypatch.setattr(environment, "gpus", list)
    return tmp_path


def execute(job: Job, root: Path, warm: object = None) -> Outcome:
    """Half precision takes half the memory; more than 24 items do not fit."""
    if job.cell.batch > 24:
        return Outcome(None, "oom", "OOM when allocating")
    peak = job.cell.batch * (500 if job.cell.precision == "mixed_float16" else 1000)
    return Outcome({
        "phases": [{"name": "steady", "seconds": 1, "in_use": 1, "peak": peak, "rss": 7}],
        "weights": 8, "slots": 0, "inputs": 4, "steady_peaks": [peak], "steady_in_use": 9,
        "wall": [0.1] * 5, "cpu": [0.1] * 5, "traces": 1, "outputs": [[1.0]],
        "extra": {"device": "CPU:0"},
        "attribution": {
            "requested_peak": peak, "replay_peak": peak, "allocator_peak": peak, "missing": 0,
            "categories": {}, "holders": [], "timeline": [],
        },
    })  # fmt: skip


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(a) for a in arguments])


MODEL = ("--model", "net:build", "--input", "4x32x32x3")


def test_a_builder_that_did_not_change_is_measured_once(repo: Path) -> None:
    done = call("measure", repo, *MODEL, "--repeats", "1", "--json")
    assert done.exit_code == 0, done.output
    found = records.load(done.stdout)
    assert {r.cell.side for r in found.cells} == {"after"}
    assert {r.cell.batch for r in found.cells} == {4}
    assert {r.cell.mode for r in found.cells} == {"inference", "training"}
    assert (repo / ".migrator" / "measure.json").is_file()


def test_tune_writes_settings_and_code(repo: Path) -> None:
    done = call("measure", repo, *MODEL, "--repeats", "1", "--tune", "memory", "--write")
    assert done.exit_code == 0, done.output
    tuned = tomllib.loads((repo / "migrator.toml").read_text())["tuned"]
    assert {t["precision"] for t in tuned} == {"mixed_float16"}
    assert "set_policy('mixed_float16')" in (repo / "net.py").read_text()
    (one, _) = json.loads((repo / ".migrator" / "tune.json").read_text())
    assert one["chosen"]["score"] == 0.5
    assert call("undo", repo).exit_code == 0
    assert "set_policy" not in (repo / "net.py").read_text()


def test_fit_says_the_largest_batch(repo: Path) -> None:
    done = call("measure", "fit", repo, *MODEL, "--limit-mib", "64")
    assert done.exit_code == 0 and "batch 24 fits in 64.0 MiB" in done.output, done.output
    (found,) = json.loads((repo / ".migrator" / "fit.json").read_text())
    assert found["largest"] == 24 and found["limit"] == 64 * 2**20


def test_merge_labels_machines(repo: Path) -> None:
    call("measure", repo, *MODEL, "--repeats", "1")
    one = repo / ".migrator" / "measure.json"
    raw = json.loads(one.read_text())
    raw["environment"]["gpus"] = [{"name": "Tesla T4"}]
    (repo / "t4.json").write_text(json.dumps(raw))
    out = repo / "both" / "measure.json"
    done = call("measure", "merge", one, repo / "t4.json", "--out", out)
    assert done.exit_code == 0 and "of 2 machines" in done.output, done.output
    merged = records.load(out.read_text())
    assert "Tesla T4" in merged.machines and len(merged.cells) == 2 * len(raw["cells"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("measure", *MODEL, "--write"), "--write needs --tune"),
        (("measure", "--model", "net:build", "--input", "3*3"), "write it as 1x300x300x3"),
        (("measure", "--model", "gone.pb"), "there is no such file"),
        (("measure",), "nothing to run"),
        (("measure", *MODEL, "--strategies", "magic"), "no strategy 'magic'"),
        (("measure", *MODEL, "--allocators", "limit:x"), "give a size like"),
        (("measure", *MODEL, "--budget", "soon"), "give a time like"),
        (("measure", *MODEL, "--kwarg", "alpha"), "write KEY=VALUE"),
        (("measure", "--run", "  "), "the command is empty"),
        (("measure fit", *MODEL), "there is no GPU here"),
    ],
)
def test_bad_arguments(repo: Path, arguments: tuple[str, ...], says: str) -> None:
    done = call(*arguments[0].split(), repo, *arguments[1:])
    assert done.exit_code != 0 and says in done.output, done.output
    assert not isinstance(done.exception, (KeyError, TypeError, AttributeError))


@pytest.mark.parametrize("command", [["measure"], ["measure", "predict"], ["measure", "fit"]])
def test_without_tensorflow_it_is_refused_at_once(
    repo: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda *_: None)
    monkeypatch.setattr(measure_options, "workloads", lambda *_: pytest.fail("it looked for something"))
    done = CliRunner().invoke(cli, [*command, str(repo)])
    assert done.exit_code == 2 and "TensorFlow is not installed here" in done.stderr


def test_merge_names_the_file_that_is_damaged(repo: Path) -> None:
    bad = repo / "bad.json"
    bad.write_text('{"environment": {}, "cells": [{"status": "ok"}]}')
    done = call("measure", "merge", bad, "--out", repo / "x.json")
    assert done.exit_code == 1 and "bad.json.cells[0]: field 'cell' is missing" in done.output


def test_keyword_values_as_people_write_them() -> None:
    given = ("weights=null", "top=None", "alpha=0.35", "pool=True", "name=net", "sizes=[1, 2]")
    found = measure_options.keywords(click.Context(click.Command("c")), click.Option(["--k"]), given)
    assert found == {
        "weights": None, "top": None, "alpha": 0.35, "pool": True, "name": "net", "sizes": [1, 2],
    }  # fmt: skip

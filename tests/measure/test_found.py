"""What `measure` finds in a repository that describes nothing, and how it writes that down."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from migrator.cli.main import cli
from migrator.measure import commands, environment, found
from migrator.measure.jobs import Outcome, Settings
from migrator.verify import found as verifiable
from migrator.workload import spec
from migrator.workload.spec import Input, Workload

SCRIPT = "import tensorflow as tf\nif __name__ == '__main__':\n    tf.app.run()\n"


def outcome(status: str = "ok", steps: int = 5, detail: str = "") -> Outcome:
    """What `commands.execute` gives."""
    return Outcome({
        "phases": [{"name": "steady", "seconds": 1, "in_use": 1, "peak": 10, "rss": 7}],
        "weights": 0, "slots": 0, "inputs": 0, "steady_peaks": [10], "steady_in_use": 9,
        "wall": [], "cpu": [], "traces": 1,
        "extra": {"calls": {"Session.run": {"count": steps}}, "stopped": 40.0, "rss_peak": 100},
    }, status, detail)  # fmt: skip


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "repo"
    for name, text in {
        "train.py": SCRIPT, "pkg/deep/run.py": "from pkg import net\n" + SCRIPT, "needs.py": SCRIPT,
        "tools/plot.py": "import json\nif __name__ == '__main__':\n    print(json)\n",
        "pkg/net.py": "import tensorflow as tf\n", "short.py": SCRIPT,
    }.items():  # fmt: skip
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)

    def execute(workload: Workload, side: str, root: Path, *_: Any) -> Outcome:
        line = workload.command
        if "needs.py" in line:
            return outcome("failed", 0, "usage: needs.py\nneeds.py: error: --data is required\nexit code 2")
        if line == "python pkg/deep/run.py":
            return outcome("failed", 0, "ModuleNotFoundError: No module named 'pkg'\nexit code 1")
        if "short.py" in line:
            return outcome(steps=0)
        return outcome() if side == "after" or "train.py" in line else outcome("failed", 0, "x\ny")

    monkeypatch.setattr(commands, "execute", execute)
    monkeypatch.setattr(environment, "gpus", list)
    return root


def find(root: Path, tries: bool, told: Any, described: Sequence[Workload] = ()) -> found.Found:
    scripts = [s.path for s in verifiable.sources(root)[1]]
    return found.find(root, root, described, scripts, tries, Settings(), told)


def test_programs_are_tried_as_they_are_meant(repo: Path) -> None:
    said: list[str] = []
    made = find(repo, True, said.append)
    assert {w.name: w.command for w in made.workloads} == {
        "train.py": "python train.py",
        "pkg/deep/run.py": 'cd pkg/deep && PYTHONPATH="../..:$PYTHONPATH" python run.py',
    }
    assert all(w.found and w.stop for w in made.workloads)
    why = dict(made.missing)
    assert why["needs.py"] == "needs.py: error: --data is required"
    assert why["short.py"] == "it came to no step within 90 s"
    assert "tools/plot.py" not in why  # it has to do with no TensorFlow
    assert said[0].startswith("trying needs.py")


def test_no_program_runs_that_nobody_asked_for(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "execute", lambda *_: pytest.fail("it ran"))
    made = find(repo, False, pytest.fail)
    assert made.workloads == () and ("train.py", "--programs tries it as it is") in made.missing


def test_what_was_found_is_written_down_and_measured_the_next_time(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = CliRunner().invoke(cli, ["measure", str(repo), "--programs", "--repeats", "1"])
    assert done.exit_code == 0, done.output
    assert "needs.py: error: --data is required" in done.stderr
    raw = tomllib.loads((repo / "migrator.toml").read_text())
    assert [w["name"] for w in raw["workload"]] == ["train.py", "pkg/deep/run.py"]
    monkeypatch.setattr(found, "find", lambda *_: pytest.fail("looked for again"))
    again = CliRunner().invoke(cli, ["measure", str(repo), "--repeats", "1", "--json"])
    assert again.exit_code == 0 and '"train.py"' in again.stdout, again.output


def test_nothing_to_run_says_what_could_be_tried(repo: Path) -> None:
    (repo / "old.py").write_text(SCRIPT + "    print 'done'\n")
    done = CliRunner().invoke(cli, ["measure", str(repo)])
    assert done.exit_code == 2 and "train.py: --programs tries it as it is" in done.stderr
    assert "old.py: Python 3 cannot read it" in done.stderr
    assert not (repo / "migrator.toml").exists()


def test_model_files_are_taken_as_they_say(tmp_path: Path) -> None:
    graph = Workload("net.pb (sizes guessed)", "frozen_graph", path="net.pb", fetches=("out:0",),
                     inputs=(Input("image:0", ("batch", 64, 64, 3), "uint8", high=255.0),))  # fmt: skip
    (tmp_path / "net.h5").write_bytes(b"")
    checkpoint = Workload("m.ckpt", "checkpoint", path="m.ckpt")
    made = find(tmp_path, False, pytest.fail, [graph, checkpoint])
    assert [w.kind for w in made.workloads] == ["frozen_graph", "keras_file"]


def test_the_text_is_read_back_as_it_was() -> None:
    strange = 'a"b\\c\n[[workload]] \x7f \u2028 \U0001f600'
    made = (
        Workload(strange, "command", command=strange, stop=40.0, found=True),
        Workload("net.pb (sizes guessed)", "frozen_graph", path=strange, fetches=("a:0", strange),
                 inputs=(Input("x:0", ("batch", 64), "uint8", high=255.0), Input("y:0", (3,))),
                 found=True),
        Workload("nets.model", "function", call="nets:model", found=True, roots=(".", "src"),
                 kwargs={"is_training": False, "scope": strange, "depth": 0.5, "n": 3},
                 inputs=(Input("x", ("batch", 3)),)),
        Workload("m.keras, inference", "keras_file", path="m.keras", found=True),
    )  # fmt: skip
    text = found.text(made)
    assert spec.parse(tomllib.loads(text)) == made
    assert "How large is x:0 here? Nothing says it: 64 was taken." in text


def test_a_program_that_is_stopped_as_told_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loop.py").write_text("import time\nwhile True:\n    time.sleep(0.1)\n")
    program = Workload("loop.py", "command", command="python loop.py", stop=2.0)
    ended = commands.execute(program, "after", tmp_path, Settings())
    assert ended.status == "ok" and ended.raw is not None
    assert ended.raw["wall"] == [] and ended.raw["extra"]["stopped"] == 2.0
    slow = Workload("loop.py", "command", command="python loop.py", stop=9.0, timeout=2.0)
    assert commands.execute(slow, "after", tmp_path, Settings()).status == "timeout"


def test_verify_leaves_what_measure_found_alone(tmp_path: Path) -> None:
    from migrator.cli.verify import _described
    from migrator.workload.sides import Sides

    file = tmp_path / "migrator.toml"
    file.write_text(found.text([Workload("train.py", "command", command="python train.py", stop=4.0)]))
    named, missing = _described(Sides(tmp_path, tmp_path), file, (), (), "")
    assert not any(w.kind == "command" for w in named) and missing



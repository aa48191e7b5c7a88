"""The whole of verify on a small TF1 repository: equal as migrated, and what each fault looks like."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
import trees  # type: ignore[import-not-found]  # beside this file
from click.testing import CliRunner

from migrator import verify
from migrator.cli.main import cli
from migrator.verify.children import Side
from migrator.verify.records import Check, Status, Verification
from migrator.workload import child, spec
from migrator.workload.spec import Workload

WORKLOADS = trees.DATA / "migrator.toml"
pytestmark = pytest.mark.timeout(600)


def compat() -> verify.Reference:
    return verify.Reference("the original through the compat runtime", "compat")


def named(verified: Verification, workload: str) -> dict[str, Check]:
    return {c.name: c for c in verified.checks if c.workload == workload}


@pytest.fixture(scope="module")
def equal(repositories: tuple[Path, Path]) -> Verification:
    return verify.run(*repositories, spec.load(WORKLOADS), compat())


def test_everything_is_equal(equal: Verification) -> None:
    bad = [c for c in equal.checks if c.status is not Status.EQUAL]
    assert not bad, bad
    assert equal.ok and not equal.real_tf1


def test_every_aspect_is_compared(equal: Verification) -> None:
    assert set(named(equal, "forward")) == {"outputs", "variables", "checkpoint by name", "traces"}
    assert set(named(equal, "loss")) == {
        "outputs", "variables", "loss", "gradients", "3 training steps in float64", "traces",
    }  # fmt: skip
    assert set(named(equal, "train.py")) == {
        "exit code", "checkpoint model.ckpt", "losses.npz", "traces"
    }
    assert set(named(equal, "frozen")) == {"fetched tensors", "traces"}
    assert set(named(equal, "tests")) == {"unit tests"}


def test_the_comparison_is_of_real_numbers(equal: Verification) -> None:
    """Weights, gradients and slots: as many as the network has, and not all the same zeros."""
    assert "5 of 5 gradients" in named(equal, "loss")["gradients"].detail
    # seven variables of the network, five momenta, the step
    assert "13 of 13 variables" in named(equal, "train.py")["checkpoint model.ckpt"].detail
    assert "train_step (train.py:" in named(equal, "train.py")["traces"].detail
    assert "1 fail on the original" in named(equal, "tests")["unit tests"].detail


@pytest.fixture(scope="module")
def faulty(repositories: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Verification:
    """A migration with a wrong constant, a lost variable, a trace for each step and a lost test."""
    after = tmp_path_factory.mktemp("faulty") / "after"
    shutil.copytree(repositories[1], after)
    trees.change(after / "net.py", "'scale': True", "'epsilon': 0.01, 'scale': False")
    trees.change(after / "train.py", "train_step(images, labels):", "train_step(step, images, labels):")
    trees.change(after / "train.py", "for _ in range(3)", "for step in range(3)")
    trees.change(after / "train.py", "append(train_step(", "append(train_step(step, ")
    trees.change(after / "tests" / "net_test.py", "test_shapes", "test_form")
    trees.change(after / "tests" / "net_test.py", "[[0.0] * 3] * 2", "[[1.0] * 3] * 2")
    workloads = [w for w in spec.load(WORKLOADS) if w.name != "frozen" and w.name != "loss"]
    return verify.run(repositories[0], after, workloads, compat())


def test_fault_in_the_numbers_is_found(faulty: Verification) -> None:
    forward = named(faulty, "forward")
    assert forward["outputs"].status is Status.DIFFERS
    assert forward["outputs"].difference is not None and forward["outputs"].difference > 1e-3
    assert forward["variables"].status is Status.DIFFERS
    assert "lost: conv1/BatchNorm/gamma" in forward["variables"].detail
    assert not faulty.ok


def test_fault_in_the_written_checkpoint_is_found(faulty: Verification) -> None:
    found = named(faulty, "train.py")["checkpoint model.ckpt"]
    assert found.status is Status.DIFFERS
    assert "not there after the migration: conv1/BatchNorm/gamma" in found.detail


def test_a_trace_for_each_step_is_found(faulty: Verification) -> None:
    found = named(faulty, "train.py")["traces"]
    assert found.status is Status.DIFFERS and "3 traces, 1 signatures" in found.detail


def test_lost_and_failing_tests_are_found(faulty: Verification) -> None:
    found = named(faulty, "tests")["unit tests"]
    assert found.status is Status.DIFFERS
    assert "0 of 2 tests" in found.detail
    assert "test_shapes: is not there any more" in found.detail
    assert "test_zero_logits: failed: " in found.detail


def test_what_cannot_be_run_is_said(repositories: tuple[Path, Path], tmp_path: Path) -> None:
    """On the command line: a missing checkpoint is that item's result; the exit code: nothing ran."""
    description = tmp_path / "workloads.toml"
    description.write_text(
        '[[workload]]\nname = "no weights"\nkind = "function"\ncall = "net:network"\n'
        'checkpoint = "gone.ckpt"\ninputs = [{ name = "images", shape = [1, 8, 8, 2] }]\n'
    )
    runner = CliRunner(env={"MIGRATOR_TF1_PYTHON": "", "PATH": os.defpath, "COLUMNS": "200"})
    arguments = [str(repositories[1]), "--before", str(repositories[0]), "--out", str(tmp_path),
                 "--workloads", str(description)]  # fmt: skip
    result = runner.invoke(cli, ["verify", *arguments])
    assert result.exit_code == 2 and "nothing could be compared" in result.output
    assert "there is no checkpoint gone.ckpt in the repository" in result.output
    stored = json.loads((tmp_path / "verify.json").read_text())
    assert stored["checks"][0]["status"] == "not run" and stored["real_tf1"] is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "nonsense"], "no workload 'nonsense'; there are: forward, loss"),
        (["--tf1-python", "/nowhere/python"], "no TensorFlow 1 interpreter"),
    ],
)
def test_wrong_usage(tmp_path: Path, arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(cli, ["verify", str(tmp_path), "--workloads", str(WORKLOADS), *arguments])
    assert result.exit_code == 2 and message in result.output


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "migrator.toml").write_text(
        '[[workload]]\nname = "a\\u001b[31m[bold]"\nkind = "command"\ncommand = "exit 1"\n'
    )
    result = CliRunner(env={"MIGRATOR_TF1_PYTHON": "", "PATH": os.defpath, "COLUMNS": "200"}).invoke(
        cli, ["verify", str(tmp_path), "--before", str(tmp_path)]
    )
    assert "\x1b[31m" not in result.output and "[bold]" in result.output


@pytest.mark.tf1
@pytest.mark.skipif(not os.environ.get("MIGRATOR_TF1_PYTHON"), reason="needs MIGRATOR_TF1_PYTHON")
def test_real_tensorflow_1(repositories: tuple[Path, Path]) -> None:
    """The same comparison with the real thing."""
    reference = verify.find_reference()
    verified = verify.run(*repositories, spec.load(WORKLOADS), reference)
    assert verified.ok and verified.real_tf1, verified.checks


def test_object_based_checkpoints_are_read_by_tf1_name(
    repositories: tuple[Path, Path], tmp_path: Path
) -> None:
    """What tf.train.Checkpoint writes of a store, and of a plain variable, has TF1's names."""
    program = (
        "import sys, tensorflow as tf; from tf1_support import scopes\n"
        "store = scopes.VariableStore()\n"
        "with store.as_default(), scopes.variable_scope('a'):\n"
        "  scopes.get_variable('b.c', initializer=tf.constant([1.5, 2.5]))\n"
        "step = tf.Variable(7, name='global_step')\n"
        "tf.train.Checkpoint(model=store, counter=step).write(sys.argv[1])\n"
    )
    prefix = str(tmp_path / "model")
    outcome = child.run([sys.executable, "-c", program, prefix], repositories[1],
                        {**os.environ, **trees.QUIET})  # fmt: skip
    assert outcome.ok, outcome.tail
    found = Side.after(tmp_path).run("verify_checkpoint", Workload("w", "command"), {"path": prefix})
    assert not found.error, found.error
    assert {k: v.tolist() for k, v in found.arrays.items()} == {
        "a/b.c": [1.5, 2.5], "global_step": 7,
    }  # fmt: skip

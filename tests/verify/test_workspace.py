"""Working copies: what runs in them, what is told of it, and that the user's tree stays as it is."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from migrator import verify
from migrator.verify import written
from migrator.verify.children import Side
from migrator.verify.records import Check, Status
from migrator.verify.workspace import WorkingCopy, WorkspaceError, frames
from migrator.workload.spec import Workload

REFERENCE = verify.Reference("TensorFlow 1.15.5 (Python 3.7.9)", "tf1", sys.executable)


def files(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    pair = tmp_path / "old tree", tmp_path / "new"
    for tree in pair:
        (tree / "data").mkdir(parents=True)
        (tree / "data" / "a.txt").write_text("1.5\n")
    return pair


def run(trees: tuple[Path, Path], *commands: str, carried: tuple[str, ...] = ()) -> list[Check]:
    workloads = [
        Workload(str(i), "command", command=c, carried=c in carried, timeout=60.0)
        for i, c in enumerate(commands)
    ]
    return list(verify.run(*trees, workloads, REFERENCE).checks)


def test_the_trees_stay_as_they_are(trees: tuple[Path, Path]) -> None:
    before = files(trees[0]), files(trees[1])
    checks = run(trees, "echo 2 > data/a.txt; echo 3 > new.txt; echo 4 > {out}/x.txt; rm -r data; echo ok")
    assert (files(trees[0]), files(trees[1])) == before
    assert {c.name: c.status for c in checks} == {
        "exit code": Status.EQUAL, "printed": Status.EQUAL, "new.txt": Status.EQUAL,
        "x.txt": Status.EQUAL,
    }  # fmt: skip


def test_a_command_finds_what_the_one_before_wrote(trees: tuple[Path, Path]) -> None:
    checks = run(trees, "echo 5 > weights.txt", "cat weights.txt data/a.txt")
    assert [c.name for c in checks if c.workload == "1"] == ["exit code", "printed"]
    assert "2 of 2 lines, 2 numbers" in checks[-1].detail


def test_what_a_carried_command_writes_is_on_both_sides(trees: tuple[Path, Path]) -> None:
    (trees[1] / "data" / "a.txt").write_text("9.5\n")
    make = "mkdir -p w; cp data/a.txt w/from.txt"
    checks = run(trees, make, "cat w/from.txt", carried=(make,))
    assert [(c.workload, c.status) for c in checks] == [("1", Status.EQUAL)] * 2


def test_numbers_that_are_printed_and_written(trees: tuple[Path, Path]) -> None:
    (trees[1] / "data" / "a.txt").write_text("1.8\n")
    checks = {c.name: c for c in run(trees, "echo loss $(cat data/a.txt); cp data/a.txt b.txt; echo gone")}
    assert checks["printed"].status is Status.DIFFERS
    assert checks["printed"].difference == pytest.approx(0.2 / 1.5, rel=0.5)
    assert "1.5 became 1.8" in checks["printed"].detail
    assert checks["b.txt"].status is Status.DIFFERS


def test_more_and_fewer_lines(trees: tuple[Path, Path]) -> None:
    (trees[1] / "data" / "a.txt").write_text("1.5\n1.5\n")
    fewer = {c.name: c for c in run(trees[::-1], "cat data/a.txt")}
    more = {c.name: c for c in run(trees, "cat data/a.txt")}
    assert "only in the original" in fewer["printed"].detail
    assert "more of them after the migration" in more["printed"].detail
    assert fewer["printed"].status is more["printed"].status is Status.DIFFERS


def test_rounding_of_the_original_is_no_difference(trees: tuple[Path, Path]) -> None:
    """The original itself gives other numbers when rounding is added: twice as far is near enough."""
    for tree, value in zip(trees, ("1.0", "1.000002"), strict=True):
        (tree / "run.sh").write_text(
            f'if [ -n "$MIGRATOR_VERIFY_SHAKE" ]; then echo $1 1.000001; else echo $1 {value}; fi\n'
        )
    (wide,) = [c for c in run(trees, "sh run.sh loss") if c.name == "printed"]
    assert wide.status is Status.EQUAL
    (trees[1] / "run.sh").write_text("echo $1 1.5\n")
    (wrong,) = [c for c in run(trees, "sh run.sh loss") if c.name == "printed"]
    assert wrong.status is Status.DIFFERS


def test_what_only_rounding_decides_is_said(trees: tuple[Path, Path]) -> None:
    for tree, value in zip(trees, ("1.0", "2.0"), strict=True):
        (tree / "run.sh").write_text(
            f'if [ -n "$MIGRATOR_VERIFY_SHAKE" ]; then echo 3.0 1.0; else echo {value} 1.0; fi\n'
        )
    (found,) = [c for c in run(trees, "sh run.sh") if c.name == "printed"]
    assert found.status is Status.EQUAL and "1 numbers are left to rounding" in found.detail


def test_python_is_the_sides_own_wherever_it_is_called(trees: tuple[Path, Path], tmp_path: Path) -> None:
    other = tmp_path / "python-of-before"
    other.write_text(f'#!/bin/sh\nexport WHO=before\nexec "{sys.executable}" "$@"\n')
    other.chmod(0o755)
    for tree in trees:
        (tree / "go.sh").write_text("#!/usr/bin/env python\nimport os; print(os.environ.get('WHO'))\n")
        (tree / "go.sh").chmod(0o755)
    copy = WorkingCopy(Side(trees[0], "tf1", str(other)), tmp_path / "copy")
    inner = "import os; print(os.environ[\\\"WHO\\\"])"
    program = f"import subprocess; subprocess.run(['python3', '-c', '{inner}'])"
    for command in ("./go.sh", f'{{python}} -c "{program}"', "PYTHONPATH=data python go.sh"):
        ran = copy.run(Workload("w", "command", command=command))
        assert (ran.error, ran.stdout.strip()) == ("", "before"), command


def test_generators_are_seeded_and_the_environments_own_sitecustomize_runs(
    trees: tuple[Path, Path], tmp_path: Path
) -> None:
    (trees[0] / "site").mkdir()
    (trees[0] / "site" / "sitecustomize.py").write_text("import builtins; builtins.OWN = 1\n")
    program = (
        "import random, numpy as np; random.seed(); np.random.seed(None); "
        "print(random.random(), np.random.rand(), np.random.default_rng().random(), OWN)"
    )
    copy = WorkingCopy(Side(trees[0], "tf1", sys.executable), tmp_path / "copy")
    workload = Workload("w", "command", command=f"PYTHONPATH=site python -c '{program}'")
    first, second = copy.run(workload), copy.run(workload)
    assert not first.error, first.error
    assert first.stdout == second.stdout and first.stdout.startswith("0.8444218515250481 0.548813")


def test_what_tensorflow_imports_draws_nothing(trees: tuple[Path, Path], tmp_path: Path) -> None:
    (trees[0] / "rich").mkdir()
    (trees[0] / "rich" / "__init__.py").write_text("")
    (trees[0] / "rich" / "style.py").write_text("import random; random.randint(0, 9); DRAWN = 1\n")
    program = "import random; random.seed(3); {}print(random.sample(range(99), 9))"
    copy = WorkingCopy(Side(trees[0], "tf1", sys.executable), tmp_path / "copy")
    said = [
        copy.run(Workload("w", "command", command=f"PYTHONPATH=. python -c '{program.format(more)}'"))
        for more in ("", "import rich.style; rich.style.DRAWN; ")
    ]
    assert not said[1].error and said[0].stdout == said[1].stdout != ""


def test_what_programs_say_of_themselves(trees: tuple[Path, Path], tmp_path: Path) -> None:
    (trees[0] / "deep").mkdir()
    (trees[0] / "deep" / "b.py").write_text("def f():\n    raise ValueError('no')\n")
    (trees[0] / "a.py").write_text("import sys; sys.path.insert(0, 'deep')\nimport b\nb.f()\n")
    copy = WorkingCopy(Side(trees[0], "tf1", sys.executable), tmp_path / "copy")
    ran = copy.run(Workload("w", "command", command="python a.py"))
    assert ran.error.endswith("ValueError: no") and ran.frames == ("a.py:3", "deep/b.py:2")
    assert frames("no traceback", tmp_path) == ()


def test_links_and_what_is_left_out(trees: tuple[Path, Path], tmp_path: Path) -> None:
    outside = tmp_path / "big"
    outside.mkdir()
    (outside / "x").write_text("x")
    (trees[0] / "link").symlink_to("../big")
    (trees[0] / "venv").mkdir()
    (trees[0] / "venv" / "pyvenv.cfg").write_text("")
    (trees[0] / ".git").mkdir()
    os.mkfifo(trees[0] / "pipe")
    copy = WorkingCopy(Side(trees[0], "tf1", sys.executable), tmp_path / "deeper" / "copy")
    assert sorted(os.listdir(copy.tree)) == ["data", "link"]
    assert (copy.tree / "link" / "x").read_text() == "x"


def test_a_copy_that_cannot_be_made(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="a working copy of"):
        WorkingCopy(Side(tmp_path / "gone", "tf1", sys.executable), tmp_path / "copy")


def test_names_are_the_same_but_for_times_in_them() -> None:
    old = ["runs/1511234567/vocab", "a.txt", "logs/2019-01-02-10-11-12/", "lost_3.txt"]
    new = ["runs/1795431608/vocab", "a.txt", "logs/2026-11-23-10-32-47/", "lost_4.txt"]
    assert written.paired(old, new) == {
        "runs/1511234567/vocab": "runs/1795431608/vocab", "a.txt": "a.txt",
        "logs/2019-01-02-10-11-12/": "logs/2026-11-23-10-32-47/", "lost_3.txt": None,
    }  # fmt: skip


def test_kinds_of_files() -> None:
    names = (
        "m/model.ckpt-3.index", "m/model.ckpt-3.data-00000-of-00001", "m/model.ckpt-3.meta", "m/checkpoint",
        "m/events.out.tfevents.1.host", "x/saved_model.pb", "f.pb", "a.PNG", "t.tf_record",
        "t-00000-of-00002", "t.tfrecord-00000-of-00002", "c.pkl", "d.npz", "e.json", "f.txt",
        ".hidden", "g.py~", "m/graph.pbtxt",
    )  # fmt: skip
    found = written.items(verify.workspace.Ran(written=names))
    assert found == {
        "m/model.ckpt-3.index": "checkpoint", "m/": "events", "x/saved_model.pb": "saved_model",
        "f.pb": "graph", "a.PNG": "image", "t.tf_record": "records", "t-00000-of-00002": "",
        "t.tfrecord-00000-of-00002": "records", "c.pkl": "pickle", "d.npz": "arrays", "e.json": "json",
        "f.txt": "",
    }  # fmt: skip


def test_files_of_programs_are_read(trees: tuple[Path, Path], tmp_path: Path) -> None:
    """Checkpoints, events, pictures, records, pickles, exports: by what they hold."""
    pytest.importorskip("tensorflow")
    program = Path(__file__).parent / "data" / "writes_files.py"
    for tree in trees:
        (tree / "go.py").write_text(program.read_text())
    same = {c.name: c for c in run(trees, "python go.py 0")}
    assert all(c.status is Status.EQUAL for c in same.values()), same
    assert set(same) == {
        "exit code", "checkpoint m/model", "events in log/", "picture.png", "examples.tfrecord",
        "train-00000-of-00001",
        "object.pkl", "export/saved_model.pb", "checkpoint export/variables/variables", "frozen.pb",
    }  # fmt: skip
    (trees[1] / "go.py").write_text(program.read_text().replace("argv[1]", "argv[1] + '.1'"))
    other = {c.name: c for c in run(trees, "python go.py 0")}
    wrong = {n for n, c in other.items() if c.status is Status.DIFFERS}
    assert wrong == set(same) - {"exit code", "export/saved_model.pb"}


def test_json_of_a_run_has_what_was_compared(trees: tuple[Path, Path]) -> None:
    np.savez(trees[0] / "data" / "n.npz", a=np.float32(1))
    found = json.loads(verify.to_json(verify.run(
        *trees, [Workload("w", "command", command="cp data/n.npz x.npz || true")], REFERENCE
    )))  # fmt: skip
    assert {c["name"]: c["status"] for c in found["checks"]} == {"exit code": "equal", "x.npz": "differs"}


def draws(tmp_path: Path, reference: verify.Reference) -> Check:
    pytest.importorskip("tensorflow")
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "go.py").write_text((Path(__file__).parent / "data" / "draws.py").read_text())
    workload = Workload("draws", "command", command="python go.py")
    verified = verify.run(tmp_path / "old", tmp_path / "new", [workload], reference)
    assert verified.checks[0].status is Status.EQUAL, verified.checks[0].detail
    return verified.checks[1]


def test_both_sides_draw_the_same(tmp_path: Path) -> None:
    found = draws(tmp_path, verify.Reference("compat", "compat"))
    assert found.status is Status.EQUAL and "13 of 13 lines" in found.detail, found.detail


@pytest.mark.tf1
@pytest.mark.skipif(not os.environ.get("MIGRATOR_TF1_PYTHON"), reason="needs MIGRATOR_TF1_PYTHON")
def test_real_tensorflow_1_draws_the_same(tmp_path: Path) -> None:
    found = draws(tmp_path, verify.find_reference())
    assert found.status is Status.EQUAL and "13 of 13 lines" in found.detail, found.detail


def test_what_is_shaken_moves_a_little(tmp_path: Path) -> None:
    pytest.importorskip("tensorflow")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "go.py").write_text((Path(__file__).parent / "data" / "draws.py").read_text())
    found = []
    for seed in ("", "1", "2"):
        env = {"MIGRATOR_VERIFY_SHAKE": "1e-3", "MIGRATOR_VERIFY_SHAKE_SEED": seed} if seed else {}
        side = Side(tmp_path / "old", "after", sys.executable)
        copy = WorkingCopy(side, tmp_path / f"copy{seed}", env)
        ran = copy.run(Workload("w", "command", command="python go.py"))
        assert not ran.error, ran.error
        line = next(x for x in ran.stdout.splitlines() if x.startswith("uniform"))
        found.append(np.array([float(v) for v in line.split()[1:]]))
    for one, other in ((0, 1), (0, 2), (1, 2)):
        gap = np.abs(found[one] / found[other] - 1)
        assert 0 < gap.max() < 2.1e-3


_SUMS = """
import numpy as np
import tensorflow as tf
tf1 = tf.compat.v1
with tf.Graph().as_default(), tf1.Session() as sess:
    one = tf.constant(np.concatenate([[3e7], np.full(98, 0.7), [-3e7]]), tf.float32)
    with tf1.variable_scope("net"):
        product = tf.matmul(one[None], tf.ones([100, 1]))
        conv = tf.nn.conv2d(tf.reshape(one, [1, 10, 10, 1]), tf.ones([10, 10, 1, 1]), [1] * 4, "VALID")
    whole = tf.reduce_sum(tf.range(100))
    gradient = tf1.gradients(product, one)[0]
    values = product, conv, tf.reduce_sum(one), tf.reduce_mean(one, name="average")
    print("sums", *(float(v.squeeze()) for v in sess.run(values)))
    print("rest", product.op.name, conv.op.name, values[2].op.name, values[3].op.name, product.dtype.name,
          conv.shape, *sess.run((whole, tf.reduce_max(gradient))))
"""


def test_sums_are_taken_in_double_where_it_is_shaken(tmp_path: Path) -> None:
    """What rounding does to a sum shows then; names, types and what is exact are as they were."""
    pytest.importorskip("tensorflow")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "go.py").write_text(_SUMS)
    said = []
    for name, env in (("plain", {}), ("shaken", {"MIGRATOR_VERIFY_SHAKE": "1e-6"})):
        copy = WorkingCopy(Side(tmp_path / "old", "after", sys.executable), tmp_path / name, env)
        ran = copy.run(Workload("w", "command", command="python go.py"))
        assert not ran.error, ran.error
        sums, rest = (x for x in ran.stdout.splitlines() if x.startswith(("sums", "rest")))
        said.append(([float(v) for v in sums.split()[1:]], rest))
    (plain, rest), (shaken, again) = said
    assert rest == again and "net/MatMul net/Conv2D Sum_1 average float32 (1, 1, 1, 1) 4950 1" in rest
    np.testing.assert_allclose(shaken, [68.6, 68.6, 68.6, 0.686], rtol=1e-6)
    assert all(a != b for a, b in zip(plain, shaken, strict=True))


_NORMS = """
import numpy as np, tensorflow as tf
tf1 = tf.compat.v1
with tf.Graph().as_default(), tf1.Session() as sess:
    x = tf.constant(np.random.RandomState(0).rand(4, 5, 5, 2) + 1000, tf.float32)
    ones = tf.ones([2])
    value, mean, variance = tf1.nn.fused_batch_norm(x, ones, ones, epsilon=1e-6, name="norm")
    wide = sess.run(x).astype("float64").reshape(100, 2)
    wanted = (wide - wide.mean(0)) / np.sqrt(wide.var(0) + 1e-6) + 1
    found = sess.run((value, mean, variance, tf1.gradients(value[:, 0] ** 2, x)[0]))
    print("rest", value.op.name, value.shape, value.dtype.name, found[3].shape)
    print("off", np.abs(found[0].reshape(100, 2) - wanted).max(), np.abs(found[1] / wide.mean(0) - 1).max(),
          np.abs(found[2] / wide.var(0, ddof=1) - 1).max())
"""


def test_batch_norms_are_taken_in_double_where_it_is_shaken(tmp_path: Path) -> None:
    """What their kernel's sums are off by, in TensorFlow 1 above all, shows then."""
    pytest.importorskip("tensorflow")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "go.py").write_text(_NORMS)
    said = []
    for name, env in (("plain", {}), ("shaken", {"MIGRATOR_VERIFY_SHAKE": "1e-12"})):
        copy = WorkingCopy(Side(tmp_path / "old", "after", sys.executable), tmp_path / name, env)
        ran = copy.run(Workload("w", "command", command="python go.py"))
        assert not ran.error, ran.error
        rest, off = (x for x in ran.stdout.splitlines() if x.startswith(("rest", "off")))
        said.append((rest, [float(v) for v in off.split()[1:]]))
    (rest, plain), (again, shaken) = said
    assert rest == again and "norm (4, 5, 5, 2) float32 (4, 5, 5, 2)" in rest
    assert max(shaken) < 1e-6 < max(plain)

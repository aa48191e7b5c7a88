"""Classes that make their own placeholders: found by how the repository makes and runs them, and measured
before and after a migration."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from migrator.cli.main import cli
from migrator.measure import builders, found, records
from migrator.measure.arguments import Arguments, Unknown
from migrator.measure.modules import Modules
from migrator.measure.programs.measure_probe import measure_graphs
from migrator.workload import spec

NET = """\
import tensorflow as tf
import settings


class Net(object):
    def __init__(self, classes, width, rate=0.1, training=True):
        self.images = tf.placeholder(tf.float32, [None, settings.SIZE * 2], name="images")
        self.labels = tf.placeholder(tf.int32, [None])
        self.keep = tf.placeholder(tf.float32)
        hidden = tf.nn.dropout(tf.layers.dense(self.images, width, tf.nn.relu), self.keep)
        self.logits = tf.layers.dense(hidden, classes)
        self.loss = tf.losses.sparse_softmax_cross_entropy(self.labels, self.logits)
        if training:
            self.train_op = tf.train.AdamOptimizer(rate).minimize(self.loss)
"""
TRAIN = """\
import argparse
import tensorflow as tf
from net import Net
from data import load


def main(args):
    images, labels, names = load()
    net = Net(len(names), args.width, rate=args.rate)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(net.logits)
        for _ in range(3):
            feed = {net.images: images, net.labels: labels, net.keep: 0.5}
            fetches = [net.loss, net.train_op]
            loss, _ = sess.run(fetches, feed)
            sess.run([net.logits, net.images], feed_dict=feed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--width", type=int, default=40)
    parser.add_argument("--rate", type=float, default=1e-2)
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--filters", default="3,4,5", dest="kernels")
    args = parser.parse_args()
    main(args)
"""
DATA = "def load():\n    raise OSError('there is no data here')\n\n\ndef read(path):\n    return path\n"
FILES = {"net.py": NET, "train.py": TRAIN, "settings.py": "SIZE = 8\n", "data.py": DATA}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text)
    return root


def test_objects_are_made_as_the_repository_makes_them(repo: Path) -> None:
    candidates, missing = builders.find(Modules.of(repo))
    assert not missing
    made = {c.workload.mode: c for c in candidates}
    assert set(made) == {"training", "inference"}
    assert made["training"].workload.fetches == ("loss", "train_op")
    assert made["inference"].workload.fetches == ("logits",)  # what a run feeds; no placeholder
    for one in candidates:
        assert (one.workload.kind, one.workload.call) == ("graph", "net:Net")
        assert one.workload.kwargs == {"classes": 64, "width": 40, "rate": 0.01}
        assert one.guessed == ("classes",)


@pytest.mark.parametrize(("text", "value"), [
    ("settings.SIZE // 3 - 1", 1), ("-settings.SIZE", -8), ("[1, ('a', None)]", [1, ["a", None]]),
    ("list(map(int, args.kernels.split(',')))", [3, 4, 5]), ("len([1, 2])", 2), ("args.quiet", False),
    ("read('names.txt')", {"call": "data:read", "args": ["names.txt"]}),
    ("len(read('a'))", {"call": "builtins:len", "args": [{"call": "data:read", "args": ["a"]}]}),
    ("images.shape[1]", 64), ("loader.vocab_size", 64), ("FLAGS.depth", 5), ("HERE[1]", 2),
])  # fmt: skip
def test_arguments_without_running_them(repo: Path, text: str, value: Any) -> None:
    (repo / "flags.py").write_text("from absl import flags\nflags.DEFINE_integer('depth', 5, 'x')\n")
    head = "import settings\nfrom data import read\nHERE = [1, 2]\n"
    (repo / "train.py").write_text(head + TRAIN)
    assert Arguments(Modules.of(repo), "train.py").value(ast.parse(text, mode="eval").body) == value


@pytest.mark.parametrize("text", [
    "args.data", "images", "open('x')", "lambda: 1", "[1] * 10 ** 9", "twice", "{}[0]",
])  # fmt: skip
def test_what_is_not_known(repo: Path, text: str) -> None:
    (repo / "train.py").write_text(TRAIN + "\ntwice = 1\ntwice = 2\n")
    with pytest.raises(Unknown):
        Arguments(Modules.of(repo), "train.py").value(ast.parse(text, mode="eval").body)


def test_attributes_that_are_set_behind_the_parsing(repo: Path) -> None:
    lines = "args.words = loader.vocab_size", "args.size = args.width * 2", "args.file = open(args.data)"
    text = TRAIN.replace("    images, labels", "".join(f"    {n}\n" for n in lines) + "    images, labels")
    (repo / "train.py").write_text(text)
    arguments = Arguments(Modules.of(repo), "train.py")
    value = arguments.value(ast.parse("args", mode="eval").body)
    assert value == {"namespace": {"width": 40, "rate": 0.01, "quiet": False, "kernels": "3,4,5",
                                   "words": 64, "size": 80}}  # fmt: skip
    assert arguments.guessed == ["words"]
    made = measure_graphs.argument([{"namespace": {"width": 4}}, {"call": "builtins:len", "args": [[1, 2]]}])
    assert (made[0].width, made[1]) == (4, 2)


def test_what_has_no_value_is_written_down_and_read_again(repo: Path) -> None:
    text = TRAIN.replace("args = parser.parse", 'parser.add_argument("--init_from")\n    args = parser.parse')
    text = text.replace("Net(len(names), args.width, ", "Net(args, size(), ")
    (repo / "train.py").write_text(text.replace("import load", "import load, size"))
    (repo / "data.py").write_text(DATA + "\n\ndef size():\n    return type(SIZES)(n_units=0, rate=1)\n")
    (candidate, _), _ = builders.find(Modules.of(repo))
    (read,) = spec.parse(tomllib.loads(found.text([candidate.workload])))
    assert read.kwargs["classes"]["none"] == ["init_from"]
    assert measure_graphs.argument(read.kwargs["classes"]).init_from is None
    assert read.kwargs["width"] == {"call": "data:size", "args": [], "set": {"n_units": 64}}
    made = {"call": "types:SimpleNamespace", "args": [], "set": {"n_units": 64}}
    assert measure_graphs.argument(made).n_units == 64


def test_what_needs_a_person_is_one_question(repo: Path) -> None:
    (repo / "train.py").write_text(TRAIN.replace("rate=args.rate)", "rate=images)"))
    asked = "what is images there?"
    assert builders.find(Modules.of(repo))[1] == [
        ("train.py: Net, training", asked), ("train.py: Net, inference", asked)
    ]


def test_numbers_are_drawn_as_far_as_the_graph_takes_them() -> None:
    import tensorflow as tf

    with tf.Graph().as_default():
        shapes = {"words": [2, 5], "label": [2], "old": [2], "kind": [2, 1], "row": [2], "both": [2], "x": []}
        given = {k: tf.constant(0, tf.int32, v) for k, v in shapes.items()}
        table = tf.compat.v1.get_variable("table", [11, 4])
        looked = [tf.nn.embedding_lookup(table, part) for part in tf.split(given["words"], [2, 3], 1)]
        logits = tf.zeros([2, 7])
        tf.compat.v1.losses.sparse_softmax_cross_entropy(given["label"], logits)
        plain = tf.compat.v1.get_variable("plain", [6, 4], use_resource=False)
        (old, _) = tf.split(tf.stack([given["row"], given["old"]]), 2)
        tf.gather(plain, old), tf.gather(tf.zeros([3, 9]), given["row"], axis=1)
        tf.one_hot(tf.squeeze(tf.cast(given["kind"], tf.int64), 1), 2 + 3)
        tf.one_hot(given["both"], 8), tf.gather(looked[0][0], given["both"]), given["x"] + 1
        found = measure_graphs.limits(tf, given)
    assert found == {"words": 11, "label": 7, "old": 6, "kind": 5, "row": 6, "both": 2}


@pytest.mark.timeout(900)
def test_both_sides_are_measured_with_nothing_written_by_hand(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    runner = CliRunner()
    assert runner.invoke(cli, ["migrate", str(repo), "--allow-dirty"]).exit_code == 0
    options = ["--repeats", "1", "--batches", "4", "--executions", "function"]
    done = runner.invoke(cli, ["measure", str(repo), *options])
    assert done.exit_code == 0, done.output
    written = (repo / "migrator.toml").read_text()
    assert "How large is classes here? Nothing says it: 64 was taken." in written
    (training, inference) = spec.load(repo / "migrator.toml")
    assert (training.mode, inference.mode) == ("training", "inference")
    assert {i.name: i.shape for i in training.inputs} == {
        "images": ("batch", 16), "labels": ("batch",), "keep": ()
    }  # fmt: skip
    measured = records.load((repo / ".migrator" / "measure.json").read_text())
    assert [i.high for i in training.inputs] == [1.0, 64.0, 1.0]  # labels are of 64 classes
    cells = {(r.cell.mode, r.cell.side): r for r in measured.cells}
    assert len(cells) == 4 and {r.status for r in measured.cells} == {"ok"}, done.output
    weights = 4 * (16 * 40 + 40 + 40 * 64 + 64)
    for (mode, side), result in cells.items():
        slots = result.samples[0].slots
        assert result.samples[0].inputs == 4 * (4 * 16 + 4 + 1), (mode, side)
        assert slots == 2 * weights, (mode, side)  # Adam's, in the graph that both fetch from
        assert weights <= result.samples[0].weights <= weights + 64, (mode, side)
    for mode in ("training", "inference"):
        before, after = (cells[mode, side].allocator_peak for side in ("before", "after"))
        assert before and after and after <= before * 1.25, (mode, before, after)

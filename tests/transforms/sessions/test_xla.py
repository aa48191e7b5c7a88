"""Which steps --jit leaves out, with what it says; what the table says is what XLA does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import Finding
from migrator.resources import rules_dir

ROOT = Path(__file__).resolve().parents[3]
JIT = Options(jobs=1, jit=True)
#: What the table says nothing of, because it compiles.
COMPILES = [
    "tf.where(x > 1, x, -x)", "tf.check_numerics(x, 'a')", "tf.nn.top_k(x, 1)[0]",
    "tf.cond(x[0, 0] > 0, lambda: x, lambda: -x)", "tf.map_fn(lambda a: a * 2, x)",
    "tf.where(x > 1)", "tf.reduce_mean(tf.boolean_mask(x, x[:, 0] > 1))", "tf.unique(i)[0]",
    "tf.gradients(tf.reduce_mean(tf.boolean_mask(x, x[:, 0] > 1) ** 2), x)[0]",
    "tf.dynamic_partition(x, i[:2], 2)", "tf.setdiff1d(i, i[:1])[0]", "tf.sequence_mask(i)",
    "tf.gather(boxes, tf.image.non_max_suppression(boxes, boxes[:, 2], 2))",
]
STEP = """import tensorflow as tf
{head}

def main(batches):
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.get_variable("w", [2, 1])
    y = {y}
    loss = tf.reduce_mean(tf.square(tf.matmul(y, w)))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for batch in batches:
            _, value = sess.run([train, loss], {{x: batch}})
            print(value)
"""
GRAPH = """import tensorflow as tf


class Model(object):
    def __init__(self, sess, helper):
        self.sess = sess
        self.x = tf.placeholder({dtype}, [None, 2])
        self.y = {y}
        helper.add(self)

    def show(self, batches):
        for batch in batches:
            print(self.sess.run(self.y, {{self.x: batch}}))
"""


def migrated(folder: Path, **files: str) -> tuple[str, list[Finding]]:
    """(text of main.py afterwards, what is said about XLA)."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    plan = build_plan(folder, JIT)
    new = next(f.new_text for f in plan.files if f.path == "main.py")
    assert new is not None
    return new, [f for f in plan.findings if f.code == "TF412"]


def test_a_step_that_compiles_is_compiled_and_nothing_is_said(tmp_path: Path) -> None:
    text, said = migrated(tmp_path, main=STEP.format(head="", y="tf.where(x > 0, x, -x)"))
    assert "@tf.function" in text and "jit_compile=True" in text and not said


@pytest.mark.parametrize(
    ("y", "symbol", "why"),
    [
        ("tf.py_func(abs, [x], tf.float32)", "tf.py_func", "calls Python"),
        ("tf.segment_sum(x, tf.range(tf.shape(x)[0]))", "tf.segment_sum", "has no kernel for it"),
        ("tf.Print(x, [x])", "tf.Print", "prints"),
    ],
)
def test_what_xla_refuses_is_told_at_the_step_with_its_line(
    tmp_path: Path, y: str, symbol: str, why: str
) -> None:
    text, said = migrated(tmp_path, main=STEP.format(head="", y=y))
    assert "jit_compile" not in text and "sess" not in text
    (finding,) = said
    assert finding.line == 13
    assert finding.message.startswith(f"XLA cannot compile {symbol} (line 7): ") and why in finding.message


def test_functions_of_the_project_are_looked_through(tmp_path: Path) -> None:
    own = ("\n\ndef kept(x):\n    return tf.map_fn(one, x)\n\n\n"
           "def one(v):\n    return tf.py_func(abs, [v], tf.float32)\n")
    text, said = migrated(tmp_path, main=STEP.format(head=own, y="kept(x)"))
    assert "jit_compile" not in text
    assert "tf.py_func (line 9)" in said[0].message


def test_functions_of_other_modules_are_looked_through(tmp_path: Path) -> None:
    text, said = migrated(
        tmp_path, main=STEP.format(head="import layers", y="layers.kept(x)"),
        layers="import tensorflow as tf\n\n\ndef kept(x):\n    return tf.unique_with_counts(x)[0]\n\n\n"
               "def other(x):\n    return tf.py_func(abs, [x], tf.float32)\n",
    )
    assert "jit_compile" not in text
    assert "tf.unique_with_counts (layers.py:5)" in said[0].message


def test_summaries_stay_out_of_a_compiled_step_only_where_it_writes_them(tmp_path: Path) -> None:
    body = STEP.format(head="", y="x")
    noted = body.replace("    train =", "    tf.summary.scalar('loss', loss)\n    train =")
    text, said = migrated(tmp_path, main=noted)
    assert "jit_compile=True" in text and not said
    written = noted.replace("    with tf.S", "    merged = tf.summary.merge_all()\n    with tf.S").replace(
        "        for batch", "        writer = tf.summary.FileWriter('logs')\n        for n, batch").replace(
        "in batches", "in enumerate(batches)").replace(
        "_, value = sess.run([train, loss]", "_, value, told = sess.run([train, loss, merged]").replace(
        "print(value)", "print(value)\n            writer.add_summary(told, n)")
    text, said = migrated(tmp_path, main=written)
    assert "jit_compile" not in text and "summaries" in said[0].message


@pytest.mark.parametrize(
    ("dtype", "y", "told"),
    [
        ("tf.float32", "tf.square(self.x)", ""),
        ("tf.float32", "tf.py_func(abs, [self.x], tf.float32)", "tf.py_func (line 8)"),
        ("tf.string", "tf.strings.length(self.x)", "tf.string (line 7)"),
    ],
)
def test_functions_of_a_graph(tmp_path: Path, dtype: str, y: str, told: str) -> None:
    text, said = migrated(tmp_path, main=GRAPH.format(dtype=dtype, y=y))
    assert "graphs.function(" in text
    assert ("jit_compile=True" in text) == (not told)
    assert [told in f.message and f.line for f in said] == ([13] if told else [])


def test_what_the_table_says_is_what_xla_does() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.transforms.sessions.xla_probes"], input=json.dumps(COMPILES),
        capture_output=True, text=True, check=False, cwd=ROOT,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    table = tomllib.loads((rules_dir() / "advice" / "xla.toml").read_text(encoding="utf-8"))
    assert {probe: text for probe in COMPILES if (text := said[probe])} == {}
    assert [entry["probe"] for entry in table["op"] if not said[entry["probe"]]] == []
    strange = [text for entry in table["op"] if (text := said[entry["probe"]]) and not any(
        word in text for word in ("XLA", "tf2xla", "compile-time constant"))]
    assert strange == []  # a probe that is wrong by itself proves nothing
    assert {entry["group"] for entry in table["op"]} == set(table["reason"])

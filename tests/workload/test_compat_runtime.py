"""TF 1.15 code as it stands, on this TensorFlow: what of contrib has a stand-in gives TF 1's numbers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PROGRAM = """\
import json
import numpy as np
import tensorflow as tf
from tensorflow.contrib import legacy_seq2seq, rnn
from tensorflow.contrib.training import HParams

hparams = HParams(units=3, rate=0.5)
hparams.parse("units=2")
cell = rnn.MultiRNNCell([rnn.BasicRNNCell(hparams.units) for _ in range(2)])
values = tf.constant_initializer(np.arange(8.0) / 8 - 0.3)
table = tf.get_variable("table", [4, hparams.units], initializer=values)
fed = [tf.nn.embedding_lookup(table, [i, 1]) for i in range(3)]


def loop(output, step):
    with tf.variable_scope(""):
        return tf.nn.embedding_lookup(table, tf.argmax(tf.matmul(output, table, transpose_b=True), 1))


with tf.variable_scope("net", initializer=tf.constant_initializer(0.5)):
    zeros = cell.zero_state(2, tf.float32)
    outputs, state = legacy_seq2seq.rnn_decoder(fed, zeros, cell, loop, scope="decoder")
logits = [tf.matmul(o, table, transpose_b=True) for o in outputs]
targets, weights = [[0, 1], [1, 2], [2, 3]], [tf.ones([2])] * 3
loss = legacy_seq2seq.sequence_loss_by_example(logits, [tf.constant(t) for t in targets], weights)
padded = tf.contrib.seq2seq.sequence_loss(tf.stack(logits, 1), tf.transpose(targets), tf.ones([2, 3]))
static, _ = rnn.static_rnn(rnn.GRUCell(2), fed, dtype=tf.float32)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(json.dumps({
        "variables": sorted(v.op.name for v in tf.trainable_variables()),
        "last": sess.run(outputs[-1]).tolist(), "loss": sess.run(loss).tolist(),
        "padded": float(sess.run(padded)), "static": len(static), "units": hparams.units,
    }))
"""
# What TensorFlow 1.15.5 printed for it.
BEFORE: dict[str, Any] = {
    "variables": [
        "net/decoder/multi_rnn_cell/cell_0/basic_rnn_cell/bias",
        "net/decoder/multi_rnn_cell/cell_0/basic_rnn_cell/kernel",
        "net/decoder/multi_rnn_cell/cell_1/basic_rnn_cell/bias",
        "net/decoder/multi_rnn_cell/cell_1/basic_rnn_cell/kernel",
        "rnn/gru_cell/candidate/bias",
        "rnn/gru_cell/candidate/kernel",
        "rnn/gru_cell/gates/bias",
        "rnn/gru_cell/gates/kernel",
        "table",
    ],
    "last": [[-0.8250789046287537, -0.8250789046287537], [0.8386207818984985, 0.8386207818984985]],
    "loss": [1.4040632247924805, 1.186144232749939],
    "padded": 1.295103669166565,
    "static": 3,
    "units": 2,
}
EXACT = ("variables", "static", "units")


@pytest.mark.timeout(900)
def test_what_of_contrib_calls_cells_and_scopes(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "migrator.workload.compat_runtime", str(tmp_path / "program.py")],
        capture_output=True, text=True, env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    now = json.loads(done.stdout.splitlines()[-1])
    for key, expected in BEFORE.items():
        assert now[key] == (expected if key in EXACT else pytest.approx(np.array(expected), rel=1e-5)), key

"""Both TensorFlows are made to draw the same, whenever and wherever a program draws."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from migrator.verify.children import PROGRAMS

PROGRAM = """
import json, sys
import tensorflow as tf
import verify_draws
verify_draws.install(tf)
v1 = tf.compat.v1
v1.disable_eager_execution()
classes = tf.constant([[1], [4]], tf.int64)
drawn = [
    tf.random.uniform_candidate_sampler(classes, 1, 3, True, 9),
    tf.random.log_uniform_candidate_sampler(classes, 1, 4, False, 9, seed=3),
    tf.random.fixed_unigram_candidate_sampler(
        classes, 1, 3, True, 5, distortion=0.5, unigrams=[1, 0, 4, 9, 16]),
]
handle = tf.raw_ops.RandomShuffleQueueV2(
    component_types=[tf.int32], shapes=[[]], min_after_dequeue=3, seed=4)
made = [tf.queue.RandomShuffleQueue(9, 0, [tf.int32], [[]]),
        tf.queue.QueueBase([tf.int32], [[]], None, handle)]
filled = [queue.enqueue_many(tf.range(8)) for queue in made]
taken = [queue.dequeue_many(8) for queue in made]
with v1.Session() as session:
    session.run(filled)
    for row in session.run(taken):
        assert row.tolist() == list(range(8)), row
    runs = [[[part.ravel().tolist() for part in one] for one in session.run(drawn)] for _ in range(2)]
import numpy as np
ties = np.tile([1.0, 0.0], 200)
runs.append([np.argsort(ties).tolist(), np.argsort(ties[None], kind="mergesort")[0].tolist()])
print(json.dumps(runs))
"""
# What it prints on TensorFlow 1.15.5: sampled classes, how often the given ones are expected, and these.
EXPECTED = [
    [[3, 2, 7], [0.297668, 0.297668], [0.297668, 0.297668, 0.297668]],
    [[0, 7, 0, 4], [0.704365, 0.316725], [1.20412, 0.20461, 1.20412, 0.316725]],
    [[2, 4, 0], [0.0, 0.784], [0.488, 0.784, 0.271]],
]


@pytest.mark.parametrize("python", [sys.executable, os.environ.get("MIGRATOR_TF1_PYTHON", "")])
def test_draws_and_orders_are_the_same_at_each_run(python: str) -> None:
    if not python:
        pytest.skip("needs MIGRATOR_TF1_PYTHON")
    done = subprocess.run(
        [python, "-c", PROGRAM], check=True, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(PROGRAMS)},
    )  # fmt: skip
    first, second, (sorted_by_default, stable) = json.loads(done.stdout)
    assert first == second
    assert sorted_by_default == stable == [*range(1, 400, 2), *range(0, 400, 2)]
    for drawn, expected in zip(first, EXPECTED, strict=True):
        for part, numbers in zip(drawn, expected, strict=True):
            assert part == pytest.approx(numbers, abs=1e-5)

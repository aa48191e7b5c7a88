"""An evaluation whose batches come out of code that is not there is kept: it was taken away with its call."""

from __future__ import annotations

import pytest

from tests.transforms.texts import migrated

HEAD = """
import tensorflow as tf
from elsewhere import reading, network

slim = tf.contrib.slim

def main(_):
    with tf.Graph().as_default():
        samples = reading.get('some', 2)
        predictions = tf.reshape(network.predict(samples['image']), [-1])
        metrics = {'miou': tf.metrics.mean_iou(predictions, tf.reshape(samples['label'], [-1]), 3)}
        values, updates = tf.contrib.metrics.aggregate_metric_map(metrics)
        for name, value in values.items():
            slim.summaries.add_scalar_summary(value, name, print_summary=True)
"""


@pytest.mark.parametrize("call", [
    "evaluation_loop('', 'trained', 'seen', num_evals=3, max_number_of_evaluations=1, eval_op=",
    "evaluate_once('', 'trained/model.ckpt-1', 'seen', num_evals=3, eval_op=",
])
def test_it_stays_a_loop_over_the_graph(call: str) -> None:
    new = migrated(f"{HEAD}        slim.evaluation.{call}list(updates.values()))\n\ntf.app.run()\n")
    assert f"graph_training.{call}list(updates.values()))" in new
    assert "graphs.Graph().as_default()" in new

"""An evaluation that keeps running metrics and looks its input up by name."""

import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import metrics
from tf1_support import metrics_thresholds


@graphs.building
def evaluate(output, name):
    scores = graphs.placeholder(tf.float32, [None], name='scores')
    labels = graphs.placeholder(tf.float32, [None], name='labels')
    mean, update_mean = metrics.mean(scores)
    accuracy, update_accuracy = metrics.accuracy(labels, tf.round(scores))
    precision, update_precision = metrics_thresholds.precision_at_thresholds(labels, scores, [0.3, 0.7])
    hits, update_hits = metrics.true_positives(labels, tf.round(scores))
    updates = [update_mean, update_accuracy, update_precision, update_hits]
    rng = np.random.RandomState(0)
    fed = graphs.default_graph().get_tensor_by_name(name)
    running = []
    updates_step = graphs.function([fed, labels], updates)
    for _ in range(3):
        batch = rng.uniform(size=5).astype(np.float32)
        running.append(updates_step(batch, rng.randint(0, 2, 5))[0])
    values = graphs.run([mean, accuracy, precision, hits])  # must not count the last batch again
    again = graphs.run([mean, accuracy, precision, hits])
    np.savez(output, running=running, mean=values[0], accuracy=values[1], precision=values[2],
             hits=values[3], again=again[0])


if __name__ == '__main__':
    evaluate(sys.argv[1], 'scores:0')

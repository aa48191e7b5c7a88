"""Running metrics over two batches, with and without weights (Python 3.7, TensorFlow 2.21)."""

import numpy as np
import tensorflow as tf

from tests.runtime.recorded import files


def _ids(y):
    """One label an example, [6]."""
    return tf.cast(y, "int64")


def _pairs(y):
    """Two labels an example, [6, 2], the second one distinct from the first."""
    first = tf.cast(y, "int64")
    return tf.stack([first, (first * 2 + 1) % 4], 1)


def _scores(p):
    """Scores of four classes, [6, 4]."""
    return tf.cos(p[:, None] * np.array([[0.3, 1.7, 2.9, 4.1]], np.float32))


# Running metrics: (label, prediction) batches of two steps, with and without weights.
METRICS = {
    "mean": lambda m, y, p, w: m.mean(p, w),
    "mean_tensor": lambda m, y, p, w: m.mean_tensor(p, w),
    "accuracy": lambda m, y, p, w: m.accuracy(y, p, w),
    "absolute": lambda m, y, p, w: m.mean_absolute_error(y, p, w),
    "squared": lambda m, y, p, w: m.mean_squared_error(y, p, w),
    "root": lambda m, y, p, w: m.root_mean_squared_error(y, p, w),
    "below": lambda m, y, p, w: m.percentage_below(p, 1.5, w),
    "true_positives": lambda m, y, p, w: m.true_positives(y > 1, p > 1, w),
    "false_positives": lambda m, y, p, w: m.false_positives(y > 1, p > 1, w),
    "true_negatives": lambda m, y, p, w: m.true_negatives(y > 1, p > 1, w),
    "false_negatives": lambda m, y, p, w: m.false_negatives(y > 1, p > 1, w),
    "precision": lambda m, y, p, w: m.precision(y > 1, p > 1, w),
    "recall": lambda m, y, p, w: m.recall(y > 1, p > 1, w),
    "mean_iou": lambda m, y, p, w: m.mean_iou(y, p, 4, w),
    "cosine": lambda m, y, p, w: m.mean_cosine_distance(
        y[:, None], p[:, None], 1, None if w is None else w[:, None]
    ),
    "relative": lambda m, y, p, w: m.mean_relative_error(y, p, y, w),
    "auc": lambda m, y, p, w: m.auc(y > 1, p / 2.5, w),
    "auc few": lambda m, y, p, w: m.auc(y > 1, p / 2.5, w, thresholds=[0.7, 0.3]),
    "auc PR": lambda m, y, p, w: m.auc(y > 1, p / 2.5, w, 50, curve="PR"),
    "auc minoring": lambda m, y, p, w: m.auc(y > 1, p / 3, w, summation_method="minoring"),
    "auc majoring": lambda m, y, p, w: m.auc(
        y > 1, p / 3, w, curve="PR", summation_method="majoring"
    ),
    "auc careful": lambda m, y, p, w: m.auc(
        y > 1, p / 3, w, curve="PR", summation_method="careful_interpolation"
    ),
    "tp_at": lambda m, y, p, w: m.true_positives_at_thresholds(y > 1, p / 3, [0.2, 0.5], w),
    "tn_at": lambda m, y, p, w: m.true_negatives_at_thresholds(y > 1, p / 3, [0.2, 0.5], w),
    "fp_at": lambda m, y, p, w: m.false_positives_at_thresholds(y > 1, p / 3, [0.2, 0.5], w),
    "fn_at": lambda m, y, p, w: m.false_negatives_at_thresholds(y > 1, p / 3, [0.2, 0.5], w),
    "precision_at_thresholds": lambda m, y, p, w: m.precision_at_thresholds(
        y > 1, p / 3, [0.0, 0.6, 0.9], w
    ),
    "recall_at_thresholds": lambda m, y, p, w: m.recall_at_thresholds(
        y > 1, p / 3, [0.0, 0.6, 0.9], w
    ),
    "sensitivity": lambda m, y, p, w: m.sensitivity_at_specificity(y > 1, p / 3, 0.6, w),
    "specificity": lambda m, y, p, w: m.specificity_at_sensitivity(y > 1, p / 3, 0.6, w, 20),
    "precision_at_k": lambda m, y, p, w: m.precision_at_k(_ids(y), _scores(p), 2, None, w),
    "precision_at_k class": lambda m, y, p, w: m.precision_at_k(_ids(y), _scores(p), 3, 1, w),
    "sparse_precision": lambda m, y, p, w: m.sparse_precision_at_k(_pairs(y), _scores(p), 2),
    "recall_at_k": lambda m, y, p, w: m.recall_at_k(_ids(y), _scores(p), 2, weights=w),
    "recall_at_k class": lambda m, y, p, w: m.recall_at_k(_pairs(y), _scores(p), 2, 1, w),
    "precision_at_top_k": lambda m, y, p, w: m.precision_at_top_k(
        _pairs(y), _pairs(p), 2, weights=w
    ),
    "recall_at_top_k": lambda m, y, p, w: m.recall_at_top_k(_pairs(y), _pairs(p), weights=w),
    "average_precision": lambda m, y, p, w: m.average_precision_at_k(_pairs(y), _scores(p), 3, w),
    "sparse_average": lambda m, y, p, w: m.sparse_average_precision_at_k(_ids(y), _scores(p), 2),
    "per_class": lambda m, y, p, w: m.mean_per_class_accuracy(y, p, 4, w),
}


def metric_batch(step):
    """Labels, predictions and weights, float32 of shape [6]."""
    random = np.random.RandomState(step)
    labels, predictions = random.randint(0, 3, size=(2, 6)).astype(np.float32)
    return labels, predictions, np.array([1.0, 0.0, 2.0, 1.0, 0.5, 1.0], np.float32)


def _recorded(make, weighted):
    """[value after one batch, value after two], what the updates gave, and the names of the counters."""
    with tf.Graph().as_default(), tf.Session() as session:
        fed = [tf.placeholder(tf.float32, [6]) for _ in range(3)]
        value, update = make(tf.metrics, fed[0], fed[1], fed[2] if weighted else None)
        session.run(tf.local_variables_initializer())
        values, updates = [], []
        for step in (1, 2):
            updates.append(session.run(update, dict(zip(fed, metric_batch(step)))).tolist())
            values.append(session.run(value).tolist())
        return {"values": values, "updates": updates, "variables": [v.op.name for v in tf.local_variables()]}


def record():
    tf.enable_resource_variables()
    files.write_facts("metrics", {
        "%s%s" % (name, " weighted" * weighted): _recorded(make, weighted)
        for name, make in sorted(METRICS.items())
        for weighted in (False, True)
    })

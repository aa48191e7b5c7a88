"""Records what TF 1.15.5 computes for `graph_cases`: run by a Python 3.7 that has it.

    $MIGRATOR_TF1_PYTHON tests/support/record_reference.py

Writes fixtures/graph_cases.npz (arrays) and fixtures/graph_cases.json (names, order, versions).
"""

import json
import os
import sys
import types

import numpy as np
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import graph_cases as gc  # noqa: E402

slim = tf.contrib.slim


def api():
    slim_names = types.SimpleNamespace(**{n: getattr(slim, n) for n in dir(slim) if n[0] != "_"})
    for name in ("group_norm", "instance_norm", "maxout", "spatial_softmax", "conv3d"):
        setattr(slim_names, name, getattr(tf.contrib.layers, name))
    for name in ("conv2d_in_plane", "convolution", "bias_add", "unit_norm", "softmax"):
        setattr(slim_names, name, getattr(tf.contrib.layers, name))
    slim_names.layer_norm = tf.contrib.layers.layer_norm
    slim_names.l1_l2_regularizer = tf.contrib.layers.l1_l2_regularizer
    slim_names.losses = tf.contrib.losses
    return types.SimpleNamespace(
        tf=tf,
        slim=slim_names,
        losses=tf.losses,
        layers=tf.layers,
        rnn=tf.nn.rnn_cell,
        dynamic_rnn=tf.nn.dynamic_rnn,
        initializers=tf,
        variance_scaling=tf.variance_scaling_initializer,
        variable_scope=tf.variable_scope,
        get_variable=tf.get_variable,
        GraphKeys=tf.GraphKeys,
        AUTO_REUSE=tf.AUTO_REUSE,
    )


def record(name, shape, fn, arrays):
    """One case in a graph of its own; returns what goes into the JSON file."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(gc.values("input " + name, shape, 1.0))
        outputs = fn(api(), x)
        outputs = outputs if isinstance(outputs, dict) else {"output": outputs}
        score = tf.add_n(
            [tf.reduce_sum(v * gc.weights_like(v.shape.as_list())) for v in outputs.values()]
        )
        trained = tf.trainable_variables()
        gradients = tf.gradients(score, [x] + trained)
        penalties = tf.losses.get_regularization_losses()
        everything = tf.global_variables()
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS) + tf.get_collection("mine")
        session.run(tf.global_variables_initializer())
        for v in everything:
            if not v.op.name.endswith(("biased", "local_step")):
                v.load(gc.values(v.op.name, v.shape.as_list()), session)
        fetched = {"output " + k: v for k, v in outputs.items()}
        for label, g in zip(["input"] + [v.op.name for v in trained], gradients):
            if g is not None:
                fetched["gradient " + label] = tf.convert_to_tensor(g)
        if penalties:
            fetched["penalty"] = tf.add_n(penalties)
        for key, value in session.run(fetched).items():
            arrays["%s|%s" % (name, key)] = value
        session.run(updates)
        for v in everything:
            if v not in trained:
                arrays["%s|after %s" % (name, v.op.name)] = session.run(v)
        return {
            "variables": [[v.op.name, v.shape.as_list()] for v in everything],
            "trainable": [v.op.name for v in trained],
            "model": [v.op.name for v in tf.get_collection(tf.GraphKeys.MODEL_VARIABLES)],
            "updates": len(updates),
            "penalties": len(penalties),
        }


def statistics(make):
    """mean, spread and extremes of a large initial value."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(7)
        v = tf.get_variable("v", gc.INITIAL_SHAPE, initializer=make(api()))
        session.run(tf.global_variables_initializer())
        value = session.run(v)
    return [float(f(value)) for f in (np.mean, np.std, np.min, np.max)]


def metric(make, weighted):
    """[value after one batch, value after two], what the updates gave, and the names of the counters."""
    with tf.Graph().as_default(), tf.Session() as session:
        fed = [tf.placeholder(tf.float32, [6]) for _ in range(3)]
        value, update = make(tf.metrics, fed[0], fed[1], fed[2] if weighted else None)
        session.run(tf.local_variables_initializer())
        values, updates = [], []
        for step in (1, 2):
            updates.append(session.run(update, dict(zip(fed, gc.metric_batch(step)))).tolist())
            values.append(session.run(value).tolist())
        return {"values": values, "updates": updates, "variables": [v.op.name for v in tf.local_variables()]}


def main():
    tf.enable_resource_variables()
    arrays = {}
    facts = {
        "tensorflow": tf.__version__,
        "cases": {n: record(n, s, f, arrays) for n, (s, f) in sorted(gc.CASES.items())},
        "metrics": {
            "%s%s" % (n, " weighted" * w): metric(make, w)
            for n, make in sorted(gc.METRICS.items())
            for w in (False, True)
        },
        "initializers": {n: statistics(make) for n, make in sorted(gc.INITIALIZERS.items())},
    }
    np.savez_compressed(os.path.join(HERE, "fixtures", "graph_cases.npz"), **arrays)
    with open(os.path.join(HERE, "fixtures", "graph_cases.json"), "w") as f:
        json.dump(facts, f, indent=1, sort_keys=True)
        f.write("\n")


if __name__ == "__main__":
    main()

"""Records TF 1.15.5 optimizer trajectories: every variable after each step, by checkpoint name."""

import os

import cases
import numpy as np
import tensorflow as tf


def _optimizer(kind, kwargs, step):
    if kind == "AdagradDAOptimizer":
        return tf.train.AdagradDAOptimizer(global_step=step, **kwargs)
    for module in (tf.train, tf.contrib.opt):
        if hasattr(module, kind):
            return getattr(module, kind)(**kwargs)
    raise KeyError(kind)


def trajectory(kind, kwargs, dtype, sparse):
    with tf.Graph().as_default():
        start, table = cases.initial(dtype)
        with tf.variable_scope("scope"):
            w = tf.get_variable("w", initializer=start, use_resource=True)
        embedding = tf.get_variable("table", initializer=table, use_resource=True)
        step = tf.train.get_or_create_global_step()
        dense = tf.placeholder(dtype, [3, 4])
        values = tf.placeholder(dtype, [4, 2])
        indices = tf.placeholder(tf.int64, [4])
        pairs = [(dense, w)]
        if sparse:
            pairs.append((tf.IndexedSlices(values, indices, tf.constant([6, 2])), embedding))
        train = _optimizer(kind, kwargs, step).apply_gradients(pairs, global_step=step)
        everything = {v.op.name: v for v in tf.global_variables()}
        recorded = {}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for t in range(cases.STEPS):
                g, gv, gi = cases.gradient(t, dtype)
                session.run(train, {dense: g, values: gv, indices: gi})
                for name, value in session.run(everything).items():
                    recorded.setdefault(name, []).append(value)
    return {name: np.stack(values) for name, values in recorded.items()}


def record(out):
    arrays = {}
    for case, (kind, kwargs) in cases.OPTIMIZERS.items():
        for dtype in ("float32", "float64"):
            try:
                found = trajectory(kind, kwargs, dtype, case not in cases.DENSE_ONLY)
            except TypeError as error:  # some pass float32 hyperparameters to float64 kernels
                print("TF 1.15.5 cannot:", case, dtype, error)
                continue
            arrays.update({"|".join((case, dtype, name)): v for name, v in found.items()})
    np.savez_compressed(os.path.join(out, "optimizers.npz"), **arrays)

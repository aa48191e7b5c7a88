"""Checkpoints from the middle of the trajectories of optimizers.py (Python 3.7, TensorFlow 2.21)."""

import tensorflow as tf

from tests.runtime.recorded import files, optimizers

RESUMED = ("adam", "rmsprop")
RESUME_AFTER = 3


def record():
    for case in RESUMED:
        kind, kwargs = optimizers.OPTIMIZERS[case]
        with tf.Graph().as_default(), tf.Session() as session:
            start, table = optimizers.initial("float64")
            with tf.variable_scope("scope"):
                w = tf.get_variable("w", initializer=start, use_resource=True)
            embedding = tf.get_variable("table", initializer=table, use_resource=True)
            step = tf.train.get_or_create_global_step()
            dense = tf.placeholder("float64", [3, 4])
            values = tf.placeholder("float64", [4, 2])
            indices = tf.placeholder(tf.int64, [4])
            slices = tf.IndexedSlices(values, indices, tf.constant([6, 2]))
            train = getattr(tf.train, kind)(**kwargs).apply_gradients(
                [(dense, w), (slices, embedding)], global_step=step)
            ema = tf.train.ExponentialMovingAverage(0.9)
            with tf.control_dependencies([train]):
                train = ema.apply([w, embedding])
            session.run(tf.global_variables_initializer())
            for t in range(RESUME_AFTER):
                g, gv, gi = optimizers.gradient(t, "float64")
                session.run(train, {dense: g, values: gv, indices: gi})
            tf.train.Saver().save(session, files.path("tf1_" + case), global_step=step,
                                  write_meta_graph=False, write_state=False)

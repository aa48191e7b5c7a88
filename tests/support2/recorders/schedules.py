"""Records the learning rates that TF 1.15.5's schedules give at each step."""
import os

import cases
import numpy as np
import tensorflow as tf


def record(out):
    arrays = {}
    for case, (name, kwargs) in cases.SCHEDULES.items():
        with tf.Graph().as_default(), tf.Session() as session:
            step = tf.placeholder(tf.int64, [])
            key = "x" if name == "piecewise_constant" else "global_step"
            # TF 1 converts the boundaries to the dtype of the step
            rate = getattr(tf.train, name)(**dict(kwargs, **{key: step}))
            arrays[case] = np.array([session.run(rate, {step: s}) for s in cases.SCHEDULE_STEPS])
    np.savez_compressed(os.path.join(out, "schedules.npz"), **arrays)

"""Moving averages step by step, by checkpoint name (Python 3.7, TensorFlow 2.21)."""

import numpy as np
import tensorflow as tf

from tests.runtime.recorded import files, optimizers

AVERAGES = {
    "plain": {"decay": 0.9},
    "num_updates": {"decay": 0.99, "num_updates": True},
}
DEBIAS_DECAY = 0.8


def average_value(step):
    """What is assigned to the averaged variable (and is the averaged tensor) at a step."""
    return np.random.RandomState(200 + step).normal(size=(2, 3)).astype("float32")


def _record(build):
    """`build(value)` makes the graph and gives the update op; value is fed at each step."""
    with tf.Graph().as_default(), tf.Session() as session:
        value = tf.placeholder(tf.float32, [2, 3])
        update = build(value)
        everything = {v.op.name: v for v in tf.global_variables()}
        session.run(tf.global_variables_initializer())
        steps = []
        for t in range(optimizers.STEPS):
            session.run(update, {value: average_value(t)})
            steps.append(session.run(everything))
    return {name: np.stack([s[name] for s in steps]) for name in everything}


def _moving(kwargs):
    def build(value):
        step = tf.train.get_or_create_global_step()
        kwargs_here = dict(kwargs, num_updates=step) if "num_updates" in kwargs else kwargs
        w = tf.get_variable("scope/w", initializer=tf.ones([2, 3]), use_resource=True)
        ema = tf.train.ExponentialMovingAverage(**kwargs_here)
        with tf.control_dependencies([w.assign(value)]):
            average = ema.apply([w])
        with tf.control_dependencies([average]):
            return step.assign_add(1)
    return build


def _of_tensor(value):
    ema = tf.train.ExponentialMovingAverage(DEBIAS_DECAY, zero_debias=True)
    return ema.apply([tf.multiply(value, 2.0, name="doubled")])


def _assign(zero_debias):
    def build(value):
        v = tf.get_variable("mean", initializer=tf.zeros([2, 3]), use_resource=True)
        from tensorflow.python.training import moving_averages
        return moving_averages.assign_moving_average(v, value, DEBIAS_DECAY, zero_debias)
    return build


def record():
    arrays = {}
    runs = {name: _moving(kwargs) for name, kwargs in AVERAGES.items()}
    runs.update(tensor=_of_tensor, assign=_assign(False), assign_debias=_assign(True))
    for case, build in runs.items():
        arrays.update({case + "|" + n: v for n, v in _record(build).items()})
    files.write_arrays("averages", arrays)

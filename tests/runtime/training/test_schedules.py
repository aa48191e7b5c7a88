"""Learning rate schedules against TF 1.15.5 (recorded/schedules.py)."""
import numpy as np
import pytest
import tensorflow as tf
from tf1_support import optimizers, schedules

from tests.runtime.recorded import files
from tests.runtime.recorded import schedules as cases

RECORDED = files.arrays("schedules")


def make(case, step):
    name, kwargs = cases.SCHEDULES[case]
    key = "x" if name == "piecewise_constant" else "global_step"
    return getattr(schedules, name)(**{key: step}, **kwargs)


@pytest.mark.parametrize("case", sorted(cases.SCHEDULES))
def test_rates_equal_tf1(case):
    step = tf.Variable(0, dtype=tf.int64)
    rate = make(case, step)
    optimizer = optimizers.GradientDescentOptimizer(rate)
    in_function = tf.function(lambda: make(case, step))
    given_step = tf.function(lambda s: make(case, s))
    for t, expected in zip(cases.SCHEDULE_STEPS, RECORDED[case], strict=True):
        step.assign(t)
        for value in (rate(), rate(tf.constant(t, tf.int64)), make(case, t), in_function(),
                      given_step(tf.constant(t, tf.int64)), optimizer.learning_rate):
            np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-9, err_msg=str(t))


def test_the_rate_follows_the_global_step_inside_a_trace_not_the_optimizers_own_count():
    step, w = tf.Variable(0, dtype=tf.int64), tf.Variable(0.0)
    rate = schedules.piecewise_constant(step, [1], [1.0, 0.25])
    optimizer = optimizers.GradientDescentOptimizer(rate)
    optimizer.build([w])

    @tf.function
    def train():
        optimizer.apply_gradients([(tf.constant(1.0), w)], global_step=step)
        return rate * 2.0 + 1.0
    train()
    step.assign(7)  # as after restoring a checkpoint
    derived = train()
    assert float(w) == -1.25
    assert float(derived) == 1.5
    assert train.experimental_get_tracing_count() == 1


def test_a_rate_is_a_value_of_now():
    step = tf.Variable(0, dtype=tf.int64)
    rate = schedules.polynomial_decay(1.0, step, 10, 0.0)
    shifted = 2 * rate / 4 + 1 - 0.5
    step.assign(5)
    assert float(rate) == rate.numpy() == 0.5 == float(np.asarray(rate))
    assert float(tf.maximum(rate, 0.1)) == 0.5
    assert float(shifted) == pytest.approx(0.75)
    assert rate.dtype == tf.float32 and rate.shape == ()


def test_keras_optimizer_takes_it():
    step = tf.Variable(0, dtype=tf.int64)
    optimizer = tf.keras.optimizers.SGD(schedules.exponential_decay(1.0, step, 1, 0.5))
    w = tf.Variable(0.0)
    optimizer.apply([tf.constant(1.0)], [w])
    step.assign(1)
    optimizer.apply([tf.constant(1.0)], [w])
    assert float(w) == -1.5


def test_errors():
    with pytest.raises(ValueError, match="global step"):
        schedules.exponential_decay(0.1, None, 1, 0.5)
    with pytest.raises(ValueError, match="2 boundaries need 3 values"):
        schedules.piecewise_constant(1, [1, 2], [0.1, 0.2])

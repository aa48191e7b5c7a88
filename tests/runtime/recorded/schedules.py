"""Learning rate schedules, step by step (Python 3.7, TensorFlow 2.21)."""

import numpy as np
import tensorflow as tf

from tests.runtime.recorded import files

# name: (function of tf.train, keyword arguments besides the step)
SCHEDULES: dict = {
    "exponential": ("exponential_decay", {
        "learning_rate": 0.1, "decay_steps": 7, "decay_rate": 0.8}),
    "exponential_staircase": ("exponential_decay", {
        "learning_rate": 0.004, "decay_steps": 8, "decay_rate": 0.95, "staircase": True}),
    "natural_exp": ("natural_exp_decay", {
        "learning_rate": 0.1, "decay_steps": 5, "decay_rate": 0.5}),
    "natural_exp_staircase": ("natural_exp_decay", {
        "learning_rate": 0.1, "decay_steps": 5, "decay_rate": 0.5, "staircase": True}),
    "inverse_time": ("inverse_time_decay", {
        "learning_rate": 0.1, "decay_steps": 5, "decay_rate": 0.5}),
    "inverse_time_staircase": ("inverse_time_decay", {
        "learning_rate": 0.1, "decay_steps": 5, "decay_rate": 0.5, "staircase": True}),
    "polynomial": ("polynomial_decay", {
        "learning_rate": 0.1, "decay_steps": 20, "end_learning_rate": 0.01, "power": 0.5}),
    "polynomial_defaults": ("polynomial_decay", {"learning_rate": 0.1, "decay_steps": 20}),
    "polynomial_cycle": ("polynomial_decay", {
        "learning_rate": 0.1, "decay_steps": 8, "end_learning_rate": 0.01, "cycle": True}),
    "piecewise": ("piecewise_constant", {"boundaries": [4, 10, 20],
                                         "values": [0.1, 0.05, 0.01, 0.001]}),
    "cosine": ("cosine_decay", {"learning_rate": 0.1, "decay_steps": 20, "alpha": 0.1}),
    "cosine_restarts": ("cosine_decay_restarts", {
        "learning_rate": 0.1, "first_decay_steps": 4, "t_mul": 1.5, "m_mul": 0.8, "alpha": 0.05}),
    "cosine_restarts_equal": ("cosine_decay_restarts", {
        "learning_rate": 0.1, "first_decay_steps": 6, "t_mul": 1.0}),
    "linear_cosine": ("linear_cosine_decay", {
        "learning_rate": 0.1, "decay_steps": 20, "num_periods": 1.5, "beta": 0.01}),
    "noisy_without_noise": ("noisy_linear_cosine_decay", {
        "learning_rate": 0.1, "decay_steps": 20, "initial_variance": 0.0, "alpha": 0.1}),
}
SCHEDULE_STEPS = list(range(32))


def record():
    arrays = {}
    for case, (name, kwargs) in SCHEDULES.items():
        with tf.Graph().as_default(), tf.Session() as session:
            step = tf.placeholder(tf.int64, [])
            key = "x" if name == "piecewise_constant" else "global_step"
            # TF 1 converts the boundaries to the dtype of the step
            rate = getattr(tf.train, name)(**dict(kwargs, **{key: step}))
            arrays[case] = np.array([session.run(rate, {step: s}) for s in SCHEDULE_STEPS])
    files.write_arrays("schedules", arrays)

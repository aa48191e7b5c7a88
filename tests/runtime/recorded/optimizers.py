"""Optimizers: every variable after each step, by checkpoint name (Python 3.7, TensorFlow 2.21)."""

import numpy as np
import tensorflow as tf

from tests.runtime.recorded import files

STEPS = 6

# name: (class, keyword arguments)
OPTIMIZERS: dict = {
    "sgd": ("GradientDescentOptimizer", {"learning_rate": 0.1}),
    "momentum": ("MomentumOptimizer", {"learning_rate": 0.1, "momentum": 0.9}),
    "nesterov": ("MomentumOptimizer",
                 {"learning_rate": 0.1, "momentum": 0.9, "use_nesterov": True}),
    "rmsprop": ("RMSPropOptimizer", {"learning_rate": 0.01, "decay": 0.9, "momentum": 0.9,
                                     "epsilon": 1.0}),
    "rmsprop_defaults": ("RMSPropOptimizer", {"learning_rate": 0.01}),
    "rmsprop_centered": ("RMSPropOptimizer",
                         {"learning_rate": 0.01, "momentum": 0.5, "centered": True}),
    "adam": ("AdamOptimizer", {"learning_rate": 0.01}),
    "adam_eps": ("AdamOptimizer", {"learning_rate": 0.01, "beta1": 0.5, "epsilon": 0.1}),
    "adagrad": ("AdagradOptimizer", {"learning_rate": 0.1}),
    "adadelta": ("AdadeltaOptimizer", {"learning_rate": 1.0}),
    "ftrl": ("FtrlOptimizer", {"learning_rate": 0.1}),
    "ftrl_l1_l2": ("FtrlOptimizer", {"learning_rate": 0.1, "l1_regularization_strength": 0.01,
                                     "l2_regularization_strength": 0.1}),
    "ftrl_shrinkage": ("FtrlOptimizer", {
        "learning_rate": 0.1, "l1_regularization_strength": 0.001,
        "l2_shrinkage_regularization_strength": 0.1, "accum_name": "A", "linear_name": "L"}),
    "proximal_sgd": ("ProximalGradientDescentOptimizer", {
        "learning_rate": 0.1, "l1_regularization_strength": 0.05,
        "l2_regularization_strength": 0.1}),
    "proximal_adagrad": ("ProximalAdagradOptimizer", {
        "learning_rate": 0.1, "l1_regularization_strength": 0.05,
        "l2_regularization_strength": 0.1}),
    "proximal_adagrad_l2": ("ProximalAdagradOptimizer",
                            {"learning_rate": 0.1, "l2_regularization_strength": 0.1}),
    "adagrad_da": ("AdagradDAOptimizer", {"learning_rate": 0.1,
                                          "l1_regularization_strength": 0.01,
                                          "l2_regularization_strength": 0.05}),
    "contrib_adamw": ("AdamWOptimizer", {"weight_decay": 0.01, "learning_rate": 0.01}),
    "contrib_momentumw": ("MomentumWOptimizer",
                          {"weight_decay": 0.01, "learning_rate": 0.1, "momentum": 0.9}),
    "contrib_adamax": ("AdaMaxOptimizer", {"learning_rate": 0.01}),
    "contrib_nadam": ("NadamOptimizer", {"learning_rate": 0.01}),
    "contrib_lazy_adam": ("LazyAdamOptimizer", {"learning_rate": 0.01}),
    "contrib_lars": ("LARSOptimizer", {"learning_rate": 0.1}),
    "contrib_power_sign": ("PowerSignOptimizer", {"learning_rate": 0.01}),
    "contrib_add_sign": ("AddSignOptimizer", {"learning_rate": 0.01}),
}
DENSE_ONLY = ("adagrad_da", "contrib_power_sign", "contrib_add_sign", "contrib_lars")


def initial(dtype):
    """Starting values of the dense variable `scope/w` and the embedding `table`."""
    random = np.random.RandomState(0)
    return (random.uniform(-1, 1, (3, 4)).astype(dtype),
            random.uniform(-1, 1, (6, 2)).astype(dtype))


def gradient(step, dtype):
    """(dense gradient, sparse values, sparse indices with repetitions) of one step."""
    random = np.random.RandomState(100 + step)
    return (random.normal(size=(3, 4)).astype(dtype), random.normal(size=(4, 2)).astype(dtype),
            np.array([1, (step * 2) % 6, 1, 4]))


def _optimizer(kind, kwargs, step):
    if kind == "AdagradDAOptimizer":
        return tf.train.AdagradDAOptimizer(global_step=step, **kwargs)
    for module in (tf.train, tf.contrib.opt):
        if hasattr(module, kind):
            return getattr(module, kind)(**kwargs)
    raise KeyError(kind)


def trajectory(kind, kwargs, dtype, sparse):
    with tf.Graph().as_default():
        start, table = initial(dtype)
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
        recorded: dict = {}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for t in range(STEPS):
                g, gv, gi = gradient(t, dtype)
                session.run(train, {dense: g, values: gv, indices: gi})
                for name, value in session.run(everything).items():
                    recorded.setdefault(name, []).append(value)
    return {name: np.stack(values) for name, values in recorded.items()}


def record():
    arrays = {}
    for case, (kind, kwargs) in OPTIMIZERS.items():
        for dtype in ("float32", "float64"):
            try:
                found = trajectory(kind, kwargs, dtype, case not in DENSE_ONLY)
            except TypeError as error:  # some pass float32 hyperparameters to float64 kernels
                print("TF 1.15.5 cannot:", case, dtype, error)
                continue
            arrays.update({"|".join((case, dtype, name)): v for name, v in found.items()})
    files.write_arrays("optimizers", arrays)

"""What is run both on TF 1.15.5 (recorders/) and on TF 2.21 (the tests): plain data, Python 3.7."""
import numpy as np

STEPS = 6

# name: (class, keyword arguments)
OPTIMIZERS = {
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

# name: (function of tf.train, keyword arguments besides the step)
SCHEDULES = {
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

AVERAGES = {
    "plain": {"decay": 0.9},
    "num_updates": {"decay": 0.99, "num_updates": True},
}
DEBIAS_DECAY = 0.8


def average_value(step):
    """What is assigned to the averaged variable (and is the averaged tensor) at a step."""
    return np.random.RandomState(200 + step).normal(size=(2, 3)).astype("float32")

RESUMED = ("adam", "rmsprop")
RESUME_AFTER = 3

RESIZE_METHODS = {"bilinear": 0, "nearest_neighbor": 1, "bicubic": 2, "area": 3}
RESIZE_SIZES = [(7, 9), (3, 2), (5, 4), (10, 8)]
PAD_SIZES = [(8, 8), (3, 9)]


def images(dtype):
    """A batch [2, 5, 4, 3]."""
    return np.random.RandomState(5).uniform(0, 255, (2, 5, 4, 3)).astype(dtype)


BOXES = np.array([[[0.1, 0.2, 0.7, 0.9], [0.0, 0.0, 1.0, 0.5]]] * 2, "float32")

SUMMARY_IMAGES = {
    "signed": np.array([-2.0, 0.0, 2.0, 0.5, -0.3, 1.1], "float32").reshape(1, 1, 2, 3),
    "positive": np.linspace(0, 0.5, 12, dtype="float32").reshape(1, 2, 2, 3),
    "zero": np.zeros((1, 2, 2, 3), "float32"),
}

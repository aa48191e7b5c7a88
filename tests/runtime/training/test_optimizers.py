"""Optimizers against trajectories recorded from TF 1.15.5 (recorded/optimizers.py)."""
import numpy as np
import pytest
import tensorflow as tf
from tf1_support import contrib_optimizers, optimizers, regularized_optimizers

from tests.runtime.recorded import files
from tests.runtime.recorded import optimizers as cases

RECORDED = files.arrays("optimizers")
RUNS = sorted({tuple(name.split("|")[:2]) for name in RECORDED.files})
# float64: TF 1 rounded a learning rate of 0.1 to float32 in dense updates, not in sparse descent
TOLERANCE = {"float32": 2e-6, "float64": 1e-8}


def make(case, step):
    kind, kwargs = cases.OPTIMIZERS[case]
    for module in (optimizers, regularized_optimizers, contrib_optimizers):
        if hasattr(module, kind):
            return getattr(module, kind)(
                **kwargs, **({"global_step": step} if "DA" in kind else {}))
    raise KeyError(kind)


def recorded(case, dtype):
    prefix = f"{case}|{dtype}|"
    return {n[len(prefix):]: RECORDED[n] for n in RECORDED.files if n.startswith(prefix)}


class Training:
    """The recorded program in its TF 2 form."""

    def __init__(self, case, dtype, variable=tf.Variable, wrap=lambda f: f):
        start, table = cases.initial(dtype)
        self.w, self.table = variable(start, dtype=dtype), variable(table, dtype=dtype)
        self.step = tf.Variable(0, dtype=tf.int64, trainable=False)
        self.names = {"scope/w": self.w, "table": self.table}
        self.optimizer = make(case, self.step)
        self.sparse = case not in cases.DENSE_ONLY
        self.dtype = dtype

        def train(dense, values, indices):
            pairs = [(dense, self.w)]
            if self.sparse:
                pairs.append((tf.IndexedSlices(values, indices, tf.constant([6, 2])), self.table))
            self.optimizer.apply_gradients(pairs, global_step=self.step)
        self.train = wrap(train)

    def run(self, t):
        dense, values, indices = cases.gradient(t, self.dtype)
        self.train(tf.constant(dense), tf.constant(values), tf.constant(indices))

    def state(self):
        return {**self.names, "global_step": self.step,
                **self.optimizer.tf1_variables(self.names)}


def check(training, expected, steps=range(cases.STEPS)):
    for t in steps:
        training.run(t)
        state = training.state()
        if not training.sparse:
            expected = {n: v for n, v in expected.items() if not n.startswith("table")}
        assert set(expected) <= set(state)
        for name, values in expected.items():
            np.testing.assert_allclose(
                np.asarray(state[name]), values[t], rtol=TOLERANCE[training.dtype],
                atol=TOLERANCE[training.dtype], err_msg=f"{name} after step {t + 1}")


@pytest.mark.parametrize("case,dtype", RUNS)
def test_trajectory_and_slot_names(case, dtype):
    training = Training(case, dtype)
    check(training, recorded(case, dtype))
    created = {n for n in training.state() if n in training.optimizer.tf1_variables(training.names)}
    assert created <= set(recorded(case, dtype)), "a slot TF 1 does not have"


GRAPH_CASES = [c for c in cases.OPTIMIZERS if not c.startswith("contrib")] + ["contrib_adamw"]


@pytest.mark.parametrize("case", GRAPH_CASES)
def test_trajectory_in_a_compiled_function(case):
    training = Training(case, "float32", wrap=tf.function(jit_compile=True))
    training.optimizer.build([training.w, training.table])  # else the first call traces twice
    check(training, recorded(case, "float32"))
    assert training.train.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("case", ["momentum", "rmsprop_centered", "adam"])
def test_trajectory_on_keras_variables_in_a_function(case):
    def variable(value, dtype):
        return tf.keras.Variable(value, dtype=dtype)
    check(Training(case, "float32", variable, tf.function), recorded(case, "float32"))


@pytest.mark.parametrize("case", ["rmsprop", "adam", "ftrl"])
def test_training_resumes_from_the_recorded_state(case):
    expected = recorded(case, "float64")
    training = Training(case, "float64")
    training.optimizer.build([training.w, training.table])
    for name, variable in training.state().items():
        variable.assign(expected[name][2])
    check(training, expected, range(3, cases.STEPS))


def test_object_based_checkpoint_restores_slots(tmp_path):
    first, second = Training("adam", "float32"), Training("adam", "float32")
    first.run(0)
    path = tf.train.Checkpoint(w=first.w, t=first.table, o=first.optimizer).save(tmp_path / "c")
    second.optimizer.build([second.w, second.table])
    tf.train.Checkpoint(w=second.w, t=second.table, o=second.optimizer).restore(
        path).assert_existing_objects_matched()
    for name, variable in first.optimizer.tf1_variables(first.names).items():
        np.testing.assert_array_equal(
            variable, second.optimizer.tf1_variables(second.names)[name], err_msg=name)


def test_two_lists_of_variables_share_an_optimizer():
    a, b = tf.Variable([1.0]), tf.Variable([2.0])
    optimizer = optimizers.MomentumOptimizer(0.1, 0.9)
    optimizer.minimize(lambda: a * a, var_list=[a])
    optimizer.minimize(lambda: b * b, var_list=[b])
    optimizer.minimize(lambda: b * b, var_list=[b])
    assert a.numpy() == pytest.approx(0.8)
    assert b.numpy() == pytest.approx(1.6 - 0.1 * (0.9 * 4 + 3.2), rel=1e-6)
    assert optimizer.get_slot(a, "momentum") is not optimizer.get_slot(b, "momentum")


def test_minimize_with_a_tape_counts_steps_and_skips_unused_variables():
    used, unused = tf.Variable(1.0), tf.Variable(5.0)
    step = tf.Variable(0, dtype=tf.int64)
    with tf.GradientTape() as tape:
        loss = used * 3
    optimizers.GradientDescentOptimizer(0.1).minimize(
        loss, global_step=step, var_list=[used, unused], tape=tape)
    assert float(used) == pytest.approx(0.7)
    assert (float(unused), int(step)) == (5.0, 1)


def test_errors_say_what_to_do():
    v = tf.Variable(1.0)
    optimizer = optimizers.AdamOptimizer()
    with pytest.raises(ValueError, match="No gradients provided"):
        optimizer.apply_gradients([(None, v)])
    with pytest.raises(ValueError, match="tape"):
        optimizer.compute_gradients(v * 2, [v])


def test_an_optimizer_may_be_made_in_the_trace_that_uses_it():
    v = tf.Variable(1.0)

    @tf.function
    def step(rate):
        optimizers.MomentumOptimizer(rate, 0.5).minimize(v * 2, var_list=[v])
    for _ in range(2):  # the velocity lives as long as the traced function
        step(tf.constant(0.1))
    assert float(v) == pytest.approx(1 - 0.2 - 0.3)
    assert step.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("rate", ["variable", "function"])
def test_a_changing_learning_rate_is_not_frozen_by_the_trace(rate):
    value, w = tf.Variable(1.0), tf.Variable(0.0)
    optimizer = optimizers.GradientDescentOptimizer(
        value if rate == "variable" else lambda: value * 1.0)

    @tf.function
    def train():
        optimizer.apply_gradients([(tf.constant(1.0), w)])
    train()
    value.assign(0.5)
    train()
    assert float(w) == -1.5


@pytest.mark.parametrize("case", sorted(cases.OPTIMIZERS))
def test_config_round_trip(case):
    step = tf.Variable(0, dtype=tf.int64)
    if case == "adagrad_da" or "sign" in case:
        pytest.skip("holds a variable or a function")
    optimizer = make(case, step)
    again = type(optimizer).from_config(optimizer.get_config())
    assert again.get_config() == optimizer.get_config()
    for name, value in cases.OPTIMIZERS[case][1].items():
        assert again.get_config()[name] == pytest.approx(value)


def test_a_keras_model_can_be_fitted():
    model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1)])
    model.compile(optimizer=optimizers.RMSPropOptimizer(0.05), loss="mse")
    x = np.random.RandomState(0).normal(size=(64, 3)).astype("float32")
    history = model.fit(x, x.sum(1, keepdims=True), epochs=8, verbose=0).history["loss"]
    assert history[-1] < history[0] / 2

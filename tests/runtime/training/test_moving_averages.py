"""Moving averages against TF 1.15.5 (recorded/averages.py)."""
import numpy as np
import pytest
import tensorflow as tf
from tf1_support import moving_averages, store

from tests.runtime.recorded import averages as cases
from tests.runtime.recorded import files, optimizers

RECORDED = files.arrays("averages")
WRAPS = [lambda f: f, tf.function, tf.function(jit_compile=True)]
IDS = ["eager", "function", "xla"]


@pytest.fixture(autouse=True)
def fresh_store():
    store.reset_default_store()


def check(case, update, variables):
    prefix = case + "|"
    names = {n[len(prefix):] for n in RECORDED.files if n.startswith(prefix)}
    for t in range(optimizers.STEPS):
        update(tf.constant(cases.average_value(t)))
        found = variables()
        assert set(found) == names
        for name in names:
            np.testing.assert_allclose(found[name], RECORDED[prefix + name][t], rtol=1e-5,
                                       atol=1e-6, err_msg=f"{name} after step {t + 1}")


@pytest.mark.parametrize("wrap", WRAPS, ids=IDS)
@pytest.mark.parametrize("case", sorted(cases.AVERAGES))
def test_of_variables(case, wrap):
    w = tf.Variable(tf.ones([2, 3]), name="scope/w")
    step = tf.Variable(0, dtype=tf.int64)
    kwargs = cases.AVERAGES[case]
    ema = moving_averages.ExponentialMovingAverage(
        **({**kwargs, "num_updates": step} if "num_updates" in kwargs else kwargs))
    ema.build([w])

    @wrap
    def update(value):
        w.assign(value)
        ema.apply([w])
        step.assign_add(1)
    check(case, update, lambda: {"scope/w": w, "global_step": step, **ema.tf1_variables()})


@pytest.mark.parametrize("wrap", WRAPS[1:], ids=IDS[1:])
def test_of_tensors(wrap):
    ema = moving_averages.ExponentialMovingAverage(cases.DEBIAS_DECAY, zero_debias=True)

    @wrap
    def update(value):
        doubled = value * 2.0
        ema.apply([doubled])
        return ema.average(doubled)

    def variables():
        average, correction = ema._averages[0], ema._corrections["0"]
        base = "doubled/ExponentialMovingAverage"
        return {base: average, base + "/biased": correction.biased,
                base + "/local_step": correction.local_step}
    names = {n.split("|")[1] for n in RECORDED.files if n.startswith("tensor|")}
    update(tf.constant(cases.average_value(0)))
    assert set(variables()) == names
    for v in ema.variables:
        v.assign(tf.zeros_like(v))
    check("tensor", update, variables)


@pytest.mark.parametrize("wrap", WRAPS, ids=IDS)
@pytest.mark.parametrize("case", ["assign", "assign_debias"])
def test_assign_moving_average(case, wrap):
    v = tf.Variable(tf.zeros([2, 3]), name="mean")
    zero_debias = case == "assign_debias"
    correction = moving_averages.ZeroDebias(v) if zero_debias else None

    @wrap
    def update(value):
        return moving_averages.assign_moving_average(v, value, cases.DEBIAS_DECAY,
                                                     correction or False)

    def variables():
        extra = {m.name.split(":")[0]: m for m in (correction.variables if correction else ())}
        return {"mean": v, **extra}
    check(case, update, variables)


def test_zero_debias_keeps_its_count_in_the_store():
    v = tf.Variable(tf.zeros([2, 3]), name="mean")
    for t in range(2):
        moving_averages.assign_moving_average(v, cases.average_value(t), cases.DEBIAS_DECAY, True)
    np.testing.assert_allclose(v, RECORDED["assign_debias|mean"][1], rtol=1e-5)


def test_restore_names_average_and_swap():
    a, b = tf.Variable(1.0, name="a"), tf.Variable([2.0], name="scope/b", trainable=False)
    s = store.current_store()
    s.add("a", a, [store.GraphKeys.GLOBAL_VARIABLES, store.GraphKeys.TRAINABLE_VARIABLES])
    s.add("scope/b", b, [store.GraphKeys.GLOBAL_VARIABLES])
    ema = moving_averages.ExponentialMovingAverage(0.5, name="EMA")
    assert ema.average(a) is None and ema.average_name(a) == "a/EMA"
    assert ema.variables_to_restore() == {"a/EMA": a, "scope/b": b}
    ema.build([a])
    a.assign(3.0)
    ema.apply()
    assert float(ema.average(a)) == 2.0 and ema.average_name(a) == "a/EMA"
    ema.apply([b])
    assert set(ema.variables_to_restore()) == {"a/EMA", "scope/b/EMA"}
    ema.swap()
    assert (float(a), float(ema.average(a))) == (2.0, 3.0)
    ema.swap()
    assert float(a) == 3.0


def test_object_based_checkpoint(tmp_path):
    a = tf.Variable(1.0, name="a")
    first, second = (moving_averages.ExponentialMovingAverage(0.5) for _ in range(2))
    first.build([a])
    first.average(a).assign(7.0)
    path = tf.train.Checkpoint(ema=first).save(tmp_path / "c")
    second.build([a])
    tf.train.Checkpoint(ema=second).restore(path).assert_existing_objects_matched()
    assert float(second.average(a)) == 7.0


def test_integers_have_no_average():
    with pytest.raises(TypeError, match="int64"):
        moving_averages.ExponentialMovingAverage(0.5).apply([tf.Variable(1, dtype=tf.int64)])

"""Saver and loaders, on checkpoints of TF 1.15.5 (recorded/checkpoints.py) and on their own."""
import logging
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from tf1_support import (
    checkpoint,
    graphs,
    moving_averages,
    optimizers,
    scopes,
    sessions,
    store,
    training,
)

from tests.runtime.recorded import checkpoints as resumed
from tests.runtime.recorded import files
from tests.runtime.recorded import optimizers as cases

TRAJECTORIES = files.arrays("optimizers")
KEYS = [store.GraphKeys.GLOBAL_VARIABLES, store.GraphKeys.TRAINABLE_VARIABLES]


@pytest.fixture(autouse=True)
def fresh_store():
    store.reset_default_store()


def add(name, value, collections=KEYS, **kwargs):
    variable = tf.Variable(value, name=name, **kwargs)
    store.current_store().add(name, variable, collections)
    return variable


class Program:
    """The recorded program in its TF 2 form."""

    def __init__(self, case):
        start, table = cases.initial("float64")
        self.w = add("scope/w", np.zeros_like(start))
        self.table = add("table", np.zeros_like(table))
        self.step = scopes.get_or_create_global_step()
        kind, kwargs = cases.OPTIMIZERS[case]
        self.optimizer = getattr(optimizers, kind)(**kwargs)
        self.ema = moving_averages.ExponentialMovingAverage(0.9)

    def train(self, t):
        g, gv, gi = cases.gradient(t, "float64")
        slices = tf.IndexedSlices(tf.constant(gv), tf.constant(gi), tf.constant([6, 2]))
        self.optimizer.apply_gradients([(tf.constant(g), self.w), (slices, self.table)],
                                       global_step=self.step)
        self.ema.apply([self.w, self.table])


def tf1_checkpoint(case):
    return files.path(f"tf1_{case}-{resumed.RESUME_AFTER}")


def check_rest_of_trajectory(program, case, tolerance=1e-8):
    prefix = f"{case}|float64|"
    for t in range(resumed.RESUME_AFTER, cases.STEPS):
        program.train(t)
        for name, variable in store.current_store().variables_by_name.items():
            np.testing.assert_allclose(variable, TRAJECTORIES[prefix + name][t], rtol=tolerance,
                                       atol=tolerance, err_msg=f"{name} after step {t + 1}")


@pytest.mark.parametrize("case", resumed.RESUMED)
def test_training_resumes_from_a_tf1_checkpoint(case):
    program = Program(case)
    checkpoint.Saver().restore(tf1_checkpoint(case))  # slots and averages do not exist before
    assert int(program.step) == resumed.RESUME_AFTER
    shadow = tf.train.load_checkpoint(tf1_checkpoint(case)).get_tensor(
        "table/ExponentialMovingAverage")
    np.testing.assert_array_equal(program.ema.average(program.table), shadow)
    check_rest_of_trajectory(program, case)


@pytest.mark.parametrize("case", resumed.RESUMED)
def test_what_is_saved_has_the_names_and_values_of_tf1_and_resumes(case, tmp_path):
    program = Program(case)
    saver = checkpoint.Saver()
    saver.restore(tf1_checkpoint(case))
    path = saver.save(tmp_path / "model.ckpt", global_step=scopes.get_global_step())
    assert path == str(tmp_path / "model.ckpt-3") == tf.train.latest_checkpoint(tmp_path)
    assert tf.train.list_variables(path) == tf.train.list_variables(tf1_checkpoint(case))
    for name, _ in tf.train.list_variables(path):
        np.testing.assert_array_equal(tf.train.load_variable(path, name),
                                      tf.train.load_variable(tf1_checkpoint(case), name))
    del program
    store.reset_default_store()
    again = Program(case)
    checkpoint.Saver().restore(path)
    check_rest_of_trajectory(again, case)


def test_tf1_itself_reads_what_is_saved(tmp_path):
    python = os.environ.get("MIGRATOR_TF1_PYTHON")
    if not python:
        pytest.skip("MIGRATOR_TF1_PYTHON is not set")
    add("a/b", [1.5, 2.5])
    path = checkpoint.Saver().save(tmp_path / "c", global_step=7)
    code = ("import sys, tensorflow as tf\n"
            "v = tf.get_variable('a/b', [2])\n"
            "with tf.Session() as s:\n"
            "    tf.train.Saver().restore(s, tf.train.latest_checkpoint(sys.argv[1]))\n"
            "    print(s.run(v).tolist())\n")
    done = subprocess.run([python, "-c", code, os.path.dirname(path)], capture_output=True,
                          text=True, env={"PATH": os.defpath, "CUDA_VISIBLE_DEVICES": "-1"})
    assert done.stdout.strip() == "[1.5, 2.5]", done.stderr


def test_averages_are_restored_into_variables():
    program = Program("adam")
    checkpoint.Saver(program.ema.variables_to_restore()).restore(tf1_checkpoint("adam"))
    np.testing.assert_array_equal(program.w, tf.train.load_variable(
        tf1_checkpoint("adam"), "scope/w/ExponentialMovingAverage"))


@pytest.mark.parametrize("wrap", [lambda s: {"model": s}, lambda s: {"deep": tf.train.Checkpoint(
    s=s)}])
def test_object_based_checkpoints_are_read(tmp_path, wrap):
    v = add("scope.x/w", [1.0, 2.0])
    path = tf.train.Checkpoint(**wrap(store.current_store())).save(tmp_path / "o")
    v.assign([0.0, 0.0])
    checkpoint.Saver().restore(path)
    np.testing.assert_array_equal(v, [1.0, 2.0])


def test_keeps_the_newest(tmp_path):
    v = add("v", 0.0)
    saver = checkpoint.Saver(max_to_keep=2)
    for step in range(4):
        v.assign(step)
        saver.save(str(tmp_path / "m"), global_step=step)
    assert sorted(p.name for p in tmp_path.glob("*.index")) == ["m-2.index", "m-3.index"]
    state = tf.train.get_checkpoint_state(tmp_path)
    assert [Path(p).name for p in state.all_model_checkpoint_paths] == ["m-2", "m-3"]
    saver.restore(saver.last_checkpoints[0])
    assert float(v) == 2.0
    successor = checkpoint.Saver(max_to_keep=2)
    successor.recover_last_checkpoints(state.all_model_checkpoint_paths)
    successor.save(str(tmp_path / "m"), global_step=4)
    assert sorted(p.name for p in tmp_path.glob("*.index")) == ["m-3.index", "m-4.index"]
    assert not list(tmp_path.glob("*.tmp"))


def test_hourly_checkpoints_survive(tmp_path):
    add("v", 0.0)
    saver = checkpoint.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=1e-9)
    for step in range(3):
        saver.save(str(tmp_path / "m"), global_step=step)
    assert len(list(tmp_path.glob("*.index"))) == 3


def test_lists_and_dicts_are_exact(tmp_path):
    a, b = add("a", 1.0), add("b", 2.0)
    path = checkpoint.Saver([a]).save(str(tmp_path / "a"))
    assert [n for n, _ in tf.train.list_variables(path)] == ["a"]
    checkpoint.Saver({"a": b}).restore(path)
    assert float(b) == 1.0
    local = add("l", 3.0, [store.GraphKeys.LOCAL_VARIABLES])
    path = checkpoint.Saver().save(str(tmp_path / "all"))
    assert [n for n, _ in tf.train.list_variables(path)] == ["a", "b"] and float(local) == 3.0
    with pytest.raises(ValueError, match="two variables"):
        checkpoint.Saver([tf.Variable(1.0, name="x"), tf.Variable(1.0, name="x")]).save("/tmp/x")


def test_a_saver_of_a_graph_that_is_built_later(tmp_path):
    """It has the variables that are there by then; building it again adds none."""
    with graphs.Graph().as_default(), sessions.Session() as session:
        scopes.get_variable("early", initializer=1.0)
        early, late = checkpoint.Saver(), checkpoint.Saver(defer_build=True)
        scopes.get_variable("late", initializer=2.0)
        session.run(graphs.global_variables_initializer())
        for saver, names in ((early, ["early"]), (late, ["early", "late"])):
            saver.build()
            path = saver.save(str(tmp_path / "model"))
            assert [name for name, _ in tf.train.list_variables(path)] == names


def test_keras_variables_and_a_scope_around_the_optimizer(tmp_path):
    kernel = tf.keras.Variable(np.ones([2], "float32"), name="kernel")
    optimizer = optimizers.MomentumOptimizer(0.1, 0.9)
    optimizer.build([kernel])
    path = checkpoint.write_checkpoint(str(tmp_path / "c"), {
        "kernel": tf.constant([5.0, 6.0]), "train/kernel/Momentum": tf.constant([7.0, 8.0])})
    store.current_store().add("kernel", kernel.value, KEYS)
    checkpoint.Saver().restore(path)
    np.testing.assert_array_equal(kernel, [5.0, 6.0])
    np.testing.assert_array_equal(optimizer.get_slot(kernel, "momentum"), [7.0, 8.0])


def test_init_from_checkpoint(tmp_path):
    path = checkpoint.write_checkpoint(str(tmp_path / "c"), {
        "old/a": tf.constant(1.0), "old/b": tf.constant(2.0), "c": tf.constant(3.0)})
    a, b, c = add("new/a", 0.0), add("new/b", 0.0), add("c", 0.0)
    checkpoint.init_from_checkpoint(path, {"old/": "new/", "c": c})
    assert [float(v) for v in (a, b, c)] == [1.0, 2.0, 3.0]
    checkpoint.init_from_checkpoint(path, {"old/b": "new/a"})
    assert float(a) == 2.0
    for wrong in ({"old/": "none/"}, {"zzz": c}, {"c": "zzz"}):
        with pytest.raises(ValueError):
            checkpoint.init_from_checkpoint(path, wrong)


def test_nothing_is_missing_silently(tmp_path, caplog):
    saver = checkpoint.Saver()
    with pytest.raises(ValueError, match="call the model once"):
        saver.restore(tf1_checkpoint("adam"))
    with pytest.raises(ValueError, match=r"no-such\.index"):
        saver.restore(str(tmp_path / "no-such"))
    with pytest.raises(ValueError, match="no checkpoint yet"):
        saver.restore(tf.train.latest_checkpoint(tmp_path))
    v = add("scope/w", np.zeros((3, 4)))
    with caplog.at_level(logging.INFO, "absl"):
        saver.restore(tf1_checkpoint("adam"))
    assert "also holds" in caplog.text and "table" in caplog.text
    assert np.any(v.numpy())
    add("extra", 1.0)
    with pytest.raises(tf.errors.NotFoundError, match="extra"):
        saver.restore(tf1_checkpoint("adam"))
    assert checkpoint.load_tf1_checkpoint(tf1_checkpoint("adam"), strict=False) == ["extra"]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\(3, 4\)"):
        checkpoint.Saver({"scope/w": tf.Variable([1.0])}).restore(tf1_checkpoint("adam"))


def test_global_step():
    assert scopes.get_global_step() is None
    step = scopes.get_or_create_global_step()
    assert scopes.get_or_create_global_step() is step is scopes.get_global_step()
    assert step.dtype == tf.int64 and training.global_step(step) == 0
    with pytest.raises(TypeError, match="integer"):
        training.assert_global_step(tf.Variable(1.0))


def test_train_step_of_slim():
    a, b = add("a", [3.0, 4.0]), add("scope/b", 1.0)
    step = scopes.get_or_create_global_step()
    optimizer = optimizers.GradientDescentOptimizer(1.0)

    @tf.function
    def train(factor):
        with tf.GradientTape() as tape:
            loss = factor * (tf.reduce_sum(tf.square(a)) + b)
        return training.train_step(loss, optimizer, tape, clip_gradient_norm=1.0,
                                   gradient_multipliers={"scope/b": 0.25})
    assert float(train(tf.constant(1.0))) == 26.0
    np.testing.assert_allclose(a, [2.4, 3.2], rtol=1e-6)
    assert float(b) == 0.75 and int(step) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="inf or nan"):
        train(tf.constant(np.nan))
    assert float(b) == 0.75 and int(step) == 1


def test_global_norm_clipping():
    v = add("v", [3.0, 4.0])
    norm = training.apply_clipped_gradients(
        optimizers.GradientDescentOptimizer(1.0), [(tf.constant([3.0, 4.0]), v)], clip_norm=1.0)
    assert float(norm) == 5.0
    np.testing.assert_allclose(v, [2.4, 3.2], rtol=1e-6)

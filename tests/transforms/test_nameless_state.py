"""Where variables and optimizers are TensorFlow's own, and what keeps them those of the support package."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan

HEAD = "import numpy as np\nimport tensorflow as tf\n"
TRAIN = """
x = tf.placeholder(tf.float32, [None, 2])
{variable}
loss = tf.reduce_sum(tf.matmul(x, w))
{rate}
train = {optimizer}.minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {{x: np.ones((1, 2))}})
    print(sess.run(loss, {{x: np.ones((1, 2))}}))
"""
PLAIN = {
    "variable": "w = tf.Variable(tf.zeros([2, 1]))",
    "rate": "rate = 0.1",
    "optimizer": "tf.train.AdamOptimizer(rate)",
}


def migrated(folder: Path, text: str, **others: str) -> str:
    """What becomes of a program; `others` are the modules beside it."""
    for name, beside in {"program": text, **others}.items():
        (folder / f"{name}.py").write_text(beside)
    plan = build_plan(folder, Options(jobs=1))
    assert not [f for r in plan.files for f in r.findings if f.code in ("TF000", "TF007")]
    result = next(r for r in plan.files if r.path == "program.py")
    return result.new_text or result.old_text


def program(**parts: str) -> str:
    return HEAD + TRAIN.format(**{**PLAIN, **parts})


@pytest.mark.parametrize(("parts", "lines"), [
    ({}, ["w = tf.Variable(tf.zeros([2, 1]))", "tf.keras.optimizers.Adam(rate, epsilon=1e-8)"]),
    ({"optimizer": "tf.train.AdamOptimizer(learning_rate=1, beta2=0.9, name='A')"},
     ["tf.keras.optimizers.Adam(1.0, epsilon=1e-8, beta_2=0.9)"]),
    ({"optimizer": "tf.train.AdamOptimizer()"}, ["tf.keras.optimizers.Adam(0.001, epsilon=1e-8)"]),
    ({"optimizer": "tf.train.AdadeltaOptimizer(rate)"}, ["tf.keras.optimizers.Adadelta(rate, epsilon=1e-8)"]),
    ({"optimizer": "tf.train.MomentumOptimizer(rate, 0.9)"}, ["tf.keras.optimizers.SGD(rate, momentum=0.9)"]),
    ({"variable": "w = tf.get_variable('w', [2, 1])"},
     ["tf.Variable(tf.keras.initializers.GlorotUniform()([2, 1]), name='w')"]),
    ({"variable": "import random\nw = tf.get_variable('w', [2, 1])\nprint(random.random())"},
     ["tf.Variable(initializers.glorot_uniform_initializer()([2, 1]), name='w')"]),
    ({"variable": "w = tf.get_variable('w', [2, 1], initializer=tf.random_normal_initializer(0., 0.1))"},
     ["tf.Variable(tf.random.normal([2, 1], mean=0., stddev=0.1), name='w')"]),
    ({"variable": "w = tf.get_variable('w', [2, 1], initializer=tf.random_normal_initializer(seed=3))"},
     ["tf.Variable(initializers.random_normal_initializer(seed=3)([2, 1]), name='w')"]),
    ({"variable": "w = tf.Variable(tf.zeros([2, 1]))\nv = tf.get_variable('v', [1], trainable=False)"},
     ["GlorotUniform()([1]), trainable=False, name='v')"]),
])  # fmt: skip
def test_they_are_tensorflows_own(tmp_path: Path, parts: dict[str, str], lines: list[str]) -> None:
    text = migrated(tmp_path, program(**parts))
    for line in lines:
        assert line in text
    assert "scopes" not in text and "optimizers." not in text.replace("keras.optimizers.", "")


@pytest.mark.parametrize("parts", [
    {"rate": "rate = 0.1\nsaver = tf.train.Saver()"},
    {"rate": "rate = 0.1\nprint(w.name)"},
    {"rate": "rate = 0.1\nprint(tf.trainable_variables())"},
    {"rate": "rate = 0.1\nassert w in [w]"},
    {"variable": "w = tf.Variable(tf.zeros([2, 1]), collections=['mine'])"},
    {"variable": "w = tf.get_variable('w', [2, 1], regularizer=tf.nn.l2_loss)"},
    {"variable": "with tf.variable_scope('a'):\n    w = tf.get_variable('w', [2, 1])"},
    {"variable": "def f():\n    return tf.Variable(1.0)\n\nw = tf.Variable(tf.zeros([2, 1]))"},  # for others
])  # fmt: skip
def test_names_are_at_stake(tmp_path: Path, parts: dict[str, str]) -> None:
    assert "scopes." in migrated(tmp_path, program(**parts))


@pytest.mark.parametrize("beside", [
    "import tensorflow as tf\nimport program\nprint(tf.global_variables())\n",
    "import tensorflow as tf\nfrom program import w\n",
])
def test_another_module_may_see_them(tmp_path: Path, beside: str) -> None:
    assert "scopes.Variable" in migrated(tmp_path, program(), other=beside)


def test_a_module_without_tensorflow_sees_no_names(tmp_path: Path) -> None:
    text = migrated(tmp_path, "import other\n" + program(), other="import os\nSIZE = 3\n")
    assert "scopes" not in text


@pytest.mark.parametrize("parts", [
    {"optimizer": "tf.train.RMSPropOptimizer(rate)"},  # begins at 1, Keras' at 0
    {"rate": "import sys\nrate = sys.argv[1]"},
    {"rate": "rate = tf.train.exponential_decay(0.1, tf.Variable(0, trainable=False), 10, 0.9)",
     "optimizer": "tf.train.MomentumOptimizer(rate, 0.9)"},  # Keras folds the rate into the momentum
    {"variable": "w = tf.Variable(np.zeros([5, 2]), dtype=tf.float64)\nw = tf.cast(w, tf.float32)"},
    {"variable": "t = tf.Variable(tf.zeros([5, 1]))\nw = tf.nn.embedding_lookup(t, [0, 1])"},
])  # fmt: skip
def test_optimizers_that_update_otherwise_stay(tmp_path: Path, parts: dict[str, str]) -> None:
    text = migrated(tmp_path, program(**parts))
    assert "keras.optimizers" not in text
    assert "optimizers." in text


def test_step_is_counted(tmp_path: Path) -> None:
    text = migrated(tmp_path, program(rate="rate = 0.1\nstep = tf.Variable(0, trainable=False)").replace(
        "minimize(loss)", "minimize(loss, global_step=step)"))
    assert "optimizer.apply_gradients(zip(gradients, [w]))\n    step.assign_add(1)\n" in text


def test_a_second_migration_changes_nothing(tmp_path: Path) -> None:
    text = migrated(tmp_path, program(variable="w = tf.get_variable('w', [2, 1])"))
    assert migrated(tmp_path, text) == text


def test_code_of_tensorflow_2_stays_as_it_is(tmp_path: Path) -> None:
    text = HEAD + "w = tf.Variable(tf.zeros([2]))\noptimizer = tf.keras.optimizers.Adam(0.1)\n"
    assert migrated(tmp_path, text) == text


def test_what_the_package_lacks_needs_no_store(tmp_path: Path) -> None:
    """A file that reads a member which the support package's module has not."""
    text = migrated(
        tmp_path, HEAD + "import sonnet as snt\n" + TRAIN.format(**PLAIN) + "net = snt.nets.MLP([2])\n")
    assert "snt.nets.MLP" in text and "tf.keras.optimizers.Adam" in text

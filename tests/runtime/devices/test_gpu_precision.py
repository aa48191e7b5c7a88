"""Device set-up and mixed precision helpers."""
import logging
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2
from tf1_support import gpu, optimizers, precision

SUPPORT = Path(gpu.__file__).parent


class Devices:
    """Stands in for tf.config on a machine with two GPUs; `started` as after first use."""

    def __init__(self, monkeypatch, started=False):
        self.calls: list[str] = []
        self.growth: dict[str, bool] = {}
        self.limits: dict[str, list] = {}
        self.visible = ["gpu0", "gpu1"]
        config = tf.config

        def setter(label, apply):
            def change(*arguments):
                if started:
                    raise RuntimeError("Physical devices cannot be modified after initialization")
                self.calls.append(label)
                apply(*arguments)
            return change
        monkeypatch.setattr(config, "list_physical_devices", lambda kind: ["gpu0", "gpu1"])
        monkeypatch.setattr(config, "get_visible_devices", lambda kind: self.visible)
        monkeypatch.setattr(config, "set_visible_devices", setter(
            "visible", lambda devices, kind: setattr(self, "visible", devices)))
        monkeypatch.setattr(config.experimental, "get_memory_growth", self.growth.get)
        monkeypatch.setattr(config.experimental, "set_memory_growth", setter(
            "growth", self.growth.__setitem__))
        monkeypatch.setattr(config, "get_logical_device_configuration", self.limits.get)
        monkeypatch.setattr(config, "set_logical_device_configuration", setter(
            "limit", self.limits.__setitem__))


def test_growth_on_the_visible_gpus_and_nothing_twice(monkeypatch):
    devices = Devices(monkeypatch)
    assert gpu.configure_gpus("growth", visible="1") == ["gpu1"]
    assert devices.growth == {"gpu1": True} and devices.visible == ["gpu1"]
    gpu.configure_gpus("growth", visible=[1])
    assert devices.calls == ["visible", "growth"]


@pytest.mark.parametrize("said,megabytes", [
    ({"memory": 3 * 2**30}, 3072), ({"fraction": 0.25}, 2048), ({"fraction": 1.5}, 8192)])
def test_limits(monkeypatch, said, megabytes):
    devices = Devices(monkeypatch)
    monkeypatch.setattr(gpu, "_total_memory", lambda: 8 * 2**30)
    gpu.configure_gpus(**said)
    gpu.configure_gpus(**said)
    assert [d.memory_limit for d in devices.limits["gpu0"]] == [megabytes]
    assert devices.calls == ["limit", "limit"] and not devices.growth
    assert "TF_FORCE_GPU_ALLOW_GROWTH" not in os.environ


def test_growth_up_to_a_limit(monkeypatch):
    devices = Devices(monkeypatch)
    monkeypatch.setenv("TF_FORCE_GPU_ALLOW_GROWTH", "false")  # to be put back afterwards
    monkeypatch.setattr(gpu, "_total_memory", lambda: 8 * 2**30)
    gpu.configure_gpus("growth", fraction=0.5)
    assert [d.memory_limit for d in devices.limits["gpu1"]] == [4096] and not devices.growth
    assert os.environ["TF_FORCE_GPU_ALLOW_GROWTH"] == "true"


def test_fraction_of_unknown_memory_grows(monkeypatch, caplog):
    devices = Devices(monkeypatch)
    monkeypatch.setattr(gpu, "_total_memory", lambda: None)
    gpu.configure_gpus(fraction=0.5)
    assert devices.growth == {"gpu0": True, "gpu1": True} and "50 %" in caplog.text


def test_a_fraction_of_nothing_says_nothing(monkeypatch):
    devices = Devices(monkeypatch)
    gpu.configure_gpus(fraction=0.0)
    assert devices.growth == {"gpu0": True, "gpu1": True} and not devices.limits
    gpu.configure_gpus()
    assert devices.calls == ["growth", "growth"]


def test_configurations_as_values(monkeypatch, caplog):
    devices = Devices(monkeypatch)
    monkeypatch.setattr(gpu, "_total_memory", lambda: 8 * 2**30)
    config = config_pb2.ConfigProto(device_count={"GPU": 1}, isolate_session_state=True)
    config.gpu_options.per_process_gpu_memory_fraction = 0.5
    assert gpu.configure_from(config) == ["gpu0"]
    assert [d.memory_limit for d in devices.limits["gpu0"]] == [4096] and not devices.growth
    assert not caplog.text
    config.operation_timeout_in_ms = 5
    config.gpu_options.experimental.use_unified_memory = True
    gpu.configure_from(config, memory="growth")
    assert devices.growth == {"gpu0": True}
    assert "operation_timeout_in_ms" in caplog.text and "gpu_options.experimental" in caplog.text


def test_no_configuration_says_nothing(monkeypatch):
    devices = Devices(monkeypatch)
    gpu.configure_from(None)
    assert devices.calls == ["growth", "growth"] and devices.visible == ["gpu0", "gpu1"]


def test_too_late_is_logged_not_raised(monkeypatch, caplog):
    Devices(monkeypatch, started=True)
    with caplog.at_level(logging.WARNING, "absl"):
        gpu.configure_gpus("growth")
    assert "before anything else uses TensorFlow" in caplog.text


def test_hiding_and_naming_gpus_that_do_not_exist(monkeypatch, caplog):
    devices = Devices(monkeypatch)
    assert gpu.configure_gpus(visible="") == ["gpu0", "gpu1"] and not devices.calls  # as in TF 1
    assert gpu.configure_gpus(visible=[]) == [] and devices.visible == []
    assert gpu.configure_gpus(visible="0,7") == ["gpu0"] and "[7]" in caplog.text
    assert gpu.configure_gpus(visible="0,1", device_count={"GPU": 1}) == ["gpu0"]
    assert gpu.configure_gpus(device_count={"GPU": 0}) == [] and devices.visible == []
    gpu.configure_gpus(visible="1,0")
    assert "their own order" in caplog.text


def test_nvidia_smi_is_read_in_mebibytes(monkeypatch, tmp_path):
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\nprintf '81559\\n40000\\n'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert gpu._total_memory() == 40000 * 2**20


def test_wrong_memory():
    for wrong in ("grow", 0, -1, 1.5, 0.0):
        with pytest.raises(ValueError, match="memory is"):
            gpu.configure_gpus(wrong)
    with pytest.raises(ValueError, match="fraction is"):
        gpu.configure_gpus(fraction=-0.5)


def test_without_a_gpu_in_a_fresh_process():
    code = ("import sys; sys.path.insert(0, sys.argv[1]); import gpu; import tensorflow as tf\n"
            "for _ in range(2):\n"
            "    assert gpu.configure_gpus('growth', inter_op_threads=1, intra_op_threads=2,\n"
            "        soft_placement=False, log_placement=False) == []\n"
            "tf.constant(1) + 1\n"
            "gpu.configure_gpus(fraction=0.5, visible='0', inter_op_threads=1)\n"
            "assert tf.config.threading.get_intra_op_parallelism_threads() == 2\n"
            "assert not tf.config.get_soft_device_placement()\n")
    done = subprocess.run([sys.executable, "-c", code, str(SUPPORT)], capture_output=True,
                          text=True, env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"})
    assert done.returncode == 0, done.stderr


# ---- precision -----------------------------------------------------------------------------------
@pytest.fixture
def policy():
    yield precision.set_policy
    precision.set_policy("float32")


def test_policy_and_float32_border(policy):
    with pytest.raises(ValueError, match="mixed_float16"):
        precision.set_policy("half")
    policy("mixed_bfloat16")
    assert precision.compute_dtype() == tf.bfloat16
    half = {"a": tf.ones([2], tf.float16), "b": [tf.ones([1], tf.bfloat16), tf.constant(1)]}
    found = precision.to_float32(half)
    assert [t.dtype for t in tf.nest.flatten(found)] == [tf.float32, tf.float32, tf.int32]


def test_only_float16_is_scaled(policy):
    optimizer = optimizers.AdamOptimizer()
    assert precision.loss_scaled(optimizer) is optimizer
    policy("mixed_bfloat16")
    assert precision.loss_scaled(optimizer) is optimizer
    policy("mixed_float16")
    assert isinstance(precision.loss_scaled(optimizer), precision.LossScaled)


@pytest.mark.parametrize("jit", [None, False, True], ids=["eager", "function", "xla"])
@pytest.mark.parametrize("keras_variable", [False, True])
def test_scaled_steps_equal_plain_steps_and_bad_steps_are_skipped(jit, keras_variable):
    x = tf.constant([3.0, 0.5])

    def run(optimizer, factors):
        variable = (tf.keras.Variable if keras_variable else tf.Variable)([1.0, -2.0])
        step = tf.Variable(0, dtype=tf.int64)
        optimizer.build([variable])

        def train(factor):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(variable * x)) * factor
            pairs = optimizer.compute_gradients(loss, [variable], tape=tape)
            clipped, _ = tf.clip_by_global_norm([g for g, _ in pairs], 5.0)
            optimizer.apply_gradients(zip(clipped, [variable], strict=True), global_step=step)
        if jit is not None:
            train = tf.function(train, jit_compile=jit)
        for factor in factors:
            train(tf.constant(factor))
        assert int(step) == int(optimizer.iterations) == 3
        return np.asarray(variable)

    plain = run(optimizers.MomentumOptimizer(0.1, 0.9), (1.0, 1.0, 0.5))
    optimizer = precision.LossScaled(optimizers.MomentumOptimizer(0.1, 0.9),
                                     initial_scale=1024.0, growth_steps=2)
    np.testing.assert_array_equal(run(optimizer, (1.0, np.inf, 1.0, 0.5)), plain)
    assert float(optimizer.loss_scale) == 1024.0  # halved once, doubled after two good steps


def test_small_gradients_survive_float16():
    variable = tf.Variable(1.0)
    optimizer = precision.LossScaled(optimizers.GradientDescentOptimizer(1.0))

    def loss():
        return tf.cast(tf.cast(variable, tf.float16) * 1e-4, tf.float32) * 1e-4
    (gradient, _), = optimizer.compute_gradients(loss)
    assert float(gradient) == pytest.approx(1e-8, rel=1e-2)
    with tf.GradientTape() as tape:
        value = loss()
    assert float(tape.gradient(value, variable)) != pytest.approx(1e-8, rel=1e-2)


def test_keras_loss_scale_optimizer_around_a_tf1_optimizer(policy):
    policy("mixed_float16")
    model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1)])
    model.compile(precision.loss_scaled(optimizers.RMSPropOptimizer(0.05)).keras, "mse")
    x = np.random.RandomState(0).normal(size=(64, 3)).astype("float32")
    history = model.fit(x, x.sum(1, keepdims=True), epochs=8, verbose=0).history["loss"]
    assert history[-1] < history[0] / 2


def test_sparse_gradients_are_scaled():
    table = tf.Variable(np.ones((4, 2), "float32"))
    optimizer = precision.LossScaled(optimizers.MomentumOptimizer(0.5, 0.9))
    optimizer.minimize(lambda: tf.reduce_sum(tf.gather(table, [1, 1, 3])))
    np.testing.assert_allclose(table.numpy()[:, 0], [1, 0, 1, 0.5])

"""Device scopes against TF 1.15.5 (recorded/devices.py), on processors that stand for devices."""
import ast
import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tensorflow as tf
from tf1_support import devices

from tests.runtime.importable import PROGRAM_HEAD, ROOT
from tests.runtime.recorded import files

SUPPORT = Path(devices.__file__).parent
RECORDED = files.facts("devices")

# What TF 2 asks for, in a process of its own: three processors stand for three devices.
PROGRAM = PROGRAM_HEAD + """
import contextlib, json, sys
import tensorflow as tf
[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 3)
from tf1_support import devices, moving_averages, optimizers, scopes, store
from tests.runtime.recorded import devices as cases
found = {}
def made(name, traced):
    with contextlib.ExitStack() as stack:
        for scope in cases.SCOPES[name](tf):
            stack.enter_context(devices.device(scope))
        variable = scopes.get_variable("v", initializer=tf.ones([2]))
        plain = tf.Variable([1.0], name="v_plain") if not traced else variable
        doubled = tf.multiply(variable, 2.0, name="doubled")
    optimizer = optimizers.MomentumOptimizer(0.1, 0.9)
    optimizer.build([variable])
    average = moving_averages.ExponentialMovingAverage(0.9)
    average.build([variable])
    found[name, traced] = {
        "variable": variable.device, "plain": plain.device, "operation": doubled.device,
        "slot": optimizer.get_slot(variable, "momentum").value.device,
        "average": average.average(variable).device,
    }
    return doubled
for name in cases.SCOPES:
    for traced in (False, True):
        store.reset_default_store()
        (tf.function(made) if traced else made)(name, traced)
json.dump([[*key, value] for key, value in found.items()], open(sys.argv[1], "w"))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    out = tmp_path_factory.mktemp("devices") / "found.json"
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(out)], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    assert done.returncode == 0, done.stderr
    return {(name, traced): value for name, traced, value in json.loads(out.read_text())}


def number(device):
    """The processor that a device's name asks for; None where it leaves that open."""
    return tf.DeviceSpec.from_string(device).device_index


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize("name", sorted(RECORDED))
def test_asks_for_what_tf1_asked_for(name, traced, found):
    got = found[name, traced]
    for what, device in RECORDED[name].items():
        asked = number(got[what])
        if (name, what, traced) == ("name_in_function", "operation", False):
            assert asked == 0  # nobody asks a function about each eager operation
        elif what == "operation" and traced:
            assert asked == number(device), what  # the operation's own wish, as in TF 1
        else:
            assert asked == (number(device) or 0), what  # what was left open is the first device
    assert number(got["plain"]) == number(got["variable"])


def test_every_case_is_recorded(found):
    assert set(RECORDED) == {name for name, _ in found}


def test_no_other_module_opens_device_scopes_by_itself():
    """`tf.device("")` and what may be a function mean something else in TensorFlow 2."""
    def opens(path):
        return [n.lineno for n in ast.walk(ast.parse(path.read_text()))
                if isinstance(n, ast.Attribute) and n.attr == "device"
                and isinstance(n.value, ast.Name) and n.value.id == "tf"]

    assert {p.name: opens(p) for p in SUPPORT.glob("*.py") if opens(p) and p.name != "devices.py"} == {}


def test_a_task_that_is_not_here_is_told_once(caplog):
    devices._told.clear()
    with caplog.at_level(logging.WARNING, "absl"):
        for _ in range(2):
            with devices.device("/job:worker/task:7"):
                assert "CPU:0" in (tf.constant(1.0) + 1.0).device
    assert caplog.text.count("/job:worker/task:7") == 1


def test_in_a_graph_for_a_session_it_is_tf1s_own():
    with tf.Graph().as_default():
        with devices.device(lambda op: "/job:ps/task:3/cpu:0"):
            assert tf.constant(1.0).op.device == "/job:ps/task:3/cpu:0"
        with devices.device("/gpu:1"), devices.device(""):
            assert tf.constant(1.0).op.device == "/device:GPU:1"


def test_a_function_that_fails_leaves_no_scope_open():
    def fails(op):
        raise KeyError(op.type)
    for _ in range(2):
        with pytest.raises(KeyError, match="NoOp"), devices.device(fails):
            pass
    with pytest.raises(KeyError, match="inside"), devices.device(lambda op: "/cpu:0"):
        raise KeyError("inside")
    assert tf.Variable([1.0]).device.endswith("CPU:0")


def test_names_that_an_operation_may_not_have():
    for name in ("v w:0", "_v", "", None, "a/b.c-d"):
        with devices.device(lambda op: op.device):
            tf.Variable([1.0], name=name)

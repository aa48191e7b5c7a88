"""Device scopes as people write them, and which device is asked for in them (Python 3.7, TensorFlow 2.21)."""

import contextlib

import tensorflow as tf

from tests.runtime.recorded import files

PS_OPS = ["Variable", "VariableV2", "AutoReloadVariable", "VarHandleOp"]


def variables_on(variables, operations):
    """The chooser of many multi-GPU examples."""
    def choose(op):
        node_def = getattr(op, "node_def", op)
        return variables if node_def.op in PS_OPS else operations
    return choose


def keeps(name):
    """A function that leaves what was decided inside of it."""
    return lambda op: op.device or name


def by_name(op):
    return "/cpu:1" if op.name.startswith("v") else "/cpu:2"


def setter(tf, **kwargs):
    return tf.compat.v1.train.replica_device_setter(**kwargs)


# name: from TensorFlow to the scopes that are open, outermost first
SCOPES: dict = {
    "none": lambda tf: [],
    "empty": lambda tf: [""],
    "empty_in_name": lambda tf: ["/cpu:1", ""],
    "name_in_empty": lambda tf: ["", "/cpu:1"],
    "None": lambda tf: [None],
    "None_in_name": lambda tf: ["/cpu:1", None],
    "name_in_None": lambda tf: [None, "/cpu:1"],
    "inner_name": lambda tf: ["/cpu:1", "/device:CPU:2"],
    "without_slash": lambda tf: ["cpu:2"],
    "kind_only": lambda tf: ["/cpu:2", "/cpu"],
    "spec": lambda tf: [tf.DeviceSpec(device_type="CPU", device_index=2)],
    "spec_of_nothing": lambda tf: ["/cpu:1", tf.DeviceSpec()],
    "function": lambda tf: [variables_on("/cpu:1", "/cpu:2")],
    "function_by_name": lambda tf: [by_name],
    "name_in_function": lambda tf: [variables_on("/cpu:1", "/cpu:2"), "/cpu:0"],
    "function_in_name": lambda tf: ["/cpu:0", variables_on("/cpu:1", "/cpu:2")],
    "function_of_nothing": lambda tf: ["/cpu:1", lambda op: ""],
    "function_that_keeps": lambda tf: ["/cpu:1", keeps("/cpu:2")],
    "keeps_inner_function": lambda tf: [keeps("/cpu:0"), variables_on("/cpu:1", "/cpu:2")],
    "None_in_function": lambda tf: [variables_on("/cpu:1", "/cpu:2"), None],
    "setter_without_tasks": lambda tf: [setter(tf, ps_tasks=0)],
    "setter": lambda tf: [setter(tf, ps_tasks=2)],
    "setter_on_devices": lambda tf: [
        setter(tf, ps_tasks=2, ps_device="/job:ps/cpu:1", worker_device="/job:worker/task:3/cpu:2")],
    "name_in_setter": lambda tf: [setter(tf, ps_tasks=2, worker_device="/job:worker"), "/cpu:2"],
    "task": lambda tf: ["/job:worker/task:1", "/cpu:2"],
    "task_only": lambda tf: ["/job:worker/replica:0/task:1"],
}


def record():
    found = {}
    for name, scopes in SCOPES.items():
        with tf.Graph().as_default():
            with contextlib.ExitStack() as stack:
                for scope in scopes(tf):
                    stack.enter_context(tf.device(scope))
                variable = tf.get_variable("v", initializer=tf.ones([2]))
                doubled = tf.multiply(variable, 2.0, name="doubled")
            optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
            optimizer.apply_gradients([(tf.ones([2]), variable)])
            average = tf.train.ExponentialMovingAverage(0.9)
            average.apply([variable])
            found[name] = {
                "variable": variable.op.device, "operation": doubled.op.device,
                "slot": optimizer.get_slot(variable, "momentum").op.device,
                "average": average.average(variable).op.device,
            }
    files.write_facts("devices", found)

"""Records which device TF 1.15.5 asks for a variable, its slot, its average and an operation."""
import contextlib
import json
import os

import device_cases
import tensorflow as tf


def record(out):
    found = {}
    for name, scopes in device_cases.SCOPES.items():
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
    with open(os.path.join(out, "devices.json"), "w") as fh:
        json.dump(found, fh, indent=1, sort_keys=True)
        fh.write("\n")

"""Writes fixtures/nets.json: variables and end points of slim's networks on TF 1.15.5.

    python3.7 tests/contrib/recorders/nets.py
"""
import json
import os
import zlib

import numpy as np
import tensorflow as tf
from tensorflow.contrib.slim.nets import alexnet, inception, overfeat, resnet_v1, resnet_v2, vgg

CASES = {
    "vgg_a": (vgg.vgg_a, vgg.vgg_arg_scope, 224, {}),
    "vgg_16": (vgg.vgg_16, vgg.vgg_arg_scope, 256, {"spatial_squeeze": False}),
    "vgg_19": (vgg.vgg_19, vgg.vgg_arg_scope, 224, {"num_classes": 7}),
    "resnet_v1_50": (resnet_v1.resnet_v1_50, resnet_v1.resnet_arg_scope, 65,
                     {"output_stride": 16, "global_pool": False, "is_training": False}),
    "resnet_v1_101": (resnet_v1.resnet_v1_101, resnet_v1.resnet_arg_scope, 64, {}),
    "resnet_v2_50": (resnet_v2.resnet_v2_50, resnet_v2.resnet_arg_scope, 64, {"num_classes": 5}),
    "inception_v1": (inception.inception_v1, inception.inception_v1_arg_scope, 224, {}),
    "inception_v2": (inception.inception_v2, inception.inception_v2_arg_scope, 96, {}),
    "inception_v3": (inception.inception_v3, inception.inception_v3_arg_scope, 299, {}),
    "alexnet_v2": (alexnet.alexnet_v2, alexnet.alexnet_v2_arg_scope, 224, {"num_classes": 9}),
    "overfeat": (overfeat.overfeat, overfeat.overfeat_arg_scope, 231, {}),
}
found = {}
for name, (network, arg_scope, size, kwargs) in CASES.items():
    with tf.Graph().as_default(), tf.contrib.slim.arg_scope(arg_scope()):
        net, ends = network(tf.zeros([2, size, size, 3]), **kwargs)
        found[name] = {
            "net": net.shape.as_list(),
            "variables": {v.op.name: v.shape.as_list() for v in tf.global_variables()},
            "ends": {key: value.shape.as_list() for key, value in ends.items()},
        }


def weights(name, shape):
    """Values of a variable, from its name; tests/contrib/test_nets.py has the same."""
    phase = zlib.crc32(name.encode()) % 1000
    values = np.sin(np.arange(np.prod(shape)) * 0.7 + phase).reshape(shape)
    if name.endswith("moving_variance"):
        return 1.0 + 0.5 * values
    return values * np.sqrt(4.0 / np.prod(shape[:-1])) if len(shape) > 1 else 0.1 * values


for name in ("alexnet_v2", "inception_v1"):
    network, arg_scope, size, _ = CASES[name]
    images = np.sin(np.arange(size * size * 3.0)).reshape(1, size, size, 3).astype(np.float32)
    with tf.Graph().as_default(), tf.contrib.slim.arg_scope(arg_scope()):
        net, _ = network(tf.constant(images), num_classes=6, is_training=False)
        with tf.Session() as session:
            for variable in tf.global_variables():
                variable.load(weights(variable.op.name, variable.shape.as_list()), session)
            found[name]["logits"] = session.run(net).ravel().tolist()
path = os.path.join(os.path.dirname(__file__), "..", "fixtures", "nets.json")
with open(path, "w") as file:
    json.dump(found, file, sort_keys=True)

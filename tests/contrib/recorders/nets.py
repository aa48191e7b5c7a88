"""Writes fixtures/nets.json: variables and end points of slim's networks on TF 1.15.5.

    python3.7 tests/contrib/recorders/nets.py
"""
import json
import os

import tensorflow as tf
from tensorflow.contrib.slim.nets import resnet_v1, resnet_v2, vgg

CASES = {
    "vgg_a": (vgg.vgg_a, vgg.vgg_arg_scope, 224, {}),
    "vgg_16": (vgg.vgg_16, vgg.vgg_arg_scope, 256, {"spatial_squeeze": False}),
    "vgg_19": (vgg.vgg_19, vgg.vgg_arg_scope, 224, {"num_classes": 7}),
    "resnet_v1_50": (resnet_v1.resnet_v1_50, resnet_v1.resnet_arg_scope, 65,
                     {"output_stride": 16, "global_pool": False, "is_training": False}),
    "resnet_v1_101": (resnet_v1.resnet_v1_101, resnet_v1.resnet_arg_scope, 64, {}),
    "resnet_v2_50": (resnet_v2.resnet_v2_50, resnet_v2.resnet_arg_scope, 64, {"num_classes": 5}),
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
path = os.path.join(os.path.dirname(__file__), "..", "fixtures", "nets.json")
with open(path, "w") as file:
    json.dump(found, file, sort_keys=True)

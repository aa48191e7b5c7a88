"""slim's networks: variables, shapes, end points and numbers (Python 3.7, TensorFlow 2.21)."""

import zlib

import numpy as np
import tensorflow as tf

from tests.runtime.recorded import files

# name: (module, network, its scope of arguments, size of the images, keyword arguments)
NETWORKS = {
    "vgg_a": ("vgg", "vgg_a", "vgg_arg_scope", 224, {}),
    "vgg_16": ("vgg", "vgg_16", "vgg_arg_scope", 256, {"spatial_squeeze": False}),
    "vgg_19": ("vgg", "vgg_19", "vgg_arg_scope", 224, {"num_classes": 7}),
    "resnet_v1_50": ("resnet_v1", "resnet_v1_50", "resnet_arg_scope", 65, {
        "output_stride": 16, "global_pool": False, "is_training": False}),
    "resnet_v1_101": ("resnet_v1", "resnet_v1_101", "resnet_arg_scope", 64, {}),
    "resnet_v2_50": ("resnet_v2", "resnet_v2_50", "resnet_arg_scope", 64, {"num_classes": 5}),
    "inception_v1": ("inception", "inception_v1", "inception_v1_arg_scope", 224, {}),
    "inception_v2": ("inception", "inception_v2", "inception_v2_arg_scope", 96, {}),
    "inception_v3": ("inception", "inception_v3", "inception_v3_arg_scope", 299, {}),
    "alexnet_v2": ("alexnet", "alexnet_v2", "alexnet_v2_arg_scope", 224, {"num_classes": 9}),
    "overfeat": ("overfeat", "overfeat", "overfeat_arg_scope", 231, {}),
}
WITH_LOGITS = ("alexnet_v2", "inception_v1")


def network(modules, name):
    """(network, its scope of arguments, size of the images, keyword arguments)."""
    module, function, arg_scope, size, kwargs = NETWORKS[name]
    found = modules[module]
    return getattr(found, function), getattr(found, arg_scope), size, kwargs


def weights(name, shape):
    """Values of a variable, from its name."""
    phase = zlib.crc32(name.encode()) % 1000
    values = np.sin(np.arange(np.prod(shape)) * 0.7 + phase).reshape(shape)
    if name.endswith("moving_variance"):
        return 1.0 + 0.5 * values
    return values * np.sqrt(4.0 / np.prod(shape[:-1])) if len(shape) > 1 else 0.1 * values


def images(size):
    return np.sin(np.arange(size * size * 3.0)).reshape(1, size, size, 3).astype(np.float32)


def record():
    from tensorflow.contrib.slim import nets

    found = {}
    for name in NETWORKS:
        build, arg_scope, size, kwargs = network(vars(nets), name)
        with tf.Graph().as_default(), tf.contrib.slim.arg_scope(arg_scope()):
            net, ends = build(tf.zeros([2, size, size, 3]), **kwargs)
            found[name] = {
                "net": net.shape.as_list(),
                "variables": {v.op.name: v.shape.as_list() for v in tf.global_variables()},
                "ends": {key: value.shape.as_list() for key, value in ends.items()},
            }
    for name in WITH_LOGITS:
        build, arg_scope, size, _ = network(vars(nets), name)
        with tf.Graph().as_default(), tf.contrib.slim.arg_scope(arg_scope()):
            net, _ = build(tf.constant(images(size)), num_classes=6, is_training=False)
            with tf.Session() as session:
                for variable in tf.global_variables():
                    variable.load(weights(variable.op.name, variable.shape.as_list()), session)
                found[name]["logits"] = session.run(net).ravel().tolist()
    files.write_facts("networks", found, indent=None)

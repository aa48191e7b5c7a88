"""A network whose variables and operations a function puts on devices, with slim's own on top."""
import sys

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import node_def_pb2
from tf1_support import gpu
from tf1_support import scopes
from tf1_support import devices
from tf1_support import initializers
from tf1_support import optimizers
from tf1_support import slim
from tf1_support import training


PS_OPS = ['Variable', 'VariableV2', 'AutoReloadVariable', 'VarHandleOp']


def assign_to_device(device, ps_device='/cpu:0'):
    """Variables on one device, operations on another."""
    def _assign(op):
        node_def = op if isinstance(op, node_def_pb2.NodeDef) else op.node_def
        return ps_device if node_def.op in PS_OPS else device
    return _assign


class Deployment(object):
    """Which device has what."""

    def __init__(self, clones):
        self._clones = clones

    def variables_device(self):
        return '/device:CPU:0' if self._clones > 1 else ''

    def inputs_device(self):
        return tf.DeviceSpec(device_type='CPU', device_index=0)

    def optimizer_device(self):
        return None


def network(images, config):
    with slim.arg_scope([slim.model_variable, slim.variable], device=config.variables_device()):
        hidden = slim.fully_connected(
            images, 6, scope='fc1', weights_initializer=initializers.constant_initializer(0.1))
        return slim.fully_connected(
            hidden, 2, activation_fn=None, scope='fc2',
            weights_initializer=initializers.constant_initializer(0.2))


def main(output):
    gpu.configure_gpus('growth', soft_placement=True)
    config = Deployment(1)
    with tf.device('/cpu:0'):
        global_step = training.get_or_create_global_step()
    with devices.device(config.optimizer_device()):
        optimizer = optimizers.MomentumOptimizer(0.1, 0.9)
    store = scopes.current_store()

    @tf.function(input_signature=[
        tf.TensorSpec([None, 4], tf.float32),
        tf.TensorSpec([None, 2], tf.float32),
    ])
    def train_step(images, labels):
        """One training step; returns loss.

        Args:
            images: float32 [None, 4]
            labels: float32 [None, 2]
        """
        with store.run(), tf.GradientTape() as tape:
            with devices.device(assign_to_device('/gpu:1')):
                logits = network(images, config)
                loss = tf.reduce_mean(tf.square(logits - labels))
        variables = store.trainable_variables
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables), global_step=global_step)
        return loss

    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
    def predict(images):
        """Computes logits and global_step.

        Args:
            images: float32 [None, 4]
        """
        with store.run():
            with devices.device(assign_to_device('/gpu:1')):
                logits = network(images, config)
        return logits, global_step

    random = np.random.RandomState(0)
    losses = []
    for _ in range(4):
        feed = {'images': random.rand(3, 4), 'labels': random.rand(3, 2)}
        value = train_step(**feed).numpy()
        losses.append(value)
    result, step = (value.numpy() for value in predict(random.rand(3, 4)))
    np.savez(output, losses=losses, step=step, result=result)


if __name__ == '__main__':
    main(sys.argv[1])

"""A network whose variables and operations a function puts on devices, with slim's own on top."""
import sys

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim

PS_OPS = ['Variable', 'VariableV2', 'AutoReloadVariable', 'VarHandleOp']


def assign_to_device(device, ps_device='/cpu:0'):
    """Variables on one device, operations on another."""
    def _assign(op):
        node_def = op if isinstance(op, tf.NodeDef) else op.node_def
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
            images, 6, scope='fc1', weights_initializer=tf.constant_initializer(0.1))
        return slim.fully_connected(
            hidden, 2, activation_fn=None, scope='fc2',
            weights_initializer=tf.constant_initializer(0.2))


def main(output):
    config = Deployment(1)
    with tf.device(config.inputs_device()):
        images = tf.placeholder(tf.float32, [None, 4], name='images')
        labels = tf.placeholder(tf.float32, [None, 2], name='labels')
    with tf.device(assign_to_device('/gpu:1')):
        logits = network(images, config)
        loss = tf.reduce_mean(tf.square(logits - labels))
    with tf.device('/cpu:0'):
        global_step = tf.train.get_or_create_global_step()
    with tf.device(config.optimizer_device()):
        train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=global_step)
    random = np.random.RandomState(0)
    losses = []
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(4):
            feed = {images: random.rand(3, 4), labels: random.rand(3, 2)}
            _, value = sess.run([train_op, loss], feed_dict=feed)
            losses.append(value)
        result, step = sess.run([logits, global_step], {images: random.rand(3, 4)})
    np.savez(output, losses=losses, step=step, result=result)


if __name__ == '__main__':
    main(sys.argv[1])

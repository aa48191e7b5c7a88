"""Trains the head of a detector whose body is kept for others; two data sets take turns."""
import os
import sys
import tempfile

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np
import tensorflow as tf

from detector import Detector
from tf1_support import scopes
from tf1_support import checkpoint as tf1_checkpoint
from tf1_support import losses
from tf1_support import optimizers
from tf1_support import schedules
from tf1_support import slim
from tf1_support import summary

rng = np.random.RandomState(0)
images = rng.rand(4, 8, 8, 3).astype('float32')
truths = rng.rand(4, 4, 4, 7).astype('float32')
folder = tempfile.mkdtemp()

train_dataset = tf.data.Dataset.from_tensor_slices((images, truths)).batch(2)
val_dataset = tf.data.Dataset.from_tensor_slices((images[:1], truths[:1])).batch(1)

model = Detector(2)

# Neither the optimizer's variables nor the head's are in this checkpoint.
store = scopes.current_store()


@tf.function(input_signature=[*train_dataset.element_spec, tf.TensorSpec(None, tf.bool)])
def build(image, truth, is_training):
    """Makes the variables that are listed below.

    Args:
        is_training: bool of any shape
    """
    with store.run():
        image.set_shape([None, None, None, 3])
        truth.set_shape([None, None, None, 7])
        with scopes.variable_scope('detector'):
            feature_map = model.forward(image, is_training)
        loss = model.loss(feature_map, truth)
        l2_loss = losses.get_regularization_loss()


# Tracing makes the variables that are listed here.
build.get_concrete_function()
saver_of_body = tf1_checkpoint.Saver(
    var_list=slim.get_variables_to_restore(include=['detector/body']))

global_step = scopes.Variable(0.0, trainable=False, collections=[scopes.GraphKeys.LOCAL_VARIABLES])
optimizer = optimizers.MomentumOptimizer(0.0, momentum=0.9)

history, validated = [], []
checkpoint = os.path.join(folder, 'body')
writer = tf.summary.create_file_writer(folder)


@tf.function(input_signature=[*train_dataset.element_spec, tf.TensorSpec([], tf.int64)])
def train_step(image, truth, step):
    """One training step; returns feature_map, loss and learning_rate.

    Args:
        step: the summaries' step
    """
    with writer.as_default(step=step):
        with store.run(apply_updates=True), tf.GradientTape() as tape:
            image.set_shape([None, None, None, 3])
            truth.set_shape([None, None, None, 7])
            with scopes.variable_scope('detector'):
                feature_map = model.forward(image, tf.constant(True))
            loss = model.loss(feature_map, truth)
            l2_loss = losses.get_regularization_loss()
            update_vars = slim.get_variables_to_restore(include=['detector/head'])
            learning_rate = tf.cond(
                tf.less(global_step, 2.0), lambda: 0.05 * global_step / 2.0,
                lambda: schedules.piecewise_constant(global_step, boundaries=[3.0], values=[0.05, 0.01]))
            total_loss = loss[0] + l2_loss
        summary.scalar('total_loss', loss[0])
        summary.scalar('learning_rate', learning_rate)
        gradients = tape.gradient(total_loss, update_vars)
        gvs = list(zip(gradients, update_vars))
        clipped = [gv if gv[0] is None else [tf.clip_by_norm(gv[0], 0.5), gv[1]] for gv in gvs]
        optimizer.learning_rate = learning_rate
        optimizer.apply_gradients(clipped, global_step=global_step)
        return feature_map, loss, learning_rate


@tf.function(input_signature=train_dataset.element_spec)
def evaluate_step(image, truth):
    """Computes feature_map and loss."""
    with store.run():
        image.set_shape([None, None, None, 3])
        truth.set_shape([None, None, None, 7])
        with scopes.variable_scope('detector'):
            feature_map = model.forward(image, False)
        loss = model.loss(feature_map, truth)
    return feature_map, loss


# Tracing makes the variables, which the checkpoint needs.
train_step.get_concrete_function()


saver_of_body.save(checkpoint)

for epoch in range(2):
    iterator = iter(train_dataset)
    for _ in range(2):
        predicted, step_loss, rate = tf.nest.map_structure(lambda t: t.numpy(), train_step(
            *next(iterator), epoch))
        history.append([step_loss[0], step_loss[1], predicted.mean(), rate])
    iterator = iter(val_dataset)
    predicted, val_loss = tf.nest.map_structure(lambda t: t.numpy(), evaluate_step(
        *next(iterator)))
    validated.append([val_loss[0], predicted.mean()])

saved = sorted(name for name, _ in tf.train.list_variables(checkpoint))
np.savez(sys.argv[1], history=history, validated=validated, saved=np.array(saved),
         weights=tf.train.load_variable(checkpoint, 'detector/body/c1/weights'))

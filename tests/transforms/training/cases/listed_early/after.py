"""Trains the head of a detector whose body is kept for others; two data sets take turns."""
import os
import sys
import tempfile

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np
import tensorflow as tf

from detector import Detector
from tf1_support import graphs
from tf1_support import iterators
from tf1_support import checkpoint as tf1_checkpoint
from tf1_support import graph_summaries
from tf1_support import losses
from tf1_support import optimizers
from tf1_support import schedules
from tf1_support import scopes
from tf1_support import slim
from tf1_support import summary as tf1_summary
from tf1_support import writers

graphs.build()

rng = np.random.RandomState(0)
images = rng.rand(4, 8, 8, 3).astype('float32')
truths = rng.rand(4, 4, 4, 7).astype('float32')
folder = tempfile.mkdtemp()

is_training = graphs.placeholder(tf.bool, name='is_training')
train_dataset = tf.data.Dataset.from_tensor_slices((images, truths)).batch(2)
val_dataset = tf.data.Dataset.from_tensor_slices((images[:1], truths[:1])).batch(1)
iterator = iterators.from_structure(iterators.output_types(train_dataset), iterators.output_shapes(train_dataset))
train_init_op = iterator.make_initializer(train_dataset)
val_init_op = iterator.make_initializer(val_dataset)
image, truth = iterator.get_next()
image.set_shape([None, None, None, 3])
truth.set_shape([None, None, None, 7])

model = Detector(2)
with scopes.variable_scope('detector'):
    feature_map = model.forward(image, is_training)
loss = model.loss(feature_map, truth)
l2_loss = losses.get_regularization_loss()

# Neither the optimizer's variables nor the head's are in this checkpoint.
saver_of_body = tf1_checkpoint.Saver(
    var_list=slim.get_variables_to_restore(include=['detector/body']))
update_vars = slim.get_variables_to_restore(include=['detector/head'])

tf1_summary.scalar('total_loss', loss[0])
global_step = scopes.Variable(0.0, trainable=False, collections=[scopes.GraphKeys.LOCAL_VARIABLES])
learning_rate = tf.cond(
    tf.less(global_step, 2.0), lambda: 0.05 * global_step / 2.0,
    lambda: schedules.piecewise_constant(global_step, boundaries=[3.0], values=[0.05, 0.01]))
tf1_summary.scalar('learning_rate', learning_rate)
optimizer = optimizers.MomentumOptimizer(learning_rate, momentum=0.9)
update_ops = scopes.get_collection(scopes.GraphKeys.UPDATE_OPS)
with tf.control_dependencies(update_ops):
    gvs = optimizer.compute_gradients(loss[0] + l2_loss, var_list=update_vars)
    clipped = [gv if gv[0] is None else [tf.clip_by_norm(gv[0], 0.5), gv[1]] for gv in gvs]
    train_op = optimizer.apply_gradients(clipped, global_step=global_step)

history, validated = [], []
checkpoint = os.path.join(folder, 'body')
saver_of_body.save(checkpoint)
merged = graph_summaries.merge_all()
writer = writers.FileWriter(folder, graphs.default_graph())

train_init_step = graphs.function([], train_init_op)
val_init_step = graphs.function([], val_init_op)
compute_feature_map_and_loss = graphs.function([is_training], [feature_map, loss])
train_step = graphs.function(
    [is_training],
    [train_op, merged, feature_map, loss, learning_rate])
for epoch in range(2):
    train_init_step()
    for _ in range(2):
        _, summary, predicted, step_loss, rate = train_step(True)
        writer.add_summary(summary, epoch)
        history.append([step_loss[0], step_loss[1], predicted.mean(), rate])
    val_init_step()
    predicted, val_loss = compute_feature_map_and_loss(False)
    validated.append([val_loss[0], predicted.mean()])

saved = sorted(name for name, _ in tf.train.list_variables(checkpoint))
np.savez(sys.argv[1], history=history, validated=validated, saved=np.array(saved),
         weights=tf.train.load_variable(checkpoint, 'detector/body/c1/weights'))

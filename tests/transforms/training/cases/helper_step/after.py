"""Segmentation: a helper makes the training op under the updates of batch normalisation."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import checkpoint
from tf1_support import graph_summaries
from tf1_support import initializers
from tf1_support import layers
from tf1_support import optimizers
from tf1_support import scopes
from tf1_support import summary as tf1_summary
from tf1_support import training as tf1_training
from tf1_support import writers


def overlap(predicted, labels):
    both = tf.reduce_sum(predicted * labels, [1, 2])
    return tf.reduce_mean(both / (tf.reduce_sum(predicted + labels, [1, 2]) - both))


def network(images, training):
    net = layers.conv2d(images, 3, 3, padding='same', name='conv',
                        kernel_initializer=initializers.constant_initializer(0.1))
    net = layers.batch_normalization(net, training=training, name='norm', momentum=0.5,
                                     fused=False)
    return layers.conv2d(net, 1, 1, activation=tf.nn.sigmoid, name='out',
                         kernel_initializer=initializers.constant_initializer(0.3))


def make_train_op(predicted, expected):
    loss = -overlap(predicted, expected)
    global_step = tf1_training.get_or_create_global_step()
    optimizer = optimizers.AdamOptimizer(0.05)
    return optimizer.minimize(loss, global_step=global_step)


@graphs.building
def main(output):
    images = graphs.placeholder(tf.float64, [None, 6, 6, 2], name='images')
    labels = graphs.placeholder(tf.float64, [None, 6, 6, 1], name='labels')  # 1 where the object is
    training = graphs.placeholder(tf.bool, name='training')
    predicted = network(images, training)
    with tf.control_dependencies(scopes.get_collection(scopes.GraphKeys.UPDATE_OPS)):
        train_op = make_train_op(predicted, labels)
    score = overlap(predicted, labels)
    tf1_summary.scalar('score', score)
    merged = graph_summaries.merge_all()

    folder = tempfile.mkdtemp()
    rng = np.random.RandomState(0)
    scores = []
    writer = writers.FileWriter(os.path.join(folder, 'train'), graphs.default_graph())
    saver = checkpoint.Saver()
    try:
        train_step = graphs.function([images, labels, training], [train_op, merged])
        compute_score = graphs.function([images, labels, training], score)
        for step in range(3):
            data = rng.uniform(size=(2, 6, 6, 2))
            mask = (data[..., :1] > 0.5).astype(np.float64)
            _, summary = train_step(data, mask, True)
            writer.add_summary(summary, step)
            scores.append(compute_score(data, mask, False))
    finally:
        saver.save(os.path.join(folder, 'model.ckpt'))
    writer.close()
    np.savez(output, scores=scores)


if __name__ == '__main__':
    main(sys.argv[1])

"""A classifier whose feeds a function makes; steps are functions inside of the one that builds."""
import sys
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2
from tf1_support import graphs
from tf1_support import graph_summaries
from tf1_support import optimizers
from tf1_support import scopes
from tf1_support import summary as tf1_summary
from tf1_support import writers


@graphs.building
def main(output):
    x = graphs.placeholder('double', [None, 3], name='x-input')
    y_ = graphs.placeholder(tf.int64, [None], name='y-input')
    keep_prob = graphs.placeholder(tf.float64)
    tf1_summary.scalar('keep_prob', keep_prob)

    def layer(inputs, size, name):
        with tf.name_scope(name):
            weights = scopes.Variable(np.linspace(-0.5, 0.6, 3 * size).reshape(-1, size))
            tf1_summary.histogram('weights', weights)
            return tf.matmul(inputs, weights)

    logits = layer(tf.nn.dropout(x, rate=1 - keep_prob), 4, 'layer')
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y_, logits=logits))
    train_op = optimizers.AdamOptimizer(0.1).minimize(loss)
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y_), tf.float64))
    merged = graph_summaries.merge_all()

    writer = writers.FileWriter(tempfile.mkdtemp(), graphs.default_graph())
    rng = np.random.RandomState(0)
    test_x, test_y = rng.uniform(size=(6, 3)), rng.randint(0, 4, 6)
    losses, accuracies = [], []

    def feed_dict(train):
        """Maps data onto placeholders."""
        if train:
            xs, ys = rng.uniform(size=(4, 3)), rng.randint(0, 4, 4)
        else:
            xs, ys = test_x, test_y
        return {x: xs, y_: ys, keep_prob: 1.0}

    def train_step(step):
        """One step, traced now and then."""
        if step % 2 == 1:  # record execution stats
            run_options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
            run_metadata = config_pb2.RunMetadata()
            summary, _, value = graphs.run([merged, train_op, loss], feed_dict(True))
            writer.add_run_metadata(run_metadata, 'step%03d' % step)
            writer.add_summary(summary, step)
        else:
            summary, _, value = graphs.run([merged, train_op, loss], feed_dict=feed_dict(True))
            writer.add_summary(summary, step)
        losses.append(value)

    def test_step():
        feed = feed_dict(False)
        accuracies.append(graphs.run(accuracy, feed_dict=feed))

    for step in range(4):
        train_step(step)
        test_step()
    writer.close()
    np.savez(output, losses=losses, accuracies=accuracies)


if __name__ == '__main__':
    main(sys.argv[1])

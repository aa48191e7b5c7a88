"""One function runs what its caller names, the other a known tensor; they share a network."""
import os
import sys

import numpy as np
import tensorflow as tf

import networks
from tf1_support import graphs
from tf1_support import checkpoint
from tf1_support import losses
from tf1_support import optimizers
from tf1_support import scopes


@graphs.building
def run_steps(names, count, data, labels, path):
    """Runs the operations called `names`; their values in the last step."""
    x = graphs.placeholder(tf.float64, [None, 3], name='x')
    y = graphs.placeholder(tf.int32, [None], name='y')
    logits = networks.network(x, True)
    losses.sparse_softmax_cross_entropy(y, logits)
    loss = losses.get_total_loss()
    update_ops = scopes.get_collection(scopes.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(update_ops):
        train_op = optimizers.AdamOptimizer(0.1).minimize(loss)
    operations = {'loss': loss, 'train': train_op, 'logits': logits}
    saver = checkpoint.Saver()
    for _ in range(count):
        values = graphs.run([operations[name] for name in names], feed_dict={x: data, y: labels})
    saver.save(path)
    return values


def infer(data, path):
    with graphs.Graph().as_default():
        x = graphs.placeholder(tf.float64, [None, 3], name='x')
        probabilities = tf.nn.softmax(networks.network(x, False))
        saver = checkpoint.Saver()
        saver.restore(path)
        compute_probabilities = graphs.function([x], probabilities)
        return compute_probabilities(data)


def main(output):
    rng = np.random.RandomState(21)
    data, labels = rng.normal(size=(6, 3)), rng.randint(0, 2, size=6)
    path = os.path.join(os.path.dirname(os.path.abspath(output)), 'mixed.ckpt')
    loss, _ = run_steps(['loss', 'train'], 3, data, labels, path)
    np.savez(output, loss=loss, probabilities=infer(data, path))


if __name__ == '__main__':
    main(sys.argv[1])

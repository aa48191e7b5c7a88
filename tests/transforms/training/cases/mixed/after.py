"""One function runs what its caller names, the other a known tensor; they share a network."""
import os
import sys

import numpy as np
import tensorflow as tf

import networks
from tf1_support import compat
from tf1_support import scopes
from tf1_support import checkpoint


@compat.in_graph_mode
def run_steps(names, count, data, labels, path):
    """Runs the operations called `names`; their values in the last step."""
    x = tf.compat.v1.placeholder(tf.float64, [None, 3], name='x')
    y = tf.compat.v1.placeholder(tf.int32, [None], name='y')
    logits = networks.network(x, True)
    tf.compat.v1.losses.sparse_softmax_cross_entropy(y, logits)
    loss = tf.compat.v1.losses.get_total_loss()
    update_ops = scopes.get_collection(scopes.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(update_ops):
        train_op = tf.compat.v1.train.AdamOptimizer(0.1).minimize(loss)
    operations = {'loss': loss, 'train': train_op, 'logits': logits}
    saver = tf.compat.v1.train.Saver()
    with tf.compat.v1.Session() as sess:
        sess.run(tf.compat.v1.global_variables_initializer())
        for _ in range(count):
            values = sess.run([operations[name] for name in names], feed_dict={x: data, y: labels})
        saver.save(sess, path)
    return values


def infer(data, path):
    with scopes.VariableStore().as_default() as store:
        @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float64)])
        def predict(x):
            """Computes probabilities.

            Args:
                x: float64 [None, 3]
            """
            with store.run():
                probabilities = tf.nn.softmax(networks.network(x, False))
            return probabilities

        # Tracing makes the variables, which the checkpoint needs.
        predict.get_concrete_function()

        saver = checkpoint.Saver()
        saver.restore(path)
        return predict(data).numpy()


def main(output):
    rng = np.random.RandomState(21)
    data, labels = rng.normal(size=(6, 3)), rng.randint(0, 2, size=6)
    path = os.path.join(os.path.dirname(os.path.abspath(output)), 'mixed.ckpt')
    loss, _ = run_steps(['loss', 'train'], 3, data, labels, path)
    np.savez(output, loss=loss, probabilities=infer(data, path))


if __name__ == '__main__':
    main(sys.argv[1])

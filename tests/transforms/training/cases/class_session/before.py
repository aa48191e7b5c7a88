"""A model class that owns its session and runs its graph from several methods."""
import sys

import numpy as np
import tensorflow as tf


class Classifier(object):
    """A two-layer network.

    Args:
        num_inputs: features of an example.
        num_classes: how many classes there are.
    """

    def __init__(self, num_inputs, num_classes, learning_rate=0.05):
        self.num_inputs = num_inputs
        self.num_classes = num_classes
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.build_inputs()
            self.build_network()
            self.build_training(learning_rate)
            self.saver = tf.train.Saver()
            self.init_op = tf.global_variables_initializer()
        self.sess = tf.Session(graph=self.graph)
        self.sess.run(self.init_op)

    def build_inputs(self):
        self.inputs = tf.placeholder(tf.float64, [None, self.num_inputs], name='inputs')
        self.labels = tf.placeholder(tf.int32, [None], name='labels')

    def build_network(self):
        """The forward pass."""
        hidden = self._dense(self.inputs, 6, 'hidden')
        self.logits = self._dense(tf.nn.relu(hidden), self.num_classes, 'logits')
        self.probabilities = tf.nn.softmax(self.logits)

    def build_training(self, learning_rate):
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=self.labels, logits=self.logits)
        self.loss = tf.reduce_mean(losses)  # over the batch
        self.global_step = tf.Variable(0, trainable=False, name='global_step')
        optimizer = tf.train.AdamOptimizer(learning_rate)
        self.train_op = optimizer.minimize(self.loss, global_step=self.global_step)

    def _dense(self, x, size, name):
        count = int(x.shape[1])
        with tf.variable_scope(name):
            values = 0.3 * np.cos(np.arange(count * size)).reshape(count, size)
            weights = tf.get_variable('weights', dtype=tf.float64, initializer=values)
            biases = tf.get_variable('biases', [size], tf.float64, tf.zeros_initializer())
            return tf.matmul(x, weights) + biases

    def train(self, inputs, labels):
        """One step; returns the loss and the number of steps so far."""
        _, loss, step = self.sess.run(
            [self.train_op, self.loss, self.global_step],
            feed_dict={self.inputs: inputs, self.labels: labels})
        return loss, step

    def predict(self, inputs):
        return self.sess.run(self.probabilities, feed_dict={self.inputs: inputs})

    def close(self):
        self.sess.close()


def main(output):
    model = Classifier(4, 3)
    rng = np.random.RandomState(11)
    losses, steps = [], []
    for _ in range(3):
        x = rng.normal(size=(5, 4))
        loss, _ = model.train(x, rng.randint(0, 3, size=5))
        losses.append(loss)
    probabilities = model.predict(x)
    model.close()
    np.savez(output, losses=losses, probabilities=probabilities)


if __name__ == '__main__':
    main(sys.argv[1])

"""A model object that only builds a graph; the script feeds and fetches its attributes."""
import sys

import numpy as np
import tensorflow as tf


class Config(object):
    features = 4
    classes = 3
    hidden = 5
    learning_rate = 0.05


class TextModel(object):
    """A small classifier.

    Args:
        config: sizes and the learning rate.
    """

    def __init__(self, config):
        self.config = config
        self.input_x = tf.placeholder(tf.float64, [None, config.features], name='input_x')
        self.input_y = tf.placeholder(tf.int32, [None], name='input_y')
        self.network()

    def network(self):
        config = self.config
        with tf.variable_scope('hidden'):
            w = tf.get_variable('w', dtype=tf.float64, initializer=np.sin(
                np.arange(config.features * config.hidden)).reshape(config.features, -1))
            hidden = tf.nn.tanh(tf.matmul(self.input_x, w))
        with tf.variable_scope('logits'):
            w = tf.get_variable('w', dtype=tf.float64, initializer=np.cos(
                np.arange(config.hidden * config.classes)).reshape(config.hidden, -1))
            self.logits = tf.matmul(hidden, w)
            self.predictions = tf.argmax(self.logits, 1)
        with tf.name_scope('optimize'):
            cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=self.input_y, logits=self.logits)
            self.loss = tf.reduce_mean(cross_entropy)
            self.optim = tf.train.AdamOptimizer(config.learning_rate).minimize(self.loss)
        with tf.name_scope('accuracy'):
            correct = tf.equal(tf.cast(self.predictions, tf.int32), self.input_y)
            self.acc = tf.reduce_mean(tf.cast(correct, tf.float64))


def main(output):
    config = Config()
    model = TextModel(config)
    rng = np.random.RandomState(12)
    data = rng.normal(size=(8, config.features))
    labels = rng.randint(0, config.classes, size=8)

    session = tf.Session()
    session.run(tf.global_variables_initializer())
    losses = []
    for epoch in range(3):
        feed_dict = {model.input_x: data, model.input_y: labels}
        session.run(model.optim, feed_dict=feed_dict)
        loss_train, acc_train = session.run([model.loss, model.acc], feed_dict=feed_dict)
        losses.append(loss_train)
    classes = session.run(model.predictions, feed_dict={model.input_x: data})
    np.savez(output, losses=losses, accuracy=acc_train, classes=classes)


if __name__ == '__main__':
    main(sys.argv[1])

"""Two networks whose methods are given the session; now and then one takes the other's weights."""
import sys
import tempfile

import numpy as np
import tensorflow as tf


class ValueNetwork(object):
    """Estimates what each action is worth."""

    def __init__(self, scope='network', folder=None):
        self.scope = scope
        self.writer = None
        with tf.variable_scope(scope):
            self._build(3)
            if folder:
                self.writer = tf.summary.FileWriter(folder)

    def _build(self, num_actions):
        self.states = tf.placeholder(tf.float64, [None, 4], name='states')
        self.targets = tf.placeholder(tf.float64, [None], name='targets')
        self.actions = tf.placeholder(tf.int32, [None], name='actions')
        hidden = tf.contrib.layers.fully_connected(
            self.states, 5, weights_initializer=tf.constant_initializer(np.cos(np.arange(20))))
        self.values = tf.contrib.layers.fully_connected(
            hidden, num_actions, activation_fn=None,
            weights_initializer=tf.constant_initializer(np.sin(np.arange(15))))
        index = tf.range(tf.shape(self.states)[0]) * num_actions + self.actions
        self.chosen = tf.gather(tf.reshape(self.values, [-1]), index)
        self.loss = tf.reduce_mean(tf.squared_difference(self.targets, self.chosen))
        self.optimizer = tf.train.RMSPropOptimizer(0.01, 0.99, 0.0, 1e-6)
        self.train_op = self.optimizer.minimize(
            self.loss, global_step=tf.train.get_global_step())
        self.summaries = tf.summary.merge([
            tf.summary.scalar('loss', self.loss),
            tf.summary.scalar('highest', tf.reduce_max(self.values)),
        ])

    def predict(self, sess, states):
        return sess.run(self.values, {self.states: states})

    def update(self, sess, states, actions, targets):
        feed_dict = {self.states: states, self.targets: targets, self.actions: actions}
        summaries, step, _, loss = sess.run(
            [self.summaries, tf.train.get_global_step(), self.train_op, self.loss], feed_dict)
        if self.writer:
            self.writer.add_summary(summaries, step)
        return loss


def copy_weights(sess, source, target):
    """Gives one network the weights of another one."""
    theirs = [v for v in tf.trainable_variables() if v.name.startswith(source.scope)]
    theirs = sorted(theirs, key=lambda v: v.name)
    own = [v for v in tf.trainable_variables() if v.name.startswith(target.scope)]
    own = sorted(own, key=lambda v: v.name)
    updates = []
    for new, old in zip(theirs, own):
        op = old.assign(new)
        updates.append(op)
    sess.run(updates)


def learn(sess, network, target):
    rng = np.random.RandomState(0)
    losses = []
    step = sess.run(tf.train.get_global_step())
    for _ in range(5):
        if step % 2 == 0:
            copy_weights(sess, network, target)
        states, later = rng.uniform(size=(6, 4)), rng.uniform(size=(6, 4))
        best = np.amax(target.predict(sess, later), axis=1)
        losses.append(network.update(sess, states, rng.randint(0, 3, 6), rng.uniform(size=6) + best))
        step += 1
    return losses, network.predict(sess, np.ones((1, 4))), target.predict(sess, np.ones((1, 4)))


def main(output):
    tf.train.create_global_step()
    network = ValueNetwork('network', tempfile.mkdtemp())
    target = ValueNetwork('target')
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        losses, values, old = learn(sess, network, target)
    np.savez(output, losses=losses, values=values, old=old)


if __name__ == '__main__':
    main(sys.argv[1])

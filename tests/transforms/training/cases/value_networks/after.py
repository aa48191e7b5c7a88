"""Two networks whose methods are given the session; now and then one takes the other's weights."""
import sys
import tempfile

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import graph_summaries
from tf1_support import initializers
from tf1_support import optimizers
from tf1_support import scopes
from tf1_support import slim
from tf1_support import summary
from tf1_support import writers


class ValueNetwork(object):
    """Estimates what each action is worth."""

    def __init__(self, scope='network', folder=None):
        self.scope = scope
        self.writer = None
        with scopes.variable_scope(scope):
            self._build(3)
            if folder:
                self.writer = writers.FileWriter(folder)

    def _build(self, num_actions):
        self.states = graphs.placeholder(tf.float64, [None, 4], name='states')
        self.targets = graphs.placeholder(tf.float64, [None], name='targets')
        self.actions = graphs.placeholder(tf.int32, [None], name='actions')
        hidden = slim.fully_connected(
            self.states, 5, weights_initializer=initializers.constant_initializer(np.cos(np.arange(20))))
        self.values = slim.fully_connected(
            hidden, num_actions, activation_fn=None,
            weights_initializer=initializers.constant_initializer(np.sin(np.arange(15))))
        index = tf.range(tf.shape(self.states)[0]) * num_actions + self.actions
        self.chosen = tf.gather(tf.reshape(self.values, [-1]), index)
        self.loss = tf.reduce_mean(tf.math.squared_difference(self.targets, self.chosen))
        self.optimizer = optimizers.RMSPropOptimizer(0.01, 0.99, 0.0, 1e-6)
        self.train_op = self.optimizer.minimize(
            self.loss, global_step=scopes.get_global_step())
        self.summaries = graph_summaries.merge([
            summary.scalar('loss', self.loss),
            summary.scalar('highest', tf.reduce_max(self.values)),
        ])

    def predict(self, states):
        compute_values = graphs.function([self.states], self.values)
        return compute_values(states)

    def update(self, states, actions, targets):
        summaries, step, _, loss = graphs.run([self.summaries, scopes.get_global_step(), self.train_op, self.loss], {self.states: states, self.targets: targets, self.actions: actions})
        if self.writer:
            self.writer.add_summary(summaries, step)
        return loss


def copy_weights(source, target):
    """Gives one network the weights of another one."""
    theirs = [v for v in scopes.trainable_variables() if v.name.startswith(source.scope)]
    theirs = sorted(theirs, key=lambda v: v.name)
    own = [v for v in scopes.trainable_variables() if v.name.startswith(target.scope)]
    own = sorted(own, key=lambda v: v.name)
    updates = []
    for new, old in zip(theirs, own):
        op = old.assign(new)
        updates.append(op)
    graphs.run(updates)


def learn(network, target):
    rng = np.random.RandomState(0)
    losses = []
    step = graphs.run(scopes.get_global_step())
    for _ in range(5):
        if step % 2 == 0:
            copy_weights(network, target)
        states, later = rng.uniform(size=(6, 4)), rng.uniform(size=(6, 4))
        best = np.amax(target.predict(later), axis=1)
        losses.append(network.update(states, rng.randint(0, 3, 6), rng.uniform(size=6) + best))
        step += 1
    return losses, network.predict(np.ones((1, 4))), target.predict(np.ones((1, 4)))


@graphs.building
def main(output):
    scopes.create_global_step()
    network = ValueNetwork('network', tempfile.mkdtemp())
    target = ValueNetwork('target')
    losses, values, old = learn(network, target)
    np.savez(output, losses=losses, values=values, old=old)


if __name__ == '__main__':
    main(sys.argv[1])

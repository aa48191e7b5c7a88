"""Two networks whose methods are given the session; now and then one takes the other's weights."""
import sys
import tempfile

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import initializers
from tf1_support import optimizers
from tf1_support import slim
from tf1_support import summary


class ValueNetwork(object):
    """Estimates what each action is worth."""

    def __init__(self, scope='network', folder=None):
        self._store = scopes.current_store()
        self.scope = scope
        self.writer = None
        with scopes.variable_scope(scope):
            self._build(3)
            if folder:
                self.writer = tf.summary.create_file_writer(folder)

        @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float64)])
        def compute_values(states):
            """Computes values.

            Args:
                states: float64 [None, 4]
            """
            with self._store.run():
                with scopes.variable_scope(scope):
                    hidden = slim.fully_connected(
                        states, 5, weights_initializer=initializers.constant_initializer(np.cos(np.arange(20))))
                    values = slim.fully_connected(
                        hidden, self._num_actions, activation_fn=None,
                        weights_initializer=initializers.constant_initializer(np.sin(np.arange(15))))
            return values

        self._compute_values = compute_values

        # Tracing makes the variables, which the program lists.
        self._compute_values.get_concrete_function()

        @tf.function(input_signature=[
            tf.TensorSpec([None, 4], tf.float64),
            tf.TensorSpec([None], tf.float64),
            tf.TensorSpec([None], tf.int32),
        ])
        def train_step(states, targets, actions):
            """One training step; returns tf.train.get_global_step() and loss.

            Args:
                states: float64 [None, 4]
                targets: float64 [None]
                actions: int32 [None]
            """
            step = tf.cast(scopes.get_global_step(), tf.int64) + 1
            with (self.writer or tf.summary.create_noop_writer()).as_default(step=step):
                with self._store.run(), tf.GradientTape() as tape:
                    with scopes.variable_scope(scope):
                        hidden = slim.fully_connected(
                            states, 5, weights_initializer=initializers.constant_initializer(np.cos(np.arange(20))))
                        values = slim.fully_connected(
                            hidden, self._num_actions, activation_fn=None,
                            weights_initializer=initializers.constant_initializer(np.sin(np.arange(15))))
                        index = tf.range(tf.shape(states)[0]) * self._num_actions + actions
                        chosen = tf.gather(tf.reshape(values, [-1]), index)
                        loss = tf.reduce_mean(tf.math.squared_difference(targets, chosen))
                variables = self._store.trainable_variables
                gradients = tape.gradient(loss, variables)
                self.optimizer.apply_gradients(zip(gradients, variables), global_step=scopes.get_global_step())
                with scopes.variable_scope(scope):
                    summary.scalar('loss', loss)
                    summary.scalar('highest', tf.reduce_max(values))
                return scopes.get_global_step(), loss

        self._train_step = train_step

        # Tracing makes the variables, which the program lists.
        self._train_step.get_concrete_function()

    def _build(self, num_actions):
        self._num_actions = num_actions
        self.optimizer = optimizers.RMSPropOptimizer(0.01, 0.99, 0.0, 1e-6)

    def predict(self, states):
        return self._compute_values(states).numpy()

    def update(self, states, actions, targets):
        feed_dict = {'states': states, 'targets': targets, 'actions': actions}
        step, loss = (value.numpy() for value in self._train_step(**feed_dict))
        return loss


def copy_weights(source, target):
    """Gives one network the weights of another one."""
    theirs = [v for v in scopes.trainable_variables() if v.name.startswith(source.scope)]
    theirs = sorted(theirs, key=lambda v: v.name)
    own = [v for v in scopes.trainable_variables() if v.name.startswith(target.scope)]
    own = sorted(own, key=lambda v: v.name)
    for new, old in zip(theirs, own):
        old.assign(new)


def learn(network, target):
    rng = np.random.RandomState(0)
    losses = []
    step = scopes.get_global_step().numpy()
    for _ in range(5):
        if step % 2 == 0:
            copy_weights(network, target)
        states, later = rng.uniform(size=(6, 4)), rng.uniform(size=(6, 4))
        best = np.amax(target.predict(later), axis=1)
        losses.append(network.update(states, rng.randint(0, 3, 6), rng.uniform(size=6) + best))
        step += 1
    return losses, network.predict(np.ones((1, 4))), target.predict(np.ones((1, 4)))


def main(output):
    scopes.create_global_step()
    network = ValueNetwork('network', tempfile.mkdtemp())
    target = ValueNetwork('target')
    losses, values, old = learn(network, target)
    np.savez(output, losses=losses, values=values, old=old)


if __name__ == '__main__':
    main(sys.argv[1])

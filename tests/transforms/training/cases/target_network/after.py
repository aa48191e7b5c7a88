"""Actor and critic with target networks, which follow them before each step."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import initializers
from tf1_support import layers
from tf1_support import optimizers

RATE = 0.1


class Agent(object):

    def __init__(self, actions, states, bound):
        self._store = scopes.current_store()
        self.actions, self.bound = actions, bound

        critic_optimizer = optimizers.AdamOptimizer(0.02)
        actor_optimizer = optimizers.AdamOptimizer(0.01)

        @tf.function(input_signature=[tf.TensorSpec([None, states], tf.float64)])
        def compute_action(state):
            """Computes action.

            Args:
                state: float64 [None, states]
            """
            with self._store.run():
                with scopes.variable_scope('actor'):
                    action = self._actor(state, 'eval', True)
            return action

        self._compute_action = compute_action

        @tf.function
        def follow():
            """Runs follow."""
            of_scope = {}
            for name in ('actor/eval', 'actor/target', 'critic/eval', 'critic/target'):
                of_scope[name] = scopes.get_collection(scopes.GraphKeys.GLOBAL_VARIABLES, scope=name)
            follow = [
                target.assign((1 - RATE) * target + RATE * followed)
                for network in ('actor', 'critic')
                for target, followed in zip(of_scope[network + '/target'], of_scope[network + '/eval'])]

        self._follow = follow

        @tf.function(input_signature=[tf.TensorSpec([None, states], tf.float64)])
        def train_actor(state):
            """One training step.

            Args:
                state: float64 [None, states]
            """
            with self._store.run(), tf.GradientTape() as tape:
                with scopes.variable_scope('actor'):
                    action = self._actor(state, 'eval', True)
                with scopes.variable_scope('critic'):
                    value = self._critic(state, action, 'eval', True)
                of_scope = {}
                for name in ('actor/eval', 'actor/target', 'critic/eval', 'critic/target'):
                    of_scope[name] = scopes.get_collection(scopes.GraphKeys.GLOBAL_VARIABLES, scope=name)
                loss = -tf.reduce_mean(value)
            gradients = tape.gradient(loss, of_scope['actor/eval'])
            actor_optimizer.apply_gradients(zip(gradients, of_scope['actor/eval']))

        self._train_actor = train_actor

        @tf.function(input_signature=[
            tf.TensorSpec([None, states], tf.float64),
            tf.TensorSpec([None, states], tf.float64),
            tf.TensorSpec([None, actions], tf.float64),
            tf.TensorSpec([None, 1], tf.float64),
        ])
        def train_critic(state, next_state, taken, reward):
            """One training step; returns error.

            Args:
                state: float64 [None, states]
                next_state: float64 [None, states]
                taken: float64 [None, actions]
                reward: float64 [None, 1]
            """
            with self._store.run(), tf.GradientTape() as tape:
                with scopes.variable_scope('actor'):
                    next_action = self._actor(next_state, 'target', False)
                with scopes.variable_scope('critic'):
                    next_value = self._critic(next_state, next_action, 'target', False)
                    value_of_taken = self._critic(state, taken, 'eval', True, reuse=True)
                of_scope = {}
                for name in ('actor/eval', 'actor/target', 'critic/eval', 'critic/target'):
                    of_scope[name] = scopes.get_collection(scopes.GraphKeys.GLOBAL_VARIABLES, scope=name)
                error = tf.reduce_mean(tf.square(reward + 0.9 * next_value - value_of_taken))
            gradients = tape.gradient(error, of_scope['critic/eval'])
            critic_optimizer.apply_gradients(zip(gradients, of_scope['critic/eval']))
            return error

        self._train_critic = train_critic

        # Tracing makes the variables, which the functions list.
        self._train_actor.get_concrete_function()
        self._train_critic.get_concrete_function()

    def act(self, state):
        return self._compute_action(state[np.newaxis, :]).numpy()[0]

    def learn(self, state, action, reward, next_state):
        self._follow()
        self._train_actor(state)
        return self._train_critic(state, next_state, action, reward).numpy()

    def _actor(self, state, scope, trainable):
        with scopes.variable_scope(scope):
            net = layers.dense(state, 5, tf.nn.relu, trainable=trainable,
                               kernel_initializer=initializers.constant_initializer(0.3))
            net = layers.dense(net, self.actions, tf.nn.tanh, trainable=trainable,
                               kernel_initializer=initializers.constant_initializer(-0.2))
            return tf.multiply(net, self.bound)

    def _critic(self, state, action, scope, trainable, reuse=None):
        with scopes.variable_scope(scope, reuse=reuse):
            both = tf.concat([state, action], 1)
            net = layers.dense(both, 6, tf.nn.relu, trainable=trainable,
                               kernel_initializer=initializers.constant_initializer(0.1))
            return layers.dense(net, 1, trainable=trainable,
                                kernel_initializer=initializers.constant_initializer(0.2))


def main(output):
    agent = Agent(2, 3, np.array([2.0, 1.0]))
    rng = np.random.RandomState(3)
    actions, errors = [], []
    for _ in range(6):
        state, next_state = rng.uniform(-1, 1, (2, 4, 3))
        actions.append(agent.act(state[0]))
        errors.append(agent.learn(state, rng.uniform(-1, 1, (4, 2)), rng.uniform(size=(4, 1)),
                                  next_state))
    np.savez(output, actions=actions, errors=errors)


if __name__ == '__main__':
    main(sys.argv[1])

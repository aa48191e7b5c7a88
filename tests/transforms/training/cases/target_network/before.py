"""Actor and critic with target networks, which follow them before each step."""
import sys

import numpy as np
import tensorflow as tf

RATE = 0.1


class Agent(object):

    def __init__(self, actions, states, bound):
        self.sess = tf.Session()
        self.actions, self.bound = actions, bound
        self.state = tf.placeholder(tf.float64, [None, states], 'state')
        self.next_state = tf.placeholder(tf.float64, [None, states], 'next_state')
        self.taken = tf.placeholder(tf.float64, [None, actions], 'taken')
        self.reward = tf.placeholder(tf.float64, [None, 1], 'reward')

        with tf.variable_scope('actor'):
            self.action = self._actor(self.state, 'eval', True)
            next_action = self._actor(self.next_state, 'target', False)
        with tf.variable_scope('critic'):
            value = self._critic(self.state, self.action, 'eval', True)
            next_value = self._critic(self.next_state, next_action, 'target', False)
            value_of_taken = self._critic(self.state, self.taken, 'eval', True, reuse=True)

        of_scope = {}
        for name in ('actor/eval', 'actor/target', 'critic/eval', 'critic/target'):
            of_scope[name] = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope=name)
        self.follow = [
            tf.assign(target, (1 - RATE) * target + RATE * followed)
            for network in ('actor', 'critic')
            for target, followed in zip(of_scope[network + '/target'], of_scope[network + '/eval'])]

        error = tf.reduce_mean(tf.square(self.reward + 0.9 * next_value - value_of_taken))
        self.train_critic = tf.train.AdamOptimizer(0.02).minimize(
            error, var_list=of_scope['critic/eval'])
        self.train_actor = tf.train.AdamOptimizer(0.01).minimize(
            -tf.reduce_mean(value), var_list=of_scope['actor/eval'])
        self.error = error
        self.sess.run(tf.global_variables_initializer())

    def act(self, state):
        return self.sess.run(self.action, {self.state: state[np.newaxis, :]})[0]

    def learn(self, state, action, reward, next_state):
        self.sess.run(self.follow)
        self.sess.run(self.train_actor, {self.state: state})
        return self.sess.run([self.train_critic, self.error], {
            self.state: state, self.taken: action, self.reward: reward,
            self.next_state: next_state})[1]

    def _actor(self, state, scope, trainable):
        with tf.variable_scope(scope):
            net = tf.layers.dense(state, 5, tf.nn.relu, trainable=trainable,
                                  kernel_initializer=tf.constant_initializer(0.3))
            net = tf.layers.dense(net, self.actions, tf.nn.tanh, trainable=trainable,
                                  kernel_initializer=tf.constant_initializer(-0.2))
            return tf.multiply(net, self.bound)

    def _critic(self, state, action, scope, trainable, reuse=None):
        with tf.variable_scope(scope, reuse=reuse):
            both = tf.concat([state, action], 1)
            net = tf.layers.dense(both, 6, tf.nn.relu, trainable=trainable,
                                  kernel_initializer=tf.constant_initializer(0.1))
            return tf.layers.dense(net, 1, trainable=trainable,
                                   kernel_initializer=tf.constant_initializer(0.2))


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

"""Q-learning whose graph a method builds that stands below the constructor calling it."""
import sys

import numpy as np
import tensorflow as tf


class DeepQNetwork:
    def __init__(self, n_actions, n_features, learning_rate=0.01, reward_decay=0.9):
        self.n_actions = n_actions
        self.n_features = n_features
        self.lr = learning_rate
        self.gamma = reward_decay

        # consist of [target_net, evaluate_net]
        self._build_net()
        t_params = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope='target_net')
        e_params = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope='eval_net')
        with tf.variable_scope('soft_replacement'):
            self.target_replace_op = [tf.assign(t, e) for t, e in zip(t_params, e_params)]

        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def _build_net(self):
        # ------------------ all inputs ------------------------
        self.s = tf.placeholder(tf.float64, [None, self.n_features], name='s')  # input State
        self.s_ = tf.placeholder(tf.float64, [None, self.n_features], name='s_')  # next State
        self.r = tf.placeholder(tf.float64, [None, ], name='r')  # input Reward
        self.a = tf.placeholder(tf.int32, [None, ], name='a')  # input Action

        w_initializer, b_initializer = tf.constant_initializer(0.2), tf.constant_initializer(0.1)
        with tf.variable_scope('eval_net'):
            e1 = tf.layers.dense(self.s, 5, tf.nn.relu, kernel_initializer=w_initializer,
                                 bias_initializer=b_initializer, name='e1')
            self.q_eval = tf.layers.dense(e1, self.n_actions, kernel_initializer=w_initializer,
                                          bias_initializer=b_initializer, name='q')
        with tf.variable_scope('target_net'):
            t1 = tf.layers.dense(self.s_, 5, tf.nn.relu, kernel_initializer=w_initializer,
                                 bias_initializer=b_initializer, name='t1')
            self.q_next = tf.layers.dense(t1, self.n_actions, kernel_initializer=w_initializer,
                                          bias_initializer=b_initializer, name='t2')
        with tf.variable_scope('q_target'):
            q_target = self.r + self.gamma * tf.reduce_max(self.q_next, axis=1)
            self.q_target = tf.stop_gradient(q_target)
        with tf.variable_scope('q_eval'):
            a_indices = tf.stack([tf.range(tf.shape(self.a)[0], dtype=tf.int32), self.a], axis=1)
            self.q_eval_wrt_a = tf.gather_nd(params=self.q_eval, indices=a_indices)
        with tf.variable_scope('loss'):
            self.loss = tf.reduce_mean(tf.squared_difference(self.q_target, self.q_eval_wrt_a))
        with tf.variable_scope('train'):
            self._train_op = tf.train.RMSPropOptimizer(self.lr).minimize(self.loss)

    def values(self, observation):
        observation = observation[np.newaxis, :]
        return self.sess.run(self.q_eval, feed_dict={self.s: observation})

    def learn(self, step, batch):
        if step % 3 == 0:
            self.sess.run(self.target_replace_op)
        _, cost = self.sess.run(
            [self._train_op, self.loss],
            feed_dict={
                self.s: batch[:, :self.n_features],
                self.a: batch[:, self.n_features],
                self.r: batch[:, self.n_features + 1],
                self.s_: batch[:, -self.n_features:],
            })
        return cost


def main(output):
    rng = np.random.RandomState(0)
    brain = DeepQNetwork(2, 3)
    costs, values = [], []
    for step in range(5):
        batch = rng.uniform(size=(4, 8))
        batch[:, 3] = rng.randint(0, 2, 4)
        costs.append(brain.learn(step, batch))
        values.append(brain.values(batch[0, :3]))
    np.savez(output, costs=costs, values=values)


if __name__ == '__main__':
    main(sys.argv[1])

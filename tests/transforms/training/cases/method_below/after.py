"""Q-learning whose graph a method builds that stands below the constructor calling it."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import layers
from tf1_support import optimizers
from tf1_support import scopes


@graphs.building
class DeepQNetwork:
    def __init__(self, n_actions, n_features, learning_rate=0.01, reward_decay=0.9):
        self.n_actions = n_actions
        self.n_features = n_features
        self.lr = learning_rate
        self.gamma = reward_decay

        # consist of [target_net, evaluate_net]
        self._build_net()
        t_params = scopes.get_collection(scopes.GraphKeys.GLOBAL_VARIABLES, scope='target_net')
        e_params = scopes.get_collection(scopes.GraphKeys.GLOBAL_VARIABLES, scope='eval_net')
        with scopes.variable_scope('soft_replacement'):
            self.target_replace_op = [t.assign(e) for t, e in zip(t_params, e_params)]

    def _build_net(self):
        # ------------------ all inputs ------------------------
        self.s = graphs.placeholder(tf.float64, [None, self.n_features], name='s')  # input State
        self.s_ = graphs.placeholder(tf.float64, [None, self.n_features], name='s_')  # next State
        self.r = graphs.placeholder(tf.float64, [None, ], name='r')  # input Reward
        self.a = graphs.placeholder(tf.int32, [None, ], name='a')  # input Action

        w_initializer, b_initializer = initializers.constant_initializer(0.2), initializers.constant_initializer(0.1)
        with scopes.variable_scope('eval_net'):
            e1 = layers.dense(self.s, 5, tf.nn.relu, kernel_initializer=w_initializer,
                              bias_initializer=b_initializer, name='e1')
            self.q_eval = layers.dense(e1, self.n_actions, kernel_initializer=w_initializer,
                                       bias_initializer=b_initializer, name='q')
        with scopes.variable_scope('target_net'):
            t1 = layers.dense(self.s_, 5, tf.nn.relu, kernel_initializer=w_initializer,
                              bias_initializer=b_initializer, name='t1')
            self.q_next = layers.dense(t1, self.n_actions, kernel_initializer=w_initializer,
                                       bias_initializer=b_initializer, name='t2')
        with scopes.variable_scope('q_target'):
            q_target = self.r + self.gamma * tf.reduce_max(self.q_next, axis=1)
            self.q_target = tf.stop_gradient(q_target)
        with scopes.variable_scope('q_eval'):
            a_indices = tf.stack([tf.range(tf.shape(self.a)[0], dtype=tf.int32), self.a], axis=1)
            self.q_eval_wrt_a = tf.gather_nd(params=self.q_eval, indices=a_indices)
        with scopes.variable_scope('loss'):
            self.loss = tf.reduce_mean(tf.math.squared_difference(self.q_target, self.q_eval_wrt_a))
        with scopes.variable_scope('train'):
            self._train_op = optimizers.RMSPropOptimizer(self.lr).minimize(self.loss)

    def values(self, observation):
        observation = observation[np.newaxis, :]
        compute_q_eval = graphs.function([self.s], self.q_eval)
        return compute_q_eval(observation)

    def learn(self, step, batch):
        if step % 3 == 0:
            graphs.run(self.target_replace_op)
        train_step = graphs.function([self.s, self.a, self.r, self.s_], [self._train_op, self.loss])
        _, cost = train_step(batch[:, :self.n_features], batch[:, self.n_features],
                             batch[:, self.n_features + 1], batch[:, -self.n_features:])
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

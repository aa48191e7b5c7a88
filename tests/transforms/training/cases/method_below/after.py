"""Q-learning whose graph a method builds that stands below the constructor calling it."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import initializers
from tf1_support import layers
from tf1_support import optimizers


class DeepQNetwork:
    def __init__(self, n_actions, n_features, learning_rate=0.01, reward_decay=0.9):
        self._store = scopes.current_store()
        self.n_actions = n_actions
        self.n_features = n_features
        self.lr = learning_rate
        self.gamma = reward_decay

        # consist of [target_net, evaluate_net]
        self._build_net()

        @tf.function(input_signature=[tf.TensorSpec([None, self.n_features], tf.float64)])
        def compute_q_eval(s):
            """Computes q_eval.

            Args:
                s: float64 [None, self.n_features]; input State
            """
            with self._store.run():
                with scopes.variable_scope('eval_net'):
                    e1 = layers.dense(s, 5, tf.nn.relu, kernel_initializer=self._w_initializer,
                                         bias_initializer=self._b_initializer, name='e1')
                    q_eval = layers.dense(e1, self.n_actions, kernel_initializer=self._w_initializer,
                                                  bias_initializer=self._b_initializer, name='q')
            return q_eval

        self._compute_q_eval = compute_q_eval

        @tf.function
        def target_replace():
            """Runs target_replace_op."""
            t_params = scopes.get_collection(scopes.GraphKeys.GLOBAL_VARIABLES, scope='target_net')
            e_params = scopes.get_collection(scopes.GraphKeys.GLOBAL_VARIABLES, scope='eval_net')
            with scopes.variable_scope('soft_replacement'):
                target_replace_op = [t.assign(e) for t, e in zip(t_params, e_params)]

        self._target_replace = target_replace

        @tf.function(input_signature=[
            tf.TensorSpec([None, self.n_features], tf.float64),
            tf.TensorSpec([None, self.n_features], tf.float64),
            tf.TensorSpec([None, ], tf.float64),
            tf.TensorSpec([None, ], tf.int32),
        ])
        def train_step(s, s_, r, a):
            """One training step; returns loss.

            Args:
                s: float64 [None, self.n_features]; input State
                s_: float64 [None, self.n_features]; next State
                r: float64 [None, ]; input Reward
                a: int32 [None, ]; input Action
            """
            with self._store.run(), tf.GradientTape() as tape:
                with scopes.variable_scope('eval_net'):
                    e1 = layers.dense(s, 5, tf.nn.relu, kernel_initializer=self._w_initializer,
                                         bias_initializer=self._b_initializer, name='e1')
                    q_eval = layers.dense(e1, self.n_actions, kernel_initializer=self._w_initializer,
                                                  bias_initializer=self._b_initializer, name='q')
                with scopes.variable_scope('target_net'):
                    t1 = layers.dense(s_, 5, tf.nn.relu, kernel_initializer=self._w_initializer,
                                         bias_initializer=self._b_initializer, name='t1')
                    q_next = layers.dense(t1, self.n_actions, kernel_initializer=self._w_initializer,
                                                  bias_initializer=self._b_initializer, name='t2')
                with scopes.variable_scope('q_target'):
                    q_target = r + self.gamma * tf.reduce_max(q_next, axis=1)
                    q_target = tf.stop_gradient(q_target)
                with scopes.variable_scope('q_eval'):
                    a_indices = tf.stack([tf.range(tf.shape(a)[0], dtype=tf.int32), a], axis=1)
                    q_eval_wrt_a = tf.gather_nd(params=q_eval, indices=a_indices)
                with scopes.variable_scope('loss'):
                    loss = tf.reduce_mean(tf.math.squared_difference(q_target, q_eval_wrt_a))
            variables = self._store.trainable_variables
            gradients = tape.gradient(loss, variables)
            self.optimizer.apply_gradients(zip(gradients, variables))
            return loss

        self._train_step = train_step

        # Tracing makes the variables, which the functions list.
        self._train_step.get_concrete_function()

    def _build_net(self):
        self._w_initializer, self._b_initializer = initializers.constant_initializer(0.2), initializers.constant_initializer(0.1)
        with scopes.variable_scope('train'):
            self.optimizer = optimizers.RMSPropOptimizer(self.lr)

    # ------------------ all inputs ------------------------
    # input State
    # next State
    # input Reward
    # input Action
    def values(self, observation):
        observation = observation[np.newaxis, :]
        return self._compute_q_eval(observation).numpy()

    def learn(self, step, batch):
        if step % 3 == 0:
            self._target_replace()
        cost = self._train_step(batch[:, :self.n_features], batch[:, -self.n_features:], batch[:, self.n_features + 1], batch[:, self.n_features]).numpy()
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

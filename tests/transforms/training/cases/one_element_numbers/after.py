"""Values of one element become numbers: formatted, converted, handed out by a method."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import layers
from tf1_support import optimizers
from tf1_support import scopes


class Critic(object):
    def __init__(self):
        self.state = graphs.placeholder(tf.float64, [1, 3])
        self.reward = graphs.placeholder(tf.float64, None)
        self.following = graphs.placeholder(tf.float64, [1, 1])
        self.value = layers.dense(self.state, 1, kernel_initializer=initializers.constant_initializer(0.2))
        self.error = self.reward + 0.9 * self.following - self.value
        self.train_op = optimizers.GradientDescentOptimizer(0.01).minimize(tf.square(self.error))

    def learn(self, state, reward, following):
        compute_value = graphs.function([self.state], self.value)
        value = compute_value([following])
        train_step = graphs.function(
            [self.state, self.following, self.reward],
            [self.error, self.train_op])
        error, _ = train_step([state], value, reward)
        return error, float(value.item())


@graphs.building
def main(output):
    balance = scopes.Variable(np.array([0.5]))
    loss = tf.reduce_mean(tf.square(balance - 2.0))
    weighed = loss - balance * 0.5
    move = balance.assign(balance + 0.25)
    told, numbers = [], []
    critic = Critic()
    graphs.run(graphs.global_variables_initializer())
    move_step = graphs.function([], move)
    compute_weighed_and_loss = graphs.function([], [weighed, loss])
    for step in range(3):
        error, value = critic.learn(np.array([1.0, step, 2.0]), 1.0, np.array([1.0, step + 1, 2.0]))
        numbers.append(float(error.item()) + value)
        move_step()
        [all_of_it, part] = compute_weighed_and_loss()
        told.append("%d: %.4f of %.4f, %s, %6.2f%%" % (step, all_of_it.item(), part, all_of_it, error.item()))
    told.append("%.3f" % graphs.run(balance).item())
    np.savez(output, told=np.array(told), numbers=numbers)


if __name__ == '__main__':
    main(sys.argv[1])

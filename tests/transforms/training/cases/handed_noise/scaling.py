"""A factor that is learnt."""
import tensorflow as tf


class Scaling(object):

    def __init__(self, values, wanted):
        self.values = values
        self.factor = tf.get_variable('factor', initializer=1.0)
        self.loss = tf.reduce_mean(tf.square(self.factor * values - wanted))
        self.step = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def train(self, count):
        seen = []
        for _ in range(count):
            loss, _ = self.sess.run([self.loss, self.step])
            seen.append(loss)
        return seen, self.sess.run(self.factor)

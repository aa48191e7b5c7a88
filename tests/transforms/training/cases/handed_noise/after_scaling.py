"""A factor that is learnt."""
import tensorflow as tf
from tf1_support import graphs
from tf1_support import optimizers
from tf1_support import scopes


@graphs.building
class Scaling(object):

    def __init__(self, values, wanted):
        self.values = values
        self.factor = scopes.get_variable('factor', initializer=1.0)
        self.loss = tf.reduce_mean(tf.square(self.factor * values - wanted))
        self.step = optimizers.GradientDescentOptimizer(0.1).minimize(self.loss)
        graphs.run(graphs.global_variables_initializer())

    def train(self, count):
        seen = []
        run_step = graphs.function([], [self.loss, self.step])
        for _ in range(count):
            loss, _ = run_step()
            seen.append(loss)
        return seen, graphs.run(self.factor)

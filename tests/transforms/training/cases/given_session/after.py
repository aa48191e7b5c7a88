"""A model that is given the session it works in."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import optimizers
from tf1_support import scopes


class Regressor(object):
    """Linear regression."""

    def __init__(self, num_features, rate=0.1):
        self.num_features = num_features
        self.build_model(rate)

    def build_model(self, rate):
        self.x = graphs.placeholder(tf.float64, [None, self.num_features])
        self.y = graphs.placeholder(tf.float64, [None])
        self.w = scopes.Variable(np.linspace(-1, 1, self.num_features))
        self.prediction = tf.reduce_sum(self.x * self.w, axis=1)
        self.loss = tf.reduce_mean(tf.square(self.prediction - self.y))
        self.train_op = optimizers.GradientDescentOptimizer(rate).minimize(self.loss)

    def fit(self, x, y):
        train_step = graphs.function([self.x, self.y], [self.train_op, self.loss])
        _, loss = train_step(x, y)
        return loss

    def predict(self, x):
        compute_prediction = graphs.function([self.x], self.prediction)
        return compute_prediction(x)


@graphs.building
def main(output):
    rng = np.random.RandomState(5)
    model = Regressor(3)
    graphs.run(graphs.global_variables_initializer())
    losses = []
    for _ in range(3):
        x = rng.normal(size=(4, 3))
        losses.append(model.fit(x, rng.normal(size=4)))
    predicted = model.predict(x)
    np.savez(output, losses=losses, predicted=predicted)


if __name__ == '__main__':
    main(sys.argv[1])

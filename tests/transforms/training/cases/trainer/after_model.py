"""A classifier as graphs had it: everything that a run may fetch or feed is an attribute."""
import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import optimizers
from tf1_support import schedules
from tf1_support import scopes
from tf1_support import training


@graphs.building
class Classifier(object):
    def __init__(self, features, classes, rate):
        self.x = graphs.placeholder(tf.float64, [None, features])
        self.y = graphs.placeholder(tf.int64, [None])
        self.keep = graphs.placeholder_with_default(np.float64(1.0), [])
        start = np.linspace(-1.0, 1.0, features * classes).reshape(features, classes)
        with scopes.variable_scope('classifier'):
            weight = scopes.get_variable('weight', initializer=start)
            bias = scopes.get_variable('bias', initializer=np.zeros(classes))
        self.logits = tf.matmul(tf.nn.dropout(self.x, rate=1 - self.keep), weight) + bias
        self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=self.y, logits=self.logits))
        self.global_step = training.get_or_create_global_step()
        rate = schedules.exponential_decay(rate, self.global_step, 2, 0.5)
        self.step = optimizers.MomentumOptimizer(rate, 0.9).minimize(
            self.loss, global_step=self.global_step)

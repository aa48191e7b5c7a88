"""Trainers have the session; what they run is the model's that they are given."""
import tensorflow as tf
from tf1_support import compat

compat.build_graph()


class Trainer(object):
    def __init__(self, model):
        self.model = model
        self.sess = tf.compat.v1.Session()
        self.sess.run(tf.compat.v1.global_variables_initializer())

    def fit(self, batches):
        losses = []
        for x, y in batches:
            feed = {self.model.x: x, self.model.y: y}
            _, loss = self.sess.run([self.model.step, self.model.loss], feed_dict=feed)
            losses.append(loss)
        return losses

    def predict(self, x):
        return self.sess.run(self.model.logits, {self.model.x: x})

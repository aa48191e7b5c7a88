"""Names of variables that go on as names of what is computed from them: `loss += ...`."""
import sys

import numpy as np
import tensorflow as tf


class Model(object):
    def __init__(self):
        self.total = tf.get_variable("total", [], initializer=tf.constant_initializer(1.0),
                                     trainable=False)
        self.rows = tf.placeholder(tf.float32, [2])
        loss = tf.Variable(0.5, name="loss")
        for number in range(3):
            loss += tf.reduce_sum(self.rows) * number  # for each tower
            self.total *= loss - 1
        self.loss = loss
        self.gradient = tf.gradients(self.total, tf.trainable_variables())


model = Model()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    given = {model.rows: [1.0, 2.0]}
    loss, total, gradient = sess.run([model.loss, model.total, model.gradient], given)
    kept = [v.eval(sess) for v in tf.global_variables()]
np.savez(sys.argv[1], loss=loss, total=total, gradient=gradient, kept=kept)

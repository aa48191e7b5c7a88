"""Objects whose own methods are called eval and run, beside variables that are evaluated."""
import sys

import numpy as np
import tensorflow as tf


class Model(object):
    def __init__(self):
        self.rows = tf.placeholder(tf.float32, [None, 2])
        self.weights = tf.get_variable("weights", [2, 1], initializer=tf.ones_initializer())
        self.scores = tf.matmul(self.rows, self.weights)
        self.step = tf.Variable(0, trainable=False, name="step")
        self.count = tf.assign_add(self.step, 1)

    def eval(self, sess, rows):
        return sess.run(self.scores, {self.rows: rows})

    def run(self, sess):
        sess.run(self.count)
        return self.step.eval(session=sess)


class Evaluator(object):
    def __init__(self, model):
        self.model = model

    def eval(self, sess):
        return self.model.eval(sess, np.ones([3, 2])).sum()

    def steps(self, session):
        return self.model.step.eval(session)


class Report(object):
    def __init__(self, parts):
        self.parts = parts

    def of(self, sess):
        return [part.eval(sess) for part in self.parts]


def main():
    model = Model()
    evaluator = Evaluator(model)
    report = Report([evaluator, model.step, Evaluator(model)])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        scores = model.eval(sess, np.ones([2, 2]))
        total = evaluator.eval(sess)
        counted = [model.run(sess), model.run(sess), evaluator.steps(sess)]
        parts = report.of(sess)
    np.savez(sys.argv[1], scores=scores, total=total, counted=counted, parts=np.array(parts, float))


if __name__ == "__main__":
    main()

"""Sessions with hooks that are handed on: a parameter, another module's, an attribute, a plain session beside."""
import sys

import numpy as np
import tensorflow as tf

import loops


class Counter(tf.train.SessionRunHook):

    def __init__(self):
        self.runs = 0

    def after_run(self, run_context, run_values):
        self.runs += 1


class Base(object):

    def end(self, session):
        self.last = session.run(self.value)


class Last(Base, tf.train.SessionRunHook):

    def __init__(self, value):
        self.value = value


class Trainer(object):

    def __init__(self, step, hooks):
        self.step = step
        self.session = tf.train.MonitoredSession(hooks=hooks)

    def fit(self, count):
        return [self.session.run(self.step) for _ in range(count)]


def build():
    tf.train.get_or_create_global_step()
    w = tf.get_variable('w', initializer=tf.constant(3.0))
    loss = tf.exp(w)  # its gradient needs it: no race
    train = tf.train.GradientDescentOptimizer(0.01).minimize(
        loss, global_step=tf.train.get_global_step())
    with tf.control_dependencies([train]):
        return w, tf.identity(loss)


def twice(sess, step):
    sess.run(step)
    return sess.run(step)


def main(output):
    out = {}
    with tf.Graph().as_default():
        w, step = build()
        counter, last = Counter(), Last(w)
        with tf.train.MonitoredTrainingSession(hooks=[counter, last]) as sess:
            out['twice'] = twice(sess, step)
            out['module'] = loops.until_stopped(sess, step, 3)
        out['runs'], out['last'] = counter.runs, last.last
    with tf.Graph().as_default():
        w, step = build()
        counter = Counter()
        trainer = Trainer(step, [counter, tf.train.StopAtStepHook(last_step=4)])
        out['fit'] = trainer.fit(4)
        out['stopped'] = trainer.session.should_stop()
        trainer.session.close()
        out['fit_runs'] = counter.runs
    with tf.Graph().as_default():
        w, step = build()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            out['plain'] = twice(sess, step)
    np.savez(output, **out)


if __name__ == '__main__':
    main(sys.argv[1])

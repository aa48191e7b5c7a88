"""A scaffold with its own saver, first values and init_fn; sessions without checkpoints."""
import os
import sys

import numpy as np
import tensorflow as tf


def build():
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable('w', initializer=tf.constant([1.0, 2.0]))
    b = tf.get_variable('b', initializer=tf.constant(0.5))
    table = tf.contrib.lookup.index_table_from_tensor(['a', 'b', 'c'], default_value=-1)
    found = table.lookup(tf.constant(['c', 'x', 'a']))
    loss = tf.reduce_sum(tf.square(w)) + b
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    return step, w, b, found, loss, train


def main(output):
    folder = os.path.dirname(os.path.abspath(output))
    path = os.path.join(folder, 'pretrained')
    with tf.Graph().as_default():
        w = tf.get_variable('w', initializer=tf.constant([7.0, 8.0]))
        with tf.Session() as sess:
            sess.run(w.initializer)
            tf.train.Saver([w]).save(sess, path)
    out = {}
    with tf.Graph().as_default():
        step, w, b, found, loss, train = build()
        restorer = tf.train.Saver([w])

        def init_fn(scaffold, session):
            restorer.restore(session, path)

        scaffold = tf.train.Scaffold(init_fn=init_fn, saver=tf.train.Saver(max_to_keep=2))
        with tf.train.SingularMonitoredSession(scaffold=scaffold) as sess:
            out['restored'], out['found'] = sess.run([w, found])
            for _ in range(2):
                sess.run(train)
            out['trained'], out['bias'], out['step'] = sess.raw_session().run([w, b, step])
            try:
                sess.run(tf.no_op()) if sess.should_stop() else None
            finally:
                out['stop'] = sess.should_stop()
    with tf.Graph().as_default():
        step, w, b, found, loss, train = build()
        scaled = w.assign(w * 3.0)
        hooks = [tf.train.StopAtStepHook(last_step=3)]
        creator = tf.train.ChiefSessionCreator(
            scaffold=tf.train.Scaffold(init_op=tf.global_variables_initializer()))
        with tf.train.MonitoredSession(session_creator=creator, hooks=hooks) as sess:

            def step_fn(step_context):
                value = step_context.session.run(scaled)
                step_context.run_with_hooks(train)
                return value

            values = []
            while not sess.should_stop():
                values.append(sess.run_step_fn(step_fn))
        out['values'] = values
    np.savez(output, **out)


if __name__ == '__main__':
    main(sys.argv[1])

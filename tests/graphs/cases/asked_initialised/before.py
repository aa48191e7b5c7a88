"""Only what has no value yet is initialised, as libraries do that are handed a session."""
import sys

import numpy as np
import tensorflow as tf


def initialise_new(sess):
    todo = [v for v in tf.global_variables() if not sess.run(tf.is_variable_initialized(v))]
    sess.run(tf.variables_initializer(todo))
    return [v.name for v in todo]


def main(output):
    out = {}
    a = tf.get_variable('a', initializer=1.0)
    with tf.Session() as sess:
        out['first'] = initialise_new(sess)
        sess.run(a.assign(5.0))
        b = tf.get_variable('b', initializer=2.0)
        flags = [tf.is_variable_initialized(v) for v in [a, b]]
        out['between'] = sess.run(flags)
        out['without'] = [n.decode() for n in sess.run(tf.report_uninitialized_variables())]
        out['second'] = initialise_new(sess)
        out['values'] = sess.run([a, b])
        with tf.control_dependencies([tf.assert_equal(tf.is_variable_initialized(a), True)]):
            checked = tf.identity(a) * 2
        out['checked'] = sess.run(checked)
    with tf.Session() as sess:
        out['anew'] = sess.run(flags)
        out['missing'] = sorted(n.decode() for n in sess.run(tf.report_uninitialized_variables([b, a])))
    np.savez(output, **out)


if __name__ == '__main__':
    main(sys.argv[1])

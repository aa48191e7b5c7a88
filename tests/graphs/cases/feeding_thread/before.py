"""The end of a session's block, and its close(), let a thread go on that waits for a queue."""
import sys

import numpy as np
import tensorflow as tf

from feeder import Feeder


def train(found):
    feeder = Feeder(tf.train.Coordinator())
    v = tf.get_variable("v", initializer=1.0)
    step = tf.assign_add(v, tf.reduce_sum(feeder.batch))
    try:
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            feeder.start_in(sess)
            for _ in range(3):
                found["trained"] = sess.run(step)
            raise SystemExit(0)
    except SystemExit:
        pass
    feeder.join(60)
    found["with_alive"], found["with_ended"] = feeder.is_alive(), feeder.ended


def look(found):
    feeder = Feeder(tf.train.Coordinator())
    total = tf.reduce_sum(feeder.batch)
    sess = tf.Session()
    feeder.start_in(sess)
    found["looked"] = [sess.run(total) for _ in range(2)]
    sess.close()
    feeder.join(60)
    found["close_alive"], found["close_ended"] = feeder.is_alive(), feeder.ended


if __name__ == "__main__":
    found = {}
    with tf.Graph().as_default():
        train(found)
    with tf.Graph().as_default():
        look(found)
    np.savez(sys.argv[1], **found)
    sys.stdout.flush()
    if found["with_alive"] or found["close_alive"]:
        import os
        os._exit(1)

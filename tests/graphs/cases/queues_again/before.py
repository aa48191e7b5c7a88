"""The same queues in one session after another: each starts with empty ones."""
import sys

import numpy as np
import tensorflow as tf

graph = tf.Graph()
with graph.as_default():
    queue = tf.train.input_producer(tf.constant([[1.0], [2.0], [3.0]]), shuffle=False, num_epochs=1)
    value = tf.squeeze(queue.dequeue())
    total = tf.Variable(0.0)
    add = total.assign_add(value)
    init = [tf.global_variables_initializer(), tf.local_variables_initializer()]

totals, values = [], []
for _ in range(3):
    with tf.Session(graph=graph) as sess:
        sess.run(init)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop():
                values.append(sess.run(add))
        except tf.errors.OutOfRangeError:
            coord.request_stop()
        coord.join(threads)
        totals.append(sess.run(total))
np.savez(sys.argv[1], totals=totals, values=values)

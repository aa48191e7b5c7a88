"""A queue that a thread of the graph fills, read by the training step."""
import sys

import numpy as np
import tensorflow as tf


def main(output):
    rng = np.random.RandomState(9)
    features = rng.normal(size=(24, 3))
    labels = features.dot([1.0, 2.0, -0.5])
    feature, label = tf.train.slice_input_producer(
        [features, labels], num_epochs=1, shuffle=False)
    scaled = feature * 2.0

    # Examples wait here until the step takes them.
    queue = tf.FIFOQueue(capacity=16, dtypes=[tf.float64, tf.float64], shapes=[[3], []])
    enqueue_op = queue.enqueue([scaled, label])
    runner = tf.train.QueueRunner(queue, [enqueue_op])
    tf.train.add_queue_runner(runner)
    x, y = queue.dequeue_many(4)

    w = tf.get_variable('w', initializer=np.zeros([3]))
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - y))
    train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss)

    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        for _ in range(6):
            _, value = sess.run([train_op, loss])
            losses.append(value)
        coord.request_stop()
        coord.join(threads)
        weights = sess.run(w)
    np.savez(output, losses=losses, weights=weights)


if __name__ == '__main__':
    main(sys.argv[1])

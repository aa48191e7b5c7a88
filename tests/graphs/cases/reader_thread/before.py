"""A reader class with a thread of its own that feeds a queue, in the style of speech models."""
import sys
import threading

import numpy as np
import tensorflow as tf


def load_pieces():
    for size in [5, 3, 4, 6, 2, 5, 3, 4]:
        yield np.arange(size, dtype=np.float32).reshape(-1, 1), size


class AudioReader(object):
    """Preprocesses pieces on its own threads and puts them into a queue."""

    def __init__(self, coord, sample_size=None, queue_size=4):
        self.coord = coord
        self.sample_size = sample_size
        self.threads = []
        self.sample_placeholder = tf.placeholder(dtype=tf.float32, shape=None)
        self.queue = tf.PaddingFIFOQueue(queue_size, ['float32'], shapes=[(None, 1)])
        self.enqueue = self.queue.enqueue([self.sample_placeholder])
        self.id_placeholder = tf.placeholder(dtype=tf.int32, shape=())
        self.id_queue = tf.PaddingFIFOQueue(queue_size, ['int32'], shapes=[()])
        self.id_enqueue = self.id_queue.enqueue([self.id_placeholder])

    def dequeue(self, num_elements):
        return self.queue.dequeue_many(num_elements)

    def dequeue_ids(self, num_elements):
        return self.id_queue.dequeue_many(num_elements)

    def thread_main(self, sess):
        stop = False
        while not stop:
            for audio, size in load_pieces():
                if self.coord.should_stop():
                    stop = True
                    break
                sess.run(self.enqueue, feed_dict={self.sample_placeholder: audio})
                sess.run(self.id_enqueue, feed_dict={self.id_placeholder: size})

    def start_threads(self, sess, n_threads=1):
        for _ in range(n_threads):
            thread = threading.Thread(target=self.thread_main, args=(sess,))
            thread.daemon = True  # Thread will close when parent quits.
            thread.start()
            self.threads.append(thread)
        return self.threads


def main(output):
    coord = tf.train.Coordinator()
    with tf.name_scope('create_inputs'):
        reader = AudioReader(coord)
        audio_batch = reader.dequeue(2)
        ids = reader.dequeue_ids(2)
    weight = tf.get_variable('weight', shape=[1, 1], initializer=tf.constant_initializer(0.5))
    loss = tf.reduce_mean(tf.square(tf.tensordot(audio_batch, weight, [[2], [0]]) - 1.0))
    optim = tf.train.GradientDescentOptimizer(0.01).minimize(
        loss, var_list=tf.trainable_variables())
    sess = tf.Session(config=tf.ConfigProto(log_device_placement=False))
    sess.run(tf.global_variables_initializer())
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    reader.start_threads(sess)
    losses, shapes, sizes = [], [], []
    try:
        for step in range(6):
            loss_value, _, batch, size = sess.run([loss, optim, audio_batch, ids])
            losses.append(loss_value)
            shapes.append(batch.shape)
            sizes.append(size)
    except KeyboardInterrupt:
        print()
    finally:
        coord.request_stop()
        coord.join(threads)
    np.savez(output, losses=losses, shapes=shapes, sizes=sizes, weight=sess.run(weight))


if __name__ == '__main__':
    main(sys.argv[1])

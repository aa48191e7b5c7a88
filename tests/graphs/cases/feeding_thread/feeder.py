"""A thread of the program's own that fills a queue for as long as it may."""
import threading

import numpy as np
import tensorflow as tf


class Feeder(threading.Thread):
    def __init__(self, coordinator):
        super(Feeder, self).__init__()
        self.coordinator = coordinator
        self.ended = ""
        self.rows = tf.placeholder(tf.float32, [None, 2], name="rows")
        queue = tf.FIFOQueue(2, [tf.float32], name="rows_queue")
        self.enqueue = queue.enqueue([self.rows])
        self.batch = queue.dequeue()
        self.batch.set_shape([None, 2])

    def start_in(self, session):
        self.session = session
        self.start()

    def run(self):
        count = 0
        try:
            while not self.coordinator.should_stop():
                count += 1
                self.session.run(self.enqueue, feed_dict={self.rows: np.full([1, 2], count)})
        except tf.errors.CancelledError as error:
            self.ended = type(error).__name__
            self.coordinator.request_stop()

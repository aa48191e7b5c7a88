"""A logger that writes events of its own for TensorBoard."""
import glob
import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.core.util import event_pb2
from tensorflow.python import pywrap_tensorflow
from tensorflow.python.util import compat


class Board(object):
    def __init__(self, folder):
        path = os.path.join(os.path.abspath(folder), 'events')
        self.step = 1
        self.writer = pywrap_tensorflow.EventsWriter(compat.as_bytes(path))

    def write(self, **values):
        told = [tf.Summary.Value(tag=k, simple_value=float(v)) for k, v in sorted(values.items())]
        event = event_pb2.Event(wall_time=5.0 + self.step, summary=tf.Summary(value=told))
        event.step = self.step
        self.writer.WriteEvent(event)
        self.writer.Flush()
        self.step += 1

    def close(self):
        if self.writer:
            self.writer.Close()
            self.writer = None


def main(output):
    folder = os.path.dirname(os.path.abspath(output))
    x = tf.placeholder(tf.float32, [None])
    mean = tf.reduce_mean(x)
    board = Board(folder)
    with tf.Session() as sess:
        for i in range(3):
            board.write(mean=sess.run(mean, {x: [i, i + 1.0]}), count=i)
    named = compat.as_str(board.writer.FileName())
    board.close()
    path, = glob.glob(os.path.join(folder, 'events.out.tfevents.*'))
    assert os.path.basename(named) == os.path.basename(path), (named, path)
    events = [event_pb2.Event.FromString(record) for record in tf.python_io.tf_record_iterator(path)]
    np.savez(output, version=events[0].file_version, steps=[e.step for e in events],
             values=[[v.simple_value for v in e.summary.value] for e in events[1:]],
             tags=[v.tag for v in events[1].summary.value])


if __name__ == '__main__':
    main(sys.argv[1])

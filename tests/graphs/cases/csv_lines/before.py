"""CSV files read line by line by two readers that are joined into batches."""
import os
import sys

import numpy as np
import tensorflow as tf


def write(folder):
    paths = []
    for part in range(2):
        paths.append(os.path.join(folder, 'part%d.csv' % part))
        with open(paths[-1], 'w') as stream:
            stream.write('a,b,c\n')
            for row in range(6):
                stream.write('%d,%.1f,%s\n' % (part * 6 + row, row / 2.0, 'xyz'[row % 3]))
    return paths


def read(queue):
    reader = tf.TextLineReader(skip_header_lines=1)
    _, line = reader.read(queue)
    a, b, c = tf.decode_csv(line, record_defaults=[[0], [0.0], ['']])
    return [tf.stack([tf.to_float(a), b]), c]


def main(path):
    paths = write(os.path.dirname(os.path.abspath(path)))
    with tf.Graph().as_default(), tf.Session() as sess:
        queue = tf.train.string_input_producer(paths, num_epochs=1, shuffle=False)
        numbers, letters = tf.train.batch_join(
            [read(queue) for _ in range(2)], batch_size=4, capacity=32)
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        rows, names = [], []
        try:
            while not coord.should_stop():
                n, l = sess.run([numbers, letters])
                rows.extend(n.tolist())
                names.extend(l.tolist())
        except tf.errors.OutOfRangeError as error:
            coord.request_stop(error)
        finally:
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=5)
    np.savez(path, rows=sorted(rows), names=np.array(sorted(names)))


if __name__ == '__main__':
    main(sys.argv[1])

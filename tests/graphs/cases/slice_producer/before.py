"""Arrays cut into slices by a producer, padded batches of what is left at the end."""
import sys

import numpy as np
import tensorflow as tf

LENGTHS = [3, 1, 4, 1, 5, 2, 6]


def inputs(num_epochs):
    values = tf.constant(np.arange(42).reshape(7, 6), dtype=tf.int64)
    lengths = tf.convert_to_tensor(LENGTHS, dtype=tf.int32)
    row, length = tf.train.slice_input_producer(
        [values, lengths], num_epochs=num_epochs, shuffle=False, capacity=8)
    example = {'sequence': row[:length], 'length': length}
    return tf.train.batch(
        example, batch_size=3, dynamic_pad=True, allow_smaller_final_batch=True, name='batch')


with tf.Graph().as_default():
    batch = inputs(2)
    mean = tf.reduce_mean(tf.cast(batch['sequence'], tf.float32))
    summary = tf.summary.merge_all()
    init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
    sequences, lengths, means = [], [], []
    with tf.Session() as sess:
        sess.run(init)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(coord=coord)
        try:
            while True:
                found, value = sess.run([batch, mean])
                sequences.append(found['sequence'].sum(axis=1))
                lengths.append(found['length'])
                means.append(value)
        except tf.errors.OutOfRangeError:
            pass
        coord.request_stop()
        coord.join(threads)
np.savez(sys.argv[1], sequences=np.concatenate(sequences), lengths=np.concatenate(lengths),
         means=means, name=batch['length'].op.name, rank=batch['sequence'].shape.ndims)

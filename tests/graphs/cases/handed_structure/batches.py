import tensorflow as tf


def batches(values):
    data = tf.data.Dataset.from_tensor_slices(values).batch(2, drop_remainder=True).repeat()
    iterator = tf.data.Iterator.from_structure(data.output_types, data.output_shapes)
    return iterator.make_initializer(data), iterator

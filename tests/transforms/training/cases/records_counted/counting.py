import tensorflow as tf


def count(path):
    total = 0
    for _ in tf.python_io.tf_record_iterator(path):
        total += 1
    return total

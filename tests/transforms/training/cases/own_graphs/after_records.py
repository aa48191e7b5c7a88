"""Files of records; each function has a graph of its own."""
import tensorflow as tf
from tf1_support import math_ops


def write(path, rows):
    """Writes rows of numbers, each as a string."""
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float64)])
    def compute_text(row):
        """Computes text.

        Args:
            row: float64 [None]
        """
        return tf.strings.reduce_join(tf.as_string(row), separator=' ')

    with tf.io.TFRecordWriter(path) as writer:
        for values in rows:
            writer.write(compute_text(values).numpy())


def count(path):
    """How many bytes the file of a path has."""
    length = tf.strings.length(tf.io.read_file(path))
    return int(length.numpy())


def elements(path):
    """The next row of a file, which the caller's graph reads."""
    def parse(record):
        return tf.strings.to_number(input=math_ops.string_split([record], ' ').values, out_type=tf.float64)
    return tf.data.TFRecordDataset(path).map(parse).repeat()

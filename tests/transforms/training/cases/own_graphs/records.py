"""Files of records; each function has a graph of its own."""
import tensorflow as tf


def write(path, rows):
    """Writes rows of numbers, each as a string."""
    with tf.Graph().as_default():
        row = tf.placeholder(tf.float64, [None])
        text = tf.reduce_join(tf.as_string(row), separator=' ')
        with tf.Session() as sess:
            with tf.python_io.TFRecordWriter(path) as writer:
                for values in rows:
                    writer.write(sess.run(text, feed_dict={row: values}))


def count(path):
    """How many bytes the file of a path has."""
    graph = tf.Graph()
    with graph.as_default():
        length = tf.strings.length(tf.read_file(path))
    with tf.Session(graph=graph) as sess:
        return int(sess.run(length))


def elements(path):
    """The next row of a file, which the caller's graph reads."""
    def parse(record):
        return tf.string_to_number(tf.string_split([record], ' ').values, tf.float64)
    return tf.data.TFRecordDataset(path).map(parse).repeat().make_one_shot_iterator().get_next()

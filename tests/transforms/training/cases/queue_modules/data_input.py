"""Lines of text files as batches of examples."""
import tensorflow as tf


def distorted_inputs(filenames, batch_size):
    """Batches of (features, one-hot labels) of CSV lines."""
    filename_queue = tf.train.string_input_producer(filenames, num_epochs=1, shuffle=False)
    reader = tf.TextLineReader(skip_header_lines=1)
    _, line = reader.read(filename_queue)
    # two numbers and a class
    a, b, label = tf.decode_csv(line, record_defaults=[[0.0], [0.0], [0]])
    features = tf.stack([a, b])
    features = tf.cast(features, tf.float64) / 10.0
    feature_batch, label_batch = tf.train.batch([features, label], batch_size=batch_size,
                                                allow_smaller_final_batch=True)
    label_batch = tf.one_hot(label_batch, 3, dtype=tf.float64)
    return feature_batch, label_batch

"""Lines of text files as batches of examples."""
import tensorflow as tf


def distorted_inputs(filenames, batch_size):
    """Batches of (features, one-hot labels) of CSV lines."""
    dataset = tf.data.Dataset.from_tensor_slices(filenames).flat_map(lambda path: tf.data.TextLineDataset(path).skip(1))
    dataset = dataset.repeat(1)

    def prepare(line):
        # two numbers and a class
        a, b, label = tf.io.decode_csv(line, record_defaults=[[0.0], [0.0], [0]])
        features = tf.stack([a, b])
        features = tf.cast(features, tf.float64) / 10.0
        return features, label

    dataset = dataset.map(prepare)
    dataset = dataset.batch(batch_size).prefetch(1)

    def finish(feature_batch, label_batch):
        label_batch = tf.one_hot(label_batch, 3, dtype=tf.float64)
        return feature_batch, label_batch

    dataset = dataset.map(finish)
    return dataset

"""TFRecords read through queues, batched, and run under a coordinator."""
import os
import sys

import numpy as np
import tensorflow as tf
from tf1_support import optimizers
from tf1_support import scopes

BATCH_SIZE = 4


def write_records(path):
    rng = np.random.RandomState(3)
    writer = tf.io.TFRecordWriter(path)
    for index in range(16):
        image = rng.randint(0, 255, size=12).astype(np.uint8)
        example = tf.train.Example(features=tf.train.Features(feature={
            'image_raw': tf.train.Feature(bytes_list=tf.train.BytesList(
                value=[image.tobytes()])),
            'label': tf.train.Feature(int64_list=tf.train.Int64List(value=[index % 3])),
        }))
        writer.write(example.SerializeToString())
    writer.close()


def read_and_decode(serialized_example):
    """One example of the queue's files."""
    features = tf.io.parse_single_example(serialized_example, features={
        'image_raw': tf.io.FixedLenFeature([], tf.string),
        'label': tf.io.FixedLenFeature([], tf.int64),
    })
    image = tf.io.decode_raw(features['image_raw'], tf.uint8)
    image.set_shape([12])
    image = tf.cast(image, tf.float64) * (1. / 255) - 0.5
    label = tf.cast(features['label'], tf.int32)
    return image, label


def inputs(filenames, batch_size, num_epochs):
    dataset = tf.data.TFRecordDataset(filenames)
    dataset = dataset.repeat(num_epochs)
    dataset = dataset.map(read_and_decode)
    dataset = dataset.batch(batch_size, drop_remainder=True).prefetch(1)
    return dataset


def main(output):
    path = os.path.join(os.path.dirname(os.path.abspath(output)), 'train.tfrecords')
    write_records(path)
    train_dataset = inputs([path], BATCH_SIZE, num_epochs=2)
    batches = iter(train_dataset)
    weights = scopes.get_variable('weights', dtype=tf.float64,
                              initializer=np.sin(np.arange(36.0)).reshape(12, 3))
    optimizer = optimizers.GradientDescentOptimizer(0.1)

    @tf.function(input_signature=train_dataset.element_spec)
    def train_step(images, labels):
        """One training step; returns loss."""
        with tf.GradientTape() as tape:
            logits = tf.matmul(images, weights)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=labels, logits=logits))
        gradients = tape.gradient(loss, [weights])
        optimizer.apply_gradients(zip(gradients, [weights]))
        return loss

    losses = []
    try:
        step = 0
        while True:
            loss_value = train_step(*next(batches)).numpy()
            losses.append(loss_value)
            step += 1
    except StopIteration:
        print('Done training for %d steps.' % step)
    # When done, ask the threads to stop.
    np.savez(output, losses=losses)


if __name__ == '__main__':
    main(sys.argv[1])

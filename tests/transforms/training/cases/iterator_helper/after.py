"""The input function prepares what its iterator gives before it returns it."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import optimizers


def input_fn(images, labels, batch_size):
    dataset = tf.data.Dataset.from_tensor_slices((images, labels))
    dataset = dataset.repeat(2).batch(batch_size)

    def finish(image_batch, label_batch):
        # the pixels around zero
        image_batch = image_batch / 255.0 - 0.5
        return {'image': image_batch}, tf.one_hot(label_batch, 3, dtype=tf.float64)

    dataset = dataset.map(finish)
    return dataset


def main(output):
    rng = np.random.RandomState(31)
    images, labels = rng.uniform(0, 255, size=(6, 4)), rng.randint(0, 3, size=6)
    train_dataset = input_fn(images, labels, 3)
    batches = iter(train_dataset)
    weights = tf.Variable(np.cos(np.arange(12.0)).reshape(4, 3), name='weights')
    optimizer = optimizers.GradientDescentOptimizer(0.5)

    @tf.function(input_signature=train_dataset.element_spec)
    def train_step(features, targets):
        """One training step; returns loss."""
        with tf.GradientTape() as tape:
            logits = tf.matmul(features['image'], weights)
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=tf.stop_gradient(targets), logits=logits, axis=-1))
        gradients = tape.gradient(loss, [weights])
        optimizer.apply_gradients(zip(gradients, [weights]))
        return loss

    losses = []
    while True:
        try:
            value = train_step(*next(batches)).numpy()
        except StopIteration:
            break
        losses.append(value)
    np.savez(output, losses=losses)


if __name__ == '__main__':
    main(sys.argv[1])

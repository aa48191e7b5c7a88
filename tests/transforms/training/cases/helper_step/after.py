"""Segmentation: a helper makes the training op under the updates of batch normalisation."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import checkpoint
from tf1_support import initializers
from tf1_support import layers
from tf1_support import optimizers
from tf1_support import summary
from tf1_support import training as tf1_training


def overlap(predicted, labels):
    both = tf.reduce_sum(predicted * labels, [1, 2])
    return tf.reduce_mean(both / (tf.reduce_sum(predicted + labels, [1, 2]) - both))


def network(images, training):
    net = layers.conv2d(images, 3, 3, padding='same', name='conv',
                           kernel_initializer=initializers.constant_initializer(0.1))
    net = layers.batch_normalization(net, training=training, name='norm', momentum=0.5,
                                        fused=False)
    return layers.conv2d(net, 1, 1, activation=tf.nn.sigmoid, name='out',
                            kernel_initializer=initializers.constant_initializer(0.3))


def main(output):
    global_step = tf1_training.get_or_create_global_step()
    optimizer = optimizers.AdamOptimizer(0.05)

    # 1 where the object is
    folder = tempfile.mkdtemp()
    rng = np.random.RandomState(0)
    scores = []
    writer = tf.summary.create_file_writer(os.path.join(folder, 'train'))
    store = scopes.current_store()

    @tf.function(input_signature=[
        tf.TensorSpec([None, 6, 6, 2], tf.float64),
        tf.TensorSpec([None, 6, 6, 1], tf.float64),
        tf.TensorSpec([], tf.int64),
    ])
    def train_step(images, labels, step):
        """One training step.

        Args:
            images: float64 [None, 6, 6, 2]
            labels: float64 [None, 6, 6, 1]; 1 where the object is
            step: the summaries' step
        """
        with writer.as_default(step=step):
            with store.run(apply_updates=True), tf.GradientTape() as tape:
                predicted = network(images, True)
                expected = labels
                loss = -overlap(predicted, expected)
            variables = store.trainable_variables
            gradients = tape.gradient(loss, variables)
            optimizer.apply_gradients(zip(gradients, variables), global_step=global_step)
            score = overlap(predicted, labels)
            summary.scalar('score', score)

    @tf.function(input_signature=[
        tf.TensorSpec([None, 6, 6, 2], tf.float64),
        tf.TensorSpec([None, 6, 6, 1], tf.float64),
    ])
    def predict(images, labels):
        """Computes score.

        Args:
            images: float64 [None, 6, 6, 2]
            labels: float64 [None, 6, 6, 1]; 1 where the object is
        """
        with store.run():
            predicted = network(images, False)
            score = overlap(predicted, labels)
        return score

    # Tracing makes the variables, which the checkpoint needs.
    train_step.get_concrete_function()

    saver = checkpoint.Saver()
    try:
        for step in range(3):
            data = rng.uniform(size=(2, 6, 6, 2))
            mask = (data[..., :1] > 0.5).astype(np.float64)
            train_step(data, mask, step)
            scores.append(predict(data, mask).numpy())
    finally:
        saver.save(os.path.join(folder, 'model.ckpt'))
    writer.close()
    np.savez(output, scores=scores)


if __name__ == '__main__':
    main(sys.argv[1])

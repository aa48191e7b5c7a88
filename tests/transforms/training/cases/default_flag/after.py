"""Dropout-free batch norm network whose mode is a placeholder with a default."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import initializers
from tf1_support import layers
from tf1_support import losses as tf1_losses
from tf1_support import optimizers

kernel = np.sin(np.arange(20.0)).reshape(5, 4)

optimizer = optimizers.MomentumOptimizer(0.0, 0.9)
store = scopes.current_store()


@tf.function(input_signature=[
    tf.TensorSpec([None, 5], tf.float64),
    tf.TensorSpec([None, 1], tf.float64),
    tf.TensorSpec([], tf.float32),
])
def train_step(images, labels, rate):
    """One training step; returns loss.

    Args:
        images: float64 [None, 5]
        labels: float64 [None, 1]
        rate: float32 scalar
    """
    with store.run(apply_updates=True), tf.GradientTape() as tape:
        hidden = layers.dense(images, 4, kernel_initializer=initializers.constant_initializer(kernel),
                                 name='hidden')
        hidden = layers.batch_normalization(hidden, momentum=0.8, training=True, name='norm')
        hidden = tf.nn.relu(hidden)
        outputs = layers.dense(hidden, 1, kernel_initializer=initializers.constant_initializer(0.2),
                                  name='outputs')
        loss = tf1_losses.mean_squared_error(labels, outputs)
    variables = store.trainable_variables
    gradients = tape.gradient(loss, variables)
    optimizer.learning_rate = rate
    optimizer.apply_gradients(zip(gradients, variables))
    return loss


@tf.function(input_signature=[tf.TensorSpec([None, 5], tf.float64)])
def predict(images):
    """Computes outputs.

    Args:
        images: float64 [None, 5]
    """
    with store.run():
        is_training = False
        hidden = layers.dense(images, 4, kernel_initializer=initializers.constant_initializer(kernel),
                                 name='hidden')
        hidden = layers.batch_normalization(hidden, momentum=0.8, training=is_training, name='norm')
        hidden = tf.nn.relu(hidden)
        outputs = layers.dense(hidden, 1, kernel_initializer=initializers.constant_initializer(0.2),
                                  name='outputs')
    return outputs


rng = np.random.RandomState(8)
data = rng.normal(size=(12, 5))
target = rng.normal(size=(12, 1))

losses = []
for step in range(3):
    feed = {'images': data, 'labels': target, 'rate': 0.1 / (step + 1)}
    value = train_step(**feed).numpy()
    losses.append(value)
predicted = predict(data).numpy()

np.savez(sys.argv[1], losses=losses, predicted=predicted)

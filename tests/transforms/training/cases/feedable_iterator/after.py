"""Training and validation through one iterator that a run chooses by its handle."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import losses as tf1_losses
from tf1_support import math_ops
from tf1_support import optimizers
from tf1_support import schedules
from tf1_support import training


def data_set(seed, count, size):
    rng = np.random.RandomState(seed)
    rows = rng.uniform(size=(count, 4)), rng.randint(0, 3, count)
    return tf.data.Dataset.from_tensor_slices(rows).batch(size)


def main(output):
    training_data, held_out = data_set(0, 12, 4), data_set(1, 6, 3)

    weight = scopes.get_variable('weight', initializer=np.linspace(-0.5, 0.5, 12).reshape(4, 3))
    step = training.get_or_create_global_step()
    rate = schedules.piecewise_constant(step, [2, 4], [0.1, 0.05, 0.01])
    optimizer = optimizers.MomentumOptimizer(rate, 0.9)
    store = scopes.current_store()

    @tf.function(input_signature=training_data.element_spec)
    def train_step(rows, labels):
        """One training step; returns loss and current_rate."""
        with store.run(), tf.GradientTape() as tape:
            current_rate = tf.convert_to_tensor(rate)
            logits = tf.matmul(rows, weight)
            logits = math_ops.where(tf.fill([tf.shape(rows)[0]], True), 2.0 * logits, logits)
            loss = tf1_losses.sparse_softmax_cross_entropy(labels, logits)
        variables = store.trainable_variables
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables), global_step=step)
        return loss, current_rate

    @tf.function(input_signature=training_data.element_spec)
    def evaluate_step(rows, labels):
        """Computes loss and hits."""
        with store.run():
            logits = tf.matmul(rows, weight)
            logits = math_ops.where(tf.fill([tf.shape(rows)[0]], False), 2.0 * logits, logits)
            loss = tf1_losses.sparse_softmax_cross_entropy(labels, logits)
            hits = tf.reduce_sum(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float64))
        return loss, hits

    # Which of them a run reads from.
    losses, rates, scores = [], [], []
    for _ in range(2):
        training_iterator = iter(training_data)
        for _ in range(3):
            value, used = (value.numpy() for value in train_step(*next(training_iterator)))
            losses.append(value)
            rates.append(used)
        held_out_iterator = iter(held_out)
        try:
            while True:
                outputs = evaluate_step(*next(held_out_iterator))
                scores.append([value.numpy() for value in outputs])
        except StopIteration:
            pass
    np.savez(output, losses=losses, rates=rates, scores=scores)


if __name__ == '__main__':
    main(sys.argv[1])

"""One iterator reads several data sets; a helper beside the graph measures on the one it is given."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import initializers
from tf1_support import layers
from tf1_support import losses as tf1_losses
from tf1_support import optimizers


def main(output):
    rng = np.random.RandomState(1)
    train_x, train_y = rng.normal(size=(10, 4)), rng.randint(0, 3, 10)
    test_x, test_y = rng.normal(size=(6, 4)), rng.randint(0, 3, 6)

    with scopes.VariableStore().as_default() as store:
        train_data = tf.data.Dataset.from_tensor_slices((train_x, train_y)).batch(4)
        test_data = tf.data.Dataset.from_tensor_slices((test_x, test_y)).batch(4)

        start = initializers.constant_initializer(np.sin(np.arange(12)))
        optimizer = optimizers.GradientDescentOptimizer(0.5)

        @tf.function(input_signature=train_data.element_spec)
        def train_step(x, y):
            """One training step; returns loss."""
            with store.run(), tf.GradientTape() as tape:
                logits = layers.dense(x, 3, kernel_initializer=start, name='logits')
                logits = layers.batch_normalization(logits, training=True)
                loss = tf1_losses.sparse_softmax_cross_entropy(labels=y, logits=logits)
            variables = store.trainable_variables
            gradients = tape.gradient(loss, variables)
            optimizer.apply_gradients(zip(gradients, variables))
            return loss

        @tf.function(input_signature=train_data.element_spec)
        def compute_correct(x, y):
            """Computes correct."""
            with store.run():
                logits = layers.dense(x, 3, kernel_initializer=start, name='logits')
                logits = layers.batch_normalization(logits, training=False)
                correct = tf.equal(tf.argmax(logits, 1), y)
            return correct

    losses, accuracies = [], []
    def check_accuracy(dataset):
        """The fraction of a data set's examples that are classified correctly."""
        iterator = iter(dataset)
        num_correct, num_examples = 0, 0
        while True:
            try:
                found = compute_correct(*next(iterator)).numpy()
                num_correct += found.sum()
                num_examples += found.shape[0]
            except StopIteration:
                break
        return float(num_correct) / num_examples

    # Every epoch ends with a look at both data sets.
    for _ in range(3):
        iterator = iter(train_data)
        while True:
            try:
                value = train_step(*next(iterator)).numpy()
                losses.append(value)
            except StopIteration:
                break
        accuracies.append(check_accuracy(train_data))
        accuracies.append(check_accuracy(test_data))
    np.savez(output, losses=losses, accuracies=accuracies)


if __name__ == '__main__':
    main(sys.argv[1])

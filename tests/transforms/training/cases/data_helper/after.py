"""One iterator reads several data sets; a helper beside the graph measures on the one it is given."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import iterators
from tf1_support import initializers
from tf1_support import layers
from tf1_support import losses as tf1_losses
from tf1_support import optimizers


def check_accuracy(correct, is_training, init_op):
    """The fraction of a data set's examples that are classified correctly."""
    graphs.run(init_op)
    num_correct, num_examples = 0, 0
    compute_correct = graphs.function([is_training], correct)
    while True:
        try:
            found = compute_correct(False)
            num_correct += found.sum()
            num_examples += found.shape[0]
        except tf.errors.OutOfRangeError:
            break
    return float(num_correct) / num_examples


def main(output):
    rng = np.random.RandomState(1)
    train_x, train_y = rng.normal(size=(10, 4)), rng.randint(0, 3, 10)
    test_x, test_y = rng.normal(size=(6, 4)), rng.randint(0, 3, 6)

    graph = graphs.Graph()
    with graph.as_default():
        train_data = tf.data.Dataset.from_tensor_slices((train_x, train_y)).batch(4)
        test_data = tf.data.Dataset.from_tensor_slices((test_x, test_y)).batch(4)
        iterator = iterators.from_structure(iterators.output_types(train_data), iterators.output_shapes(train_data))
        x, y = iterator.get_next()
        train_init = iterator.make_initializer(train_data)
        test_init = iterator.make_initializer(test_data)

        is_training = graphs.placeholder(tf.bool)
        start = initializers.constant_initializer(np.sin(np.arange(12)))
        logits = layers.dense(x, 3, kernel_initializer=start, name='logits')
        logits = layers.batch_normalization(logits, training=is_training)
        loss = tf1_losses.sparse_softmax_cross_entropy(labels=y, logits=logits)
        train_op = optimizers.GradientDescentOptimizer(0.5).minimize(loss)
        correct = tf.equal(tf.argmax(logits, 1), y)
        graphs.default_graph().finalize()

    losses, accuracies = [], []
    with graph.as_default():
        # Every epoch ends with a look at both data sets.
        train_init_step = graphs.function([], train_init)
        train_step = graphs.function([is_training], [train_op, loss])
        for _ in range(3):
            train_init_step()
            while True:
                try:
                    _, value = train_step(True)
                    losses.append(value)
                except tf.errors.OutOfRangeError:
                    break
            accuracies.append(check_accuracy(correct, is_training, train_init))
            accuracies.append(check_accuracy(correct, is_training, test_init))
    np.savez(output, losses=losses, accuracies=accuracies)


if __name__ == '__main__':
    main(sys.argv[1])

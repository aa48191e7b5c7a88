"""One iterator reads several data sets; a helper beside the graph measures on the one it is given."""
import sys

import numpy as np
import tensorflow as tf


def check_accuracy(sess, correct, is_training, init_op):
    """The fraction of a data set's examples that are classified correctly."""
    sess.run(init_op)
    num_correct, num_examples = 0, 0
    while True:
        try:
            found = sess.run(correct, {is_training: False})
            num_correct += found.sum()
            num_examples += found.shape[0]
        except tf.errors.OutOfRangeError:
            break
    return float(num_correct) / num_examples


def main(output):
    rng = np.random.RandomState(1)
    train_x, train_y = rng.normal(size=(10, 4)), rng.randint(0, 3, 10)
    test_x, test_y = rng.normal(size=(6, 4)), rng.randint(0, 3, 6)

    graph = tf.Graph()
    with graph.as_default():
        train_data = tf.data.Dataset.from_tensor_slices((train_x, train_y)).batch(4)
        test_data = tf.data.Dataset.from_tensor_slices((test_x, test_y)).batch(4)
        iterator = tf.data.Iterator.from_structure(train_data.output_types, train_data.output_shapes)
        x, y = iterator.get_next()
        train_init = iterator.make_initializer(train_data)
        test_init = iterator.make_initializer(test_data)

        is_training = tf.placeholder(tf.bool)
        start = tf.constant_initializer(np.sin(np.arange(12)))
        logits = tf.layers.dense(x, 3, kernel_initializer=start, name='logits')
        logits = tf.layers.batch_normalization(logits, training=is_training)
        loss = tf.losses.sparse_softmax_cross_entropy(labels=y, logits=logits)
        train_op = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        correct = tf.equal(tf.argmax(logits, 1), y)
        init = tf.global_variables_initializer()
        tf.get_default_graph().finalize()

    losses, accuracies = [], []
    with tf.Session(graph=graph) as sess:
        sess.run(init)
        # Every epoch ends with a look at both data sets.
        for _ in range(3):
            sess.run(train_init)
            while True:
                try:
                    _, value = sess.run([train_op, loss], {is_training: True})
                    losses.append(value)
                except tf.errors.OutOfRangeError:
                    break
            accuracies.append(check_accuracy(sess, correct, is_training, train_init))
            accuracies.append(check_accuracy(sess, correct, is_training, test_init))
    np.savez(output, losses=losses, accuracies=accuracies)


if __name__ == '__main__':
    main(sys.argv[1])

"""Trains with moving averages of the weights, then infers with the averages in their place."""
import os
import sys

import numpy as np
import tensorflow as tf

MOVING_AVERAGE_DECAY = 0.9


def inference(features):
    """The logits of a batch of features."""
    with tf.variable_scope('linear'):
        weights = tf.get_variable('weights', dtype=tf.float64,
                                  initializer=np.linspace(-0.5, 0.5, 12).reshape(4, 3))
        biases = tf.get_variable('biases', [3], tf.float64, tf.constant_initializer(0.1))
    return tf.matmul(features, weights) + biases


def train(directory, data, labels):
    with tf.Graph().as_default():
        global_step = tf.train.get_or_create_global_step()
        features = tf.placeholder(tf.float64, [None, 4])
        targets = tf.placeholder(tf.int64, [None])
        logits = inference(features)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=targets, logits=logits))
        optimizer = tf.train.GradientDescentOptimizer(0.5)
        grads = optimizer.compute_gradients(loss)
        apply_gradient_op = optimizer.apply_gradients(grads, global_step=global_step)

        # Track the moving averages of all trainable variables.
        variable_averages = tf.train.ExponentialMovingAverage(MOVING_AVERAGE_DECAY, global_step)
        with tf.control_dependencies([apply_gradient_op]):
            train_op = variable_averages.apply(tf.trainable_variables())

        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for step in range(3):
                _, loss_value = sess.run([train_op, loss],
                                         feed_dict={features: data, targets: labels})
                print('step %d, loss = %.4f' % (step, loss_value))
            saver.save(sess, os.path.join(directory, 'model.ckpt'), global_step=3)


def evaluate(directory, data):
    with tf.Graph().as_default():
        features = tf.placeholder(tf.float64, [None, 4])
        logits = inference(features)

        # Restore the moving average version of the learned variables.
        variable_averages = tf.train.ExponentialMovingAverage(MOVING_AVERAGE_DECAY)
        variables_to_restore = variable_averages.variables_to_restore()
        saver = tf.train.Saver(variables_to_restore)
        with tf.Session() as sess:
            ckpt = tf.train.get_checkpoint_state(directory)
            if ckpt and ckpt.model_checkpoint_path:
                saver.restore(sess, ckpt.model_checkpoint_path)
            else:
                print('No checkpoint file found')
                return None
            return sess.run(logits, feed_dict={features: data})


def main(output):
    rng = np.random.RandomState(4)
    data = rng.normal(size=(6, 4))
    labels = rng.randint(0, 3, size=6)
    directory = os.path.dirname(os.path.abspath(output))
    train(directory, data, labels)
    np.savez(output, logits=evaluate(directory, data))


if __name__ == '__main__':
    main(sys.argv[1])

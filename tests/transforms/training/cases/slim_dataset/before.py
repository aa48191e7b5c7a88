"""A slim network trained from a tf.data iterator, with decay, averages and batch norm."""
import sys

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim


def input_fn(steps, batch_size):
  rng = np.random.RandomState(3)
  images = rng.normal(size=(steps * batch_size, 6, 6, 2))
  labels = rng.randint(0, 3, size=steps * batch_size)
  dataset = tf.data.Dataset.from_tensor_slices((images, labels))
  dataset = dataset.batch(batch_size)
  return dataset.make_one_shot_iterator().get_next()


def fixed(shape, dtype=None, partition_info=None):
  """Deterministic initial weights."""
  return tf.constant(0.3 * np.sin(np.arange(np.prod(shape))).reshape(shape), dtype)


def network(images, is_training):
  with slim.arg_scope([slim.conv2d, slim.fully_connected],
                      weights_initializer=fixed,
                      weights_regularizer=slim.l2_regularizer(0.01)):
    net = slim.conv2d(images, 4, [3, 3], normalizer_fn=slim.batch_norm,
                      normalizer_params={'is_training': is_training, 'decay': 0.9,
                                         'fused': False},
                      scope='conv')
    net = tf.reduce_mean(net, [1, 2])
    return slim.fully_connected(net, 3, activation_fn=None, scope='logits')


def main(output):
  with tf.Graph().as_default():
    global_step = tf.train.get_or_create_global_step()
    images, labels = input_fn(3, 4)
    logits = network(images, is_training=True)
    tf.losses.sparse_softmax_cross_entropy(labels, logits)
    total_loss = tf.losses.get_total_loss()

    learning_rate = tf.train.exponential_decay(
        0.05, global_step, 2, 0.5, staircase=True)
    optimizer = tf.train.RMSPropOptimizer(learning_rate, decay=0.9, momentum=0.9)
    ema = tf.train.ExponentialMovingAverage(0.99, global_step)

    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(update_ops):
      apply_op = optimizer.minimize(total_loss, global_step=global_step)
    with tf.control_dependencies([apply_op]):
      train_op = ema.apply(tf.trainable_variables())

    losses = []
    with tf.Session() as sess:
      sess.run(tf.global_variables_initializer())
      try:
        while True:
          _, loss_value = sess.run([train_op, total_loss])
          losses.append(loss_value)
      except tf.errors.OutOfRangeError:
        print('end of the data')
      steps = sess.run(global_step)
      saver = tf.train.Saver()
      path = saver.save(sess, output + '.ckpt', global_step=steps)
  np.savez(output, losses=losses, steps=steps)
  return path


if __name__ == '__main__':
  main(sys.argv[1])

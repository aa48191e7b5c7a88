"""A slim network trained on a slim Dataset of TFRecords."""
import os
import sys

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim

ITEMS_TO_DESCRIPTIONS = {
    'image': 'A 6 x 6 grey image.',
    'label': 'A single integer between 0 and 2.',
}


def write_records(folder):
  rng = np.random.RandomState(6)
  path = os.path.join(folder, 'toy_train.tfrecord')
  with tf.python_io.TFRecordWriter(path) as writer:
    for index in range(12):
      image = rng.randint(0, 255, size=36).astype(np.uint8)
      writer.write(tf.train.Example(features=tf.train.Features(feature={
          'image/encoded': tf.train.Feature(bytes_list=tf.train.BytesList(value=[image.tobytes()])),
          'image/format': tf.train.Feature(bytes_list=tf.train.BytesList(value=[b'raw'])),
          'image/class/label': tf.train.Feature(int64_list=tf.train.Int64List(value=[index % 3])),
      })).SerializeToString())


def get_split(split_name, dataset_dir):
  """A dataset of one split."""
  keys_to_features = {
      'image/encoded': tf.FixedLenFeature((), tf.string, default_value=''),
      'image/format': tf.FixedLenFeature((), tf.string, default_value='raw'),
      'image/class/label': tf.FixedLenFeature(
          [], tf.int64, default_value=tf.zeros([], dtype=tf.int64)),
  }
  items_to_handlers = {
      'image': slim.tfexample_decoder.Image(shape=[6, 6, 1], channels=1),
      'label': slim.tfexample_decoder.Tensor('image/class/label'),
  }
  decoder = slim.tfexample_decoder.TFExampleDecoder(keys_to_features, items_to_handlers)
  return slim.dataset.Dataset(
      data_sources=os.path.join(dataset_dir, 'toy_%s.tfrecord' % split_name),
      reader=tf.TFRecordReader,
      decoder=decoder,
      num_samples=12,
      items_to_descriptions=ITEMS_TO_DESCRIPTIONS,
      num_classes=3)


def load_batch(dataset, batch_size):
  provider = slim.dataset_data_provider.DatasetDataProvider(
      dataset, num_readers=1, shuffle=False, common_queue_capacity=20, common_queue_min=10)
  image, label = provider.get(['image', 'label'])
  image = tf.image.convert_image_dtype(image, tf.float32) - 0.5
  images, labels = tf.train.batch(
      [image, label], batch_size=batch_size, num_threads=1, capacity=2 * batch_size)
  return images, labels


def fixed(shape, dtype=None, partition_info=None):
  return tf.constant(0.3 * np.sin(np.arange(np.prod(shape))).reshape(shape), dtype)


def main(output):
  folder = os.path.dirname(os.path.abspath(output))
  write_records(folder)
  dataset = get_split('train', folder)
  images, labels = load_batch(dataset, 4)
  net = tf.cast(slim.flatten(images), tf.float64)
  logits = slim.fully_connected(net, dataset.num_classes, activation_fn=None,
                                weights_initializer=fixed, scope='logits')
  one_hot = slim.one_hot_encoding(labels, dataset.num_classes)
  tf.losses.softmax_cross_entropy(one_hot, logits)
  total_loss = tf.losses.get_total_loss()
  optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
  train_op = optimizer.minimize(total_loss)

  losses = []
  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    for _ in range(5):
      _, loss = sess.run([train_op, total_loss])
      losses.append(loss)
    coord.request_stop()
    coord.join(threads)
  np.savez(output, losses=losses)


if __name__ == '__main__':
  main(sys.argv[1])

"""A slim network trained on a slim Dataset of TFRecords."""
import os
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import losses as tf1_losses
from tf1_support import optimizers
from tf1_support import slim
from tf1_support import slim_data
from tf1_support import tfexample_decoder


ITEMS_TO_DESCRIPTIONS = {
    'image': 'A 6 x 6 grey image.',
    'label': 'A single integer between 0 and 2.',
}


def write_records(folder):
  rng = np.random.RandomState(6)
  path = os.path.join(folder, 'toy_train.tfrecord')
  with tf.io.TFRecordWriter(path) as writer:
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
      'image/encoded': tf.io.FixedLenFeature((), tf.string, default_value=''),
      'image/format': tf.io.FixedLenFeature((), tf.string, default_value='raw'),
      'image/class/label': tf.io.FixedLenFeature(
          [], tf.int64, default_value=tf.zeros([], dtype=tf.int64)),
  }
  items_to_handlers = {
      'image': tfexample_decoder.Image(shape=[6, 6, 1], channels=1),
      'label': tfexample_decoder.Tensor('image/class/label'),
  }
  decoder = tfexample_decoder.TFExampleDecoder(keys_to_features, items_to_handlers)
  return slim_data.Dataset(
      data_sources=os.path.join(dataset_dir, 'toy_%s.tfrecord' % split_name),
      reader=tf.data.TFRecordDataset,
      decoder=decoder,
      num_samples=12,
      items_to_descriptions=ITEMS_TO_DESCRIPTIONS,
      num_classes=3)


def load_batch(dataset, batch_size):
  provider = slim_data.DatasetDataProvider(
      dataset, num_readers=1, shuffle=False, common_queue_capacity=20, common_queue_min=10)
  examples = provider.examples.map(lambda example: (example['image'], example['label']))

  def prepare(image, label):
    image = tf.image.convert_image_dtype(image, tf.float32) - 0.5
    return image, label

  examples = examples.map(prepare)
  examples = examples.batch(batch_size, drop_remainder=True).prefetch(1)
  return examples


def fixed(shape, dtype=None, partition_info=None):
  return tf.constant(0.3 * np.sin(np.arange(np.prod(shape))).reshape(shape), dtype)


def main(output):
  folder = os.path.dirname(os.path.abspath(output))
  write_records(folder)
  dataset = get_split('train', folder)
  train_dataset = load_batch(dataset, 4)
  batches = iter(train_dataset)
  optimizer = optimizers.MomentumOptimizer(0.1, 0.9)
  store = scopes.current_store()

  @tf.function(input_signature=train_dataset.element_spec)
  def train_step(images, labels):
    """One training step; returns total_loss."""
    with store.run(), tf.GradientTape() as tape:
      net = tf.cast(slim.flatten(images), tf.float64)
      logits = slim.fully_connected(net, dataset.num_classes, activation_fn=None,
                                    weights_initializer=fixed, scope='logits')
      one_hot = slim.one_hot_encoding(labels, dataset.num_classes)
      tf1_losses.softmax_cross_entropy(one_hot, logits)
      total_loss = tf1_losses.get_total_loss()
    variables = store.trainable_variables
    gradients = tape.gradient(total_loss, variables)
    optimizer.apply_gradients(zip(gradients, variables))
    return total_loss

  losses = []
  for _ in range(5):
    loss = train_step(*next(batches)).numpy()
    losses.append(loss)
  np.savez(output, losses=losses)


if __name__ == '__main__':
  main(sys.argv[1])

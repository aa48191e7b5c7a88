"""slim's way to train a classifier of records: a provider, batches, a prefetch queue, and clones that take from it."""
import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.contrib.slim.python.slim.data import parallel_reader

slim = tf.contrib.slim
CLONES = 2


def write_records(path, indices):
    with tf.python_io.TFRecordWriter(path) as writer:
        for index in indices:
            rng = np.random.RandomState(index)
            image = rng.randint(0, 255, size=(6, 6, 1)).astype(np.uint8)
            features = {
                'image/encoded': tf.train.Feature(bytes_list=tf.train.BytesList(value=[image.tobytes()])),
                'image/format': tf.train.Feature(bytes_list=tf.train.BytesList(value=[b'raw'])),
                'image/class/label': tf.train.Feature(int64_list=tf.train.Int64List(value=[index % 3])),
            }
            writer.write(tf.train.Example(
                features=tf.train.Features(feature=features)).SerializeToString())


def get_dataset(path):
    decoder = slim.tfexample_decoder.TFExampleDecoder(
        {'image/encoded': tf.FixedLenFeature((), tf.string, default_value=''),
         'image/format': tf.FixedLenFeature((), tf.string, default_value='raw'),
         'image/class/label': tf.FixedLenFeature([], tf.int64, default_value=tf.zeros([], tf.int64))},
        {'image': slim.tfexample_decoder.Image(shape=[6, 6, 1], channels=1),
         'label': slim.tfexample_decoder.Tensor('image/class/label')})
    return slim.dataset.Dataset(
        data_sources=path, reader=tf.TFRecordReader, decoder=decoder, num_samples=10,
        items_to_descriptions={'image': 'grey', 'label': 'one of three'}, num_classes=3)


def network(images):
    with slim.arg_scope([slim.conv2d, slim.fully_connected],
                        weights_initializer=tf.constant_initializer(0.02),
                        weights_regularizer=slim.l2_regularizer(0.01)):
        net = slim.conv2d(images, 4, [3, 3], scope='conv1')
        net = slim.max_pool2d(net, [2, 2], scope='pool1')
        return slim.fully_connected(
            slim.flatten(net), 3, activation_fn=None, scope='logits',
            biases_initializer=tf.constant_initializer([0.1, 0.0, -0.1]))


def get_preprocessing(name):
    def preprocess(image, size):
        image = tf.image.convert_image_dtype(image, tf.float32) - 0.5
        tf.summary.image('prepared', tf.expand_dims(image, 0))
        return tf.image.resize_image_with_crop_or_pad(image, size, size)

    return {'centred': preprocess}[name]


def clone_fn(batch_queue):
    images, labels = batch_queue.dequeue()
    logits = network(images)
    slim.losses.softmax_cross_entropy(logits, labels)
    return logits


def sum_clones_gradients(clone_grads):
    total = []
    for grad_and_vars in zip(*clone_grads):
        grads = [g for g, _ in grad_and_vars if g is not None]
        variable = grad_and_vars[0][1]
        total.append((tf.add_n(grads, name=variable.op.name + '/sum_grads'), variable))
    return total


def train(path, folder):
    with tf.Graph().as_default():
        with tf.device('/device:CPU:0'):
            global_step = slim.create_global_step()
        dataset = get_dataset(path)
        with tf.device('/device:CPU:0'):
            provider = slim.dataset_data_provider.DatasetDataProvider(
                dataset, num_readers=1, shuffle=False,
                common_queue_capacity=20, common_queue_min=10)
            [image, label] = provider.get(['image', 'label'])
            label -= 0
            preprocess = get_preprocessing('centred')
            image = preprocess(image, 6)
            images, labels = tf.train.batch(
                [image, label], batch_size=2, num_threads=1, capacity=10)
            labels = slim.one_hot_encoding(labels, dataset.num_classes)
            batch_queue = slim.prefetch_queue.prefetch_queue(
                [images, labels], capacity=2 * CLONES)
        summaries = set(tf.get_collection(tf.GraphKeys.SUMMARIES))

        optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
        gradients, losses = [], []
        for i in range(CLONES):
            with tf.variable_scope(tf.get_variable_scope(), reuse=True if i else None):
                with tf.name_scope('clone_%d' % i) as scope:
                    clone_fn(batch_queue)
                    loss = tf.add_n(tf.get_collection(tf.GraphKeys.LOSSES, scope)) / CLONES
                    if not i:
                        loss += tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
                    losses.append(loss)
                    gradients.append(optimizer.compute_gradients(loss))
        total_loss = tf.add_n(losses, name='total_loss')
        summaries.add(tf.summary.scalar('total_loss', total_loss))
        for loss in tf.get_collection(tf.GraphKeys.LOSSES, 'clone_0'):
            summaries.add(tf.summary.scalar('losses/%s' % loss.op.name, loss))
        penalty = slim.l2_regularizer(0.5)(slim.get_model_variables()[0])
        summaries.add(tf.summary.scalar(penalty.op.name, penalty))
        for variable in slim.get_model_variables():
            summaries.add(tf.summary.histogram(variable.op.name, variable))
        update = optimizer.apply_gradients(sum_clones_gradients(gradients), global_step=global_step)
        with tf.control_dependencies([update]):
            train_tensor = tf.identity(total_loss, name='train_op')
        summary_op = tf.summary.merge(list(summaries), name='summary_op')
        return slim.learning.train(
            train_tensor, logdir=folder, number_of_steps=6, log_every_n_steps=3,
            summary_op=summary_op, save_summaries_secs=300, save_interval_secs=600)


def read(path):
    """The records of one epoch, as named batches that come out of a padding queue."""
    with tf.Graph().as_default():
        key, record = parallel_reader.single_pass_read(path, reader_class=tf.TFRecordReader)
        found = tf.parse_single_example(record, {'image/class/label': tf.FixedLenFeature([], tf.int64)})
        label = found['image/class/label']
        queue = slim.prefetch_queue.prefetch_queue(
            {'label': tf.fill([label + 1], label), 'key': key}, dynamic_pad=True)
        batch = queue.dequeue()
        rows, names = [], []
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            try:
                while not coord.should_stop():
                    row, name = sess.run([batch['label'], batch['key']])
                    rows.append(row)
                    names.append(name.decode().rpartition(':')[2])
            except tf.errors.OutOfRangeError:
                pass
            coord.request_stop()
            coord.join(threads)
        return np.concatenate(rows), [len(row) for row in rows]


def main(output):
    folder = os.path.dirname(os.path.abspath(output))
    path = os.path.join(folder, 'toy_train.tfrecord')
    write_records(path, [1] * 10)  # all the same: the thread that writes summaries takes some when it likes
    logdir = os.path.join(folder, 'train')
    final = train(path, logdir)
    reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(logdir))
    values = {name.replace('/', '.'): reader.get_tensor(name)
              for name in reader.get_variable_to_shape_map() if name != 'global_step'}
    write_records(path, range(10))
    labels, lengths = read(path)
    events = sorted(tf.gfile.Glob(os.path.join(logdir, 'events*')))
    tags = {value.tag for event in tf.train.summary_iterator(events[-1])
            for value in event.summary.value}
    np.savez(output, final=final, 
             tags=sorted(tag for tag in tags if 'global_step' not in tag and 'parallel_read' not in tag), names=sorted(reader.get_variable_to_shape_map()),
             labels=labels, lengths=lengths, **values)


if __name__ == '__main__':
    main(sys.argv[1])

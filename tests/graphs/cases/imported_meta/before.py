"""A meta graph is imported, with collections, and training goes on in it; it is saved once more."""
import os
import sys

import numpy as np
import tensorflow as tf


def first(folder, data, labels):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3], name='x')
        y = tf.placeholder(tf.float32, [None], name='y')
        w = tf.get_variable('layer/w', initializer=tf.constant([[0.1], [0.2], [-0.4]]))
        step = tf.train.get_or_create_global_step()
        prediction = tf.squeeze(tf.matmul(x, w), 1, name='prediction')
        loss = tf.reduce_mean(tf.square(prediction - y), name='loss')
        train = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=step, name='train')
        tf.add_to_collection('inputs', x)
        tf.add_to_collection('inputs', y)
        tf.add_to_collection('train_op', train)
        tf.add_to_collection('size', 3)
        saver = tf.train.Saver(max_to_keep=2)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                sess.run(train, {x: data, y: labels})
            return saver.save(sess, os.path.join(folder, 'model'), global_step=step)


class Restored(object):

    def __init__(self, path):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.saver = tf.train.import_meta_graph(path + '.meta', clear_devices=True)
            self.x, self.y = tf.get_collection('inputs')
            self.train = tf.get_collection('train_op')[0]
            self.prediction = self.graph.get_tensor_by_name('prediction:0')
            self.clipped = tf.clip_by_value(self.prediction, -0.1, 0.1)
            self.size = tf.get_collection('size')
            self.sess = tf.Session(graph=self.graph)
            self.saver.restore(self.sess, path)

    def fit(self, data, labels):
        self.sess.run(self.train, feed_dict={self.x: data, self.y: labels})
        return self.sess.run(['loss:0', self.graph.get_tensor_by_name('global_step:0')],
                             feed_dict={self.x: data, self.y: labels})

    def predict(self, data):
        return self.sess.run([self.prediction, self.clipped], feed_dict={self.x: data})


def main(output):
    folder = os.path.dirname(os.path.abspath(output))
    rng = np.random.RandomState(5)
    data, labels = rng.rand(6, 3).astype(np.float32), rng.rand(6).astype(np.float32)
    path = first(folder, data, labels)
    restored = Restored(path)
    losses = [restored.fit(data, labels) for _ in range(2)]
    prediction, clipped = restored.predict(data)
    with restored.graph.as_default():
        names = [v.name for v in tf.trainable_variables()]
        again = restored.saver.save(restored.sess, os.path.join(folder, 'again'))
    values = tf.train.load_checkpoint(again)
    np.savez(output, losses=losses, prediction=prediction, clipped=clipped, size=restored.size,
             names=names, saved=sorted(values.get_variable_to_shape_map()),
             w=values.get_tensor('layer/w'), meta=os.path.exists(again + '.meta'))


if __name__ == '__main__':
    main(sys.argv[1])

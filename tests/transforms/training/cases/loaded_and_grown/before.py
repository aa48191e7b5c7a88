"""An object that loads a frozen graph into the default graph and builds more behind it."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf


def freeze(path):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 6, 6, 3], name='image')
        kernel = tf.constant(np.random.RandomState(0).rand(3, 3, 3, 4).astype('float32') - 0.5)
        tf.identity(tf.nn.conv2d(x, kernel, [1, 1, 1, 1], 'SAME'), name='net/stage')
        with tf.gfile.GFile(path, 'wb') as f:
            f.write(graph.as_graph_def().SerializeToString())


class Estimator(object):

    def __init__(self, path, size=(6, 6)):
        self.size = size
        with tf.gfile.GFile(path, 'rb') as f:
            graph_def = tf.GraphDef()
            graph_def.ParseFromString(f.read())
        self.graph = tf.get_default_graph()
        tf.import_graph_def(graph_def, name='Estimator')
        self.session = tf.Session(graph=self.graph)
        self.image = self.graph.get_tensor_by_name('Estimator/image:0')
        self.output = self.graph.get_tensor_by_name('Estimator/net/stage:0')
        self.upsample = tf.placeholder(tf.int32, (2,), name='upsample')
        self.heat = tf.image.resize_area(self.output[:, :, :, :2], self.upsample)
        self.field = tf.image.resize_area(self.output[:, :, :, 2:], self.upsample)

    def inference(self, image, scale=1.0):
        size = [int(self.size[1] * scale), int(self.size[0] * scale)]
        return self.session.run(
            [self.heat, self.field], feed_dict={self.image: [image], self.upsample: size})


if __name__ == '__main__':
    frozen = os.path.join(tempfile.mkdtemp(), 'frozen.pb')
    freeze(frozen)
    estimator = Estimator(frozen)
    heat, field = estimator.inference(np.random.RandomState(1).rand(6, 6, 3), 2.0)
    np.savez(sys.argv[1], heat=heat, field=field)

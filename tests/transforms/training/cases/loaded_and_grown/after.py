"""An object that loads a frozen graph into the default graph and builds more behind it."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import graph_pb2
from tf1_support import graphs
from tf1_support import image as tf1_image
from tf1_support import sessions


def freeze(path):
    with graphs.Graph().as_default() as graph:
        x = graphs.placeholder(tf.float32, [None, 6, 6, 3], name='image')
        kernel = tf.constant(np.random.RandomState(0).rand(3, 3, 3, 4).astype('float32') - 0.5)
        tf.identity(tf.nn.conv2d(x, kernel, [1, 1, 1, 1], 'SAME'), name='net/stage')
        with tf.io.gfile.GFile(path, 'wb') as f:
            f.write(graph.as_graph_def().SerializeToString())


@graphs.building
class Estimator(object):

    def __init__(self, path, size=(6, 6)):
        self.size = size
        with tf.io.gfile.GFile(path, 'rb') as f:
            graph_def = graph_pb2.GraphDef()
            graph_def.ParseFromString(f.read())
        self.graph = graphs.default_graph()
        tf.import_graph_def(graph_def, name='Estimator')
        self.session = sessions.Session(graph=self.graph)
        self.image = self.graph.get_tensor_by_name('Estimator/image:0')
        self.output = self.graph.get_tensor_by_name('Estimator/net/stage:0')
        self.upsample = graphs.placeholder(tf.int32, (2,), name='upsample')
        self.heat = tf1_image.resize_area(self.output[:, :, :, :2], self.upsample)
        self.field = tf1_image.resize_area(self.output[:, :, :, 2:], self.upsample)

    def inference(self, image, scale=1.0):
        size = [int(self.size[1] * scale), int(self.size[0] * scale)]
        compute_heat_and_field = graphs.function(
            [self.image, self.upsample],
            [self.heat, self.field])
        return compute_heat_and_field([image], size)


if __name__ == '__main__':
    frozen = os.path.join(tempfile.mkdtemp(), 'frozen.pb')
    freeze(frozen)
    estimator = Estimator(frozen)
    heat, field = estimator.inference(np.random.RandomState(1).rand(6, 6, 3), 2.0)
    np.savez(sys.argv[1], heat=heat, field=field)

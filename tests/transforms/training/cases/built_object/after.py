"""A pretrained network as an object: its method `build` makes the graph, its attributes are run."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes


class Vgg:
    def __init__(self, weights):
        self.data_dict = weights
        self.layers = []

    def build(self, rgb):
        """Load the variables to build the network; rgb is [batch, height, width, 3]."""
        self.conv1 = self.conv_layer(rgb, 'conv1')
        self.pool1 = tf.reduce_mean(self.conv1, [1, 2])
        self.fc = tf.matmul(self.pool1, tf.constant(self.data_dict['fc']))
        self.prob = tf.nn.softmax(self.fc, name='prob')

    def conv_layer(self, bottom, name):
        with scopes.variable_scope(name):
            kernel = tf.constant(self.data_dict[name], name='filter')
            conv = tf.nn.relu(tf.nn.conv2d(bottom, kernel, [1, 1, 1, 1], padding='SAME'))
        self.layers.append(conv)
        return conv

    def activity(self):
        return tf.add_n([tf.reduce_sum(layer) for layer in self.layers])


def main(output):
    rng = np.random.RandomState(0)
    weights = {'conv1': rng.uniform(-1, 1, (3, 3, 3, 4)), 'fc': rng.uniform(-1, 1, (4, 5))}
    batch = rng.uniform(size=(2, 6, 6, 3))
    feed_dict = {'images': batch}

    def forward(images):
        """Computes vgg for the steps."""
        vgg = Vgg(weights)
        with tf.name_scope('content_vgg'):
            vgg.build(images)
        return vgg

    @tf.function(input_signature=[tf.TensorSpec([2, 6, 6, 3], tf.float64)])
    def predict(images):
        """Computes vgg.prob.

        Args:
            images: float64 [2, 6, 6, 3]
        """
        vgg = forward(images)
        return vgg.prob

    @tf.function(input_signature=[tf.TensorSpec([2, 6, 6, 3], tf.float64)])
    def compute_pool1(images):
        """Computes vgg.pool1.

        Args:
            images: float64 [2, 6, 6, 3]
        """
        vgg = forward(images)
        return vgg.pool1

    @tf.function(input_signature=[tf.TensorSpec([2, 6, 6, 3], tf.float64)])
    def compute_activity(images):
        """Computes activity.

        Args:
            images: float64 [2, 6, 6, 3]
        """
        vgg = forward(images)
        return vgg.activity()

    prob = predict(**feed_dict).numpy()
    pool = compute_pool1(**feed_dict).numpy()
    total = compute_activity(**feed_dict).numpy()
    np.savez(output, prob=prob, pool=pool, total=total)


if __name__ == '__main__':
    main(sys.argv[1])

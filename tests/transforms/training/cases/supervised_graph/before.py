"""A model with a graph of its own, which a supervisor trains elsewhere."""
import sys
import tempfile

import numpy as np
import tensorflow as tf


class Net(object):

    def __init__(self):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float64, [None, 3], name='x')
            weight = tf.get_variable('weight', initializer=np.linspace(-1.0, 1.0, 3))
            self.loss = tf.reduce_mean(tf.square(tf.reduce_sum(self.x * weight, 1)), name='loss')
            self.step = tf.Variable(0, name='global_step', trainable=False)
            self.train_op = tf.train.AdamOptimizer(0.1).minimize(self.loss, global_step=self.step)


def main(output):
    net = Net()
    rng = np.random.RandomState(1)
    supervisor = tf.train.Supervisor(graph=net.graph, logdir=tempfile.mkdtemp(), summary_op=None,
                                     save_model_secs=0)
    losses = []
    with supervisor.managed_session() as sess:
        loss = sess.graph.get_tensor_by_name('loss:0')
        while not supervisor.should_stop():
            _, value, step = sess.run([net.train_op, loss, net.step],
                                      feed_dict={net.x: rng.normal(size=(4, 3))})
            losses.append(value)
            if len(losses) == 3:
                supervisor.request_stop()
        steps = sess.run(net.step)
    np.savez(output, losses=losses, steps=steps)


if __name__ == '__main__':
    main(sys.argv[1])

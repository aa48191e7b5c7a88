import tensorflow as tf


class Net(object):
    def __init__(self, width):
        self.x = tf.placeholder(tf.float32, [None, width])
        self.w = tf.get_variable('w', [width, 1], initializer=tf.ones_initializer())
        self.y = tf.matmul(self.x, self.w)
        self.loss = tf.reduce_mean(tf.square(self.y - 1.0))
        self.step = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)


def fit(net, inputs, steps):
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return [session.run([net.loss, net.step], {net.x: inputs})[0] for _ in range(steps)]

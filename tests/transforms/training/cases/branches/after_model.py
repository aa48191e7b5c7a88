"""Networks whose updates happen in branches; nothing here says that a session runs them."""
import tensorflow as tf
from tf1_support import initializers
from tf1_support import moving_averages
from tf1_support import optimizers
from tf1_support import scopes


def _loss(x, scope='net'):
    with scopes.variable_scope(scope):
        w = scopes.get_variable('w', [3, 2], tf.float64, initializers.constant_initializer(0.5, tf.float64))
    return tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0)), w


def warm_up(x, step):
    """One optimizer at first, another one later, both in a scope of their own."""
    loss, _ = _loss(x)
    with scopes.variable_scope('train'):
        first = optimizers.AdamOptimizer(0.1)
        later = optimizers.MomentumOptimizer(0.05, 0.9)
        gradients = first.compute_gradients(loss)
        train_op = tf.cond(tf.less(step, 2), lambda: first.apply_gradients(gradients, step),
                           lambda: later.apply_gradients(gradients, step))
    return train_op, loss


def averaged(x, step):
    """Moments that are averaged while training, and read later."""
    average = moving_averages.ExponentialMovingAverage(0.5)
    mean, variance = tf.nn.moments(x, [0])

    def update():
        with tf.control_dependencies([average.apply([mean, variance])]):
            return tf.identity(mean), tf.identity(variance)

    mean_now, variance_now = tf.cond(
        tf.less(step, 2), update, lambda: (average.average(mean), average.average(variance)))
    loss, w = _loss((x - mean_now) * tf.math.rsqrt(variance_now + 1e-3))
    rate = tf.cond(tf.less(step, 1), lambda: tf.constant(0.1), lambda: tf.constant(0.02))
    with scopes.variable_scope('shadow'):
        shadow = moving_averages.ExponentialMovingAverage(0.9)
        train_op = optimizers.RMSPropOptimizer(rate).minimize(loss, global_step=step)
        with tf.control_dependencies([train_op]):
            train_op = shadow.apply([w])
    return train_op, loss


def looped(x, step):
    """Variables that branches make, read in a loop."""
    def one():
        return _loss(x, 'one')[0]

    def two():
        return _loss(x * 2.0, 'two')[0]

    loss = tf.cond(tf.less(step, 2), one, two)
    _, total = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t + loss),
                             [tf.constant(0), tf.zeros([], tf.float64)])
    return optimizers.AdagradOptimizer(0.1).minimize(total, global_step=step), total

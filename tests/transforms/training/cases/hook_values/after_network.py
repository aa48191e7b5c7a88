import tensorflow as tf
from tf1_support import initializers
from tf1_support import moving_averages
from tf1_support import optimizers
from tf1_support import schedules
from tf1_support import scopes


def inputs(images, labels):
    data = tf.data.Dataset.from_tensor_slices((images, labels)).repeat().batch(3)
    return data


def inference(images):
    with scopes.variable_scope('softmax_linear') as scope:
        weights = scopes.get_variable('weights', [4, 3], dtype=tf.float64,
                                      initializer=initializers.constant_initializer(0.1))
        biases = scopes.get_variable('biases', [3], dtype=tf.float64,
                                     initializer=initializers.constant_initializer(0.0))
        decay = tf.multiply(tf.nn.l2_loss(weights), 0.04, name='weight_loss')
        scopes.add_to_collection('losses', decay)
        return tf.add(tf.matmul(images, weights), biases, name=scope.name)


def loss(logits, labels):
    cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    scopes.add_to_collection('losses', tf.reduce_mean(cross_entropy, name='cross_entropy'))
    return tf.add_n(scopes.get_collection('losses'), name='total_loss')


def train(total_loss, global_step):
    """Trains under the moving averages of the losses; keeps averages of all variables."""
    rate = schedules.exponential_decay(0.1, global_step, 2, 0.5, staircase=True)
    loss_averages = moving_averages.ExponentialMovingAverage(0.9, name='avg')
    loss_averages_op = loss_averages.apply(scopes.get_collection('losses') + [total_loss])
    with tf.control_dependencies([loss_averages_op]):
        opt = optimizers.AdamOptimizer(rate)
        grads = opt.compute_gradients(total_loss)
    apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)
    variable_averages = moving_averages.ExponentialMovingAverage(0.9999, global_step)
    with tf.control_dependencies([apply_gradient_op]):
        return variable_averages.apply(scopes.trainable_variables())

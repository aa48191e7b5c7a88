"""slim.learning.train."""
import sys, tempfile
import tensorflow as tf
slim = tf.contrib.slim

def main(_):
    x = tf.constant([[1.0, 2.0]])
    y = slim.fully_connected(x, 1, activation_fn=None, weights_initializer=tf.constant_initializer(0.1))
    tf.losses.mean_squared_error(tf.constant([[1.0]]), y)
    total = tf.losses.get_total_loss()
    train_op = slim.learning.create_train_op(total, tf.train.GradientDescentOptimizer(0.01))
    gpu_options = tf.GPUOptions(per_process_gpu_memory_fraction=0.7)
    config = tf.ConfigProto(log_device_placement=False, gpu_options=gpu_options)
    print(slim.learning.train(train_op, tempfile.mkdtemp(), number_of_steps=3, session_config=config))

if __name__ == '__main__':
    tf.app.run()

"""A session kept (fetches of strings); two configurations in two functions."""
import sys
import tensorflow as tf
def a(names):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None], name='x')
        y = tf.multiply(x, 7.0, name='y')
        config = tf.ConfigProto(allow_soft_placement=True)
        config.gpu_options.allow_growth = True
        config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1
        with tf.Session(config=config) as sess:
            return sess.run(names, {'x:0': [1.0]})
def b():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None], name='x')
        y = x + 1.0
        with tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.333))) as sess:
            return sess.run(y, {x: [1.0]})
if __name__ == '__main__':
    print(a(sys.argv[1:] or ['y:0']), b())

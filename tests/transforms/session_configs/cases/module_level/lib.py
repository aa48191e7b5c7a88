"""Module level, taken in functions; imported by another program."""
import tensorflow as tf

CONFIG = tf.ConfigProto(allow_soft_placement=True, inter_op_parallelism_threads=2)
CONFIG.gpu_options.allow_growth = True

def predict(v):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        y = x - 1.0
        with tf.Session(config=CONFIG) as sess:
            return sess.run(y, {x: v})

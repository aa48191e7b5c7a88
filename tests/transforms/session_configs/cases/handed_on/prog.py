import tensorflow as tf
from util import run
config = tf.ConfigProto()
config.gpu_options.allow_growth = True
x = tf.placeholder(tf.float32, [None])
y = x * 7.0
sess = tf.Session(config=config)
print(sess.run(y, {x: [1.0]}))
print(run(config))

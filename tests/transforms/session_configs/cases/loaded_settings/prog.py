"""Yaml settings loaded by a function of the program before the session; growth out of them."""
import tensorflow as tf
import conf
def main():
    conf.load()
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = conf.cfg['grow']
    config.gpu_options.per_process_gpu_memory_fraction = conf.cfg['share']
    x = tf.placeholder(tf.float32, [None])
    y = x * 7.0
    with tf.Session(config=config) as sess:
        print(sess.run(y, {x: [1.0]}))
if __name__ == '__main__':
    main()

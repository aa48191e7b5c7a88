import tensorflow as tf
def run(config, share=0.5):
    config.gpu_options.per_process_gpu_memory_fraction = share
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        y = x * 2.0
        with tf.Session(config=config) as sess:
            return sess.run(y, {x: [1.0]})

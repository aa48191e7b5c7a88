"""An attribute, made in the constructor, taken in another method."""
import tensorflow as tf

class Runner(object):
    def __init__(self, share):
        self.config = tf.ConfigProto(allow_soft_placement=True)
        self.config.gpu_options.per_process_gpu_memory_fraction = share
        self.sess = None

    def run(self, value):
        x = tf.placeholder(tf.float32, [None])
        y = x + 1.0
        with tf.Session(config=self.config) as sess:
            return sess.run(y, feed_dict={x: value})

def main():
    print(Runner(0.5).run([1.0]))

if __name__ == '__main__':
    main()

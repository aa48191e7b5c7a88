import os, sys
import tensorflow as tf
def set_gpu(n):
    os.environ['CUDA_VISIBLE_DEVICES'] = n
class Tester(object):
    config = tf.ConfigProto()
    def __init__(self, frac):
        self.config.gpu_options.per_process_gpu_memory_fraction = frac
    def run(self):
        x = tf.placeholder(tf.float32, [None])
        sess = tf.Session(config=self.config)
        return sess.run(x * 5.0, {x: [1.0]})
def evaluate(grow):
    set_gpu('1')
    x = tf.placeholder(tf.float32, [None])
    y = x * 7.0
    if grow:
        cfg = tf.ConfigProto(gpu_options={'allow_growth': True})
        with tf.Session(config=cfg) as sess:
            return sess.run(y, {x: [1.0]})
    else:
        with tf.Session(config=tf.ConfigProto(device_count={'GPU': 0})) as sess:
            return sess.run(y, {x: [1.0]})
def main():
    print(evaluate(True), Tester(0.3).run())
if __name__ == '__main__':
    main()

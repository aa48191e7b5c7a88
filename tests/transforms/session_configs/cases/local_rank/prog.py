import argparse
import tensorflow as tf
class hvd(object):
    ready = False
    @classmethod
    def init(cls): cls.ready = True
    @classmethod
    def local_rank(cls):
        assert cls.ready
        return 0
def main(args):
    hvd.init()
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = args.grow
    config.gpu_options.visible_device_list = str(hvd.local_rank())
    x = tf.placeholder(tf.float32, [None])
    y = x * 7.0
    sess = tf.Session(config=config)
    print(sess.run(y, {x: [1.0]}))
if __name__ == '__main__':
    p = argparse.ArgumentParser()
    p.add_argument('--grow', action='store_true')
    main(p.parse_args(['--grow']))

"""A parameter with a default; the caller makes it."""
import tensorflow as tf

class Net(object):
    def __init__(self, config=None):
        self.x = tf.placeholder(tf.float32, [None])
        self.y = self.x * 3.0
        self.sess = tf.Session(config=config)

    def __call__(self, v):
        return self.sess.run(self.y, {self.x: v})

def main():
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    config.gpu_options.visible_device_list = '1'
    net = Net(config=config)
    print(net([2.0]))

if __name__ == '__main__':
    main()

"""dict(**cfg), as darkflow."""
import tensorflow as tf

class Net(object):
    def __init__(self, utility):
        self.x = tf.placeholder(tf.float32, [None])
        self.y = self.x * 3.0
        self.setup(utility)

    def setup(self, utility):
        cfg = dict({'allow_soft_placement': False, 'log_device_placement': False})
        if utility > 0:
            cfg['gpu_options'] = tf.GPUOptions(per_process_gpu_memory_fraction=utility)
            cfg['allow_soft_placement'] = True
        else:
            cfg['device_count'] = {'GPU': 0}
        self.sess = tf.Session(config=tf.ConfigProto(**cfg))

    def predict(self, v):
        return self.sess.run(self.y, {self.x: v})

def main():
    print(Net(0.6).predict([1.0]))

if __name__ == '__main__':
    main()

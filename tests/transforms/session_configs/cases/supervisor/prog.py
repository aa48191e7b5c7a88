"""Supervisor and MonitoredTrainingSession."""
import tempfile
import tensorflow as tf

def main():
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        w = tf.get_variable('w', initializer=1.0)
        op = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(w), global_step=step)
        config = tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True, visible_device_list='0,1'))
        sv = tf.train.Supervisor(logdir=tempfile.mkdtemp(), global_step=step)
        with sv.managed_session(config=config) as sess:
            for _ in range(3):
                sess.run(op)
            print(sess.run(w))

if __name__ == '__main__':
    main()

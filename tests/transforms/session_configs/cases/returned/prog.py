"""Returned by a function, with flags."""
import tensorflow as tf
flags = tf.app.flags
flags.DEFINE_float('share', 0.25, '')
flags.DEFINE_boolean('log', False, '')
FLAGS = flags.FLAGS

def session_config():
    if FLAGS.share > 0:
        options = tf.GPUOptions(per_process_gpu_memory_fraction=FLAGS.share)
    else:
        options = tf.GPUOptions(allow_growth=True)
    return tf.ConfigProto(gpu_options=options, allow_soft_placement=True, log_device_placement=FLAGS.log)

def run():
    x = tf.placeholder(tf.float32, [None])
    y = x * 2.0
    with tf.Session(config=session_config()) as sess:
        return sess.run(y, {x: [1.0]})

def main(_):
    print(run())

if __name__ == '__main__':
    tf.app.run()

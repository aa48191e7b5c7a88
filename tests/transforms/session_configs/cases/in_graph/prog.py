import tensorflow as tf
tf.flags.DEFINE_boolean("soft", True, "")
tf.flags.DEFINE_boolean("log", False, "")
FLAGS = tf.flags.FLAGS
def train():
    with tf.Graph().as_default():
        session_conf = tf.ConfigProto(
          allow_soft_placement=FLAGS.soft,
          log_device_placement=FLAGS.log)
        sess = tf.Session(config=session_conf)
        with sess.as_default():
            w = tf.get_variable('w', initializer=2.0)
            x = tf.placeholder(tf.float32, [None])
            y = x * w
            sess.run(tf.global_variables_initializer())
            print(sess.run(y, {x: [1.0]}))
def main(argv=None):
    train()
if __name__ == '__main__':
    tf.app.run()

import tensorflow as tf

import net


class NetTest(tf.test.TestCase):

  def test_shapes(self):
    with tf.Graph().as_default():
      result = net.network(tf.zeros([2, 8, 8, 2]))
      self.assertEqual(result['logits'].shape.as_list(), [2, 3])

  def test_zero_logits(self):
    with tf.Graph().as_default():
      result = net.network(tf.zeros([2, 8, 8, 2]), is_training=False)
      with self.session() as sess:
        sess.run(tf.global_variables_initializer())
        self.assertAllEqual(sess.run(result['logits']), [[0.0] * 3] * 2)

  def test_fails_before_and_after(self):
    self.assertEqual(1, 2)


if __name__ == '__main__':
  tf.test.main()

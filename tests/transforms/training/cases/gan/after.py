"""Two networks against each other: a class that is given its session, helpers beside it."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import gpu
from tf1_support import scopes
from tf1_support import initializers
from tf1_support import optimizers
from tf1_support import slim

STEPS = 3


def dense(inputs, units, scope, seed):
  """A fully connected layer with fixed first weights."""
  size = inputs.get_shape().as_list()[1]
  first = np.random.RandomState(seed).normal(0, 0.3, [size, units])
  with scopes.variable_scope(scope):
    kernel = scopes.get_variable('kernel', [size, units], tf.float64,
                             initializer=initializers.constant_initializer(first))
    offset = scopes.get_variable('offset', [units], tf.float64,
                             initializer=initializers.constant_initializer(0.0))
    return tf.matmul(inputs, kernel) + offset


class Normalised(object):
  """Batch normalisation that updates its statistics at once."""

  def __init__(self, name):
    self.name = name

  def __call__(self, inputs, training=True):
    return slim.batch_norm(inputs, decay=0.9, updates_collections=None, fused=False,
                                        scale=True, is_training=training, scope=self.name)


class Gan(object):

  def __init__(self, noise=4, size=6, batch=5):
    self._store = scopes.current_store()
    self.noise = noise
    self.size = size
    self.batch = batch
    self.norm = Normalised('gen_norm')

  def _generate(self, z):
    with scopes.variable_scope('generator'):
      hidden = tf.nn.relu(self.norm(dense(z, 7, 'gen_hidden', 1)))
      return tf.nn.tanh(dense(hidden, self.size, 'gen_out', 2))

  def _sample(self, z):
    with scopes.variable_scope('generator') as scope:
      scope.reuse_variables()
      hidden = tf.nn.relu(self.norm(dense(z, 7, 'gen_hidden', 1), training=False))
      return tf.nn.tanh(dense(hidden, self.size, 'gen_out', 2))

  def _judge(self, inputs, reuse):
    with scopes.variable_scope('critic') as scope:
      if reuse:
        scope.reuse_variables()
      hidden = dense(inputs, 8, 'judge_hidden', 3)
      return dense(tf.maximum(hidden, 0.2 * hidden), 1, 'judge_out', 4)

  def fit(self, steps):
    critic_optimizer = optimizers.AdamOptimizer(0.01, beta1=0.5)
    generator_optimizer = optimizers.AdamOptimizer(0.02, beta1=0.5)

    @tf.function(input_signature=[
        tf.TensorSpec([self.batch, self.size], tf.float64),
        tf.TensorSpec([None, self.noise], tf.float64),
    ])
    def train_critic(real, z):
      """One training step; returns critic_loss.

      Args:
        real: float64 [self.batch, self.size]
        z: float64 [None, self.noise]
      """
      with self._store.run(), tf.GradientTape() as tape:
        made = self._generate(z)
        real_logits = self._judge(real, reuse=False)
        fake_logits = self._judge(made, reuse=True)
        # What the critic is told is real, and what is not.
        loss_real = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
            logits=real_logits, labels=tf.ones_like(real_logits)))
        loss_fake = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
            logits=fake_logits, labels=tf.zeros_like(fake_logits)))
        critic_loss = loss_real + loss_fake
        trained = scopes.trainable_variables()
        critic_vars = [v for v in trained if 'judge' in v.name]
      gradients = tape.gradient(critic_loss, critic_vars)
      critic_optimizer.apply_gradients(zip(gradients, critic_vars))
      return critic_loss

    self._train_critic = train_critic

    @tf.function(input_signature=[tf.TensorSpec([None, self.noise], tf.float64)])
    def train_generator(z):
      """One training step.

      Args:
        z: float64 [None, self.noise]
      """
      with self._store.run(), tf.GradientTape() as tape:
        made = self._generate(z)
        fake_logits = self._judge(made, reuse=True)
        generator_loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
            logits=fake_logits, labels=tf.ones_like(fake_logits)))
        trained = scopes.trainable_variables()
        generator_vars = [v for v in trained if 'gen_' in v.name]
      gradients = tape.gradient(generator_loss, generator_vars)
      generator_optimizer.apply_gradients(zip(gradients, generator_vars))

    self._train_generator = train_generator

    @tf.function(input_signature=[tf.TensorSpec([None, self.noise], tf.float64)])
    def compute_loss_fake(z):
      """Computes loss_fake.

      Args:
        z: float64 [None, self.noise]
      """
      with self._store.run():
        made = self._generate(z)
        fake_logits = self._judge(made, reuse=True)
        loss_fake = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
            logits=fake_logits, labels=tf.zeros_like(fake_logits)))
      return loss_fake

    self._compute_loss_fake = compute_loss_fake

    @tf.function(input_signature=[tf.TensorSpec([None, self.noise], tf.float64)])
    def compute_generator_loss(z):
      """Computes generator_loss.

      Args:
        z: float64 [None, self.noise]
      """
      with self._store.run():
        made = self._generate(z)
        fake_logits = self._judge(made, reuse=True)
        generator_loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
            logits=fake_logits, labels=tf.ones_like(fake_logits)))
      return generator_loss

    self._compute_generator_loss = compute_generator_loss

    @tf.function(input_signature=[tf.TensorSpec([None, self.noise], tf.float64)])
    def predict(z):
      """Computes samples.

      Args:
        z: float64 [None, self.noise]
      """
      with self._store.run():
        samples = self._sample(z)
      return samples

    self._predict = predict

    rng = np.random.RandomState(0)
    history = []
    for _ in range(steps):
      real = rng.uniform(-1, 1, [self.batch, self.size])
      z = rng.uniform(-1, 1, [self.batch, self.noise])
      critic = self._train_critic(real, z).numpy()
      self._train_generator(z)
      fake = self._compute_loss_fake(z).numpy()
      generator = self._compute_generator_loss(z).numpy()
      history.append([critic, fake, generator])
    samples = self._predict(z).numpy()
    return history, samples


def main(output):
  gpu.configure_gpus('growth')
  gan = Gan()
  history, samples = gan.fit(STEPS)
  np.savez(output, history=history, samples=samples)


if __name__ == '__main__':
  main(sys.argv[1])

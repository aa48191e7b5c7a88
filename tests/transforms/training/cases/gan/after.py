"""Two networks against each other: a class that is given its session, helpers beside it."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import gpu
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import optimizers
from tf1_support import scopes
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
    self.noise = noise
    self.size = size
    self.batch = batch
    self.norm = Normalised('gen_norm')
    self._build()

  def _build(self):
    self.real = graphs.placeholder(tf.float64, [self.batch, self.size])
    self.z = graphs.placeholder(tf.float64, [None, self.noise])
    self.made = self._generate(self.z)
    real_logits = self._judge(self.real, reuse=False)
    fake_logits = self._judge(self.made, reuse=True)
    self.samples = self._sample(self.z)
    # What the critic is told is real, and what is not.
    self.loss_real = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
        logits=real_logits, labels=tf.ones_like(real_logits)))
    self.loss_fake = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
        logits=fake_logits, labels=tf.zeros_like(fake_logits)))
    self.critic_loss = self.loss_real + self.loss_fake
    self.generator_loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
        logits=fake_logits, labels=tf.ones_like(fake_logits)))
    trained = scopes.trainable_variables()
    self.critic_vars = [v for v in trained if 'judge' in v.name]
    self.generator_vars = [v for v in trained if 'gen_' in v.name]

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
    critic_step = optimizers.AdamOptimizer(0.01, beta1=0.5).minimize(
        self.critic_loss, var_list=self.critic_vars)
    generator_step = optimizers.AdamOptimizer(0.02, beta1=0.5).minimize(
        self.generator_loss, var_list=self.generator_vars)
    try:
      graphs.run(graphs.global_variables_initializer())
    except AttributeError:
      graphs.run(graphs.global_variables_initializer())
    rng = np.random.RandomState(0)
    history = []
    run_critic_step = graphs.function([self.real, self.z], [critic_step, self.critic_loss])
    run_generator_step = graphs.function([self.z], generator_step)
    compute_loss_fake = graphs.function([self.z], self.loss_fake)
    compute_generator_loss = graphs.function([self.z], self.generator_loss)
    for _ in range(steps):
      real = rng.uniform(-1, 1, [self.batch, self.size])
      z = rng.uniform(-1, 1, [self.batch, self.noise])
      _, critic = run_critic_step(real, z)
      run_generator_step(z)
      fake = compute_loss_fake(z)
      generator = compute_generator_loss(z)
      history.append([critic, fake, generator])
    compute_samples = graphs.function([self.z], self.samples)
    samples = compute_samples(z)
    return history, samples


@graphs.building
def main(output):
  gpu.configure_gpus('growth')
  gan = Gan()
  history, samples = gan.fit(STEPS)
  np.savez(output, history=history, samples=samples)


if __name__ == '__main__':
  main(sys.argv[1])

"""Makes everything in reference/ with TensorFlow 1.15; takes a few minutes on two cores.

  python samples/make_ssd_reference.py

Trains a small detector, freezes it, and records what the programs compute:
forward pass, losses and gradients, three training steps in float64, detections
and the loss curve. All of it runs with resource variables: with the reference
variables that TF1 defaults to, an update may overtake a read, and two runs of
the same program differ.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import tensorflow as tf

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'ssd_mobilenet_v1')
sys.path.insert(0, HERE)

from ssd import anchors as anchor_lib
from ssd import dataset
from ssd import inputs
from ssd import ssd_model

slim = tf.contrib.slim

IMAGE_SIZE = 128
BATCH_SIZE = 4
STEPS = 1500
MODEL = {'num_classes': dataset.NUM_CLASSES, 'depth_multiplier': 0.125}

# Runs a program as __main__, with resource variables.
BOOTSTRAP = ('import runpy, sys; import tensorflow as tf; '
             'tf.enable_resource_variables(); sys.path.insert(0, "."); '
             'sys.argv = sys.argv[1:]; '
             'runpy.run_path(sys.argv[0], run_name="__main__")')


def run(script, **options):
  """Runs one of the programs with the given flags."""
  args = ['--%s=%s' % item for item in sorted(options.items())]
  print('Running', script, ' '.join(args))
  env = dict(os.environ, CUDA_VISIBLE_DEVICES='-1', TF_CPP_MIN_LOG_LEVEL='3')
  process = subprocess.Popen(
      [sys.executable, '-W', 'ignore', '-c', BOOTSTRAP, script] + args,
      cwd=HERE, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
  output = process.communicate()[0].decode('utf-8')
  if process.returncode:
    raise RuntimeError('%s failed:\n%s' % (script, output))
  return output


def loss_curve(train_dir):
  """(step, value) of each loss, from the summaries of a training run."""
  curves = {}
  for path in tf.gfile.Glob(os.path.join(train_dir, 'events.out.tfevents.*')):
    for event in tf.train.summary_iterator(path):
      for value in event.summary.value:
        if value.tag.startswith('losses/'):
          curves.setdefault(value.tag, []).append(
              (event.step, round(value.simple_value, 4)))
  return {tag: sorted(points) for tag, points in curves.items()}


def write_checkpoint(path, values):
  """Writes arrays as a TF1 checkpoint, by variable name."""
  with tf.Graph().as_default(), tf.Session() as sess:
    variables = [tf.get_variable(name, initializer=value)
                 for name, value in sorted(values.items())]
    sess.run(tf.global_variables_initializer())
    tf.train.Saver(variables).save(sess, path, write_meta_graph=False,
                                   write_state=False)


def read_checkpoint(path):
  reader = tf.train.NewCheckpointReader(path)
  return {name: reader.get_tensor(name)
          for name in reader.get_variable_to_shape_map()}


def is_slot(name):
  return any(part.startswith('RMSProp') for part in name.split('/'))


def is_average(name):
  return name.endswith('/ExponentialMovingAverage')


def initial_weights():
  """The model's variables after initialisation, in float64."""
  with tf.Graph().as_default(), tf.Session() as sess:
    tf.set_random_seed(20)
    images = tf.placeholder(tf.float64, [1, IMAGE_SIZE, IMAGE_SIZE, 3])
    ssd_model.ssd_mobilenet_v1(images, **MODEL)
    sess.run(tf.global_variables_initializer())
    return {v.op.name: value
            for v, value in zip(slim.get_model_variables(),
                                sess.run(slim.get_model_variables()))}


def save(directory, name, arrays):
  np.savez_compressed(os.path.join(directory, name),
                      **{key.replace(':0', ''): value
                         for key, value in arrays.items()})


def make_inputs(data_dir):
  """A batch of the validation images with its targets, in float64."""
  path = dataset.maybe_generate(data_dir, 'val', IMAGE_SIZE)
  with tf.Graph().as_default(), tf.Session() as sess:
    images, class_targets, box_targets = sess.run(inputs.train_input(
        path, IMAGE_SIZE, BATCH_SIZE, shuffle=False, augment=False))
  return {'images': images, 'class_targets': class_targets,
          'box_targets': box_targets}


def run_model(checkpoint, batch, dtype, is_training):
  """Forward pass; in training also the losses and all gradients."""
  with tf.Graph().as_default(), tf.Session() as sess:
    images = tf.constant(batch['images'], dtype)
    if is_training:
      losses = ssd_model.training_losses(
          images, tf.constant(batch['class_targets']),
          tf.constant(batch['box_targets'], dtype), **MODEL)
      variables = tf.trainable_variables()
      gradients = tf.gradients(losses['total_loss'], variables)
      fetches = dict(losses)
      fetches.update({'gradient/' + v.op.name: g
                      for v, g in zip(variables, gradients)})
    else:
      fetches, end_points = ssd_model.ssd_mobilenet_v1(
          images, is_training=False, **MODEL)
      fetches['Conv2d_11_pointwise'] = end_points['Conv2d_11_pointwise']
    values = read_checkpoint(checkpoint)
    for variable in slim.get_model_variables():
      variable.load(values[variable.op.name], sess)
    return sess.run(fetches)


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument('--output', default=os.path.join(HERE, 'reference'))
  parser.add_argument('--steps', type=int, default=STEPS)
  args = parser.parse_args()
  tf.enable_resource_variables()
  if not tf.gfile.Exists(args.output):
    tf.gfile.MakeDirs(args.output)
  reference = lambda name: os.path.join(args.output, name)
  work = tempfile.mkdtemp()
  data_dir = os.path.join(work, 'data')

  train_dir = os.path.join(work, 'train')
  run('train.py', data_dir=data_dir, train_dir=train_dir, max_steps=args.steps,
      save_every=args.steps)
  trained = read_checkpoint(os.path.join(train_dir, 'model.ckpt-%d' % args.steps))
  write_checkpoint(reference('model.ckpt'), {
      name: value for name, value in trained.items() if not is_slot(name)})
  with open(reference('loss_curve.json'), 'w') as f:
    json.dump(loss_curve(train_dir), f, sort_keys=True)
    f.write('\n')

  run('export.py', checkpoint=reference('model.ckpt'),
      output=reference('frozen_inference_graph.pb'))
  run('detect.py', frozen_graph=reference('frozen_inference_graph.pb'),
      num_images=8, output=reference('detections.npz'))
  precision = run('evaluate.py', checkpoint=reference('model.ckpt'))

  batch = make_inputs(data_dir)
  save(args.output, 'inputs.npz', batch)
  save(args.output, 'forward.npz', run_model(
      reference('model.ckpt'), batch, tf.float32, is_training=False))
  training = run_model(reference('model.ckpt'), batch, tf.float64,
                       is_training=True)
  # Gradients are computed in float64 and kept in float32, for their size.
  save(args.output, 'gradients.npz', {
      name: np.asarray(value, np.float32 if np.ndim(value) else np.float64)
      for name, value in training.items()})

  write_checkpoint(reference('initial_float64.ckpt'), initial_weights())
  float64_dir = os.path.join(work, 'float64')
  run('train.py', data_dir=data_dir, train_dir=float64_dir, max_steps=3,
      dtype='float64', shuffle='false', augment='false',
      init_checkpoint=reference('initial_float64.ckpt'))
  after = read_checkpoint(os.path.join(float64_dir, 'model.ckpt-3'))
  steps = {}
  for name, value in after.items():
    if is_slot(name) or is_average(name):
      # Sum and sum of squares are enough to notice a difference.
      steps['moments/' + name] = np.array([np.sum(value), np.sum(value**2)])
    else:
      steps['variable/' + name] = value
  save(args.output, 'steps_float64.npz', steps)

  with open(reference('environment.json'), 'w') as f:
    json.dump({
        'tensorflow': tf.__version__,
        'numpy': np.__version__,
        'python': platform.python_version(),
        'resource_variables': True,
        'training_steps': args.steps,
        'average_precision': [line for line in precision.splitlines()
                              if 'AP@0.5' in line],
    }, f, indent=1, sort_keys=True)
    f.write('\n')
  shutil.rmtree(work)


if __name__ == '__main__':
  main()

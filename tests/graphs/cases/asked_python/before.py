"""Python functions of an Estimator's model, and how often each is called: where something asks for them."""
import collections
import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

CALLS = collections.OrderedDict((name, 0) for name in (
    'drawn', 'looped', 'measured', 'told', 'unasked', 'behind', 'weighed', 'everywhere'))


def counted(name, give):
    def function(*values):
        CALLS[name] += 1
        return give(*values)
    return function


def drawn(pictures):
    assert len(pictures) == 4, 'a picture for each of the first batch'
    return np.zeros([len(pictures), 2, 2, 1], np.uint8)


def model_fn(features, labels, mode):
    x = features['x']
    weights = tf.py_func(counted('weighed', lambda rows: np.ones_like(rows) / 2), [x], tf.float32)
    weights.set_shape([None, 3])
    y = tf.layers.dense(x * weights, 1, kernel_initializer=tf.ones_initializer())
    names = tf.py_func(counted('unasked', lambda rows: rows[:, 0] > 0), [y], tf.bool)
    tf.py_func(counted('everywhere', lambda: np.float32(1)), [], tf.float32)
    predictions = {'y': y, 'names': names}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions, export_outputs={
            'y': tf.estimator.export.PredictOutput({'y': y}),
            'serving_default': tf.estimator.export.PredictOutput({'y': y, 'x': x})})
    loss = tf.losses.mean_squared_error(labels, y)
    rounded = tf.py_func(counted('measured', np.round), [y], tf.float32)
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {'rounded': tf.metrics.mean(rounded)}
        return tf.estimator.EstimatorSpec(mode, predictions, loss, eval_metric_ops=metrics)
    tf.summary.image('pictures', tf.py_func(counted('drawn', drawn), [x], tf.uint8))
    tf.summary.scalar('looped', tf.reduce_sum(tf.map_fn(
        lambda row: tf.py_func(counted('looped', np.sum), [row], tf.float32), x)))
    told = tf.py_func(counted('told', lambda value: None), [loss], [])
    with tf.control_dependencies([told]):
        trained = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    train_op = tf.group(trained, tf.py_func(counted('behind', lambda value: None), [loss], []))
    return tf.estimator.EstimatorSpec(mode, predictions, loss, train_op)


def rows():
    x = np.arange(33, dtype=np.float32).reshape(11, 3) / 10
    data = tf.data.Dataset.from_tensor_slices((x, x[:, :1]))
    return data.map(lambda x, y: ({'x': x}, y)).batch(4)


def serving():
    x = tf.placeholder(tf.float32, [None, 3], name='rows')
    return tf.estimator.export.ServingInputReceiver({'x': x + 1.0}, {'x': x})


def signatures(folder):
    saved = saved_model_pb2.SavedModel()
    with open(os.path.join(tf.compat.as_text(folder), 'saved_model.pb'), 'rb') as stream:
        saved.ParseFromString(stream.read())
    (graph,) = saved.meta_graphs
    return sorted('%s: %s -> %s' % (name, sorted(signature.inputs), sorted(signature.outputs))
                  for name, signature in graph.signature_def.items() if not name.startswith('__'))


def main(output):
    size = tf.placeholder(tf.float32, [None], 'size')
    folder = os.path.join(os.path.dirname(os.path.abspath(output)), 'model')
    config = tf.estimator.RunConfig(save_summary_steps=5)
    estimator = tf.estimator.Estimator(model_fn, folder, config)
    counts = []

    def note():
        counts.append(list(CALLS.values()))
        CALLS.update((name, 0) for name in CALLS)

    estimator.train(rows)
    note()
    found = estimator.evaluate(rows)
    note()
    asked = [p['y'] for p in estimator.predict(rows, predict_keys=['y', 'nothing'])]
    note()
    every = [p['names'] for p in estimator.predict(rows)]
    note()
    exported = estimator.export_savedmodel(folder, serving)

    def other_serving():
        x = tf.placeholder(tf.float32, [None, 3])
        return tf.estimator.export.ServingInputReceiver({'x': x * 2.0}, {'x': x})

    again = estimator.export_savedmodel(folder, other_serving)
    note()
    with tf.Session() as sess:
        doubled = sess.run(size * 2.0, {size: [1.0, 4.0]})
    np.savez(output, doubled=doubled, counts=counts, loss=found['loss'], rounded=found['rounded'], asked=asked, every=every,
             keys=list(found), signatures=signatures(exported), exported=[exported != again, os.path.isdir(exported), os.path.isdir(again)])


if __name__ == '__main__':
    main(sys.argv[1])

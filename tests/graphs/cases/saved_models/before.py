"""SavedModels: a builder with signatures, simple_save, and both loaded again."""
import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.python.saved_model import tag_constants


def model():
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    w = tf.get_variable('w', initializer=tf.constant([[1.0, -2.0], [0.5, 3.0]]))
    b = tf.Variable(tf.zeros([2]), name='b')
    y = tf.nn.relu(tf.matmul(x, w) + b, name='y')
    change = b.assign(b + 0.25)
    return x, y, change


def export(folder):
    x, y, change = model()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(change)
        builder = tf.saved_model.builder.SavedModelBuilder(os.path.join(folder, 'built'))
        signature = tf.saved_model.signature_def_utils.build_signature_def(
            inputs={'images': tf.saved_model.utils.build_tensor_info(x)},
            outputs={'scores': tf.saved_model.utils.build_tensor_info(y)},
            method_name=tf.saved_model.signature_constants.PREDICT_METHOD_NAME)
        builder.add_meta_graph_and_variables(
            sess, [tag_constants.SERVING], signature_def_map={'predict_images': signature})
        builder.save()
        sess.run(change)
        tf.saved_model.simple_save(sess, os.path.join(folder, 'simple'), {'x': x}, {'y': y})


def predict(folder, key, data):
    with tf.Graph().as_default():
        with tf.Session() as sess:
            meta = tf.saved_model.loader.load(sess, [tf.saved_model.tag_constants.SERVING], folder)
            signature = meta.signature_def[key]
            name, = [info.name for info in signature.inputs.values()]
            result, = [info.name for info in signature.outputs.values()]
            found = sess.run(result, feed_dict={name: data})
            names = [v.op.name for v in tf.global_variables()]
            return found, names


def main(output):
    folder = os.path.dirname(os.path.abspath(output))
    data = np.array([[1.0, 2.0], [-3.0, 0.5]], np.float32)
    export(folder)
    built, names = predict(os.path.join(folder, 'built'), 'predict_images', data)
    simple, _ = predict(os.path.join(folder, 'simple'), 'serving_default', data)
    np.savez(output, built=built, simple=simple, names=sorted(names))


if __name__ == '__main__':
    main(sys.argv[1])

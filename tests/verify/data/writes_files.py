"""Writes a file of every kind that verify reads; the argument is added to their numbers."""

import pickle
import sys

import numpy as np
import tensorflow as tf

more = float(sys.argv[1])
v1 = tf.compat.v1
with tf.Graph().as_default(), v1.Session() as sess:
    x = v1.placeholder(tf.float32, [None, 2], name="x")
    w = v1.get_variable("w", initializer=np.array([[0.5], [1.5 + more]], "f"), use_resource=True)
    y = tf.identity(tf.matmul(x, w), name="y")
    sess.run(v1.global_variables_initializer())
    v1.train.Saver().save(sess, "m/model")
    v1.saved_model.simple_save(sess, "export", {"x": x}, {"y": y})
    frozen = v1.graph_util.convert_variables_to_constants(sess, v1.get_default_graph().as_graph_def(), ["y"])
with open("frozen.pb", "wb") as stream:
    stream.write(frozen.SerializeToString())
with tf.summary.create_file_writer("log").as_default(step=3):
    tf.summary.scalar("loss", 0.25 + more)
    tf.summary.scalar("batch/fraction_of_32_full", np.random.default_rng().random())  # as threads have it
pixels = np.full([4, 4, 3], 100 + 50 * more, np.uint8)
tf.io.write_file("picture.png", tf.io.encode_png(pixels))
feature = tf.train.Feature(float_list=tf.train.FloatList(value=[0.5 + more]))
with tf.io.TFRecordWriter("examples.tfrecord") as writer:
    example = tf.train.Example(features=tf.train.Features(feature={"a": feature}))
    writer.write(example.SerializeToString())
other = tf.train.Example(features=tf.train.Features(feature={"b": feature})).SerializeToString()
with tf.io.TFRecordWriter("train-00000-of-00001") as writer:
    for swapped in np.random.default_rng().integers(2, size=20):  # any order of features, as in a map
        pair = [example.SerializeToString(), other]
        writer.write(b"".join(pair[::-1] if swapped else pair))
with open("object.pkl", "wb") as stream:
    pickle.dump({"names": ["a", "b"], "value": 0.5 + more}, stream)

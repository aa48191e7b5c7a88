"""Summary writers that are handed to functions, and to TensorBoard's projector."""
import glob
import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.contrib.tensorboard.plugins import projector


def note(writer, tag, value, step):
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=value)]), step)


def main():
    rows = tf.placeholder(tf.float32, [2])
    doubled = rows * 2
    embedded = tf.Variable(tf.ones([4, 2]), name="embedded")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        writer = tf.summary.FileWriter("logs")
        config = projector.ProjectorConfig()
        shown = config.embeddings.add()
        shown.tensor_name = embedded.name
        shown.metadata_path = "words.tsv"
        projector.visualize_embeddings(writer, config)
        note(writer, "doubled", sess.run(doubled, {rows: [1.0, 2.0]}).sum(), 3)
        where = writer.get_logdir()
        writer.close()
    with open(os.path.join(where, "projector_config.pbtxt")) as stream:
        written = stream.read()
    (events,) = glob.glob(os.path.join(where, "events*"))
    noted = [(e.step, v.simple_value) for e in tf.train.summary_iterator(events)
             for v in e.summary.value]
    np.savez(sys.argv[1], written=written, noted=noted)


if __name__ == "__main__":
    main()

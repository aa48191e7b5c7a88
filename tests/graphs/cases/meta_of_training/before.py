"""Takes the graph of another program's checkpoint, once in a script and once in an object."""
import os
import runpy
import sys

import numpy as np
import tensorflow as tf

if not os.path.isdir("kept"):
    os.makedirs("kept")
here = os.path.dirname(os.path.abspath(__file__))
runpy.run_path(os.path.join(here, "fit.py"), run_name="__main__")

checkpoint = tf.train.latest_checkpoint("./kept")
graph = tf.Graph()
with graph.as_default():
    options = tf.ConfigProto(allow_soft_placement=True)
    sess = tf.Session(config=options)
    with sess.as_default():
        saver = tf.train.import_meta_graph("{}.meta".format(checkpoint))
        saver.restore(sess, checkpoint)
        inputs = graph.get_operation_by_name("inputs").outputs[0]
        scores = graph.get_operation_by_name("scores").outputs[0]
        found = []
        for batch in ([[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]):
            found = np.concatenate([found, sess.run(scores, {inputs: batch})])


class Scorer(object):
    def __init__(self, path):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.sess = tf.Session(graph=self.graph)
            with self.sess.as_default():
                restorer = tf.train.import_meta_graph(path + ".meta")
                restorer.restore(self.sess, path)
        self.inputs = self.graph.get_tensor_by_name("inputs:0")
        self.scores = self.graph.get_tensor_by_name("scores:0")

    def score(self, batch):
        return self.sess.run(self.scores, feed_dict={self.inputs: batch})


again = Scorer(checkpoint).score([[1.0, 2.0]])
np.savez(sys.argv[1], found=found, again=again)

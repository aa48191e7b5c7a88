"""Writes the cases' graphs with TensorFlow 1.15: a loop and non-max suppression, masks if asked for.

    MIGRATOR_TF1_PYTHON=... python tests/transforms/sessions/record.py
"""

import os
import sys

import numpy as np
import tensorflow as tf


def main(path, masks):
    with tf.Graph().as_default() as graph:
        image = tf.placeholder(tf.float32, [1, None, None, 3], name="image_tensor")
        weights = tf.constant(np.random.RandomState(0).uniform(-1, 1, [3, 3, 3, 8]), tf.float32)
        features = tf.nn.relu(tf.nn.conv2d(image, weights, [1, 2, 2, 1], "SAME"))
        cells = tf.reshape(features, [-1, 8])
        _, halved = tf.while_loop(
            lambda step, value: step < 3, lambda step, value: (step + 1, value / 2.0), [0, cells]
        )
        corner, size = halved[:, :2], halved[:, 2:4]
        boxes = tf.concat([corner, corner + size + 0.05], axis=1)
        kept = tf.image.non_max_suppression(boxes, halved[:, 4], 5)
        found, scores = tf.gather(boxes, kept), tf.gather(halved[:, 4], kept)
        if masks:  # a batch of one image, as detection models are exported
            tf.identity(found[tf.newaxis], name="detection_boxes")
            tf.identity(scores[tf.newaxis], name="detection_scores")
            tf.identity(tf.cast(tf.size(scores), tf.float32)[tf.newaxis], name="num_detections")
            soft = tf.sigmoid(tf.reshape(tf.gather(halved, kept), [1, -1, 2, 4]) * 40.0 - 1.0)
            tf.identity(soft, name="detection_masks")
        else:
            tf.identity(found, name="detection_boxes")
            tf.identity(scores, name="detection_scores")
    with tf.gfile.GFile(path, "wb") as f:
        f.write(graph.as_graph_def().SerializeToString())


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.devnull, "masks" in sys.argv[2:])

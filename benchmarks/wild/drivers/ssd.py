"""balancap/SSD-Tensorflow: trains on records; the network, its boxes, losses and metrics."""

from __future__ import annotations

import numpy as np
from kit import carried, settings, under

REPOSITORY = "https://github.com/balancap/SSD-Tensorflow"
COMMIT = "e0e3104d3a2cc5d830fad041d4e56ebcf84caac3"

_ON_CPU = [("DATA_FORMAT = 'NCHW'", "DATA_FORMAT = 'NHWC'")]
_RECORDS = ("--dataset_dir=records", "--dataset_name=pascalvoc_2007", "--num_preprocessing_threads=1")


@carried
def records(w):
    """Pictures in Pascal VOC's records. Those for training are all one: they are read in any order."""
    import os

    import tensorflow as tf

    def example(seed):
        random = np.random.RandomState(seed)
        picture = random.randint(0, 256, (120, 160, 3)).astype(np.uint8)
        with tf.Session() as sess:
            jpeg = sess.run(tf.image.encode_jpeg(picture))
        corners = random.uniform(0.05, 0.4, (2, 2))
        ends = corners + random.uniform(0.3, 0.5, (2, 2))

        def whole(values):
            return tf.train.Feature(int64_list=tf.train.Int64List(value=values))

        def real(values):
            return tf.train.Feature(float_list=tf.train.FloatList(value=values))

        def text(value):
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))

        box = "image/object/bbox/"
        return tf.train.Example(features=tf.train.Features(feature={
            "image/encoded": text(jpeg), "image/format": text(b"JPEG"),
            "image/height": whole([120]), "image/width": whole([160]), "image/channels": whole([3]),
            "image/shape": whole([120, 160, 3]),
            box + "ymin": real(corners[:, 0]), box + "xmin": real(corners[:, 1]),
            box + "ymax": real(ends[:, 0]), box + "xmax": real(ends[:, 1]),
            box + "label": whole([3, 7]), box + "difficult": whole([0, 0]),
            box + "truncated": whole([0, 1]),
        })).SerializeToString()  # fmt: skip

    os.makedirs("records", exist_ok=True)
    for split, seeds in (("train", [1] * 4), ("test", range(3))):
        with tf.python_io.TFRecordWriter(f"records/voc_2007_{split}_000.tfrecord") as writer:
            for seed in seeds:
                writer.write(example(seed))


@under("TF503", "train_ssd_network.py", "how full the provider's queues were is no more")
@settings(timeout=1800)
def train(w):
    w.script("train_ssd_network.py", "--train_dir=trained", *_RECORDS, "--batch_size=2",
             "--optimizer=momentum", "--learning_rate=0.001", "--max_number_of_steps=2", "--num_readers=1",
             "--log_every_n_steps=1", instead=_ON_CPU)  # fmt: skip


@settings(timeout=900)
def detect(w):
    from nets import ssd_vgg_300

    x = np.random.RandomState(0).uniform(-120, 130, (1, 300, 300, 3)).astype("f")

    def built(x):
        net = ssd_vgg_300.SSDNet()
        with ssd_vgg_300.slim.arg_scope(net.arg_scope()):
            found, places, logits, _ = net.net(x, is_training=False)
        places = net.bboxes_decode(places, net.anchors((300, 300)))
        scores, boxes = net.detected_bboxes(found, places, select_threshold=0.01, top_k=20, keep_top_k=10)
        return {"logits": logits[3:], "scores": scores[1], "boxes": boxes[1]}

    w.dump(**w.call(built, x))


def encode(w):
    from nets import ssd_vgg_300

    net = ssd_vgg_300.SSDNet()
    anchors = net.anchors((300, 300))[3:]
    labels = np.asarray([3, 7], np.int64)
    boxes = np.asarray([[0.1, 0.1, 0.6, 0.7], [0.4, 0.3, 0.9, 0.95]], "f")
    found = w.call(lambda y, b: net.bboxes_encode(y, b, anchors), labels, boxes)
    w.dump(classes=list(found[0]), boxes=list(found[1]), scores=list(found[2]))


def boxes(w):
    import tf_extended as tfe

    random = np.random.RandomState(0)
    corners = random.uniform(0, 0.6, (1, 12, 2))
    some = np.concatenate([corners, corners + random.uniform(0.1, 0.4, (1, 12, 2))], -1).astype("f")
    scores = random.rand(1, 12).astype("f")
    w.dump(
        sorted=w.call(lambda s, b: tfe.bboxes_sort(s, b, top_k=8), scores, some),
        kept=w.call(lambda s, b: tfe.bboxes_nms_batch(s, b, 0.4, keep_top_k=5), scores, some),
        clipped=w.call(lambda b: tfe.bboxes_clip([0.2, 0.2, 0.8, 0.8], b), some[0]),
        overlap=w.call(tfe.bboxes_jaccard, some[0, 0], some[0]),
        resized=w.call(tfe.bboxes_resize, some[0, 1], some[0]),
    )


def metrics(w):
    import tf_extended as tfe

    right = np.asarray([True, False, True, True, False])
    w.dump(curve=w.call(lambda tp: tfe.precision_recall(
        np.int64(4), np.int64(5), tp, np.logical_not(right), np.asarray([5, 4, 3, 2, 1], "f")), right))
    precision, recall = np.linspace(1, 0.4, 6), np.linspace(0.1, 1, 6)
    w.dump(old=w.call(tfe.average_precision_voc07, precision, recall),
           new=w.call(tfe.average_precision_voc12, precision, recall))  # fmt: skip

"""balancap/SSD-Tensorflow: the network, what becomes of its boxes, its losses, and its metrics."""

from __future__ import annotations

import numpy as np
from kit import settings

REPOSITORY = "https://github.com/balancap/SSD-Tensorflow"
COMMIT = "e0e3104d3a2cc5d830fad041d4e56ebcf84caac3"


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

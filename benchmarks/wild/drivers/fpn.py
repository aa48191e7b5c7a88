"""DetectionTeamUCAS/FPN_Tensorflow: anchors, boxes and losses of the detector."""

from __future__ import annotations

import numpy as np

REPOSITORY = "https://github.com/DetectionTeamUCAS/FPN_Tensorflow"
COMMIT = "fd3fd9d5a04396c24d598d59f3e5ccef8c01aead"


def _boxes(random, count):
    corners = random.uniform(0, 60, (count, 2))
    return np.concatenate([corners, corners + random.uniform(4, 40, (count, 2))], 1).astype("f")


def anchors(w):
    from libs.box_utils import anchor_utils

    w.dump(anchors=w.call(lambda: anchor_utils.make_anchors(
        32, [1.0, 2.0], [0.5, 1.0, 2.0], 4, 3, 16)))  # fmt: skip


def boxes(w):
    from libs.box_utils import boxes_utils, encode_and_decode

    random = np.random.RandomState(0)
    some, others = _boxes(random, 6), _boxes(random, 6)
    w.dump(
        overlap=w.call(boxes_utils.ious_calu, some, others[:4]),
        encoded=encode_and_decode.encode_boxes(some, others, [10.0, 10.0, 5.0, 5.0]),
        decoded=w.call(lambda e, r: encode_and_decode.decode_boxes(e, r, [10.0, 10.0, 5.0, 5.0]),
                       random.randn(6, 4).astype("f"), others),
        clipped=w.call(lambda b: boxes_utils.clip_boxes_to_img_boundaries(b, [1, 50, 40]), some),
        inside=w.call(lambda b: boxes_utils.filter_outside_boxes(b, 80, 90), some),
        padded=w.call(lambda b, s: boxes_utils.padd_boxes_with_zeros(b, s, 9), some, some[:, 0]),
    )  # fmt: skip


def losses(w):
    from libs.losses import losses as repository

    random = np.random.RandomState(0)
    labels = np.asarray([1, 0, -1, 2, 1, 0], np.int32)
    found, wanted = random.randn(2, 6, 4).astype("f")
    w.dump(rpn=w.call(lambda a, b, c: repository.smooth_l1_loss_rpn(a, b, c, 3.0), found, wanted, labels))
    found, wanted = random.randn(2, 6, 12).astype("f")
    w.dump(rcnn=w.call(lambda a, b, c: repository.smooth_l1_loss_rcnn(a, b, c, 3, 1.0),
                       found, wanted, np.abs(labels)))  # fmt: skip

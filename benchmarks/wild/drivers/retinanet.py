"""DetectionTeamUCAS/RetinaNet_Tensorflow: anchors, boxes, focal losses, and a backbone."""

from __future__ import annotations

import numpy as np

REPOSITORY = "https://github.com/DetectionTeamUCAS/RetinaNet_Tensorflow"
COMMIT = "bf05e25a11b420649f1c3f8bc58af66ba7bdf5c8"


def anchors(w):
    from libs.box_utils import anchor_utils

    w.dump(anchors=w.call(lambda: anchor_utils.make_anchors(
        32, [1.0, 1.26], [0.5, 1.0, 2.0], 4, 3, 16)))  # fmt: skip


def boxes(w):
    from libs.box_utils import bbox_transform, boxes_utils

    random = np.random.RandomState(0)
    corners = random.uniform(0, 60, (6, 2))
    some = np.concatenate([corners, corners + random.uniform(4, 40, (6, 2))], 1).astype("f")
    w.dump(
        moved=w.call(bbox_transform.bbox_transform_inv, some, random.randn(6, 4).astype("f")),
        targets=bbox_transform.bbox_transform(some, some[::-1] + 1),
        overlap=w.call(boxes_utils.ious_calu, some, some[:4] + 3),
        clipped=w.call(lambda b: boxes_utils.clip_boxes_to_img_boundaries(b, [1, 50, 40]), some),
    )


def losses(w):
    from libs.losses import losses as repository

    random = np.random.RandomState(0)
    labels = np.eye(3, dtype="f")[[0, 1, 2, 1, 0, 2]]
    logits, state = random.randn(6, 3).astype("f"), np.asarray([1, 0, -1, 1, 0, 1], "f")
    w.dump(focal=w.call(repository.focal_loss, labels, logits, state))
    w.dump(focal_too=w.call(repository.focal_loss_, labels, logits, state))
    found, wanted = random.randn(2, 6, 4).astype("f")
    w.dump(boxes=w.call(repository.smooth_l1_loss_rcnn, wanted, found, state))


def backbone(w):
    from libs.networks import resnet

    x = np.random.RandomState(0).uniform(-100, 100, (1, 64, 64, 3)).astype("f")
    w.dump(features=w.call(lambda x: resnet.resnet_base(x, scope_name="resnet_v1_50", is_training=True), x))

"""eldar/pose-tensorflow: the network with and without training's losses."""

from __future__ import annotations

import numpy as np
from kit import settings

REPOSITORY = "https://github.com/eldar/pose-tensorflow"
COMMIT = "6a8f5ee90ea444e12c15eecebf8448797c52bbf5"


def _repository():
    """The modules, with what the readers of pictures import of older versions of SciPy."""
    import scipy.misc

    for name in ("imread", "imresize"):
        if not hasattr(scipy.misc, name):
            setattr(scipy.misc, name, None)
    from dataset.pose_dataset import Batch
    from nnet.net_factory import pose_net
    from util.default_config import cfg

    cfg.update(net_type="resnet_50", num_joints=3, location_refinement=True, pairwise_predict=True,
               intermediate_supervision=True, intermediate_supervision_layer=4)  # fmt: skip
    return Batch, pose_net, cfg


@settings(timeout=900)
def find(w):
    _, pose_net, cfg = _repository()
    x = np.random.RandomState(0).uniform(0, 255, (1, 64, 64, 3)).astype("f")
    w.dump(**w.call(lambda x: pose_net(cfg).test(x), x))


@settings(timeout=900)
def losses(w):
    Batch, pose_net, cfg = _repository()
    random = np.random.RandomState(0)
    x = random.uniform(0, 255, (1, 64, 64, 3)).astype("f")
    joints = (random.rand(1, 8, 8, 3) < 0.3).astype("f")
    arrays = [random.randn(1, 8, 8, n).astype("f") for n in (6, 6, 12, 12)]

    def built(x, joints, place, place_mask, pair, pair_mask):
        return pose_net(cfg).train({
            Batch.inputs: x, Batch.part_score_targets: joints, Batch.locref_targets: place,
            Batch.locref_mask: place_mask * place_mask, Batch.pairwise_targets: pair,
            Batch.pairwise_mask: pair_mask * pair_mask,
        })  # fmt: skip

    w.dump(**w.call(built, x, joints, *arrays))

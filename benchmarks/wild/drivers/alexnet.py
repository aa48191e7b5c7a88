"""kratzert/finetune_alexnet_with_tensorflow: the network, as the notebook builds it."""

from __future__ import annotations

import numpy as np
from kit import settings

REPOSITORY = "https://github.com/kratzert/finetune_alexnet_with_tensorflow"
COMMIT = "669f32226a2f1d0669a81824df99758f0edad557"
PYTHON2 = True


@settings(timeout=900)
def network(w):
    from alexnet import AlexNet

    x = np.random.RandomState(0).uniform(-120, 130, (1, 227, 227, 3)).astype("f")
    w.dump(scores=w.call(lambda x: AlexNet(x, 1.0, 5, []).fc8, x))


def layers(w):
    import alexnet

    x = np.random.RandomState(0).randn(2, 9, 9, 4).astype("f")
    w.dump(
        grouped=w.call(lambda x: alexnet.conv(x, 3, 3, 6, 1, 1, "c", groups=2), x),
        pooled=w.call(lambda x: alexnet.max_pool(x, 3, 3, 2, 2, "p", padding="VALID"), x),
        normed=w.call(lambda x: alexnet.lrn(x, 2, 2e-05, 0.75, "n"), x),
        dropped=w.call(lambda x: alexnet.dropout(x, 0.25), x),
        full=w.call(lambda x: alexnet.fc(x, 4, 3, "f"), x[:, 0, 0]),
    )

"""tkipf/gcn: graph convolutions on a citation graph, all three models."""

from __future__ import annotations

REPOSITORY = "https://github.com/tkipf/gcn"
COMMIT = "39a4089fe72ad9f055ed6fdb9746abdcfebc4d81"


def _train(w, *flags):
    w.script("train.py", "--epochs=4", *flags, cwd="gcn", folders=["."])


def gcn(w):
    _train(w)


def chebyshev(w):
    _train(w, "--model=gcn_cheby", "--max_degree=2")


def dense(w):
    _train(w, "--model=dense", "--dropout=0", "--early_stopping=2")


def layers(w):
    """What a user of the package imports: helpers of utils and metrics."""
    import numpy as np
    import scipy.sparse as sp
    from gcn import metrics, utils

    matrix = sp.csr_matrix(np.eye(4) + np.eye(4, k=1) + np.eye(4, k=-1))
    for name, (coordinates, values, shape) in (
        ("adjacency", utils.preprocess_adj(matrix)), ("rows", utils.preprocess_features(matrix))
    ):  # fmt: skip
        w.dump(**{name + "_at": coordinates, name: values, name + "_shape": shape})
    random = np.random.RandomState(0)
    logits, labels = random.randn(5, 3).astype("f"), np.eye(3, dtype="f")[[0, 1, 2, 1, 0]]
    mask = np.asarray([1, 1, 0, 0, 1], np.int32)
    w.dump(
        loss=w.call(metrics.masked_softmax_cross_entropy, logits, labels, mask),
        accuracy=w.call(metrics.masked_accuracy, logits, labels, mask),
    )

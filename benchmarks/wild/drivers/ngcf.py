"""xiangwang1223/neural_graph_collaborative_filtering: recommends over a graph of users and things."""

from __future__ import annotations

import numpy as np
from kit import carried, write

REPOSITORY = "https://github.com/xiangwang1223/neural_graph_collaborative_filtering"
COMMIT = "a718a4f2df7c3942ca0df6759926975762c61eed"

_AHEAD = """
import random, time, numpy
random.seed(1)
numpy.random.seed(1)
time.time = lambda: 0.0
"""
_FLAGS = ["--dataset=toy", "--embed_size=6", "--batch_size=16", "--Ks=[2,4]", "--verbose=1"]


@carried
def data(w):
    draw = np.random.RandomState(0)
    kept = [draw.permutation(120)[:9] for _ in range(20)]  # more things than the folds of the adjacency
    for name, part in (("train", slice(0, 6)), ("test", slice(6, 9))):
        write(f"Data/toy/{name}.txt", "\n".join(
            " ".join(map(str, [user, *things[part]])) for user, things in enumerate(kept)) + "\n")


def _run(w, name, *flags):
    w.script(f"{name}.py", *_FLAGS, *flags, cwd="NGCF", ahead=_AHEAD)


def train(w):
    _run(w, "NGCF", "--epoch=10", "--layer_size=[6,5]", "--mess_dropout=[0.1,0.1]", "--save_flag=1")


def go_on(w):
    _run(w, "NGCF", "--epoch=10", "--layer_size=[6,5]", "--mess_dropout=[0.1,0.1]", "--pretrain=1")


def other_graphs(w):
    _run(w, "NGCF", "--epoch=10", "--layer_size=[6]", "--alg_type=gcn", "--adj_type=mean",
         "--node_dropout_flag=1")  # fmt: skip
    _run(w, "NGCF", "--epoch=10", "--layer_size=[6]", "--alg_type=gcmc", "--adj_type=gcmc")


def factors(w):
    _run(w, "BPRMF", "--epoch=10")

"""hwwang55/RippleNet: recommends by a knowledge graph, whose memories are fed hop by hop."""

from __future__ import annotations

import os

import numpy as np
from kit import carried

REPOSITORY = "https://github.com/hwwang55/RippleNet"
COMMIT = "46a364d6aa4e346111043924a4741a21d2ff09b6"

_FLAGS = ["--dim=4", "--n_epoch=2", "--n_memory=4", "--batch_size=32"]


@carried
def data(w):
    draw = np.random.RandomState(0)
    for name in ("movie", "book"):
        os.makedirs(f"data/{name}", exist_ok=True)
        rated = [[u, i, (u + i) % 2] for u in range(12) for i in draw.choice(20, 12, replace=False)]
        np.savetxt(f"data/{name}/ratings_final.txt", rated, "%d")
        known = [[h, draw.randint(3), draw.randint(30)] for h in range(30) for _ in range(3)]
        np.savetxt(f"data/{name}/kg_final.txt", known, "%d")


def train(w):
    w.script("main.py", *_FLAGS, cwd="src", instead=[("show_loss = False", "show_loss = True")])


def other_updates(w):
    for mode in ("replace", "plus", "replace_transform"):
        w.script("main.py", *_FLAGS, "--n_hop=3", f"--item_update_mode={mode}", "--dataset=book", cwd="src",
                 instead=[("show_loss = False", "show_loss = True")])  # fmt: skip

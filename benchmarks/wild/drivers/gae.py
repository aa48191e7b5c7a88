"""tkipf/gae: trains both of its graph autoencoders on Cora, which is in the repository."""

from __future__ import annotations

from kit import settings

REPOSITORY = "https://github.com/tkipf/gae"
COMMIT = "0ebbe9b9a8f496eb12deb9aa6a62e7016b5a5ac3"


@settings(timeout=900)
def train(w):
    w.script("train.py", "--epochs=2", "--hidden1=8", "--hidden2=4", cwd="gae", folders=["."])


@settings(timeout=900, tolerance=2e-4, why="its scores count the orders of numbers that rounding swaps")
def variational(w):
    w.script("train.py", "--epochs=2", "--model=gcn_vae", "--features=0", "--hidden1=8", "--hidden2=4",
             "--dropout=0.3", cwd="gae", folders=["."])  # fmt: skip

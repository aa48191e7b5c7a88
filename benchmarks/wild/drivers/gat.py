"""PetarV-/GAT: trains its attention network on Cora, which is in the repository.

Its sparse one takes entries in whatever order scipy gives them, which differs from one to another.
"""

from __future__ import annotations

from kit import settings

REPOSITORY = "https://github.com/PetarV-/GAT"
COMMIT = "5af87e7fce2b90ae1cbd621cd58059036a3c7436"

_SHORT = [("nb_epochs = 100000", "nb_epochs = 2")]


@settings(timeout=1200)
def train(w):
    w.script("execute_cora.py", instead=_SHORT)

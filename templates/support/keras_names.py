"""Names of layers as Keras 2 gave them: the first of a kind is `conv2d_1`, which Keras 3 calls `conv2d`.

Files of weights are read by these names, and layers looked up.
"""

from __future__ import annotations

import collections
from typing import Any

import tensorflow as tf

from .names import keras_state


class _FromOne(collections.defaultdict[str, int]):
    """The counts of names: each kind has been given once."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> int:
        self[name] = 1
        return 1


def count_from_one() -> None:
    """Layers are numbered from one, if none has been made yet."""
    state: Any = keras_state()
    if state is not None and not state.get_global_attribute("object_name_uids"):
        state.set_global_attribute("object_name_uids", _FromOne())


def clear_session() -> None:
    """`tf.keras.backend.clear_session`, behind which layers are numbered from one again."""
    tf.keras.backend.clear_session()
    count_from_one()

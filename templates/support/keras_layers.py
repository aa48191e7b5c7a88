"""Keras layers that Keras 3 has only as an argument of another one, as classes to inherit from."""
from __future__ import annotations

from typing import Any

import tensorflow as tf


class SyncBatchNormalization(tf.keras.layers.BatchNormalization):
    """Batch normalization whose statistics are those of all replicas together."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("synchronized", True)  # given where a saved layer is read back
        super().__init__(*args, **kwargs)

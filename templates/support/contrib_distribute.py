"""tf.contrib.distribute: strategies by the number of GPUs."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf


def MirroredStrategy(
    devices: Sequence[str] | None = None, num_gpus: int | None = None,
    num_gpus_per_worker: int | None = None, cross_device_ops: Any = None,
    auto_shard_dataset: bool = False, cross_tower_ops: Any = None,
) -> tf.distribute.MirroredStrategy:
    """Replicas on the given devices, or the first `num_gpus`; on all GPUs by default.

    Raises:
        ValueError: devices and a number of them are given, or both ways of reducing.
    """
    count = num_gpus if num_gpus is not None else num_gpus_per_worker
    if devices is not None and count is not None:
        raise ValueError("Must only specify one of devices and num_gpus.")
    if cross_device_ops is not None and cross_tower_ops is not None:
        raise ValueError("Only one of cross_device_ops and cross_tower_ops may be given.")
    if count is not None:
        devices = [f"/gpu:{number}" for number in range(count)] or ["/cpu:0"]
    return tf.distribute.MirroredStrategy(
        devices, cross_device_ops=cross_device_ops or cross_tower_ops)

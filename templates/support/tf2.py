"""Which of its two variants a program takes that was written for TF 1 and TF 2 alike."""
from __future__ import annotations

import os

import tensorflow as tf

_forced: bool | None = None


def enabled() -> bool:
    """Whether the program takes its TF 2 variant: not unless the environment says
    ``TF2_VARIANT=1`` or `enable` was called, as on TF 1.15. (There, the variable was
    ``TF2_BEHAVIOR``, which TF 2 sets by itself.) Both variants run on TF 2; this decides between
    the models, checkpoints and outputs that the program had on TF 1 and those of its other one."""
    return os.environ.get("TF2_VARIANT", "0") != "0" if _forced is None else _forced


def enable() -> None:
    """Take the TF 2 variant from here on, whatever the environment says."""
    global _forced
    _forced = True


def disable() -> None:
    """Take the TF 1 variant from here on, whatever the environment says."""
    global _forced
    _forced = False


def executing_eagerly() -> bool:
    """Whether the program takes its variant for eager execution, which goes with that for TF 2."""
    return enabled() and tf.executing_eagerly()

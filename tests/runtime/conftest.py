"""The support package as people import it, and nothing left of what an earlier test made of it."""

from __future__ import annotations

import sys

import pytest

import tests.runtime.importable  # noqa: F401


@pytest.fixture(autouse=True)
def forget_earlier_state() -> None:
    """Tensors compare as TensorFlow 2's do; a Saver without a list saves this test's optimizers alone."""
    if "tensorflow" in sys.modules:
        import tensorflow as tf

        tf.compat.v1.enable_tensor_equality()  # a graph that another test made changed it
    if "tf1_support.names" in sys.modules:
        from tf1_support import names

        names._states.clear()

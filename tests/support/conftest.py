"""Makes the templates importable as the package they are rendered into."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

HERE = Path(__file__).resolve().parent
SUPPORT = HERE.parents[1] / "templates" / "support"

if "tf1_support" not in sys.modules:
    spec = importlib.util.spec_from_file_location(
        "tf1_support", SUPPORT / "__init__.py", submodule_search_locations=[str(SUPPORT)]
    )
    assert spec is not None and spec.loader is not None
    sys.modules["tf1_support"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["tf1_support"])
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))


@pytest.fixture(autouse=True)
def compared_by_element() -> None:
    """Tensors compare as TensorFlow 2's do; a graph that another test of this process made changed it."""
    import tensorflow as tf

    tf.compat.v1.enable_tensor_equality()

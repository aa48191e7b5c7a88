"""Makes templates/support importable as tf1_support: in the tests, and in programs that they start."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

ROOT = Path(__file__).resolve().parents[2]
SUPPORT = ROOT / "templates" / "support"
# What a program on `python -c` begins with, where PYTHONPATH is ROOT.
PROGRAM_HEAD = "import tests.runtime.importable\n"

if "tf1_support" not in sys.modules:
    spec = importlib.util.spec_from_file_location(
        "tf1_support", SUPPORT / "__init__.py", submodule_search_locations=[str(SUPPORT)]
    )
    assert spec is not None and spec.loader is not None
    sys.modules["tf1_support"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["tf1_support"])

"""Makes the templates importable as the package they are rendered into."""

import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

SUPPORT = Path(__file__).resolve().parents[2] / "templates" / "support"

if "tf1_support" not in sys.modules:
    spec = importlib.machinery.ModuleSpec("tf1_support", None, is_package=True)
    spec.submodule_search_locations = [str(SUPPORT)]
    sys.modules["tf1_support"] = importlib.util.module_from_spec(spec)

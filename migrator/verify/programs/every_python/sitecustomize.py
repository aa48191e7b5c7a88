"""Loaded by every Python that a verified command starts: puts it on its side (`verify_side.py`).

Its folder leads the PYTHONPATH. The environment's own sitecustomize, if there is one, is run after
it. Keeps to Python 3.7: it also runs under TF 1.15.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys


def _load() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.curdir) != here]
    path = os.path.join(os.path.dirname(here), "verify_side.py")
    spec = importlib.util.spec_from_file_location("migrator_verify_side", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["migrator_verify_side"] = module
    spec.loader.exec_module(module)
    module.start()
    this = sys.modules.pop("sitecustomize")
    with contextlib.suppress(ImportError):
        importlib.import_module("sitecustomize")
    sys.modules.setdefault("sitecustomize", this)  # the import that is under way looks it up


if "MIGRATOR_VERIFY_SIDE" in os.environ:
    _load()

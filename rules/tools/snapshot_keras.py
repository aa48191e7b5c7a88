"""Writes rules/api/keras3.json: the public names of standalone Keras 3; with Keras 2, what a star import of
each of its modules brings (keras2.json: the name, and the module where it is one).

    python rules/tools/snapshot_keras.py          (needs Keras 3; or 2.2.4, on Python 3.7)

What is private to it (`keras.src`) and what only TensorFlow's own copy of the API has
(`keras._tf_keras`) is left out; members of classes are not listed.
"""

from __future__ import annotations

import json
import os
import sys
import types
from pathlib import Path

API = Path(__file__).resolve().parents[1] / "api"


def names(module: types.ModuleType, path: str, seen: set[str]) -> None:
    """Collect the public members of a module and of the modules in it."""
    seen.add(path)
    for name in dir(module):
        member = getattr(module, name)
        full = f"{path}.{name}"
        if name.startswith("_") or full in seen or name in ("src", "api"):
            continue
        if isinstance(member, types.ModuleType):
            if member.__name__.startswith("keras"):
                names(member, full, seen)
        else:
            seen.add(full)


def brought(module: types.ModuleType) -> dict[str, str]:
    """What ``from module import *`` binds of Keras: name -> the module that it is, or nothing."""
    found = {}
    for name in getattr(module, "__all__", None) or dir(module):
        member = getattr(module, name)
        home = getattr(member, "__name__" if isinstance(member, types.ModuleType) else "__module__", None)
        if not name.startswith("_") and (home or "").startswith("keras"):
            found[name] = home if isinstance(member, types.ModuleType) else ""
    return found


def modules_of_2(keras: types.ModuleType) -> None:
    """Write what the modules of Keras 2 bring."""
    import importlib
    import pkgutil

    rows = []
    for info in pkgutil.walk_packages(keras.__path__, "keras."):
        try:
            found = brought(importlib.import_module(info.name))
        except ImportError:  # of another backend
            continue
        if found:
            rows.append(f"{json.dumps(info.name)}:{json.dumps(found, sort_keys=True, separators=(',', ':'))}")
    rows.append(f'"keras":{json.dumps(brought(keras), sort_keys=True)}')
    (API / "keras2.json").write_text("{" + ",\n".join(sorted(rows)) + "}\n")
    print(f"{len(rows)} modules of Keras {keras.__version__}")


def main() -> int:
    """Write the snapshot."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    import keras

    if keras.__version__.startswith("2."):
        modules_of_2(keras)
        return 0
    found: set[str] = set()
    names(keras, "keras", found)
    listed = ",\n".join(json.dumps(name) for name in sorted(found))
    version = json.dumps(keras.__version__)
    (API / "keras3.json").write_text(f'{{"keras":{version},\n"names":[\n{listed}\n]}}\n')
    print(f"{len(found)} names of Keras {keras.__version__}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

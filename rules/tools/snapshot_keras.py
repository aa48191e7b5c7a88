"""Writes rules/api/keras3.json: the public names of standalone Keras 3.

    python rules/tools/snapshot_keras.py          (needs Keras 3)

What is private to it (`keras.src`) and what only TensorFlow's own copy of the API has
(`keras._tf_keras`) is left out; members of classes are not listed.
"""

from __future__ import annotations

import json
import os
import sys
import types
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "api" / "keras3.json"


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


def main() -> int:
    """Write the snapshot."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    import keras

    found: set[str] = set()
    names(keras, "keras", found)
    rows = ",\n".join(json.dumps(name) for name in sorted(found))
    TARGET.write_text(f'{{"keras":{json.dumps(keras.__version__)},\n"names":[\n{rows}\n]}}\n')
    print(f"{len(found)} names of Keras {keras.__version__}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What star imports of standalone Keras 2 bring, as a release of it listed it."""

from __future__ import annotations

import json
from functools import cache

from migrator import resources

ROOT = "keras"


@cache
def _modules() -> dict[str, dict[str, str]]:
    path = resources.rules_dir() / "api" / "keras2.json"
    found: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def brought(module: str, name: str) -> str | None:
    """What `name` is behind ``from module import *``, None where that does not bring it.

    ``keras.layers``, ``K`` -> ``keras.backend``; ``Dense`` -> ``keras.layers.Dense``.
    """
    found = _modules().get(module, {}).get(name)
    return None if found is None else found or f"{module}.{name}"

"""Where Keras 3 has what programs import from standalone Keras 2 (`import keras`).

Names that Keras 3 has stay as they are.  Modules that went are
looked through for public names; what only TensorFlow's copy of the API kept (the old backend
functions, ImageDataGenerator) is taken from there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache

from migrator import resources
from migrator.analysis.index import ProjectIndex

ROOT = "keras"
# What Keras 3 alone has.
_NEW = ("ops", "random", "saving", "tree", "distribution", "export", "dtype_policies", "src", "_tf_keras")
_USES_NEW = re.compile(
    rf"\bkeras\.(?:{'|'.join(_NEW)})\b|^from keras import [^\n]*\b(?:ops|saving|tree)\b", re.MULTILINE)
CODE = "TF143"
# Modules of Keras 2 and 1 whose public names are elsewhere.
_MOVED = {
    "engine": ("layers", "models", "utils", ""),
    "topology": ("layers", "models", "utils", ""),
    "objectives": ("losses",),
    "models": ("models", ""),
    "mobilenet": ("applications.mobilenet", "activations", "layers", "utils"),
    "legacy": ("layers",),
    "np_utils": ("utils",),
    "generic_utils": ("utils",),
}


def is_version_2(index: ProjectIndex, text: str) -> bool:
    """Whether the `keras` that a module of the project imports is the one of TensorFlow 1's time: what the
    project was written for, unless it uses what Keras 3 alone has, or was migrated already."""
    answer = index.answers.get("keras 3")
    if answer is None:
        answer = index.answers["keras 3"] = index.is_migrated or any(
            _USES_NEW.match(target) for info in index.modules.values() for target in info.summary.imports)
    return not answer and _USES_NEW.search(text) is None


@cache
def known() -> frozenset[str]:
    """The public names of Keras 3.

    Raises FileNotFoundError for an incomplete installation.
    """
    path = resources.rules_dir() / "api" / "keras3.json"
    return frozenset([ROOT, *json.loads(path.read_text(encoding="utf-8"))["names"]])


def left_alone(name: str) -> bool:
    """Whether a dotted name is Keras 3's own: public, a member of what is, or in its sources."""
    parts = name.partition("(")[0].split(".")
    if len(parts) > 1 and (parts[1] in ("src", "_tf_keras") or parts[1].startswith("__")):
        return True
    names = known()
    for length in range(len(parts), 1, -1):
        head = ".".join(parts[:length])
        if head in names:
            return length == len(parts) or not _is_module(head)
    return len(parts) == 1


@cache
def _is_module(name: str) -> bool:
    return any(other.startswith(name + ".") for other in known()) and name.rpartition(".")[2].islower()


def homes(name: str) -> Iterator[tuple[str, int]]:
    """(public name relative to Keras, number of parts of `name` that it stands for), best first.

    ``keras.layers.core.Dense.call`` -> ``("layers.core.Dense", 4)``, ``("layers.Dense", 4)``, ...
    """
    parts = name.partition("(")[0].split(".")
    for length in range(len(parts), 1, -1):
        last = parts[length - 1]
        yield ".".join(parts[1:length]), length
        if length < 3:
            continue
        modules: list[str] = []
        for module in parts[1 : length - 1]:
            modules += _MOVED.get(module, (module,))
        for module in dict.fromkeys(modules):
            yield (f"{module}.{last}" if module else last), length

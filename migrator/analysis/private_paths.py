"""Where the private paths of TensorFlow 1.15 lead: to the public symbol that is the same object.

The table is read off the real TensorFlow 1.15 (`rules/tools/snapshot_api.py`). It is large, and most
programs name public symbols only: it is read when the first private path is asked about.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache

from migrator.resources import rules_dir

ROOTS = ("tensorflow.python.", "tensorflow.contrib.")
_BACKENDS = (
    "keras.backend.tensorflow_backend", "keras.backend", "tensorflow.keras.backend",
    "tensorflow.python.keras.backend",
)
#: What Keras' backend had for its own use, and programs took from it.
_HELD = {
    "tf": "tensorflow",
    "control_flow_ops": "tensorflow.python.ops.control_flow_ops",
    "functional_ops": "tensorflow.python.ops.functional_ops",
    "tensor_array_ops": "tensorflow.python.ops.tensor_array_ops",
    "ctc": "tensorflow.python.ops.ctc_ops",
    "moving_averages": "tensorflow.python.training.moving_averages",
}


@lru_cache(maxsize=10_000)
def public_path(path: str) -> str:
    """The path by which TensorFlow 1.15 documents what `path` reaches, else where it is defined.

    >>> public_path("tensorflow.python.client.session.Session")
    'tensorflow.Session'
    >>> public_path("tensorflow.contrib.slim.init_ops.zeros_initializer")
    'tensorflow.zeros_initializer'
    """
    seen = {path}
    while path.startswith(ROOTS):
        led = _step(path)
        if led is None or led in seen:
            break
        seen.add(led)
        path = led
    return path


def out_of_backend(path: str) -> str:
    """What Keras' backend only had from elsewhere, by where that is.

    >>> out_of_backend("keras.backend.control_flow_ops.while_loop")
    'tensorflow.python.ops.control_flow_ops.while_loop'
    """
    for backend in _BACKENDS:
        if path.startswith(backend + "."):
            name, dot, rest = path[len(backend) + 1 :].partition(".")
            if name in _HELD:
                return _HELD[name] + dot + rest
    return path


def _step(path: str) -> str | None:
    """`path` with the first thing on its way that a module only has from elsewhere replaced."""
    parts = path.split(".")
    module = parts[0]
    for place in range(1, len(parts)):
        name = parts[place].partition("(")[0]
        home = _names_of(module).get(name)
        if home is not None:
            return ".".join([home + parts[place][len(name) :], *parts[place + 1 :]])
        module = f"{module}.{name}"
    return None


@cache
def _names_of(module: str) -> dict[str, str]:
    """What a module has from elsewhere: its name there -> the path of the thing itself."""
    found = {}
    for home, names in _table().get(module, {}).items():
        for text in names.split():
            here, _, there = text.partition("=")
            found[here] = f"{home}.{there or here}"
    return found


@cache
def _table() -> dict[str, dict[str, str]]:
    file = rules_dir() / "api" / "tf1.15.paths.json"
    table: dict[str, dict[str, str]] = json.loads(file.read_text(encoding="utf-8"))
    return table

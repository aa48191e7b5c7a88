"""What every verifying child does: configuration, inputs, nests of results, result files.

Keeps to Python 3.7: it also runs under TF 1.15.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

STEPS = 3
LEARNING_RATE = 0.01
_HERE = os.path.dirname(os.path.abspath(__file__))


class Unusable(Exception):
    """What is asked for cannot be done with this repository; the message says why."""


def leave_own_directory() -> None:
    """Takes this directory off sys.path: the user's modules may have the same names."""
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.curdir) != _HERE]


def load_by_path(name: str, path: str) -> Any:
    """A module of migrator's own, loaded without making migrator importable for the user's code."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    sys.modules[name] = module
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    return module


def start_side(side: str, compat_runtime: str) -> Any:
    """TensorFlow as the side sees it: "tf1" and "compat" with resource variables, or "after".

    With TF1's reference variables an update may overtake a read: a program differs from itself.
    """
    leave_own_directory()
    if side == "compat":
        load_by_path("migrator_compat_runtime", compat_runtime).install()
    import tensorflow as tf

    if side != "after":
        tf.enable_resource_variables()
    return tf


def add_roots(root: str, roots: list[str]) -> None:
    """Makes the repository's modules importable."""
    for folder in reversed(roots):
        sys.path.insert(0, os.path.normpath(os.path.join(root, folder)))


def target(path: str) -> Any:
    """The function behind "package.module:function"."""
    module, colon, name = path.partition(":")
    if not colon:
        raise Unusable(f"call = {path!r}: write it as package.module:function")
    found = importlib.import_module(module)
    for part in name.split("."):
        if not hasattr(found, part):
            raise Unusable(f"{module} has no {name}")
        found = getattr(found, part)
    return found


def make_inputs(
    specs: list[dict[str, Any]], batch: int, root: str, float64: bool
) -> dict[str, Any]:
    """{name: array} as the workload describes them, the same on both sides.

    With float64, the float32 inputs are widened after they were drawn or read.
    """
    arrays = {}
    for spec in specs:
        if spec["array"]:
            path, _, key = spec["array"].partition(":")
            full = os.path.join(root, path)
            if not os.path.exists(full):
                raise Unusable("input {}: there is no file {}".format(spec["name"], path))
            with np.load(full) as stored:
                if key not in stored.files:
                    raise Unusable("input {}: {} has no array {!r}".format(spec["name"], path, key))
                value = stored[key]
            fits = len(spec["shape"]) == value.ndim and all(
                d in ("batch", n) for d, n in zip(spec["shape"], value.shape)  # noqa: B905
            )
            if spec["shape"] and not fits:
                raise Unusable(
                    "input {}: {} has shape {}, the workload says {}".format(
                        spec["name"], spec["array"], list(value.shape), spec["shape"]
                    )
                )
            value = value.astype(spec["dtype"])
        else:
            shape = tuple(batch if d == "batch" else d for d in spec["shape"])
            random = np.random.RandomState(spec["seed"])
            dtype = np.dtype(spec["dtype"])
            low, high = spec["low"], spec["high"]
            if dtype.kind in "iu":
                value = random.randint(int(low), max(int(high), int(low) + 1), size=shape)
            else:
                value = random.uniform(low, high, size=shape)
            value = np.asarray(value).astype(dtype)
        if float64 and value.dtype == np.float32:
            value = value.astype(np.float64)
        arrays[spec["name"]] = value
    return arrays


def flatten(nest: Any, is_leaf: Callable[[Any], bool], prefix: str = "") -> dict[str, Any]:
    """{path: leaf} of nested dicts, lists and tuples; what is neither nest nor leaf is left out."""
    if is_leaf(nest):
        return {prefix or "result": nest}
    items: Any
    if hasattr(nest, "_asdict"):
        items = nest._asdict().items()
    elif isinstance(nest, dict):
        items = sorted(nest.items(), key=lambda item: str(item[0]))
    elif isinstance(nest, (list, tuple)):
        items = enumerate(nest)
    else:
        return {}
    flat = {}
    for key, value in items:
        flat.update(flatten(value, is_leaf, f"{prefix}/{key}" if prefix else str(key)))
    return flat


def scalar_loss(outputs: Any, name: str) -> Any:
    """The scalar that a training workload minimises: its result, or the entry called `name`."""
    if isinstance(outputs, dict):
        key = name or "loss"
        if key not in outputs:
            raise Unusable(f"the result has no entry {key!r}, but {sorted(outputs)}")
        return outputs[key]
    if isinstance(outputs, (list, tuple)):
        if name:
            if not hasattr(outputs, name):
                raise Unusable(f"loss = {name!r}, but the result is a plain {type(outputs).__name__}")
            return getattr(outputs, name)
        return outputs[0]
    return outputs


def checkpoint_values(reader: Any, wanted: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """(values by name, names that the checkpoint lacks) of variables {name: (shape, dtype)}."""
    shapes = reader.get_variable_to_shape_map()
    values, missing = {}, []
    for name, (shape, dtype) in wanted.items():
        if name not in shapes:
            missing.append(name)
        elif list(shapes[name]) != list(shape):
            raise Unusable(
                f"variable {name} has shape {list(shape)}, in the checkpoint {list(shapes[name])}"
            )
        else:
            values[name] = reader.get_tensor(name).astype(dtype)
    return values, missing


def existing_checkpoint(root: str, path: str) -> str:
    full = os.path.join(root, path)
    if not os.path.exists(full + ".index") and not os.path.exists(full):
        raise Unusable(f"there is no checkpoint {path} in the repository")
    return full


def read_config() -> dict[str, Any]:
    with open(sys.argv[1]) as fh:
        config = json.load(fh)
    return config  # type: ignore[no-any-return]


def write_result(config: dict[str, Any], arrays: dict[str, Any], facts: dict[str, Any]) -> None:
    """Writes the arrays beside the facts; the facts come last and whole, or not at all."""
    dense: Any = {k: np.asarray(v) for k, v in arrays.items()}
    np.savez(config["out"] + ".npz", **dense)
    part = config["out"] + ".part"
    with open(part, "w") as fh:
        json.dump(facts, fh)
    os.rename(part, config["out"] + ".json")


def main(run: Callable[[dict[str, Any]], tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """Runs `run(config)`; what it finds unusable is a result, any other exception a traceback."""
    config = read_config()
    try:
        arrays, facts = run(config)
    except Unusable as error:
        write_result(config, {}, {"unusable": str(error)})
    else:
        write_result(config, arrays, facts)

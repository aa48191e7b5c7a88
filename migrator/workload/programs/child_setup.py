"""Sets a child process up for a workload: its imports, inputs, target, loss and result files.

Verify's and measure's programs load it from beside this package by path. Keeps to Python 3.7: it
also runs under TF 1.15.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import signal
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np


class Unusable(Exception):
    """What is asked for cannot be done with this repository; the message says why."""


def leave_directory(folder: str) -> None:
    """Takes a program's own directory off sys.path: the user's modules may have the same names."""
    here = os.path.abspath(folder)
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.curdir) != here]


def end_with_parent() -> None:
    """Has Linux kill this process when its parent dies, however that dies."""
    try:
        libc = ctypes.CDLL(None)
        libc.prctl(1, int(signal.SIGKILL))  # PR_SET_PDEATHSIG, linux/prctl.h
    except (OSError, AttributeError):
        return  # another system: the parent ends its children where it can


def load_by_path(name: str, path: str) -> Any:
    """A module of migrator's own, loaded without making migrator importable for the user's code.

    name: of a package that stands for the file's folder, so that the module finds its neighbours.
    """
    folder, file = os.path.split(path)
    package = types.ModuleType(name)
    package.__path__ = [folder]
    sys.modules[name] = package
    return importlib.import_module(name + "." + os.path.splitext(file)[0])


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
    _flags_have_defaults()
    return found


def _flags_have_defaults() -> None:
    """Flags that no main parses have their defaults, as TF 1's had; absl's refuse to be read."""
    flags = getattr(sys.modules.get("absl.flags"), "FLAGS", None)
    if flags is not None and not flags.is_parsed():
        flags.mark_as_parsed()


def make_inputs(
    specs: list[dict[str, Any]],
    batch: int,
    root: str,
    float64: bool = False,
    resize: bool = False,
) -> dict[str, Any]:
    """{name: array} as the workload describes them, the same on both sides.

    specs: `migrator.workload.spec.Input` as dicts; a shape's "batch" becomes `batch`. An array that
    is read must have the shape that is described; with `resize`, its items are repeated or cut to
    the batch instead. With float64, float32 inputs are widened after they were drawn or read.

    Raises:
      Unusable: a file or an array that is not there, or is of another shape.
    """
    arrays = {}
    for spec in specs:
        value = _read(spec, batch, root, resize) if spec.get("array") else _draw(spec, batch)
        if float64 and value.dtype == np.float32:
            value = value.astype(np.float64)
        arrays[spec["name"]] = value
    return arrays


def _draw(spec: dict[str, Any], batch: int) -> Any:
    shape = tuple(batch if d == "batch" else d for d in spec.get("shape", ()))
    random = np.random.RandomState(spec.get("seed", 0))
    dtype = np.dtype(spec.get("dtype", "float32"))
    low, high = spec.get("low", 0.0), spec.get("high", 1.0)
    value: Any
    if dtype.kind in "iu":
        value = random.randint(int(low), max(int(high), int(low) + 1), size=shape)
    else:
        value = random.uniform(low, high, size=shape)
    return np.asarray(value).astype(dtype)


def _read(spec: dict[str, Any], batch: int, root: str, resize: bool) -> Any:
    path, _, key = spec["array"].partition(":")
    full = os.path.join(root, path)
    if not os.path.exists(full):
        raise Unusable("input {}: there is no file {}".format(spec["name"], path))
    with np.load(full) as stored:
        if key not in stored.files:
            raise Unusable("input {}: {} has no array {!r}".format(spec["name"], path, key))
        value = stored[key]
    shape = list(spec.get("shape", ()))
    fits = len(shape) == value.ndim and all(
        d in ("batch", n) for d, n in zip(shape, value.shape)  # noqa: B905
    )
    if shape and not fits:
        raise Unusable(
            "input {}: {} has shape {}, the workload says {}".format(
                spec["name"], spec["array"], list(value.shape), shape
            )
        )
    if resize and shape and shape[0] == "batch":
        value = np.resize(value, (batch,) + value.shape[1:])
    return value.astype(spec.get("dtype", "float32"))


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


def existing_checkpoint(root: str, path: str) -> str:
    """The checkpoint's path, if it is there. Raises Unusable."""
    full = os.path.join(root, path)
    if not os.path.exists(full + ".index") and not os.path.exists(full):
        raise Unusable(f"there is no checkpoint {path} in the repository")
    return full


def read_config() -> dict[str, Any]:
    """The configuration whose file is this program's argument."""
    with open(sys.argv[1]) as fh:
        config = json.load(fh)
    return config  # type: ignore[no-any-return]


def write_json(path: str, value: Any) -> None:
    """Writes JSON where the parent waits for it, whole or not at all."""
    part = path + ".part"
    with open(part, "w") as fh:
        json.dump(value, fh)
    os.rename(part, path)


def run_program(args: list[str]) -> None:
    """Runs a script, module or code with the arguments that follow it, as Python would have."""
    import runpy

    if args[0] == "-m":
        sys.path.insert(0, os.getcwd())
        sys.argv = args[1:]
        runpy.run_module(args[1], run_name="__main__", alter_sys=True)
    elif args[0] == "-c":
        sys.path.insert(0, "")
        sys.argv = ["-c"] + args[2:]
        exec(compile(args[1], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(args[0])))
        sys.argv = args
        runpy.run_path(args[0], run_name="__main__")


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

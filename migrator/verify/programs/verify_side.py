"""Puts a Python process of a verified command on its side, when it imports TensorFlow.

Settings come from the environment, so that they reach whatever the command starts:

* MIGRATOR_VERIFY_SIDE: "tf1", "compat" (MIGRATOR_VERIFY_COMPAT is the runtime's path) or "after";
* MIGRATOR_VERIFY_DRAWS: "same" for random numbers that both TensorFlows agree about
  (`verify_draws.py`), and MIGRATOR_VERIFY_SHAKE by how much to change them, relatively, with
  MIGRATOR_VERIFY_SHAKE_SEED for another change;
* MIGRATOR_VERIFY_RESOURCES: "1" for resource variables where TF 1 has reference variables;
* MIGRATOR_VERIFY_NOTES: a folder in which each process says which TensorFlow it ran and, on the
  migrated side, how often each `tf.function` of the repository (MIGRATOR_VERIFY_ROOT) was traced.

Keeps to Python 3.7: it also runs under TF 1.15.
"""

from __future__ import annotations

import atexit
import importlib
import importlib.abc
import importlib.util
import json
import os
import random
import sys
from collections.abc import Callable
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))
_FEEDS = "tensorflow_estimator.python.estimator.inputs.queues.feeding_functions"


class _Loader(importlib.abc.Loader):
    """A module's own loader, followed by a function of what it loaded."""

    def __init__(self, inner: Any, then: Callable[[Any], None]) -> None:
        self.inner, self.then = inner, then

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def create_module(self, spec: Any) -> Any:
        return self.inner.create_module(spec)

    def exec_module(self, module: Any) -> None:
        drawn = random.getstate()
        self.inner.exec_module(module)
        random.setstate(drawn)
        self.then(sys.modules.get(module.__name__, module))


class _Finder(importlib.abc.MetaPathFinder):
    """Finds modules as the other finders do, and has functions called with some of them."""

    def __init__(self, then: dict[str, Callable[[Any], None]]) -> None:
        self.then = then

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in self.then:
            return None
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None and finder is not self else None
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader, self.then[name])
                return spec
        return None


def _own(name: str) -> Any:
    """A module beside this one, under a name that no module of the user's has."""
    qualified = f"migrator_{name}"
    if qualified not in sys.modules:
        spec = importlib.util.spec_from_file_location(qualified, os.path.join(_HERE, name + ".py"))
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[qualified] = module
        spec.loader.exec_module(module)
    return sys.modules[qualified]


def start() -> None:
    """Waits for TensorFlow, and seeds Python's and numpy's generators if draws are the same."""
    then: dict[str, Callable[[Any], None]] = {"tensorflow": _on_tensorflow}
    if os.environ.get("MIGRATOR_VERIFY_DRAWS") == "same":
        random.seed = _seeded(random.seed)  # type: ignore[assignment]
        random.seed()
        then["numpy"] = _on_numpy
        # What the program draws is not moved by which library comes with its TensorFlow: Keras 3
        # imports rich, and that draws a number.
        then["rich.style"] = lambda module: None
        then[_FEEDS] = lambda module: _own("verify_draws").begin_at_the_first(module)
    if os.environ["MIGRATOR_VERIFY_SIDE"] == "compat":
        os.environ["TF_USE_LEGACY_KERAS"] = "1"
    sys.meta_path.insert(0, _Finder(then))


def _seeded(seed: Callable[..., Any]) -> Callable[..., Any]:
    """A function that seeds a generator: with 0 where it would ask the system for a seed."""

    def call(value: Any = None, *args: Any, **kwargs: Any) -> Any:
        value = kwargs.pop("seed", kwargs.pop("a", value))  # as numpy and Python call it
        return seed(0 if value is None else value, *args, **kwargs)

    return call


def _on_numpy(numpy: Any) -> None:
    for name in ("seed", "default_rng"):
        if hasattr(numpy.random, name):
            setattr(numpy.random, name, _seeded(getattr(numpy.random, name)))
    numpy.random.seed()


def _on_tensorflow(tf: Any) -> None:
    side = os.environ["MIGRATOR_VERIFY_SIDE"]
    version = tf.__version__
    if side == "compat":
        path = os.environ["MIGRATOR_VERIFY_COMPAT"]
        spec = importlib.util.spec_from_file_location("migrator_compat_runtime", path)
        assert spec is not None and spec.loader is not None
        runtime = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(runtime)
        runtime.install()
    if side != "after" and os.environ.get("MIGRATOR_VERIFY_RESOURCES") == "1":
        tf.compat.v1.enable_resource_variables()
    if os.environ.get("MIGRATOR_VERIFY_DRAWS") == "same":
        shake = float(os.environ.get("MIGRATOR_VERIFY_SHAKE", "0"))
        seed = int(os.environ.get("MIGRATOR_VERIFY_SHAKE_SEED", "0"))
        _own("verify_draws").install(tf, shake, seed)
    notes = os.environ.get("MIGRATOR_VERIFY_NOTES")
    if notes:
        _note(notes, "tensorflow", {"tensorflow": version})
        if side == "after":
            traces, root = _own("verify_traces"), os.environ["MIGRATOR_VERIFY_ROOT"]
            functions = traces.record_functions(tf)
            atexit.register(
                lambda: _note(notes, "traces", traces.trace_counts(tf, functions, root))
            )


def _note(folder: str, kind: str, value: Any) -> None:
    path = os.path.join(folder, f"{kind}.{os.getpid()}.json")
    with open(path + ".part", "w") as fh:
        json.dump(value, fh)
    os.rename(path + ".part", path)

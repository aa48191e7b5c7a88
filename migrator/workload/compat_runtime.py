"""Makes unchanged TF1 code run on TF 2.21, inside a child process: the stand-in for TF 1.15.

`install()` replaces the module `tensorflow` with a view of `tf.compat.v1` whose `contrib`, `layers`
and `app`/`flags` parts, gone since Keras 3, come from tf_slim, tf_keras's legacy layers and, of what
only calls cells and scopes, the support package. It must be called before the user's code is imported,
in a process that nothing else uses: it turns TF2 behaviour off.

Also runnable: `python -m migrator.workload.compat_runtime SCRIPT ARGS...` or `-m MODULE ARGS...`.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import runpy
import sys
import types
from collections.abc import Sequence
from typing import Any

from migrator.resources import templates_dir

_LEGACY_LAYERS = ("base", "convolutional", "core", "normalization", "pooling")


def _legacy_layers() -> types.ModuleType:
    """tf_keras's TF1 layers, under the place where TensorFlow's lazy loader looks for them.

    tf_keras moved `legacy_tf_layers` to `tf_keras.src` in 2.13; TF 2.21 still imports the old name.
    """
    package = importlib.import_module("tf_keras.src.legacy_tf_layers")
    sys.modules["tf_keras.legacy_tf_layers"] = package
    for name in _LEGACY_LAYERS:
        module = importlib.import_module(f"tf_keras.src.legacy_tf_layers.{name}")
        sys.modules[f"tf_keras.legacy_tf_layers.{name}"] = module
    layers = types.ModuleType("tensorflow.layers")
    for name in _LEGACY_LAYERS:
        module = sys.modules[f"tf_keras.legacy_tf_layers.{name}"]
        vars(layers).update({k: v for k, v in vars(module).items() if not k.startswith("_")})
    return layers


class _Namespace(types.ModuleType):
    """A module made of other modules' attributes; the first that has a name serves it."""

    def __init__(self, name: str, sources: Sequence[Any]) -> None:
        super().__init__(name)
        self.__dict__["_sources"] = tuple(sources)
        self.__path__: list[str] = []  # type: ignore[misc]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        for source in self.__dict__["_sources"]:
            try:
                return getattr(source, name)
            except AttributeError:
                continue
        raise AttributeError(f"{self.__name__}.{name} has no stand-in on TF 2.21")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Serves `import tensorflow.contrib…` from the namespaces above."""

    def __init__(self, modules: dict[str, types.ModuleType]) -> None:
        self.modules = modules

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name in self.modules:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        if name.startswith("tensorflow.contrib."):
            # contrib's private layout (…contrib.layers.python.layers.layers): the public parent
            parent = name
            while parent and parent not in self.modules:
                parent = parent.rpartition(".")[0]
            if parent and parent != "tensorflow.contrib":
                self.modules[name] = self.modules[parent]
                return importlib.machinery.ModuleSpec(name, self, is_package=True)
            raise ImportError(
                f"{name} has no stand-in on TF 2.21: run the original on TensorFlow 1.15, whose "
                "interpreter --tf1-python names", name=name,
            )  # fmt: skip
        return None

    def create_module(self, spec: Any) -> types.ModuleType:
        return self.modules[spec.name]

    def exec_module(self, module: types.ModuleType) -> None:
        return None


def _support(name: str, **beside: Any) -> types.ModuleType:
    """A module of the support package in a TF1 graph: `beside` are the modules that it takes from its
    package, as TF1 has them. So its cells and scopes are those of the program."""
    package = f"migrator_contrib_{name}"
    sys.modules[package] = types.ModuleType(package)
    sys.modules[package].__path__ = []
    for other, served in beside.items():
        sys.modules[f"{package}.{other}"] = served
    spec = importlib.util.spec_from_file_location(
        f"{package}.{name}", templates_dir() / "support" / f"{name}.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _contrib(v1: Any, slim: Any) -> dict[str, types.ModuleType]:
    """contrib's namespaces, as far as TF-Slim and compat.v1 can serve them."""
    sequences = _support("seq2seq", rnn=v1.nn.rnn_cell, rnn_loops=v1.nn, scopes=v1)
    padded = types.SimpleNamespace(sequence_loss=sequences.padded_sequence_loss)
    parts: dict[str, Sequence[Any]] = {
        "slim": (slim,),
        "layers": (slim, slim.layers, slim.initializers, slim.regularizers, slim.losses,
                   v1.feature_column, v1.initializers),
        "framework": (slim, v1.train, v1),
        "training": (slim.training, slim.learning, v1.train, _support("hparams")),
        "losses": (slim.losses, v1.losses),
        "metrics": (slim.metrics, v1.metrics),
        "image": (v1.image,),
        "data": (v1.data.experimental, v1.data),
        "lookup": (v1.lookup,),
        "summary": (v1.summary,),
        "opt": (v1.train,),
        "rnn": (v1.nn.rnn_cell, v1.nn),
        "legacy_seq2seq": (sequences,),
        "seq2seq": (padded,),
        "signal": (v1.signal,),
        "cluster_resolver": (v1.distribute.cluster_resolver,),
        "quantize": (),
        "tpu": (v1.tpu,),
    }  # fmt: skip
    modules: dict[str, types.ModuleType] = {
        f"tensorflow.contrib.{k}": _Namespace(f"tensorflow.contrib.{k}", v)
        for k, v in parts.items()
    }
    contrib = _Namespace("tensorflow.contrib", ())
    for name, module in modules.items():
        setattr(contrib, name.rpartition(".")[2], module)
    return {"tensorflow.contrib": contrib, **modules}


def install() -> None:
    """Turns this process into a TF1-like one.

    Raises:
      ImportError: tensorflow, tf_keras or tf_slim is missing.
    """
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    import tensorflow as tf

    layers = _legacy_layers()
    v1 = tf.compat.v1
    v1.disable_v2_behavior()
    import tf_slim as slim

    modules = _contrib(v1, slim)
    shim = _Namespace("tensorflow", (v1,))
    shim.__path__ = list(tf.__path__)
    shim.__spec__ = tf.__spec__
    shim.__version__ = tf.__version__  # type: ignore[attr-defined]
    shim.__file__ = tf.__file__
    shim.contrib = modules["tensorflow.contrib"]  # type: ignore[attr-defined]
    shim.layers = layers  # type: ignore[attr-defined]
    shim.compat = tf.compat  # type: ignore[attr-defined]
    shim.python = tf.python if hasattr(tf, "python") else sys.modules["tensorflow.python"]  # type: ignore[attr-defined]
    modules["tensorflow.layers"] = layers
    sys.modules["tensorflow"] = shim
    sys.meta_path.insert(0, _Finder(modules))


def main(argv: Sequence[str] | None = None) -> None:
    """Runs a script or module of TF1 code as `python SCRIPT` or `python -m MODULE` would."""
    args = list(sys.argv[1:] if argv is None else argv)
    if not args:
        raise SystemExit("usage: compat_runtime (SCRIPT | -m MODULE) [ARGS...]")
    install()
    if args[0] == "-m":
        sys.argv = args[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(args[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = args
        sys.path.insert(0, os.path.dirname(os.path.abspath(args[0])))
        runpy.run_path(args[0], run_name="__main__")


if __name__ == "__main__":
    main()

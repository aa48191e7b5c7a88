"""Workload descriptions: what `verify` and `measure` run, the same text before and after migration.

They live in `migrator.toml` at the root of the repository (`[[workload]]` tables), or in any TOML
file given with `--workloads`.
"""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from migrator.project.source import SourceError
from migrator.project.toml import TomlError, parsed
from migrator.project.tree import read_named

SPEC_FILE = "migrator.toml"
KINDS = (
    "function", "graph", "model", "command", "frozen_graph", "saved_model", "keras_file", "checkpoint",
    "tests", "imports", "help",
)  # fmt: skip
MODES = ("inference", "training")


class SpecError(ValueError):
    """A workload file that cannot be used; the message names file, workload and key."""


@dataclass(frozen=True, slots=True)
class Input:
    """One generated input tensor.

    `shape` holds ints and at most the word "batch", which the run replaces. Values are drawn from
    numpy's `RandomState(seed)`, uniformly in [low, high) (integers for integer dtypes), or read from
    `array`, "file.npz:key" relative to the repository.
    """

    name: str
    shape: tuple[int | str, ...] = ()
    dtype: str = "float32"
    low: float = 0.0
    high: float = 1.0
    seed: int = 0
    array: str = ""

    def concrete_shape(self, batch: int) -> tuple[int, ...]:
        """The shape with "batch" replaced."""
        return tuple(batch if d == "batch" else int(d) for d in self.shape)


@dataclass(frozen=True, slots=True)
class Workload:
    """One thing to run.

    function: `call` ("package.module:function") gets the inputs by keyword, and `kwargs`; in mode
      training its result (or the entry `loss` of it) is the scalar that is minimised. Of a method
      ("package.module:Class.method") `made` is what its object is made with; for `measure` only.
    graph: `call` ("package.module:Class") is called with `kwargs` and makes placeholders of its own, which
      are the inputs in the order in which they are made; `fetches` are attributes of what it returns,
      in mode training its own update among them. For `measure` only. An argument may be
      {call = "module:function", args = [...]}, with the attributes in `set`, or {namespace = {...}}, an
      object with attributes, those in `none` (a list) without a value. So may one of a function.
    model: `call` ("package.module:build") is called with `kwargs` and returns what is called with the
      inputs: a Keras model, a tf.Module, a function. `loss` may be "package.module:function" of its
      outputs; without it, training minimises the mean square of all float outputs.
    command: `command` is run in a working copy of the repository; `artifacts` (globs relative to
      {out}) are compared, or, without any, all that it prints and writes. "{python}", "{out}" and
      "{batch}" are replaced. `carried`: it runs on the original only, and what it writes is in both
      working copies for the commands after it. `stop`: seconds after which `measure` ends it, as it would
      have ended by itself; its memory is told, and not how long it takes.
    frozen_graph, saved_model: `path`, with `fetches` and inputs by tensor name; for `measure` both
      may be left out where the graph or its signature says them.
    keras_file: `path` of a .keras or .h5 file; for `measure` only.
    checkpoint: `path` without its endings; for `verify` only, as the ones below.
    tests: `paths` (globs of test files).
    imports, help: `paths` of modules, and of scripts whose --help is asked for.

    `found`: `measure` wrote it down by itself. `verify`, which finds its own, leaves it alone.
    `variants` ({name: {"call": ..., "kwargs": {...}}}) are other forms of a function or model that
    `measure` puts beside it, such as one with another backbone.
    """

    name: str
    kind: str
    mode: str = "inference"
    call: str = ""
    inputs: tuple[Input, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)
    checkpoint: str = ""
    loss: str = ""
    batch: int = 1
    command: str = ""
    artifacts: tuple[str, ...] = ()
    carried: bool = False
    stop: float = 0.0
    found: bool = False
    path: str = ""
    fetches: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    roots: tuple[str, ...] = (".",)
    tolerance: float = 1e-5
    float64: bool = False
    timeout: float = 900.0
    env: dict[str, str] = field(default_factory=dict)
    variants: dict[str, dict[str, Any]] = field(default_factory=dict)

    def variant(self, name: str) -> Workload:
        """The workload with what the variant says in place of its own. Raises KeyError."""
        return dataclasses.replace(self, variants={}, **self.variants[name])


def _tuple_fields() -> frozenset[str]:
    return frozenset({"inputs", "artifacts", "fetches", "paths", "roots"})


def _input(raw: Any, where: str) -> Input:
    if not isinstance(raw, dict) or "name" not in raw:
        raise SpecError(f"{where}: each input is a table with at least a name")
    known = {f.name for f in dataclasses.fields(Input)}
    unknown = sorted(set(raw) - known)
    if unknown:
        raise SpecError(f"{where}: unknown key {unknown[0]!r} of input {raw['name']!r}")
    shape = tuple(raw.get("shape", ()))
    if any(not (d == "batch" or (isinstance(d, int) and d >= 0)) for d in shape):
        raise SpecError(f"{where}: shape of input {raw['name']!r} takes sizes and the word 'batch'")
    return Input(**{**raw, "shape": shape})


def _check_variants(variants: Any, where: str) -> None:
    if not isinstance(variants, dict):
        raise SpecError(f"{where}: variants is a table of tables by name")
    for name, changes in variants.items():
        if not isinstance(changes, dict) or set(changes) - {"call", "kwargs", "loss"}:
            raise SpecError(f"{where}: variant {name!r} takes call, kwargs and loss")


def parse(data: dict[str, Any], source: str = SPEC_FILE) -> tuple[Workload, ...]:
    """Workloads of a parsed TOML document.

    Raises:
      SpecError: an unknown key, kind or mode, or a kind without what it needs.
    """
    known = {f.name for f in dataclasses.fields(Workload)}
    needs = {
        "function": "call", "graph": "call", "model": "call", "command": "command", "frozen_graph": "path",
        "saved_model": "path", "keras_file": "path", "tests": "paths", "checkpoint": "path",
        "imports": "paths", "help": "paths",
    }  # fmt: skip
    found: list[Workload] = []
    tables = data.get("workload", [])
    if not isinstance(tables, list):
        raise SpecError(f"{source}: write [[workload]], with two brackets")
    for number, raw in enumerate(tables, 1):
        where = f"{source}, workload {raw.get('name', number)!r}"
        unknown = sorted(set(raw) - known)
        if unknown:
            raise SpecError(f"{where}: unknown key {unknown[0]!r}")
        if not raw.get("name"):
            raise SpecError(f"{where}: has no name")
        if raw.get("kind") not in KINDS:
            raise SpecError(f"{where}: kind is one of {', '.join(KINDS)}")
        if raw.get("mode", "inference") not in MODES:
            raise SpecError(f"{where}: mode is one of {', '.join(MODES)}")
        if not raw.get(needs[raw["kind"]]):
            raise SpecError(f"{where}: kind {raw['kind']!r} needs {needs[raw['kind']]!r}")
        _check_variants(raw.get("variants", {}), where)
        values: dict[str, Any] = {k: tuple(v) if k in _tuple_fields() else v for k, v in raw.items()}
        values["inputs"] = tuple(_input(i, where) for i in raw.get("inputs", ()))
        found.append(Workload(**values))
    names = [w.name for w in found]
    for name in names:
        if names.count(name) > 1:
            raise SpecError(f"{source}: two workloads are named {name!r}")
    return tuple(found)


def load(path: Path) -> tuple[Workload, ...]:
    """Workloads of a TOML file; none if the file does not exist.

    Raises:
      SpecError: the file is not TOML, or describes a workload wrongly.
    """
    try:
        if not os.path.lexists(path):
            return ()
        data = parsed(read_named(path)[0])
    except SourceError as error:
        raise SpecError(str(error)) from error
    except TomlError as error:
        raise SpecError(f"{path}: {error}") from error
    return parse(data, str(path))


def find(root: Path) -> tuple[Workload, ...]:
    """What a repository describes itself."""
    return load(root / SPEC_FILE)

"""Workloads from a command line (`--model`, `--input`, `--run`) and from model files in a repository."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from migrator.project.paths import STATE_FOLDER
from migrator.workload.spec import Input, SpecError, Workload

_CALL = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$")
_INPUT = re.compile(r"(?:(?P<name>.+)=)?(?P<shape>\d+(?:x\d+)*)(?::(?P<dtype>\w+))?$")
DTYPES = ("float32", "float64", "float16", "uint8", "int8", "int32", "int64", "bool")
GUESS = 64  # a size that nothing says
_MOST = 8  # model files that are taken from a repository by themselves
_SKIPPED = frozenset({".git", STATE_FOLDER, "node_modules", "__pycache__", ".venv", "venv"})


def parse_input(text: str, number: int = 0) -> Input:
    """An input from "[NAME=]1x300x300x3[:dtype]"; the first size becomes the batch.

    Raises:
      SpecError: it is not of that form.
    """
    found = _INPUT.match(text.strip())
    if not found or (found["dtype"] or "float32") not in DTYPES:
        raise SpecError(
            f"--input {text}: write it as 1x300x300x3, NAME=1x300x300x3 or 1x300x300x3:uint8 "
            f"(types: {', '.join(DTYPES)})"
        )
    dtype = found["dtype"] or "float32"
    sizes = [int(v) for v in found["shape"].split("x")]
    name = found["name"] or ("input" if not number else f"input_{number}")
    high = 255.0 if dtype == "uint8" else 2.0 if dtype.startswith("int") else 1.0
    return Input(name, ("batch", *sizes[1:]), dtype, high=high)


def batch_of(texts: Sequence[str]) -> int | None:
    """The first size of the first `--input`, which is a batch size to measure."""
    found = _INPUT.match(texts[0].strip()) if texts else None
    return int(found["shape"].split("x")[0]) if found else None


def kind_of(path: Path) -> str:
    """The workload kind of a model file or folder by its name and content, "" if it is none."""
    if path.is_dir():
        return "saved_model" if (path / "saved_model.pb").is_file() else ""
    if path.name == "saved_model.pb":
        return ""
    return {".pb": "frozen_graph", ".keras": "keras_file", ".h5": "keras_file",
            ".hdf5": "keras_file"}.get(path.suffix.lower(), "")  # fmt: skip


def from_option(
    model: str, inputs: Sequence[str], root: Path, modes: Sequence[str],
    kwargs: dict[str, Any] | None = None, loss: str = "", fetches: Sequence[str] = (),
) -> tuple[Workload, ...]:  # fmt: skip
    """The workloads of `--model`: "package.module:build" or a model file, in each mode.

    A file is looked for in the repository, then where the command was called.

    Raises:
      SpecError: there is no such file, or it is of no known kind.
    """
    parsed = tuple(parse_input(text, i) for i, text in enumerate(inputs))
    names = [i.name for i in parsed]
    if len(set(names)) < len(names):
        raise SpecError(f"--input: {names} has a name twice")
    if _CALL.match(model) and not Path(model).exists():
        fields: dict[str, Any] = {"kind": "model", "call": model, "kwargs": dict(kwargs or {})}
    else:
        path = root / model if (root / model).exists() else Path(model).resolve()
        kind = kind_of(path) if path.exists() else ""
        if not kind:
            raise SpecError(
                f"--model {model}: "
                + ("is no model file" if path.exists() else "there is no such file")
                + "; write package.module:build, a SavedModel folder, or a .pb, .keras or .h5 file"
            )
        fields = {"kind": kind, "path": os.path.relpath(path, root) if path.is_relative_to(root)
                  else str(path), "fetches": tuple(fetches)}  # fmt: skip
    trains = fields["kind"] in ("model", "keras_file")
    short = model.rpartition("/")[2]
    return tuple(
        Workload(name=f"{short}, {mode}", mode=mode, inputs=parsed, loss=loss, **fields)
        for mode in modes
        if mode == "inference" or trains
    )


def found(root: Path, modes: Sequence[str] = ("inference",)) -> tuple[Workload, ...]:
    """Workloads for the model files that lie in a repository, the first few by path."""
    made: list[Workload] = []
    for path in _files(root):
        if len(made) >= _MOST:
            break
        made += from_option(path.relative_to(root).as_posix(), (), root, modes)
    names = [w.name for w in made]
    return tuple(
        w if names.count(w.name) == 1 else Workload(w.path, w.kind, w.mode, path=w.path)
        for w in made
    )


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(d for d in folders if d not in _SKIPPED)
        here = Path(folder)
        if here != root and kind_of(here):
            folders.clear()  # what a SavedModel holds belongs to it
            yield here
            continue
        yield from (here / f for f in sorted(files) if kind_of(here / f))


def command(text: str, timeout: float = 1e9, batch: int = 1) -> Workload:
    """The workload of `--run`. Raises SpecError for an empty command."""
    if not text.strip():
        raise SpecError("--run: the command is empty")
    return Workload(text.strip(), "command", command=text, timeout=timeout, batch=batch)

"""Remembers what was made of files, by everything that decided it, in a directory of pickles.

A run that finds everything here loads no rules, no transforms and no parser.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import hashlib
import importlib
import importlib.metadata
import io
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import platformdirs

from migrator import __version__, resources
from migrator.engine import installed
from migrator.engine.options import Options
from migrator.engine.packs import data_of
from migrator.support_source import CLASSES

_SUM = 32  # bytes before each pickle: its SHA-256
_KEEP_DAYS = 30
_PRUNED = "pruned"  # when the folder was last gone through is the time of this file
_RECORDS = (
    *("migrator.model", "migrator.engine.scanned", "migrator.engine.migrated", "migrator.survey"),
    *("migrator.analysis.", "migrator.check.records"),
)
_PARSERS = ("libcst", "fissix")
T = TypeVar("T")


def default_cache_dir() -> Path:
    """The user's cache directory for plans."""
    return Path(platformdirs.user_cache_dir("migrator")) / "plans"


def key(*parts: str) -> str:
    """The key of what these parts decide; the first says what kind of value it is."""
    text = "\n".join(parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Cache:
    """Values by key; a damaged or foreign entry counts as absent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _file(self, name: str) -> Path:
        return self.folder / name[:2] / f"{name[2:]}.pickle"

    def get(self, kind: type[T], name: str) -> T | None:
        """The value under the key `name`, None where there is none of this type."""
        try:
            data = self._file(name).read_bytes()
            if hashlib.sha256(data[_SUM:]).digest() != data[:_SUM]:
                return None  # damaged: a pickle of few bytes may ask for gigabytes
            value = _Loader(io.BytesIO(data[_SUM:])).load()
        except Exception:  # whatever bytes the file holds
            return None
        return value if isinstance(value, kind) else None

    def put(self, name: str, value: object) -> None:
        """Store a value under the key `name`; a cache that cannot be written is no error."""
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        target = self._file(name)
        with contextlib.suppress(OSError):
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=target.parent)
            with os.fdopen(handle, "wb") as stream:
                stream.write(hashlib.sha256(data).digest() + data)
            os.replace(temporary, target)

    def prune(self) -> None:
        """Once a day: remove entries that were not written for a month."""
        now = time.time()
        mark = self.folder / _PRUNED
        with contextlib.suppress(OSError):
            if mark.exists() and now - mark.stat().st_mtime < 86400:
                return
            self.folder.mkdir(parents=True, exist_ok=True)
            mark.touch()
        for entry in self.folder.glob("??/*"):
            with contextlib.suppress(OSError):
                if now - entry.stat().st_mtime > _KEEP_DAYS * 86400:
                    entry.unlink()


class _Loader(pickle.Unpickler):
    """Makes migrator's own records and plain containers, and nothing else: a pickle from somebody
    else could otherwise run what it likes."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in (("builtins", "set"), ("builtins", "frozenset")):
            return super().find_class(module, name)
        if module.startswith(_RECORDS) and "." not in name:
            found = getattr(importlib.import_module(module), name, None)
            if isinstance(found, type) and (
                dataclasses.is_dataclass(found) or issubclass(found, enum.Enum)
            ):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no record of migrator")


def _digest_of(
    paths: Iterable[Path], name: str = "", read: Callable[[Path], bytes] = Path.read_bytes
) -> str:
    digest = hashlib.sha256(name.encode())
    for path in paths:
        data = read(path)
        digest.update(f"\0{path.name}\0{len(data)}\0".encode("utf-8", "surrogatepass"))
        digest.update(data)
    return digest.hexdigest()


@cache
def engine_digest() -> str:
    """A hash over what reads and rewrites files: our sources, the parsers, and Python."""
    package = Path(__file__).resolve().parent.parent
    sources = [
        source
        for folder in ("analysis", "check", "engine", "project", "transforms")
        for source in sorted((package / folder).rglob("*.py"))
    ]
    sources += sorted(package.glob("*.py"))
    versions = [f"{name} {importlib.metadata.version(name)}" for name in _PARSERS]
    python = ".".join(map(str, sys.version_info[:3]))
    return _digest_of(sources, "\n".join((__version__, python, *versions)))


@cache
def support_digest() -> str:
    """A hash over the sources of the support package and what renders it."""
    sources = sorted((resources.templates_dir() / "support").rglob("*.py"))
    package = Path(__file__).resolve().parent.parent
    classes = resources.templates_dir() / CLASSES
    return _digest_of([package / "support.py", package / "support_source.py", classes, *sources])


def rules_digest(options: Options) -> str:
    """A hash over the packs and API snapshots that `options` choose.

    Raises PackError for a pack that cannot be read, or an installed one that is not there.
    """
    folder = resources.rules_dir()
    shipped = (*folder.glob("*.toml"), *folder.glob("advice/*.toml"), *folder.glob("api/*.json"))
    return _digest_of((*sorted(shipped), *options.rules, *installed.paths()), read=data_of)

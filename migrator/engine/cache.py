"""Remembers what files became, by everything that decided it, in a directory of JSON files."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import platformdirs

from migrator import __version__
from migrator.model import Change, Confidence, FileResult, Finding, Rung, Status, to_jsonable

_KEEP_DAYS = 30


def default_cache_dir() -> Path:
    """The user's cache directory for plans."""
    return Path(platformdirs.user_cache_dir("migrator")) / "plans"


class Cache:
    """Results by key; a damaged or foreign entry counts as absent.

    `base` is the digest of rules, options and tool version, shared by all files of a run.
    """

    def __init__(self, folder: Path, base: str) -> None:
        self.folder = folder
        self.base = base

    @classmethod
    def of(cls, folder: Path, rules_digest: str, options_digest: str) -> Cache:
        """The cache of one run."""
        text = "\n".join((__version__, engine_digest(), rules_digest, options_digest))
        return cls(folder, hashlib.sha256(text.encode()).hexdigest())

    def key(self, path: str, sha256: str, index_digest: str) -> str:
        """The key of one file: its path, its bytes, and what it can see of the project."""
        text = "\n".join((self.base, path, sha256, index_digest))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def _file(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key[2:]}.json"

    def get(self, key: str, text: str) -> FileResult | None:
        """The stored result, `text` being the file's contents (which is not stored)."""
        try:
            record = json.loads(self._file(key).read_text(encoding="utf-8"))
            return replace(_result(record), old_text=text)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, result: FileResult) -> None:
        """Store a result; a cache that cannot be written is no error."""
        record = to_jsonable(replace(result, old_text="", timings=()))
        target = self._file(key)
        with contextlib.suppress(OSError):
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=target.parent)
            with os.fdopen(handle, "w", encoding="utf-8", errors="surrogatepass") as stream:
                json.dump(record, stream)
            os.replace(name, target)

    def prune(self) -> None:
        """Remove entries that were not written for a month."""
        limit = time.time() - _KEEP_DAYS * 86400
        for entry in self.folder.glob("??/*"):
            with contextlib.suppress(OSError):
                if entry.stat().st_mtime < limit:
                    entry.unlink()


_DIGEST: list[str] = []


def engine_digest() -> str:
    """A hash over the sources of the engine, the analysis and the transforms."""
    if not _DIGEST:
        digest = hashlib.sha256()
        package = Path(__file__).resolve().parent.parent
        for folder in ("analysis", "engine", "transforms"):
            for source in sorted((package / folder).rglob("*.py")):
                digest.update(source.read_bytes())
        _DIGEST.append(digest.hexdigest())
    return _DIGEST[0]


def _result(record: dict[str, Any]) -> FileResult:
    changes = tuple(
        Change(
            **{
                **item,
                "rung": Rung(item["rung"]),
                "confidence": Confidence(item["confidence"]),
            }
        )
        for item in record.pop("changes")
    )
    findings = tuple(
        Finding(**{**item, "rung": Rung(item["rung"])}) for item in record.pop("findings")
    )
    return FileResult(
        **{
            **record,
            "status": Status(record["status"]),
            "changes": changes,
            "findings": findings,
            "support": frozenset(record["support"]),
            "timings": (),
        }
    )

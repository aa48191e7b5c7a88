"""What a user may choose about a migration; part of every cache key."""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from migrator.model import Confidence, to_jsonable
from migrator.project.ignore import Patterns

PRECISIONS = ("float32", "mixed_float16", "mixed_bfloat16")
GPU_MEMORY = ("keep", "growth", "limit")
SUPPORT = ("", "vendor", "package")
ENGINES = ("processes", "ray")
CONFIDENCES = tuple(item.value for item in (Confidence.PROVEN, Confidence.LIKELY, Confidence.REVIEW))


@dataclass(frozen=True, slots=True)
class Override:
    """Choices for the files that `pattern` (as in .gitignore, from the root) matches.

    None leaves a choice as it is for all files. Raises ValueError for an impossible confidence.
    """

    pattern: str
    select: frozenset[str] | None = None
    ignore: frozenset[str] | None = None
    confidence: str | None = None

    def __post_init__(self) -> None:
        if self.confidence is not None:
            _check_confidence(self.confidence)

    def matches(self, path: str) -> bool:
        """Whether a path relative to the root is meant."""
        return _spec(self.pattern).covers(path)


@lru_cache
def _spec(pattern: str) -> Patterns:
    return Patterns.of([pattern])


def _check_confidence(value: str) -> None:
    if value not in CONFIDENCES:
        raise ValueError(f"confidence {value!r} is not one of {', '.join(CONFIDENCES)}")


@dataclass(frozen=True, slots=True)
class Options:
    """Choices of one migration.

    `select`/`ignore`: codes or code prefixes (``TF2``, ``PY``); an empty `select` means all.
    `only_files`: absolute or root-relative paths; empty means every file of the root.
    `precision`: Keras dtype policy that entry points set; ``float32`` sets none.
    `jit`: give generated ``tf.function`` steps ``jit_compile=True``.
    `gpu_memory`: what set-ups of GPUs become: ``keep`` (what the program said; growth where it said
    nothing), ``growth``, ``limit`` (the share that it asked for, without growth).
    `support`: where the support code comes from: ``vendor`` (a folder of what is used, in the
    repository), ``package`` (the distribution tf1-support, pinned), empty for what the repository has.
    `jobs`: worker processes, 0 for one per CPU.
    `rules`: more rule packs (TOML files).
    `cache_dir`: None for no cache.
    `target`: the TensorFlow version to migrate to.
    `confidence`: the lowest at which an edit is made; those below it become findings (TF006).
    `overrides`: other choices for some files, the later ones winning.
    `engine`: where files are worked on: ``processes`` of this machine, or a ``ray`` cluster at
    `address` (empty: one on this machine).
    `timings`: measure where the time goes, by rule and transform.

    Raises ValueError for a value that is not one of those listed.
    """

    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    only_files: tuple[Path, ...] = ()
    precision: str = "float32"
    jit: bool = False
    gpu_memory: str = "keep"
    support: str = ""
    jobs: int = 0
    rules: tuple[Path, ...] = ()
    cache_dir: Path | None = None
    target: str = "2.21"
    confidence: str = Confidence.REVIEW.value
    overrides: tuple[Override, ...] = ()
    engine: str = "processes"
    address: str = ""
    timings: bool = False

    def __post_init__(self) -> None:
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision {self.precision!r} is not one of {', '.join(PRECISIONS)}")
        if self.gpu_memory not in GPU_MEMORY:
            raise ValueError(
                f"gpu_memory {self.gpu_memory!r} is not one of {', '.join(GPU_MEMORY)}"
            )
        if self.support not in SUPPORT:
            raise ValueError(f"support {self.support!r} is not one of {', '.join(SUPPORT[1:])}")
        if self.target != "2.21":
            raise ValueError(f"target {self.target!r} is not supported; 2.21 is")
        if self.jobs < 0:
            raise ValueError(f"jobs must be 0 or more, not {self.jobs}")
        _check_confidence(self.confidence)
        if self.engine not in ENGINES:
            raise ValueError(f"engine {self.engine!r} is not one of {', '.join(ENGINES)}")
        if self.address and self.engine != "ray":
            raise ValueError(f"an address ({self.address}) is only of use with the engine ray")

    def allows(self, code: str) -> bool:
        """Whether a rule with this code may act (findings of TF0xx are never turned off)."""
        if code.startswith("TF0"):
            return True
        if self.ignore and any(code.startswith(prefix) for prefix in self.ignore):
            return False
        return not self.select or any(code.startswith(prefix) for prefix in self.select)

    def sure(self, confidence: Confidence) -> bool:
        """Whether an edit of this confidence may be made."""
        return CONFIDENCES.index(confidence.value) <= CONFIDENCES.index(self.confidence)

    def at(self, path: str) -> Options:
        """The choices for the file `path` (relative to the root), its overrides applied."""
        chosen: dict[str, Any] = {}
        for override in self.overrides:
            if override.matches(path):
                for name in ("select", "ignore", "confidence"):
                    value = getattr(override, name)
                    if value is not None:
                        chosen[name] = value
        return dataclasses.replace(self, **chosen) if chosen else self

    def as_dict(self) -> dict[str, Any]:
        """The options as plain JSON types, in a fixed order."""
        values: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, frozenset):
                value = sorted(value)
            elif field.name == "overrides":
                value = [to_jsonable(item) for item in value]
            elif isinstance(value, tuple):
                value = [str(item) for item in value]
            elif isinstance(value, Path):
                value = str(value)
            values[field.name] = value
        return values

    def digest(self) -> str:
        """A hash over the choices that change what a module becomes (not jobs, cache, files or engine)."""
        values = self.as_dict()
        for name in (
            "jobs", "cache_dir", "only_files", "engine", "address", "timings", "support",
        ):  # fmt: skip
            values.pop(name)
        return hashlib.sha256(repr(sorted(values.items())).encode()).hexdigest()

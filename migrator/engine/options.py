"""What a user may choose about a migration; part of every cache key."""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PRECISIONS = ("float32", "mixed_float16", "mixed_bfloat16")
GPU_MEMORY = ("growth", "limit", "keep")


@dataclass(frozen=True, slots=True)
class Options:
    """Choices of one migration.

    `select`/`ignore`: codes or code prefixes (``TF2``, ``PY``); an empty `select` means all.
    `only_files`: absolute or root-relative paths; empty means every file of the root.
    `precision`: Keras dtype policy that entry points set; ``float32`` sets none.
    `jit`: give generated ``tf.function`` steps ``jit_compile=True``.
    `gpu_memory`: what the GPU set-up of entry points becomes: ``growth``, ``limit`` (keep the
    fraction that the program asked for), ``keep`` (whatever the program said).
    `jobs`: worker processes, 0 for one per CPU.
    `rules`: more rule packs (TOML files).
    `cache_dir`: None for no cache.
    `target`: the TensorFlow version to migrate to.

    Raises ValueError for a value that is not one of those listed.
    """

    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    only_files: tuple[Path, ...] = ()
    precision: str = "float32"
    jit: bool = False
    gpu_memory: str = "growth"
    jobs: int = 0
    rules: tuple[Path, ...] = ()
    cache_dir: Path | None = None
    target: str = "2.21"

    def __post_init__(self) -> None:
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision {self.precision!r} is not one of {', '.join(PRECISIONS)}")
        if self.gpu_memory not in GPU_MEMORY:
            raise ValueError(
                f"gpu_memory {self.gpu_memory!r} is not one of {', '.join(GPU_MEMORY)}"
            )
        if self.target != "2.21":
            raise ValueError(f"target {self.target!r} is not supported; 2.21 is")
        if self.jobs < 0:
            raise ValueError(f"jobs must be 0 or more, not {self.jobs}")

    def allows(self, code: str) -> bool:
        """Whether a rule with this code may act (findings of TF0xx are never turned off)."""
        if code.startswith("TF0"):
            return True
        if self.ignore and any(code.startswith(prefix) for prefix in self.ignore):
            return False
        return not self.select or any(code.startswith(prefix) for prefix in self.select)

    def as_dict(self) -> dict[str, Any]:
        """The options as plain JSON types, in a fixed order."""
        values: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, frozenset):
                value = sorted(value)
            elif isinstance(value, tuple):
                value = [str(item) for item in value]
            elif isinstance(value, Path):
                value = str(value)
            values[field.name] = value
        return values

    def digest(self) -> str:
        """A hash over the choices that change what a file becomes (not jobs, cache or files)."""
        values = self.as_dict()
        for name in ("jobs", "cache_dir", "only_files"):
            values.pop(name)
        return hashlib.sha256(repr(sorted(values.items())).encode()).hexdigest()

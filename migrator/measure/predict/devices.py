"""The catalogue of GPUs, and the largest batch that fits on each.

The shipped catalogue is `migrator/measure/data/devices.toml`; users add files of the same form.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CATALOGUE = Path(__file__).parent.parent / "data" / "devices.toml"
GIB, MIB = 2**30, 2**20


class CatalogueError(ValueError):
    """A device file that cannot be used; the message names file, device and key."""


@dataclass(frozen=True, slots=True)
class Device:
    """One GPU. memory and context are bytes; context is what driver and libraries take."""

    name: str
    memory: int
    context: int
    float16: bool = True
    bfloat16: bool = False

    @property
    def usable(self) -> int:
        """Bytes that the allocator can hand out."""
        return max(self.memory - self.context, 0)


def load(extra: Sequence[Path] = ()) -> tuple[Device, ...]:
    """The catalogue with the user's devices; a later one of the same name replaces an earlier.

    Raises:
      CatalogueError: a file is not TOML or a device lacks name or memory.
    """
    found: dict[str, Device] = {}
    for path in (CATALOGUE, *extra):
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise CatalogueError(f"{path}: {error}") from error
        for raw in data.get("device", []):
            try:
                device = Device(
                    str(raw["name"]), int(raw["memory"] * GIB), int(raw.get("context", 600) * MIB),
                    bool(raw.get("float16", True)), bool(raw.get("bfloat16", False)),
                )  # fmt: skip
            except (KeyError, TypeError, ValueError) as error:
                raise CatalogueError(f"{path}: device {raw!r}: {error}") from error
            found[device.name] = device
    return tuple(sorted(found.values(), key=lambda d: (d.memory, d.name)))


@dataclass(frozen=True, slots=True)
class Line:
    """Peak bytes as a line over the batch size: fixed + per_item * batch."""

    fixed: float
    per_item: float

    def at(self, batch: int) -> int:
        return int(self.fixed + self.per_item * batch)

    def largest(self, room: int) -> int:
        """The largest batch whose peak fits into `room` bytes (0: not even one)."""
        if self.per_item <= 0:
            return 0 if self.fixed > room else 10**6
        return max(int((room - self.fixed) // self.per_item), 0)


def line(points: Sequence[tuple[int, int]]) -> Line:
    """The steepest line through the largest batch and any other: it errs towards too much memory.

    points: (batch, peak bytes), at least one. A single point counts as all per item.
    """
    ordered = sorted(points)
    batch, peak = ordered[-1]
    slopes = [(peak - p) / (batch - b) for b, p in ordered[:-1] if b != batch]
    per_item = max(slopes, default=peak / batch)
    return Line(peak - per_item * batch, per_item)

"""Rule packs that other distributions bring: entry points of the group `migrator.rules`.

An entry point names a package; its `*.toml` files are packs. They are found without importing the
package: a pack is data, and installing one must not make migrator run anything.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from migrator.engine.packs import PackError

GROUP = "migrator.rules"


@dataclass(frozen=True, slots=True)
class Installed:
    """One entry point: its name, the distribution that it came with, and its packs."""

    name: str
    distribution: str
    packs: tuple[Path, ...]


@cache
def installed() -> tuple[Installed, ...]:
    """All entry points, by name. Raises PackError for one whose package or packs are not there."""
    found = []
    for point in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda p: p.name):
        distribution = point.dist.name if point.dist else "an unknown distribution"
        packs = tuple(sorted(path for folder in _folders(point.module) for path in _packs(folder)))
        if not packs:
            raise PackError(
                f"{distribution}: its rule pack {point.name} ({point.value}) has no *.toml file; "
                f"install it again or uninstall {distribution}"
            )
        found.append(Installed(point.name, distribution, packs))
    return tuple(found)


def paths() -> tuple[Path, ...]:
    """The packs of all entry points, in the order of their names."""
    return tuple(path for item in installed() for path in item.packs)


def _packs(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.toml"))


def _folders(module: str) -> list[Path]:
    """Where a package lies; its parents are not imported either."""
    top, *rest = module.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return []
    if spec is None or spec.submodule_search_locations is None:
        return []
    return [Path(place).joinpath(*rest) for place in spec.submodule_search_locations]

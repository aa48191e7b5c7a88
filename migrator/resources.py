"""Where the rule packs and the templates lie: inside an installed package or beside a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def _locate(name: str) -> Path:
    for base in (_PACKAGE, _PACKAGE.parent):
        candidate = base / name
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(
        f"migrator's {name}/ is neither in {_PACKAGE} nor in {_PACKAGE.parent}: "
        "the installation is incomplete, install migrator again"
    )


def rules_dir() -> Path:
    """The directory of the rule packs (`*.toml`) and API snapshots (`api/`).

    Raises FileNotFoundError when the installation lacks it.
    """
    return _locate("rules")


def templates_dir() -> Path:
    """The directory of the templates (`support/`, `report/`).

    Raises FileNotFoundError when the installation lacks it.
    """
    return _locate("templates")

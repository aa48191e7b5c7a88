"""Child processes of these tests stay on the CPU; the two trees are made once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import trees  # type: ignore[import-not-found]  # beside this file


@pytest.fixture(scope="session")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """(TF1 repository, its hand-migrated form), not to be changed."""
    pytest.importorskip("tensorflow")
    made: tuple[Path, Path] = trees.make(tmp_path_factory.mktemp("trees"))
    return made

"""Child processes of these tests stay on the CPU, and verify's own are forks of ones that have TensorFlow
already; the two trees are made once."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from migrator.verify import children
from migrator.workload import child
from tests import forks

sys.path.insert(0, str(Path(__file__).resolve().parent))

import trees  # type: ignore[import-not-found]  # beside this file


@pytest.fixture(scope="session")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """(TF1 repository, its hand-migrated form), not to be changed."""
    pytest.importorskip("tensorflow")
    made: tuple[Path, Path] = trees.make(tmp_path_factory.mktemp("trees"))
    return made


@pytest.fixture(autouse=True, scope="session")
def forked() -> Iterator[None]:
    """Verify's programs begin with TensorFlow imported; commands of a workload are left to themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(child, "_new", functools.partial(_start, child._new))
        yield


def _start(
    otherwise: Any, argv: Sequence[str], cwd: Path, env: Mapping[str, str], logs: Sequence[Any]
) -> Any:
    program = Path(argv[1]) if len(argv) == 3 and argv[0] == sys.executable else None
    if program is None or program.parent != children.PROGRAMS:
        return otherwise(argv, cwd, env, logs)
    compat = json.loads(Path(argv[2]).read_text())["side"] == "compat"
    forked = (forks.WITH_KERAS_2 if compat else forks.TENSORFLOW).start(
        argv[1:], cwd, env, stdout=logs[0], stderr=logs[-1]
    )
    assert forked.stdin is not None
    forked.stdin.close()
    return forked

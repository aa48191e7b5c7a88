"""The small TF1 repository and its hand-migrated form, complete with model files."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from migrator.resources import templates_dir
from migrator.verify.children import COMPAT_RUNTIME
from migrator.workload import child

DATA = Path(__file__).parent / "data"
QUIET = {"CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}


def make(folder: Path) -> tuple[Path, Path]:
    """(before, after) in `folder`; the model files come from the TF1 code itself."""
    before, after = folder / "before", folder / "after"
    for tree in (before, after):
        shutil.copytree(DATA / tree.name, tree, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(
        templates_dir() / "support", after / "tf1_support",
        ignore=shutil.ignore_patterns("__pycache__"),
    )  # fmt: skip
    argv = [sys.executable, str(COMPAT_RUNTIME), "make_model.py", "."]
    outcome = child.run(argv, before, {**os.environ, **QUIET})
    assert outcome.ok, outcome.tail
    for path in (*before.glob("model.ckpt*"), before / "frozen.pb"):
        shutil.copy(path, after)
    return before, after


def change(path: Path, old: str, new: str) -> None:
    """Replaces a piece of a file that has to be there."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path} has no {old!r}"
    path.write_text(text.replace(old, new), encoding="utf-8")

"""Every file format that migrator reads, as a function of bytes that must not raise.

What a loader may say about bad input is caught here; whatever else it raises is a defect. Shared by
the tests (hypothesis) and by benchmarks/fuzz_loaders.py (atheris).
"""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from migrator.cli import review
from migrator.engine import baseline, packs
from migrator.engine.options import Override
from migrator.project import config, journal, planfile
from migrator.project.notebook import decode_module, encode_module
from migrator.project.paths import UnsafePath
from migrator.project.source import SourceError
from migrator.project.tree import Folder
from migrator.workload import spec

_FOLDER = tempfile.TemporaryDirectory(prefix="migrator-loaders-")
_ROOT = Path(_FOLDER.name)


def _file(name: str, data: bytes) -> Path:
    path = _ROOT / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def source(data: bytes) -> None:
    """A Python file: what can be read is written back byte for byte."""
    try:
        found = decode_module(data, "a.py")
    except SourceError:
        return
    assert encode_module(found, found.text, data) == data


def notebook(data: bytes) -> None:
    """A notebook: the same."""
    try:
        found = decode_module(data, "a.ipynb")
    except SourceError:
        return
    assert encode_module(found, found.text, data) == data


def settings(data: bytes) -> None:
    """setup.cfg, pyproject.toml, migrator.toml, and the patterns in them."""
    for name in ("setup.cfg", "pyproject.toml", "migrator.toml"):
        path = _file(f"{name}.d/{name}", data)
        try:
            found = config.load(path.parent)
        except config.ConfigError as error:
            assert str(path) in str(error)
            continue
        for item in found.overrides:
            try:
                Override(item.pattern).matches("pkg/a.py")
            except ValueError:
                continue


def rules(data: bytes) -> None:
    """A rule pack."""
    path = _file("pack.toml", data)
    try:
        packs.read_packs([path])
    except packs.PackError as error:
        assert str(path) in str(error)


def plan(data: bytes) -> None:
    """A plan file."""
    path = _file("plan.json", data)
    try:
        found = planfile.load(path)
        planfile.check_tree(found, _ROOT)
    except planfile.PlanError:
        return
    planfile.write(found, io.BytesIO())


def known(data: bytes) -> None:
    """A baseline."""
    path = _file("baseline.json", data)
    try:
        baseline.dump(baseline.load(path))
    except baseline.BaselineError as error:
        assert str(path) in str(error)


def undo_journal(data: bytes) -> None:
    """The entries of a journal."""
    path = _file(f"tree/.migrator/journal/20260101-000000-00000000/{journal.ENTRIES}", data)
    try:
        with Folder.named(path.parent.parent) as base:
            run = journal.load(base, path.parent.name)
    except (journal.JournalError, UnsafePath):
        return
    for entry in run.entries:
        assert not entry.path.startswith(("/", ".migrator")) and ".." not in entry.path.split("/")


def answers(data: bytes) -> None:
    """The answers of an interactive review: damaged ones are none."""
    _file(f"tree/.migrator/{review.STATE_FILE}", data)
    review.load(_ROOT / "tree")


def workloads(data: bytes) -> None:
    """The workloads of migrator.toml."""
    path = _file("work/migrator.toml", data)
    try:
        spec.load(path)
    except spec.SpecError:
        return


LOADERS: dict[str, Callable[[bytes], None]] = {
    f.__name__: f
    for f in (source, notebook, settings, rules, plan, known, undo_journal, answers, workloads)
}

_DIGEST = "0" * 64
_CHANGED = {"path": "a.py", "status": "changed", "old_sha256": _DIGEST, "new_text": "x = 2\n",
            "changes": [{"code": "TF1", "line": 1, "end_line": 1, "reason": "r"}]}  # fmt: skip
_ENTRY = {"number": 0, "path": "a.py", "old_sha256": _DIGEST, "new_sha256": _DIGEST}
_CELL: dict[str, object] = {
    "cell_type": "code", "source": ["x = 1\n", "%time y"], "metadata": {}, "outputs": [],
    "execution_count": None,
}  # fmt: skip
# Good ones, to start from.
SEEDS: dict[str, list[bytes]] = {
    "source": [b"# -*- coding: latin-1 -*-\nx = '\xe9'\r\n", b"\xef\xbb\xbfx = 1\n", b"#coding:utf-7\n+AGE-"],
    "notebook": [json.dumps(
        {"cells": [_CELL], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1).encode()],
    "settings": [
        b"[migrator]\nselect = TF1\njobs = 2\n[migrator:tests/]\nconfidence = likely\n",
        b"[tool.migrator]\njit = true\n[[tool.migrator.overrides]]\nfiles = ['a']\nignore = ['X']\n",
        b"[migrator]\nprecision = 'float32'\n",
    ],
    "rules": [b"[[rule]]\ncode='X1'\ntitle='t'\nwhy='w'\nmatch='tf.a(x)'\nrewrite='x'\n"
              b"[[rule.case]]\nbefore='1'\ntolerance=0.1\n[renames]\n'tf.a'='tf.b'\n[keywords.'tf.c']\n"],
    "plan": [json.dumps({"format": "migrator-plan", "version": 1, "root": "/r", "files": [_CHANGED],
                         "support_files": []}).encode()],
    "known": [b'{"format": "migrator-baseline", "version": 1, "files": {"a.py": {"edit TF1 x": 2}}}'],
    "undo_journal": [json.dumps({"version": 1, "what": "m", "tool_version": "1", "folders": ["d"],
                                 "entries": [_ENTRY]}).encode()],
    "answers": [b'{"version": 1, "rules": ["TF1"], "files": {"a.py": ["d", [true, false]]}}'],
    "workloads": [b"[[workload]]\nname='n'\nkind='function'\ncall='a.b:c'\n"
                  b"inputs=[{name='i',shape=['batch',3],dtype='float32'}]\n"],
}  # fmt: skip

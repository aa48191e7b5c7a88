"""Every file format that migrator reads, and the doors to files and git, as functions of bytes.

What one of them may say about bad input is caught here; whatever else it raises is a defect, and so is
a door that lets anything out of the tree. Shared by the tests (hypothesis) and by
benchmarks/fuzz_loaders.py (atheris).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import io
import json
import os
import pickle
import pickletools
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from migrator import survey
from migrator.cli import review, todo
from migrator.engine import baseline, cache, decisions, packs, requirements
from migrator.engine.options import Override
from migrator.engine.scanned import Scanned
from migrator.model import Change, FileResult, Plan, Status
from migrator.project import config, git, journal, planfile, tree
from migrator.project.ignore import Patterns
from migrator.project.notebook import decode_module, encode_module
from migrator.project.paths import UnsafePath
from migrator.project.source import SourceError
from migrator.project.tree import Folder
from migrator.report import build, orders
from migrator.workload import spec

# At the top, so that atheris sees which of its lines are reached.
if importlib.util.find_spec("pygls"):
    from pygls.protocol import default_converter

    from migrator.cli import language_messages, language_server

    _converter = functools.cache(default_converter)  # a server takes a tenth of a second to make its own

_MEMORY = "/dev/shm"  # what is written is synced, for which a disk takes its time
_FOLDER = tempfile.TemporaryDirectory(
    prefix="migrator-loaders-", dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None
)
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


def decided(data: bytes) -> None:
    """A file of decisions, about a plan that has what it names."""
    path = _file("decisions.json", data)
    try:
        found = decisions.load(path)
    except decisions.DecisionsError as error:
        assert str(path) in str(error)
        return
    changes = (Change("TF110", 1, 1, "r"), Change("TF111", 3, 3, "r"))
    result = FileResult("a.py", Status.CHANGED, _DIGEST, "a\nb\nc\n", "x\nb\nz\n", changes)
    chosen, left = decisions.decide(Plan(str(_ROOT), (result,)), found)
    assert {f.path for f in chosen.files} <= {"a.py"} and all(why for _, why in left)


def outcomes(data: bytes) -> None:
    """What verify, measure and predict left, as the report and the list of what is left read it."""
    root = _ROOT / "measured"
    _file("measured/.migrator/verify.json", data)
    found = todo.verified(root)
    if found is not None:
        orders.checks(found, ".")
    for name in (build.RESULTS if len(data) < 3000 else ()):
        results = _ROOT / f"of-{name}"
        _file(f"of-{name}/{name}.json", data)
        try:
            build.run(results, results / "page.html", "t")
        except ValueError as error:
            assert f"{name}.json" in str(error), error


def cached(data: bytes) -> None:
    """An entry of the cache, damaged or with the right sum before it: nothing is made but records and
    plain containers."""
    made = cache.Cache(_ROOT / "cache")
    place, mark = made._file("ab" * 32), _ROOT / "MARK"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    assert made.get(object, "ab" * 32) is None
    if _takes_memory(data):
        return
    data = data.replace(b"MARK", os.fsencode(mark))
    place.write_bytes(hashlib.sha256(data).digest() + data)
    assert _is_ours(made.get(object, "ab" * 32)) and not mark.exists()


def _takes_memory(data: bytes) -> bool:
    """Whether a pickle wants a place for gigabytes of values, which Python makes, whoever asks."""
    with contextlib.suppress(Exception):  # it ends where it is none
        for operation, value, _ in pickletools.genops(data):
            if operation.name in ("PUT", "LONG_BINPUT") and (value or 0) > 1_000_000:
                return True
    return False


def _is_ours(value: object, depth: int = 0) -> bool:
    kind = value if isinstance(value, type) else type(value)
    if depth > 20 or kind.__module__.startswith(cache._RECORDS):
        return True
    inside: list[object] = [*value, *value.values()] if isinstance(value, dict) else []
    if isinstance(value, (tuple, list, set, frozenset)):
        inside = [*value]
    return kind.__module__ == "builtins" and all(_is_ours(item, depth + 1) for item in inside)


def pins(data: bytes) -> None:
    """Lists of what a repository requires, of every kind."""
    try:
        text = decode_module(data, "a.py").text
    except SourceError:
        return
    for name in ("requirements.txt", "environment.yml", "setup.cfg", "Dockerfile", "pyproject.toml",
                 "Pipfile", "setup.py", "tox.ini"):  # fmt: skip
        made = requirements.update(name, text, frozenset(("tf-keras",)))
        assert requirements.update(name, made.text).text == made.text or made.text != text
        requirements.pins_support(text)


def models(data: bytes) -> None:
    """Files that look like models: their first bytes are looked at, nothing is made of them."""
    for name in ("saved_model.pb", "graph.pb", "model.ckpt.index", "model.ckpt.data-00000-of-00001",
                 "weights.h5", "net.tflite"):  # fmt: skip
        _file(f"models/{name}", data)
    found = survey.model_files(_ROOT / "models")
    assert {item.path for item in found} >= {"saved_model.pb", "weights.h5", "net.tflite"}


class _Nobody:
    """Reads what the server says."""

    broken = False

    def write(self, data: bytes) -> None:
        """A message with its header."""

    def send(self, message: object) -> None:
        """A message."""

    def close(self) -> None:
        """Nothing more comes."""


def messages(data: bytes) -> None:
    """What an editor sends: each message is answered or passed over. After a NUL the lines are messages
    that only lack their headers, which no mutation of a length gets right."""
    if data.startswith(b"\0"):
        data = b"".join(_framed(line) for line in data[1:].split(b"\n"))
    server, _ = language_server.make(_converter)
    writer: Any = _Nobody()
    server.protocol.set_writer(writer)
    for message in language_messages.messages(io.BytesIO(data)):
        assert isinstance(message, bytes) or message > language_messages.MOST
        if isinstance(message, bytes):
            try:
                language_messages._answer(server, writer, message)
            except SystemExit:
                return


def _framed(message: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(message), message)


# -- doors

_NAMES = ("a", "b", "a/b", "b/a", "a/a/a", "..", ".", "", "../out/secret", "a/../../out/secret",
          "/etc/passwd", "a\0b", "a" * 300, "a//b", "é", "\udcff", ".migrator/a",
          ".git/config", "a/")  # fmt: skip
_TARGETS = ("a", "b", "..", ".", "../out", "../out/secret", "/dev/zero", "/proc/self/fd", "a/b", "nowhere",
            "/")  # fmt: skip
_SECRET = b"what lies outside of the tree\n"


def files(data: bytes) -> None:
    """Two bytes are one action on a small tree, by us through the door or by whoever made the tree: what
    lies beside it is neither read nor changed."""
    with tempfile.TemporaryDirectory(dir=_ROOT) as scratch:
        root, out = Path(scratch, "tree"), Path(scratch, "out")
        root.mkdir()
        out.mkdir()
        (out / "secret").write_bytes(_SECRET)
        for action, which in zip(data[0:24:2], data[1:24:2], strict=False):
            name, target = _NAMES[which % len(_NAMES)], _TARGETS[which // len(_NAMES) % len(_TARGETS)]
            try:
                _act(root, action, name, target)
            except (OSError, UnsafePath, SourceError, ValueError):
                continue
        assert os.listdir(out) == ["secret"] and (out / "secret").read_bytes() == _SECRET
        assert sorted(os.listdir(scratch)) == ["out", "tree"]


def _act(root: Path, action: int, name: str, target: str) -> None:
    place = root / name
    inside = os.path.abspath(place).startswith(f"{root}/") and "\0" not in name
    if action < 64 and inside:  # whoever made the tree
        if os.path.realpath(place.parent).startswith(os.path.realpath(root)):
            if action < 16:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.symlink_to(target)
            elif action < 32:
                place.mkdir(parents=True)
            elif action < 40:
                os.mkfifo(place)
            elif action < 48 and place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            elif not place.is_symlink() and not place.is_fifo():
                place.write_bytes(b"inside\n")
        return
    read: list[bytes] = []
    if action < 80:
        read = [tree.read(root, name, 1000, links=bool(action % 2))[0]]
    elif action < 96:
        read = [(tree.text_of(root, name, 1000) or "").encode()]
    else:
        with Folder.named(root) as top, top.holding(name, make=action > 250) as (folder, last):
            if action < 112:
                read = [folder.read(last, 1000).data, folder.head(last, 1000)]
            elif action < 128:
                folder.create(last, b"ours\n")
            elif action < 144:
                with folder.replacing(last) as stream:
                    stream.write(b"ours\n")
            elif action < 160:
                folder.move(last, top, "b")
            elif action < 176:
                folder.remove(last)
            elif action < 192:
                folder.make_folder(last)
            elif action < 208:
                folder.copy(last, top, "b")
            elif action < 224:
                folder.link(last, top, "b")
            elif action < 240:
                folder.remove_tree(last)
            else:
                folder.digest(last)
    assert _SECRET not in read


def patterns(data: bytes) -> None:
    """A .gitignore and, after a NUL, a path: an answer in time that grows with them."""
    lines, _, path = data.partition(b"\0")
    found = Patterns.read(lines)
    name = os.fsdecode(path[:500]) or "a"
    for tried in (name, "a" * 300, "a/" * 150 + "a"):
        found.covers(tried)
        found.verdict(tried, True)


def repository(data: bytes) -> None:
    """A repository's files, by a NUL from each other: .git/config, HEAD, packed-refs, and what stands in
    a file .git. Whatever they say, git runs no program."""
    parts = [*data.split(b"\0", 3), b"", b"", b""]
    top = _ROOT / "repository"
    place = top / ".git"
    if not place.is_dir():
        (place / "objects").mkdir(parents=True)
        (place / "refs").mkdir()
        (top / "linked").mkdir()
    mark = top / "MARK"
    (place / "config").write_bytes(parts[0].replace(b"MARK", os.fsencode(mark)))
    (place / "HEAD").write_bytes(parts[1] or b"ref: refs/heads/main\n")
    (place / "packed-refs").write_bytes(parts[2])
    (top / "linked/.git").write_bytes(parts[3] or b"gitdir: ../.git\n")
    for folder in (top, top / "linked"):
        try:
            found = git.find(folder)
            if found is not None:
                found.run("ls-files", "-z")
        except (git.GitError, UnicodeEncodeError):
            continue
    assert not mark.exists()


LOADERS: dict[str, Callable[[bytes], None]] = {
    f.__name__: f
    for f in (source, notebook, settings, rules, plan, known, undo_journal, answers, workloads,
              files, patterns, repository, decided, outcomes, cached, pins, models,
              *([messages] if importlib.util.find_spec("pygls") else []))
}

_DIGEST = "0" * 64
_CHANGED = {"path": "a.py", "status": "changed", "old_sha256": _DIGEST, "new_text": "x = 2\n",
            "changes": [{"code": "TF1", "line": 1, "end_line": 1, "reason": "r"}]}  # fmt: skip
_ENTRY = {"number": 0, "path": "a.py", "old_sha256": _DIGEST, "new_sha256": _DIGEST}
_CELL: dict[str, object] = {
    "cell_type": "code", "source": ["x = 1\n", "%time y"], "metadata": {}, "outputs": [],
    "execution_count": None,
}  # fmt: skip
_SAID = [json.dumps({"jsonrpc": "2.0", **said}).encode() for said in (
    {"id": 1, "method": "initialize",
     "params": {"capabilities": {}, "processId": None, "rootUri": None}},
    {"method": "initialized", "params": {}},
    {"method": "textDocument/didOpen", "params": {"textDocument": {
        "uri": "untitled:a", "languageId": "python", "version": 1, "text": "x = 1"}}},
    {"method": "textDocument/didChange", "params": {
        "textDocument": {"uri": "untitled:a", "version": 2}, "contentChanges": [{"text": "y"}]}},
    {"id": 2, "method": "textDocument/codeAction", "params": {
        "textDocument": {"uri": "untitled:a"}, "context": {"diagnostics": []}, "range": {
            "start": {"line": 0, "character": 1}, "end": {"line": 0, "character": 1}}}},
    {"method": "textDocument/didSave", "params": {"textDocument": {"uri": "untitled:a"}}},
    {"method": "textDocument/didClose", "params": {"textDocument": {"uri": "untitled:a"}}},
    {"method": "notebookDocument/didOpen", "params": {
        "notebookDocument": {"uri": "untitled:b", "notebookType": "n", "version": 1,
                             "cells": [{"kind": 2, "document": "c"}]},
        "cellTextDocuments": [{"uri": "c", "languageId": "python", "version": 1, "text": "x"}]}},
    {"method": "notebookDocument/didChange", "params": {
        "notebookDocument": {"uri": "untitled:b", "version": 2}, "change": {}}},
    {"method": "notebookDocument/didClose", "params": {
        "notebookDocument": {"uri": "untitled:b"}, "cellTextDocuments": [{"uri": "c"}]}},
    {"id": 3, "method": "textDocument/hover", "params": {}},
    {"method": "$/cancelRequest", "params": {"id": 3}},
    {"id": 4, "method": "shutdown"}, {"method": "exit"},
)]  # fmt: skip
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
    "decided": [
        b'{"format": "migrator-decisions", "version": 1, "rules": ["TF110"], "files": '
        b'{"a.py": ["0f", [true, false]], "b.py": ["", []]}}'],
    "outcomes": [
        b'{"schema": 1, "checks": [{"workload": "w", "name": "n", "status": "different", "detail": "d"}], '
        b'"environment": {}, "settings": {}, "forecasts": []}',
        b'{"schema": 1, "environment": {"gpus": [], "packages": {}}, "cells": [], "settings": {}}',
        json.dumps({"format": "migrator-plan", "version": 1, "root": "/r", "files": [_CHANGED],
                    "support_files": []}).encode()],
    "cached": [pickle.dumps(FileResult("a.py", Status.SKIPPED)), pickle.dumps(os.getcwd),
               pickle.dumps({"a": (1, frozenset("b"))}), pickle.dumps(cache.Cache),
               pickle.dumps(Scanned("a.py", None)), pickle.dumps((Change("T", 1, 1, "r"), Status.CHANGED)),
               b"cos\nsystem\n(S'touch MARK'\ntR.", b"cmigrator.model\nStatus.__class__\n(tR.",
               b"cmigrator.model\nPath\n(S'a'\ntR.", b"cmigrator.analysis.none\na\n."],
    "pins": [b"tensorflow-gpu==1.15.0 ; python_version < '3'\nnumpy>=1.10,<2 # c\n-r other.txt\n",
             b"dependencies:\n  - python=3.6\n  - pip:\n    - tensorflow==1.4\n  - tensorflow-gpu=1.12=abc\n",
             b"FROM nvidia/cuda:9.0-cudnn7\nRUN pip install tensorflow-gpu==1.8 \\\n  numpy\n",
             b"install_requires=['tensorflow>=1.0,<2', 'six'], python_requires='>=2.7'\n"],
    "models": [b"\x0a\x10\x0a\x05input\x12\x0bPlaceholder", b"\x89HDF\r\n", b""],
    "messages": [
        b"".join(map(_framed, _SAID)), b"\0" + b"\n".join(_SAID),
        *(b"\0" + _SAID[0] + b"\n" + said for said in _SAID[1:]),
    ],
    "answers": [b'{"version": 1, "rules": ["TF1"], "files": {"a.py": ["d", [true, false]]}}'],
    "workloads": [b"[[workload]]\nname='n'\nkind='function'\ncall='a.b:c'\n"
                  b"inputs=[{name='i',shape=['batch',3],dtype='float32'}]\n"],
    "files": [bytes((50, 0, 70, 0, 140, 1, 150, 1)), bytes((0, 78, 71, 0, 100, 2, 140, 2, 0, 95)),
              bytes((0, 97, 90, 0, 110, 0, 215, 0, 190, 0)), bytes((20, 0, 50, 2, 230, 2, 160, 2))],
    "patterns": [b"*a*a*b\n!/pkg/**/x\n[a-c]?/\n\0pkg/a/x", b"**/a/**/b\n[[:alpha:]]*\\*\n"],
    "repository": [
        b"[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch MARK\n\0ref: refs/heads/main\n",
        b"[include]\n\tpath = /dev/zero\n[extensions]\n\tworktreeConfig = true\n"
        b"[core]\n\tpager = touch MARK\n",
        b"[filter \"x\"]\n\tclean = touch MARK\n\0" + b"0" * 40
        + b"\n\0# pack-refs with: peeled\n\0gitdir: ../.git",
    ],
}  # fmt: skip

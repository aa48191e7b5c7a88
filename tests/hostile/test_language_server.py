"""The language server under attack: documents from anywhere and of any size, messages in no order, clients
that die."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests import forks
from tests.hostile.attacks import ROOT, USES, write

pytest.importorskip("pygls")
TEXT = "import tensorflow as tf\n\nx = tf.log(1.0)\n"


class Client:
    """Speaks to a server in a process of its own, byte by byte."""

    def __init__(self, cwd: Path, parent: int | None = None, memory: int = 2 << 30) -> None:
        self.logged = tempfile.TemporaryFile()
        self.process = forks.COMMAND.start(
            ["-m", "migrator", "lsp"], cwd, {**os.environ, "PYTHONPATH": str(ROOT)}, {"RLIMIT_AS": memory},
            stderr=self.logged,
        )  # fmt: skip
        self.told: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.number = 0
        self.parent = parent
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while line := stream.readline():
            if line.startswith(b"Content-Length: "):
                size = int(line.split()[1])
                while stream.readline().strip():
                    pass
                self.told.put(json.loads(stream.read(size)))
        self.told.put(None)

    def raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def last_words(self) -> str:
        """How the server ended, and the end of what it logged."""
        code = self.process.wait(10)
        self.logged.seek(0)
        return f"exit code {code}, {self.logged.read()[-2000:].decode(errors='replace')}"

    def send(self, method: str, params: Any, request: bool = False) -> int:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if request:
            self.number += 1
            message["id"] = self.number
        body = json.dumps(message).encode()
        self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self.number

    def until(self, wanted: Any, seconds: float = 240) -> dict[str, Any]:
        """The next message that `wanted` accepts."""
        end = time.monotonic() + seconds
        while True:
            found = self.told.get(timeout=max(end - time.monotonic(), 0.01))
            assert found is not None, f"the server has ended: {self.last_words()}"
            if wanted(found):
                return found

    def ask(self, method: str, params: Any, seconds: float = 240) -> dict[str, Any]:
        number = self.send(method, params, request=True)
        return self.until(lambda message: message.get("id") == number and "method" not in message, seconds)

    def begin(self, *folders: Path) -> None:
        self.ask("initialize", {
            "processId": self.parent, "rootUri": None, "capabilities": {},
            "workspaceFolders": [{"uri": f.as_uri(), "name": f.name} for f in folders] or None,
        })  # fmt: skip
        self.send("initialized", {})

    def open(self, uri: str, text: str, version: int = 1) -> None:
        self.send("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": "python", "version": version, "text": text}})  # fmt: skip

    def change(self, uri: str, text: str, version: int) -> None:
        self.send("textDocument/didChange", {"textDocument": {"uri": uri, "version": version},
                                             "contentChanges": [{"text": text}]})  # fmt: skip

    def diagnostics(self, uri: str, seconds: float = 240) -> list[dict[str, Any]]:
        found = self.until(lambda m: m.get("method") == "textDocument/publishDiagnostics"
                           and m["params"]["uri"] == uri, seconds)  # fmt: skip
        return list(found["params"]["diagnostics"])

    def actions(self, uri: str, line: int = 2) -> Any:
        where = {"line": line, "character": 0}
        return self.ask("textDocument/codeAction", {
            "textDocument": {"uri": uri}, "range": {"start": where, "end": where},
            "context": {"diagnostics": []}})  # fmt: skip

    @property
    def spent(self) -> float:
        """Seconds of the processor that the server has used, whatever else the machine does."""
        times = psutil.Process(self.process.pid).cpu_times()
        return times.user + times.system

    @property
    def peak(self) -> int:
        """The most bytes of memory that the server ever had."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) << 10

    def alive(self, folder: Path) -> None:
        """The server still does its work."""
        uri = (folder / "alive.py").as_uri()
        self.open(uri, TEXT)
        assert self.diagnostics(uri)
        assert self.actions(uri)["result"]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    write(tmp_path / "repo", {"uses.py": USES, "pkg/__init__.py": "", "pkg/a.py": "x = 1\n"})
    return tmp_path / "repo"


@pytest.fixture
def client(repo: Path) -> Iterator[Client]:
    found = Client(repo)
    yield found
    found.process.kill()
    found.process.wait()


# -- paths


def test_nothing_outside_the_workspace_is_read(client: Client, repo: Path, tmp_path: Path) -> None:
    """A document from elsewhere is looked at by itself: its folder may be somebody's home."""
    write(tmp_path / "home", {"mine.py": TEXT, "secret.py": "import mine\n", "migrator.toml": "[migrator"})
    os.mkfifo(tmp_path / "home/pipe.py")
    (tmp_path / "home/zero.py").symlink_to("/dev/zero")
    client.begin(repo)
    uri = (tmp_path / "home/mine.py").as_uri()
    client.open(uri, TEXT)
    assert [d["code"] for d in client.diagnostics(uri)] == ["TF101"]  # its settings are not read either
    assert client.actions(uri)["result"]
    opened = {file.path for file in psutil.Process(client.process.pid).open_files()}
    assert not {path for path in opened if str(tmp_path / "home") in path}
    client.alive(repo)


@pytest.mark.parametrize("method", ["codeAction", "didSave", "didClose", "didChange"])
@pytest.mark.parametrize("kind", ["zero", "fifo", "secret"])
def test_a_document_that_is_not_open_is_not_read_from_disk(
    client: Client, repo: Path, tmp_path: Path, method: str, kind: str
) -> None:
    path = repo / "odd.py"
    if kind == "fifo":
        os.mkfifo(path)
    else:
        write(tmp_path, {"secret": TEXT})
        path.symlink_to("/dev/zero" if kind == "zero" else tmp_path / "secret")
    client.begin(repo)
    if method == "codeAction":
        assert client.actions(path.as_uri())["result"] in ([], None)
    elif method == "didChange":
        client.change(path.as_uri(), TEXT, 7)
    else:
        client.send(f"textDocument/{method}", {"textDocument": {"uri": path.as_uri()}})
    client.alive(repo)
    assert client.peak < 250e6


URIS = ["file:///etc/passwd.py", "file:///proc/self/mem.py", "file:///dev/zero.py", "untitled:Untitled-1.py",
        "git:/x/y.py?ref", "http://example.org/x.py", "file://host/share/x.py", "file:///a%00b.py", "file://[.py",
        "", "x.py", "file:///" + "a/" * 5000 + "x.py", "file:///%ff%fe.py", "FILE:///tmp/x.py", "file:x.py",
        "file:///tmp/../../../../etc/x.py", "file:///.git/x.py", "javascript:alert(1).py",
        "file:///tmp/%2e%2e/x.py", "file:///x.py#" + "y" * 10_000]  # fmt: skip


def test_uris_of_every_kind(client: Client, repo: Path) -> None:
    client.begin(repo)
    for uri in URIS:
        client.open(uri, TEXT)
        client.actions(uri)
        client.change(uri, TEXT + "y = 1\n", 2)
        client.send("textDocument/didSave", {"textDocument": {"uri": uri}})
        client.send("textDocument/didClose", {"textDocument": {"uri": uri}})
    client.alive(repo)


def test_uris_that_are_looked_at_while_no_message_waits(client: Client, repo: Path) -> None:
    client.begin(repo)
    for method in ("didOpen", "didSave"):
        for uri in URIS:
            document = {"uri": uri, "languageId": "python", "version": 1, "text": TEXT}
            client.send(f"textDocument/{method}", {"textDocument": document})
            time.sleep(0.3)
    client.alive(repo)


def test_without_a_workspace_only_the_document_is_looked_at(client: Client, tmp_path: Path) -> None:
    write(tmp_path / "many", {f"m{number}.py": TEXT for number in range(50)})
    (tmp_path / "many/zero.py").symlink_to("/dev/zero")
    client.begin()
    uri = (tmp_path / "many/m1.py").as_uri()
    client.open(uri, TEXT)
    assert client.diagnostics(uri)


def test_hostile_settings_of_a_workspace(client: Client, repo: Path) -> None:
    (repo / "migrator.toml").symlink_to("/dev/zero")
    os.mkfifo(repo / "setup.cfg")
    client.begin(repo)
    client.open((repo / "uses.py").as_uri(), TEXT)
    said = client.until(lambda m: m.get("method") == "window/logMessage")
    assert "migrator" in said["params"]["message"]
    (repo / "migrator.toml").unlink()
    (repo / "setup.cfg").unlink()
    settings = "[migrator]\nengine = 'ray'\njobs = 4000\nexclude = ['" + "*a" * 50 + "b']\n"
    write(repo, {"migrator.toml": settings})
    client.open((repo / "migrator.toml").as_uri(), "")
    client.send("textDocument/didSave", {"textDocument": {"uri": (repo / "migrator.toml").as_uri()}})
    client.alive(repo)


# -- sizes


@pytest.mark.parametrize(
    "text",
    ["# " + "x" * 30_000_000, TEXT + "x = [" + "1," * 2_000_000 + "]\n", TEXT + "y = " + "(" * 90_000,
     TEXT + "y = " + "-" * 90_000 + "1\n", "x" + " + x" * 90_000, "\0" * 1000, "\ud800" * 1000,
     "\r" * 100_000, TEXT * 3000],
    ids=["bytes", "parts", "open", "minus", "plus", "nul", "surrogates", "returns", "real"],
)  # fmt: skip
def test_documents_of_any_size(client: Client, repo: Path, text: str) -> None:
    client.begin(repo)
    uri = (repo / "huge.py").as_uri()
    client.open(uri, text)
    client.diagnostics(uri)
    client.actions(uri)
    assert client.spent < 40
    client.change(uri, TEXT, 2)
    while not any(d["code"] == "TF101" for d in client.diagnostics(uri)):
        pass
    client.alive(repo)


def test_a_document_that_is_too_large_is_said_to_be(client: Client, repo: Path) -> None:
    client.begin(repo)
    for name, text in (("a.py", TEXT + "#" * 9_000_000), ("b.py", TEXT + "x = [" + "1," * 300_000 + "]\n")):
        uri = (repo / name).as_uri()
        client.open(uri, text)
        found = client.diagnostics(uri)
        assert [d["code"] for d in found] == ["TF001"] and "limit" in found[0]["message"]


def test_a_notebook_of_many_cells(client: Client, repo: Path) -> None:
    client.begin(repo)
    book = (repo / "book.ipynb").as_uri()
    cells = [f"vscode-notebook-cell:{book[7:]}#{number}" for number in range(3000)]
    client.send("notebookDocument/didOpen", {
        "notebookDocument": {"uri": book, "notebookType": "jupyter-notebook", "version": 1,
                             "cells": [{"kind": 2, "document": cell} for cell in cells]},
        "cellTextDocuments": [{"uri": cell, "languageId": "python", "version": 1,
                               "text": "import tensorflow as tf" if not number else "x = tf.log(1.0)"}
                              for number, cell in enumerate(cells)],
    })  # fmt: skip
    assert client.diagnostics(cells[-1])
    assert client.spent < 60


# -- messages


def test_typing_faster_than_the_server_looks(client: Client, repo: Path) -> None:
    """Each change takes a second to look at: only what was typed last is."""
    client.begin(repo)
    uri = (repo / "typed.py").as_uri()
    text = TEXT + "y = tf.log(tf.to_float(x))\n" * 3000
    client.open(uri, text)
    for version in range(2, 102):
        client.change(uri, f"{text}z = {version}\n", version)
    client.change(uri, "import tensorflow as tf\ntf.nope(1)\n", 200)
    while [d["code"] for d in client.diagnostics(uri)] != ["TF003"]:
        pass
    assert client.spent < 40


def test_messages_in_no_order(client: Client, repo: Path) -> None:
    uri = (repo / "x.py").as_uri()
    number = client.send("textDocument/codeAction", {"textDocument": {"uri": uri}}, request=True)
    assert "error" in client.until(lambda m: m.get("id") == number)
    client.open(uri, TEXT)  # before the server is initialised
    client.begin(repo)
    client.change(uri, TEXT, 5)  # before it is open, for all the server knows
    client.send("textDocument/didClose", {"textDocument": {"uri": uri}})
    client.send("textDocument/didClose", {"textDocument": {"uri": uri}})
    client.change(uri, TEXT, 4)
    client.actions(uri)
    client.open(uri, TEXT, 3)
    client.open(uri, TEXT, 2)
    client.change(uri, TEXT + "# older\n", 1)
    client.send("$/cancelRequest", {"id": 12345})
    client.send("nothing/known", {"a": 1})
    assert "error" in client.ask("nothing/known", None)
    assert "error" in client.ask("textDocument/codeAction", {"textDocument": 3})
    far = {"line": 2**31 - 1, "character": 2**31 - 1}
    where = {"start": far, "end": {"line": 0, "character": 0}}
    asked = {"textDocument": {"uri": uri}, "context": {"diagnostics": []}, "range": where}
    client.ask("textDocument/codeAction", asked)
    book = (repo / "b.ipynb").as_uri()
    client.send("notebookDocument/didClose", {"notebookDocument": {"uri": book}, "cellTextDocuments": []})
    client.send("notebookDocument/didChange", {"notebookDocument": {"uri": book, "version": 2}, "change": {}})
    client.alive(repo)


@pytest.mark.parametrize(
    "data",
    [b"Content-Length: 3\r\n\r\nnot", b"Content-Length: 4\r\n\r\nnull", b"Content-Length: 2\r\n\r\n[]",
     b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000, b"Content-Length: -5\r\n\r\n", b"\r\n\r\n\r\n",
     b"Content-Length: 0\r\n\r\n", b"Nonsense: " + b"x" * 3_000_000 + b"\r\n\r\n", b"\xff\xfe\r\n\r\n",
     b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
     b'Content-Length: 44\r\n\r\n{"jsonrpc":"2.0","id":' + b"9" * 21 + b"}"],
    ids=["not", "null", "list", "deep", "negative", "empty", "zero", "header", "bytes", "digits", "id"],
)  # fmt: skip
def test_what_is_no_message_is_passed_over(client: Client, repo: Path, data: bytes) -> None:
    client.begin(repo)
    client.raw(data)
    client.alive(repo)


def test_a_message_that_is_too_long_is_passed_over(client: Client, repo: Path) -> None:
    client.begin(repo)
    size = 300 << 20
    client.raw(b"Content-Length: %d\r\n\r\n" % size)
    for _ in range(size >> 20):
        client.raw(b"x" * (1 << 20))
    client.alive(repo)
    assert client.peak < 250e6


# -- the end


def ended(process: forks.Fork | subprocess.Popen[bytes], seconds: float = 120) -> None:
    process.wait(timeout=seconds)


def test_a_client_that_closes_the_pipes(client: Client, repo: Path) -> None:
    client.begin(repo)
    client.alive(repo)
    assert client.process.stdin is not None
    client.process.stdin.close()
    ended(client.process)


def test_a_client_that_dies_in_the_middle_of_a_message(client: Client, repo: Path) -> None:
    client.begin(repo)
    client.raw(b"Content-Length: 1000\r\n\r\n{")
    assert client.process.stdin is not None
    client.process.stdin.close()
    ended(client.process)


def test_a_client_that_dies_while_others_keep_its_pipes(repo: Path) -> None:
    """Its process is gone; what it started may still have the other ends."""
    parent = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    client = Client(repo, parent=parent.pid)
    try:
        client.begin(repo)
        client.alive(repo)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        ended(client.process)
    finally:
        client.process.kill()
        parent.kill()


def test_exit_with_and_without_shutdown(repo: Path) -> None:
    for polite in (True, False):
        client = Client(repo)
        client.begin(repo)
        if polite:
            client.ask("shutdown", None)
        client.send("exit", None)
        ended(client.process)
        assert client.process.returncode == (0 if polite else 1)


def test_nothing_is_written(client: Client, repo: Path) -> None:
    before = sorted(path.relative_to(repo) for path in repo.rglob("*"))
    client.begin(repo)
    client.alive(repo)
    assert sorted(path.relative_to(repo) for path in repo.rglob("*")) == before

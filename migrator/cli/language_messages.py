"""An editor's messages: read from a pipe within bounds, until it ends or the editor is gone.

pygls' own loop believes whoever is at the other end: a length of gigabytes is read into memory, a bad one
ends the server, each change of a text is worked on before the next message is read, and an editor that
died leaves the server running while others hold its pipes.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, BinaryIO

import psutil
from lsprotocol import types
from pygls.lsp.server import LanguageServer

MOST = 64 << 20  # bytes of a message, and of those that wait: source files may have 8 MiB
_LINE = 4096  # bytes of a header that are read at a time
_LENGTH = re.compile(rb"content-length:[ \t]*(\d{1,18})", re.IGNORECASE)
_PART = 1 << 20
_LOOK = 5.0  # seconds between looks for the editor's process
_BAD = -32602  # what JSON-RPC calls invalid parameters

Message = bytes | int  # one that is too long is its size only


class Waiting:
    """What is to be done once no message waits; of one document only once."""

    def __init__(self) -> None:
        self._of: dict[str, Callable[[], object]] = {}

    def put(self, document: str, work: Callable[[], object]) -> None:
        """Do `work` later, in the place of what was to be done for the document."""
        self._of[document] = work

    def drop(self, document: str) -> None:
        """Do nothing for the document."""
        self._of.pop(document, None)

    def next(self) -> None:
        """Do what has waited longest."""
        self._of.pop(next(iter(self._of)))()

    def __bool__(self) -> bool:
        return bool(self._of)


def serve(server: LanguageServer, waiting: Waiting) -> None:
    """Answer the editor on standard input and output; returns when it is gone.

    Raises SystemExit when it asks for the end: with 0 after a shutdown, else with 1.
    """
    writer = _Writer()
    server.protocol.set_writer(writer)
    inbox = _Inbox()
    editor = _Editor()
    while not writer.broken:
        message = inbox.take(0 if waiting else _LOOK)
        if message is None:
            return
        if message == b"":  # there is none
            if waiting:
                _go_on(server, waiting)
            elif editor.gone():
                return
        elif isinstance(message, int):
            _warn(server, f"a message of {message:,} bytes was passed over; the limit is {MOST:,}")
        else:
            _answer(server, writer, message)
            editor.watch(server.process_id)


def _warn(server: LanguageServer, text: str) -> None:
    params = types.LogMessageParams(types.MessageType.Warning, f"migrator: {text}")
    server.window_log_message(params)


def _passed_over(server: LanguageServer, what: str, error: Exception) -> None:
    _warn(server, f"{what} was passed over: {type(error).__name__}: {str(error)[:200]}")


def _go_on(server: LanguageServer, waiting: Waiting) -> None:
    try:
        waiting.next()
    except Exception as error:  # one document's trouble is not that of the others
        _passed_over(server, "a document", error)


def _answer(server: LanguageServer, writer: _Writer, message: bytes) -> None:
    try:
        found = json.loads(message, object_hook=server.protocol.structure_message)
        server.protocol.handle_message(found)
    except Exception as error:  # whatever it was, the next one may be good
        _passed_over(server, "a message", error)
        with suppress(ValueError, RecursionError):
            found = json.loads(message)
            if isinstance(found, dict) and "method" in found and "id" in found:
                said = {"code": _BAD, "message": "not what this method takes"}
                writer.send({"jsonrpc": "2.0", "id": found["id"], "error": said})


def messages(stream: BinaryIO) -> Iterator[Message]:
    """The bodies of the messages; headers that make no sense, and what they may announce, are passed
    over."""
    size = 0
    begins = True
    while line := stream.readline(_LINE):
        first, begins = begins, line.endswith(b"\n")
        if not first:
            continue
        header = line.strip()
        if header:
            length = _LENGTH.fullmatch(header)
            size = int(length[1]) if length and not size else size
            continue
        if size > MOST:
            if not _pass_over(stream, size):
                return
            yield size
        elif size:
            body = stream.read(size)
            if len(body) < size:
                return
            yield body
        size = 0


def _pass_over(stream: BinaryIO, size: int) -> bool:
    while size:
        part = len(stream.read(min(size, _PART)))
        if not part:
            return False
        size -= part
    return True


class _Inbox:
    """Messages that were read and wait, never more than `MOST` bytes beside the first."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[Message] = deque()
        self._size = 0
        self._ended = False
        threading.Thread(target=self._read, daemon=True).start()

    def take(self, seconds: float) -> Message | None:
        """The next message, ``b""`` where none came in time, None after the last."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._ended, seconds)
            if not self._waiting:
                return None if self._ended else b""
            message = self._waiting.popleft()
            self._size -= len(message) if isinstance(message, bytes) else 0
            self._changed.notify()
            return message

    def _read(self) -> None:
        with suppress(OSError), open(sys.stdin.fileno(), "rb", closefd=False) as stream:
            for message in messages(stream):
                size = len(message) if isinstance(message, bytes) else 0
                with self._changed:
                    self._changed.wait_for(lambda more=size: self._size + more <= MOST)  # type: ignore[misc]
                    self._waiting.append(message)
                    self._size += size
                    self._changed.notify()
        with self._changed:
            self._ended = True
            self._changed.notify()


class _Writer:
    """Standard output as pygls writes to it; nothing else of this process does."""

    def __init__(self) -> None:
        self.broken = False
        self._stream = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what prints is not the editor's

    def write(self, data: bytes) -> None:
        """Send what has its header already."""
        try:
            self._stream.write(data)
            self._stream.flush()
        except OSError:
            self.broken = True

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def close(self) -> None:
        """The end of the process closes it."""


class _Editor:
    """The process that asked to be watched. One that was never seen may live in another container."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._seen = False

    def watch(self, number: int | None) -> None:
        """What the editor said its process is."""
        if number != self._number:
            self._number = number
            self._seen = self._there()

    def gone(self) -> bool:
        """Whether it was there and is there no more."""
        return self._seen and not self._there()

    def _there(self) -> bool:
        number = self._number
        return number is not None and 0 < number < 1 << 31 and psutil.pid_exists(number)

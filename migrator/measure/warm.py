"""Processes that have imported TensorFlow already, in which cells are forked (`programs/warm.py`)."""

from __future__ import annotations

import contextlib
import json
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from migrator.workload import child

MOST = 2  # alive at a time: each has some 600 MB; of the two sides in their usual surroundings
START, FORK = 300.0, 60.0  # seconds that an import may take, and a fork


class Unavailable(Exception):
    """There is no such process here; the job runs in one of its own."""


class _Forked:
    """A fork, as far as `child.run` knows processes."""

    def __init__(self, server: _Server, pid: int) -> None:
        self.server, self.pid = server, pid
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """How it ended, as `Popen.wait` tells it."""
        if self.returncode is None:
            try:
                self.returncode = self.server.answer("code", timeout)
            except Unavailable:  # killed, and this fork with it: what the kernel does without memory
                self.returncode = -signal.SIGKILL
        return self.returncode


class _Server:
    """One process with TensorFlow in it."""

    def __init__(self, side: str, env: Mapping[str, str]) -> None:
        ours, theirs = socket.socketpair()
        self.link, self.lines = ours, b""
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "migrator.measure.programs.warm", side, str(theirs.fileno())],
                env=dict(env), pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip

    def answer(self, key: str, timeout: float | None) -> Any:
        """The value of the next message that has this key; others are of jobs that were given up.

        Raises:
          subprocess.TimeoutExpired: none came in time.
          Unavailable: none will come: the process has ended.
        """
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            while b"\n" not in self.lines:
                left = None if until is None else max(0.0, until - time.monotonic())
                if not select.select([self.link], [], [], left)[0]:
                    raise subprocess.TimeoutExpired("a fork", timeout or 0.0)
                self._receive()
            line, _, self.lines = self.lines.partition(b"\n")
            message = json.loads(line)
            if key in message:
                return message[key]

    def _receive(self) -> None:
        try:
            more = self.link.recv(4096)
        except OSError:
            more = b""
        if not more:
            raise Unavailable("the process with TensorFlow has ended")
        self.lines += more

    def start(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], output: Any
    ) -> _Forked:
        """Forks for one job.

        Raises:
          Unavailable: it did not.
        """
        message = json.dumps({"argv": list(argv), "cwd": str(cwd), "env": dict(env)}).encode()
        try:
            socket.send_fds(self.link, [message], [output.fileno()])
            return _Forked(self, self.answer("pid", FORK))
        except (OSError, subprocess.TimeoutExpired) as error:
            self.close()
            raise Unavailable(str(error)) from error

    def close(self) -> None:
        self.link.close()
        self.process.kill()
        self.process.wait()


class Warm:
    """Such processes by what they must have in their environment; ended at the end of a `with`."""

    def __init__(self) -> None:
        self.servers: dict[tuple[str, tuple[tuple[str, str], ...]], _Server] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="migrator-warm-")
        self.dump = Path(self._folder.name) / "xla"  # where XLA tells of its buffers, cell after cell
        self.broken = not hasattr(socket, "send_fds") or not Path("/proc/self/stat").exists()

    def __enter__(self) -> Warm:
        return self

    def __exit__(self, *_: object) -> None:
        for server in self.servers.values():
            server.close()
        self.servers.clear()
        self._folder.cleanup()

    def starter(self, side: str, env: Mapping[str, str]) -> Any:
        """What `child.run` starts jobs of a side with this environment by.

        Raises:
          Unavailable: here, or with this environment, there is no such process.
        """
        if self.broken:
            raise Unavailable("no forks on this system")
        key = side, tuple(sorted((k, v) for k, v in env.items() if k != child.MARK))
        server = self.servers.pop(key, None)
        if server is None or server.process.poll() is not None:
            while len(self.servers) >= MOST:
                self.servers.pop(next(iter(self.servers))).close()
            server = _Server(side, env)
            try:
                server.answer("ready", START)
            except (subprocess.TimeoutExpired, Unavailable) as error:
                server.close()
                self.broken = True  # a clean process says why
                raise Unavailable(str(error)) from error
        self.servers[key] = server  # the last that was used comes last

        def start(argv: Sequence[str], cwd: Path, given: Mapping[str, str], logs: Any) -> _Forked:
            with contextlib.suppress(OSError):
                logs[0].flush()
            return server.start(argv, cwd, given, logs[0])

        return start

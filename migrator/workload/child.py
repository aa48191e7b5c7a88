"""Runs one command in a child process of its own, and always cleans up after it."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

TAIL_BYTES = 8_000
LOG_LIMIT = 64 << 20  # bytes of a child's log that are kept before its beginning is given up
MARK = "MIGRATOR_CHILD"  # in the environment of everything that a child starts
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")
_OUT_OF_MEMORY = re.compile(
    r"ResourceExhausted|OOM when allocating|out of memory|MemoryError|std::bad_alloc", re.I
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a child ended.

    status: "ok", "failed" (exit code), "killed" (signal), "timeout" or "oom" (its log, or a kill
      that the system's memory limit explains).
    seconds: wall time. tail: the last lines of stdout and stderr, printable. rss_peak: most bytes
      that the child and what it started had resident, and memory: (seconds, bytes) over its life,
      where `watch` asked for them.
    """

    status: str
    returncode: int
    seconds: float
    tail: str
    rss_peak: int | None = None
    memory: tuple[tuple[float, int], ...] = ()

    @property
    def ok(self) -> bool:
        return self.status == "ok"


def printable(raw: bytes) -> str:
    """Log bytes as text that is safe to print: no control characters, no escape sequences."""
    text = raw.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", text)


def own_python_path() -> str:
    """PYTHONPATH for children of this interpreter: migrator, and what the caller's own says, so that
    they see the TensorFlow that the caller sees."""
    root = str(Path(__file__).resolve().parent.parent.parent)
    return os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))


def quiet_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without what would change a measured program."""
    # TF 2 sets TF2_BEHAVIOR when it is imported, and TF 1.15 obeys it.
    changing = ("PYTHONPATH", "TF_USE_LEGACY_KERAS", "TF2_BEHAVIOR")
    env = {k: v for k, v in os.environ.items() if k not in changing}
    env.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    env["PYTHONHASHSEED"] = "0"
    env.update(extra or {})
    return env


def _end_all(process: subprocess.Popen[bytes], mark: str) -> None:
    """Kills the child, its session, and whatever left the session but carries the mark."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=10)
    for _ in range(5):  # one that forks while it is being looked for is found the next time
        left = _marked(mark)
        if not left:
            return
        for found in left:
            with contextlib.suppress(psutil.Error):
                found.kill()
        psutil.wait_procs(left, timeout=1)


def _marked(mark: str) -> list[psutil.Process]:
    """Living processes of this user that have the mark in their environment."""
    found = []
    for process in psutil.process_iter():
        # no such process any more, or somebody else's
        with contextlib.suppress(psutil.Error, OSError):
            if (
                process.environ().get(MARK) == mark
                and process.status() != psutil.STATUS_ZOMBIE
                and process.pid != os.getpid()
            ):
                found.append(process)
    return found


def _resident(pid: int) -> int:
    """Resident bytes of a process and everything below it; pages that they share count once each
    in every one of them."""
    total = 0
    with contextlib.suppress(psutil.Error):
        top = psutil.Process(pid)
        for process in [top, *top.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                total += process.memory_info().rss
    return total


@contextlib.contextmanager
def ended_with_us() -> Iterator[None]:
    """Within it, SIGTERM ends this process like an exception does: with its children."""

    def leave(number: int, _: Any) -> None:
        raise SystemExit(128 + number)

    try:
        before = signal.signal(signal.SIGTERM, leave)
    except ValueError:  # not the main thread: whoever runs that one decides
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@dataclass
class _Watch:
    """Looks at a running child: how much memory it has, and how long its log is."""

    process: subprocess.Popen[bytes]
    logs: Sequence[Any]
    memory_limit: int
    sampled: bool
    every: float = 0.1
    peak: int = 0
    meanwhile: Callable[[], None] | None = None

    def __post_init__(self) -> None:
        self.points: list[tuple[float, int]] = []

    def wait(self, timeout: float) -> str:
        """Waits for the end; "" or "timeout" or "oom" if the child must be ended."""
        started = time.monotonic()
        looks = self.sampled or bool(self.memory_limit)
        while True:
            left = started + timeout - time.monotonic()
            if left <= 0:
                return "timeout"
            try:
                self.process.wait(timeout=min(left, self.every if looks else 1.0))
                return ""
            except subprocess.TimeoutExpired:
                for log in self.logs:
                    _shorten(log)
                if self.meanwhile is not None:
                    self.meanwhile()
            if looks:
                now = _resident(self.process.pid)
                self.peak = max(self.peak, now)
                self.points.append((time.monotonic() - started, now))
                if len(self.points) > 2000:  # a long run: half as many points, half as often
                    self.points = self.points[::2]
                    self.every = min(self.every * 2, 5.0)
                if self.memory_limit and now > self.memory_limit:
                    return "oom"


def _shorten(log: Any) -> None:
    """Drops the beginning of a log that fills the disk; the child appends, so it goes on."""
    size = os.fstat(log.fileno()).st_size
    if size > LOG_LIMIT:
        log.seek(size - TAIL_BYTES)
        tail = log.read()
        os.ftruncate(log.fileno(), 0)
        os.write(log.fileno(), tail)


def _tail(log: Any) -> str:
    log.seek(max(0, log.seek(0, os.SEEK_END) - TAIL_BYTES))
    return printable(log.read())


def _new(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str], logs: Sequence[Any]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        list(argv), cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=logs[0], stderr=logs[-1],
        start_new_session=True,
    )  # fmt: skip


def run(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str] | None = None,
    timeout: float = 900.0,
    memory_limit: int = 0,
    sampled: bool = False,
    streams: tuple[Path, Path] | None = None,
    meanwhile: Callable[[], None] | None = None,
    start: Callable[..., Any] | None = None,
) -> Outcome:
    """Runs argv in cwd, its output going to a file that is read back when it ends.

    timeout is in seconds. memory_limit: resident bytes at which the child is ended as "oom", 0 for
    none. sampled: also record how much memory it has over time. streams: files that keep its stdout
    and stderr; the tail is that of stderr, or of stdout if it has none. meanwhile: called about
    every second while the child runs. start: makes the process out of argv, cwd, the environment and the
    logs, in the place of `subprocess.Popen`. The child gets a session of its own and a mark in its
    environment, so that everything it starts is ended with it, also when it left the session or this
    process is interrupted.
    """
    started = time.monotonic()
    mark = uuid.uuid4().hex
    given = {**(env if env is not None else quiet_environment()), MARK: mark}
    # "a": what two processes write at once then never overwrites one another
    with contextlib.ExitStack() as opened:
        if streams is None:
            logs = [opened.enter_context(tempfile.TemporaryFile("a+b"))]
        else:
            logs = [opened.enter_context(path.open("a+b")) for path in streams]
        try:
            process = (start or _new)(argv, cwd, given, logs)
        except OSError as error:
            return Outcome("failed", 127, 0.0, f"{argv[0]}: {error.strerror}")
        watch = _Watch(process, logs, memory_limit, sampled, meanwhile=meanwhile)
        with ended_with_us():
            try:
                status = watch.wait(timeout)
            finally:
                _end_all(process, mark)
        seconds = time.monotonic() - started
        code = process.returncode if not status else -signal.SIGKILL
        tail = _tail(logs[-1])
        if not tail.strip():
            tail = _tail(logs[0])
    if not status:
        status = "ok" if code == 0 else "killed" if code < 0 else "failed"
        if status != "ok" and (_OUT_OF_MEMORY.search(tail) or code == -signal.SIGKILL):
            status = "oom"
    return Outcome(
        status, code, seconds, tail, watch.peak if sampled else None, tuple(watch.points)
    )

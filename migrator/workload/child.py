"""Runs one command in a child process of its own, and always cleans up after it."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TAIL_BYTES = 8_000
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")
_OUT_OF_MEMORY = re.compile(
    r"ResourceExhausted|OOM when allocating|out of memory|MemoryError|std::bad_alloc", re.I
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a child ended.

    status: "ok", "failed" (exit code), "killed" (signal), "timeout" or "oom" (its log, or a kill
      that the system's memory limit explains).
    seconds: wall time. tail: the last lines of stdout and stderr, printable.
    """

    status: str
    returncode: int
    seconds: float
    tail: str

    @property
    def ok(self) -> bool:
        return self.status == "ok"


def printable(raw: bytes) -> str:
    """Log bytes as text that is safe to print: no control characters, no escape sequences."""
    text = raw.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", text)


def quiet_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without what would change a measured program."""
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TF_USE_LEGACY_KERAS")}
    env.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    env["PYTHONHASHSEED"] = "0"
    env.update(extra or {})
    return env


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Kills the child and whatever it started in its own session."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=10)


def run(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str] | None = None,
    timeout: float = 900.0,
) -> Outcome:
    """Runs argv in cwd, its output going to a file that is read back when it ends.

    timeout is in seconds. The child gets a session of its own, so that everything it forks is
    killed with it, also when this process is interrupted.
    """
    started = time.monotonic()
    with tempfile.TemporaryFile() as log:
        try:
            process = subprocess.Popen(
                list(argv), cwd=cwd, env=dict(env if env is not None else quiet_environment()),
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            return Outcome("failed", 127, 0.0, f"{argv[0]}: {error.strerror}")
        status = ""
        try:
            code = process.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            status, code = "timeout", -signal.SIGKILL
        finally:
            _end_group(process)
        size = log.seek(0, os.SEEK_END)
        log.seek(max(0, size - TAIL_BYTES))
        tail = printable(log.read())
    if not status:
        status = "ok" if code == 0 else "killed" if code < 0 else "failed"
        if status != "ok" and (_OUT_OF_MEMORY.search(tail) or code == -signal.SIGKILL):
            status = "oom"
    return Outcome(status, code, time.monotonic() - started, tail)

"""Trees that somebody made to hurt, and the command run on them with limits."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import psutil

from tests import forks

ROOT = Path(__file__).resolve().parents[2]
USES = "import numpy as np\nimport tensorflow as tf\n\nx = tf.log(np.float(1))\n"


PATIENCE = 20.0  # seconds in which something happens, or never will


def migrator(
    *arguments: object, cwd: Path = ROOT, env: Mapping[str, str] | None = None,
    memory: int = 2 << 30, seconds: int = 30, given: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:  # fmt: skip
    """The command in a process of its own, which may use so many bytes and seconds of the processor;
    one that waits for what never comes fails the test, and does so soon however busy the machine is."""
    process = forks.COMMAND.start(
        ["-m", "migrator", *map(str, arguments)], cwd,
        {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        {"RLIMIT_AS": memory, "RLIMIT_CPU": seconds},
    )  # fmt: skip
    watch = Watch(process)
    out, err = process.communicate(given)
    assert not watch.stuck, f"migrator {' '.join(map(str, arguments))} waits for what never comes"
    return subprocess.CompletedProcess(process.args, process.wait(), out, err)


class Watch:
    """Ends a process that sleeps, with all that it started, and uses no time of the processor.

    One that the machine is too busy for does not sleep.
    """

    def __init__(self, process: forks.Fork | subprocess.Popen[bytes]) -> None:
        self.stuck = False
        self._process = process
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        spent, since = -1.0, time.monotonic()
        while self._process.poll() is None:
            time.sleep(0.2)
            try:
                main = psutil.Process(self._process.pid)
                family = [main, *main.children(recursive=True)]
                used = sum(sum(one.cpu_times()[:2]) for one in family)
                asleep = all(one.status() == psutil.STATUS_SLEEPING for one in family)
            except psutil.Error:
                continue
            if not asleep or used != spent:
                spent, since = used, time.monotonic()
            elif time.monotonic() - since > PATIENCE:
                self.stuck = True
                for one in family:
                    one.kill()
                return


def repository(root: Path, files: Mapping[str, str] | None = None) -> Path:
    """A git repository with one commit and a clean work tree."""
    write(root, files or {"uses.py": USES})
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "A Person")
    git(root, "config", "user.email", "person@example.com")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    return root


def git(root: Path, *arguments: str) -> str:
    """Plain git, as a person uses it, with no configuration but the repository's."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment = {**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *arguments], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def write(root: Path, files: Mapping[str, str]) -> None:
    """Write files below `root`, whose folders are made."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

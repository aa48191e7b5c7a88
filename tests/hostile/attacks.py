"""Trees that somebody made to hurt, and the command run on them with limits."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
USES = "import numpy as np\nimport tensorflow as tf\n\nx = tf.log(np.float(1))\n"


def migrator(
    *arguments: object, cwd: Path = ROOT, env: Mapping[str, str] | None = None,
    memory: int = 2 << 30, seconds: int = 30, given: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:  # fmt: skip
    """The command in a process of its own, which may use so many bytes and seconds of the processor;
    what waits for ever ends the test, however busy the machine is."""

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    return subprocess.run(
        [sys.executable, "-m", "migrator", *map(str, arguments)], cwd=cwd, input=given,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}, capture_output=True,
        preexec_fn=bound, timeout=600, check=False,
    )  # fmt: skip


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

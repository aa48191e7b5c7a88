"""Finds what runs the original: a real TensorFlow 1.15 interpreter, else the compat runtime."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from migrator.project.git import program
from migrator.workload import child

ENVIRONMENT_VARIABLE = "MIGRATOR_TF1_PYTHON"
_COMMAND_NAMES = ("python3.7", "python3.6")
_COMPAT_NEEDS = ("tensorflow", "tf_keras", "tf_slim")
_PROBE = """
import json, sys
import tensorflow as tf
with open(sys.argv[1], "w") as fh:
    json.dump({"tensorflow": tf.__version__, "python": sys.version.split()[0]}, fh)
"""


class ReferenceError(RuntimeError):
    """A TensorFlow 1 interpreter that was named but cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What runs the original.

    side: "tf1", "compat", or "" where there is neither. python: the interpreter. why: for
      anything but "tf1", why.
    """

    title: str
    side: str
    python: str = ""
    why: str = ""

    @property
    def real_tf1(self) -> bool:
        return self.side == "tf1"


def _probe(python: str, timeout: float) -> tuple[Reference | None, str]:
    """(reference, "") if the interpreter has TensorFlow 1.x, else (None, why not)."""
    with tempfile.TemporaryDirectory(prefix="migrator-verify-") as folder:
        answer = Path(folder) / "probe.json"
        env = child.quiet_environment({"CUDA_VISIBLE_DEVICES": "-1"})
        # cwd is an empty folder: a tensorflow.py in the caller's must not answer
        outcome = child.run([python, "-c", _PROBE, str(answer)], Path(folder), env, timeout)
        if not outcome.ok or not answer.exists():
            last = (outcome.tail.strip().splitlines() or [outcome.status])[-1]
            return None, f"{python}: {last}"
        found = json.loads(answer.read_text(encoding="utf-8"))
    if not found["tensorflow"].startswith("1."):
        return None, f"{python} has TensorFlow {found['tensorflow']}, not 1.x"
    title = f"TensorFlow {found['tensorflow']} (Python {found['python']})"
    return Reference(title, "tf1", python), ""


def find_reference(python: str = "", timeout: float = 120.0) -> Reference:
    """The reference to compare with.

    python: an interpreter with TensorFlow 1.x, by default the one that MIGRATOR_TF1_PYTHON names,
      else a `python3.7` or `python3.6` on the PATH that has it. Without any, the original runs
      unchanged on the TensorFlow 2 of this interpreter.

    Raises:
      ReferenceError: an interpreter was named, and cannot be used.
    """
    named = python or os.environ.get(ENVIRONMENT_VARIABLE, "")
    if named:
        found, why = _probe(named, timeout)
        if found is None:
            raise ReferenceError(f"no TensorFlow 1 interpreter: {why}")
        return found
    for command in _COMMAND_NAMES:
        path = program(command)
        if path is not None:
            found, _ = _probe(path, timeout)
            if found is not None:
                return found
    why = (
        "no Python with TensorFlow 1.15 was found; name one with --tf1-python or "
        f"{ENVIRONMENT_VARIABLE}"
    )
    missing = [n for n in _COMPAT_NEEDS if importlib.util.find_spec(n) is None]
    if missing:
        return Reference(
            "nothing", "", why=f"{why}; and the compat runtime needs {' and '.join(missing)} "
            "(pip install 'migrator[tf]')",
        )  # fmt: skip
    return Reference(
        f"the original on TensorFlow {tensorflow_version()} through the compat runtime",
        "compat", why=why,
    )  # fmt: skip


def tensorflow_version() -> str:
    """The version of this interpreter's TensorFlow, which is not imported; "" without one."""
    for name in ("tensorflow", "tensorflow-cpu", "tensorflow-intel"):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return ""

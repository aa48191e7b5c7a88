"""Starts verify's programs in child processes, and reads back what they found."""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import migrator
from migrator.model import to_jsonable
from migrator.resources import templates_dir
from migrator.verify.reference import Reference
from migrator.workload import child
from migrator.workload.spec import Workload

PROGRAMS = Path(__file__).parent / "programs"
COMPAT_RUNTIME = Path(migrator.__file__).parent / "workload" / "compat_runtime.py"
FROZEN_GRAPH = ("support", "frozen_graph.py")
Progress = Callable[[int, int, str], None]
_TAIL_LINES = 15
# Both sides compute with the same kernels: on the CPU, without oneDNN's fused ones.
NUMERICS = {"CUDA_VISIBLE_DEVICES": "-1", "TF_ENABLE_ONEDNN_OPTS": "0"}


@dataclass(frozen=True, slots=True)
class Found:
    """What a child left: `facts` and `arrays`, or the reason in `error` why there is nothing."""

    facts: dict[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""
    seconds: float = 0.0
    status: str = "ok"


def why(outcome: child.Outcome, timeout: float) -> str:
    """Why a child gave no result, with the end of its log."""
    said = {
        "timeout": f"stopped after {timeout:g} s",
        "killed": f"killed by signal {-outcome.returncode}",
        "oom": "out of memory",
    }.get(outcome.status, f"exit code {outcome.returncode}")
    lines = [line for line in outcome.tail.splitlines() if line.strip()]
    return "\n".join([said, *lines[-_TAIL_LINES:]])


def environment(workload: Workload, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """A child's environment: the workload's own settings win over those for equal numerics."""
    return child.quiet_environment({**NUMERICS, **workload.env, **(extra or {})})


class Side:
    """One of the two trees, and the interpreter and TensorFlow that run it."""

    def __init__(self, root: Path, name: str, python: str) -> None:
        self.root, self.name, self.python = root.resolve(), name, python

    @classmethod
    def before(cls, root: Path, reference: Reference) -> Side:
        return cls(root, reference.side, reference.python or sys.executable)

    @classmethod
    def after(cls, root: Path, python: str = "") -> Side:
        return cls(root, "after", python or sys.executable)

    def run(
        self, program: str, workload: Workload, config: Mapping[str, Any] | None = None,
        progress: Progress | None = None,
    ) -> Found:  # fmt: skip
        """Runs `programs/PROGRAM.py` on this side's tree.

        progress: called with what the program says that it has done, see
          `verify_common.say_progress`.
        """
        with tempfile.TemporaryDirectory(prefix="migrator-verify-") as folder:
            out = Path(folder) / "result"
            whole = {
                "root": str(self.root), "side": self.name, "out": str(out),
                "workload": to_jsonable(workload), "compat_runtime": str(COMPAT_RUNTIME),
                "frozen_graph": str(templates_dir().joinpath(*FROZEN_GRAPH)), **(config or {}),
            }  # fmt: skip
            path = Path(folder) / "config.json"
            path.write_text(json.dumps(whole), encoding="utf-8")
            argv = [self.python, str(PROGRAMS / f"{program}.py"), str(path)]
            said = Path(f"{out}.progress")

            def meanwhile() -> None:
                with contextlib.suppress(OSError, ValueError):
                    done, total, name = json.loads(said.read_text(encoding="utf-8"))
                    assert progress is not None
                    progress(int(done), int(total), str(name))

            outcome = child.run(
                argv, self.root, environment(workload), workload.timeout,
                meanwhile=meanwhile if progress is not None else None,
            )  # fmt: skip
            facts_file = Path(f"{out}.json")
            # A program that wrote its result and died while shutting down has done its work.
            if not facts_file.exists():
                status = outcome.status if outcome.status != "ok" else "failed"
                return Found(
                    error=why(outcome, workload.timeout), seconds=outcome.seconds, status=status
                )
            facts = json.loads(facts_file.read_text(encoding="utf-8"))
            if "unusable" in facts:
                return Found(error=facts["unusable"], seconds=outcome.seconds, status="unusable")
            return Found(facts, load_arrays(Path(f"{out}.npz")), seconds=outcome.seconds)


def load_arrays(path: Path) -> dict[str, Any]:
    """All arrays of an .npz or .npy file, in memory.

    Raises:
      ValueError: it is not such a file, or holds Python objects, which are not loaded.
    """
    stored = np.load(path, allow_pickle=False)
    if isinstance(stored, np.ndarray):
        return {"array": stored}
    with stored:
        return {k: stored[k] for k in stored.files}


def part(arrays: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The arrays whose name begins with "prefix/", without it."""
    return {k[len(prefix) + 1 :]: v for k, v in arrays.items() if k.startswith(prefix + "/")}

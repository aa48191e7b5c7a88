"""Runs every case's before.py on TensorFlow 1.15.5 and keeps what it saved as expected.npz.

    MIGRATOR_TF1_PYTHON=... python tests/transforms/training/record.py [NAME ...]

Resource variables are switched on: with TF1's own reference variables a run races with itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
RUN = (
    "import os, runpy, sys, tensorflow as tf; tf.enable_resource_variables();"
    "script, output = sys.argv[1:3]; sys.argv = [script, output];"
    "sys.path.insert(0, os.path.dirname(script));"
    "runpy.run_path(script, run_name='__main__')"
)


def record(case: Path, python: str) -> None:
    """Raises CalledProcessError if the program fails."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "results.npz"
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
        subprocess.run(
            [python, "-W", "ignore", "-c", RUN, str(case / "before.py"), str(output)],
            check=True, env=environment, cwd=folder,
        )
        (case / "expected.npz").write_bytes(output.read_bytes())


def main(names: list[str]) -> int:
    python = os.environ.get("MIGRATOR_TF1_PYTHON")
    if not python:
        print("MIGRATOR_TF1_PYTHON does not name an interpreter with TensorFlow 1.15")
        return 2
    for case in sorted((HERE / "cases").iterdir()):
        if (case / "before.py").exists() and (not names or case.name in names):
            print(case.name, flush=True)
            record(case, python)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

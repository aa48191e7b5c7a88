"""Runs every case's before.py on TensorFlow 1.15.5 and keeps what it saved as expected.npz.

    MIGRATOR_TF1_PYTHON=... python tests/graphs/record.py [NAME ...]

With TF 1's defaults: variables are references.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

CASES = Path(__file__).parent / "cases"


def record(case: Path, python: str) -> None:
    """Raises CalledProcessError if the program fails."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "results.npz"
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
        subprocess.run([python, "-W", "ignore", str(case / "before.py"), str(output)],
                       check=True, env=environment, cwd=folder)
        (case / "expected.npz").write_bytes(output.read_bytes())


def main(names: list[str]) -> int:
    python = os.environ.get("MIGRATOR_TF1_PYTHON")
    if not python:
        print("MIGRATOR_TF1_PYTHON does not name an interpreter with TensorFlow 1.15")
        return 2
    for case in sorted(CASES.iterdir()):
        if (case / "before.py").exists() and (not names or case.name in names):
            print(case.name, flush=True)
            record(case, python)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

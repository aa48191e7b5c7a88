"""Runs every case on TensorFlow 1.15.5 and keeps what its sessions were told as told.json.

    MIGRATOR_TF1_PYTHON=... python tests/transforms/session_configs/record.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    python = os.environ.get("MIGRATOR_TF1_PYTHON")
    if not python:
        print("MIGRATOR_TF1_PYTHON does not name an interpreter with TensorFlow 1.15")
        return 2
    cases = sorted(str(path) for path in (HERE / "cases").iterdir())
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told.json"
        subprocess.run(
            [python, "-B", "-W", "ignore", str(HERE / "told.py"), str(told), *cases], check=True,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        )  # fmt: skip
        (HERE / "told.json").write_text(told.read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs every case's before.py on TensorFlow 1.15.5 and keeps what it saved as expected.npz.

    MIGRATOR_TF1_PYTHON=... python tests/transforms/sessions/record.py [NAME ...]

Writes the frozen graph and the checkpoint that the cases read first.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CHECKPOINT = (
    "import sys, numpy as np, tensorflow as tf\n"
    "tf.get_variable('weights', initializer=tf.constant(\n"
    "    np.random.RandomState(5).uniform(-1, 1, [4, 3]), tf.float32))\n"
    "with tf.Session() as sess:\n"
    "  sess.run(tf.global_variables_initializer())\n"
    "  tf.train.Saver().save(sess, sys.argv[1], write_meta_graph=False)\n"
)


def main(names: list[str]) -> int:
    python = os.environ.get("MIGRATOR_TF1_PYTHON")
    if not python:
        print("MIGRATOR_TF1_PYTHON does not name an interpreter with TensorFlow 1.15")
        return 2
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}

    def run(*arguments: str | Path) -> None:
        subprocess.run(
            [python, "-W", "ignore", *map(str, arguments)], check=True, env=environment
        )

    cases = HERE / "cases"
    inputs: dict[str, tuple[str | Path, ...]] = {
        "frozen_detector": (HERE / "make_graph.py", cases / "frozen_detector" / "frozen.pb"),
        "frozen_modules": (HERE / "make_graph.py", cases / "frozen_modules" / "frozen.pb", "masks"),
        "meta_graph": (HERE / "make_meta.py", cases / "meta_graph" / "model.ckpt-3"),
        "freeze_script": ("-c", CHECKPOINT, cases / "freeze_script" / "model.ckpt"),
    }
    for name, arguments in inputs.items():
        if not names or name in names:
            run(*arguments)
    (cases / "freeze_script" / "checkpoint").unlink(missing_ok=True)
    for case in sorted(path.parent for path in cases.glob("*/before.py")):
        if names and case.name not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "results.npz"
            run(case / "before.py", output)
            (case / "expected.npz").write_bytes(output.read_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

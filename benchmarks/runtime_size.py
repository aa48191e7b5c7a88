"""How much of the support package comes with a program: files and lines, for trees and for single calls.

    python benchmarks/runtime_size.py [TREE ...]

Without trees: the programs of `PROGRAMS`, which use one thing each, and the samples.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from migrator.engine.options import Options  # noqa: E402
from migrator.engine.plan import build_plan  # noqa: E402

_START = "import tensorflow as tf\n"
PROGRAMS = {
    "one slim.conv2d": _START + (
        "from tensorflow.contrib import slim\n\n\ndef network(x):\n    return slim.conv2d(x, 8, 3)\n"),
    "Adam without layers": _START + "optimizer = tf.train.AdamOptimizer(1e-3)\n",
    "variable_scope and div": _START + (
        "\n\ndef ratio(a, b):\n    with tf.variable_scope('s'):\n"
        "        return tf.div(a, b) * tf.get_variable('w', [])\n"),
    "a session loop": _START + (
        "x = tf.placeholder(tf.float32, [None, 3])\nw = tf.get_variable('w', [3, 1])\n"
        "loss = tf.reduce_mean(tf.matmul(x, w))\n"
        "step = tf.train.GradientDescentOptimizer(.1).minimize(loss)\n"
        "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
        "    for i in range(3):\n        sess.run(step, {x: [[1., 2., 3.]]})\n"),
}


def size(tree: Path) -> tuple[int, int]:
    """(files, lines) of the support package that a migration of `tree` adds."""
    texts = [text for _, text in build_plan(tree, Options(jobs=1)).support_files]
    return len(texts), sum(text.count("\n") for text in texts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trees", type=Path, nargs="*")
    trees = parser.parse_args().trees
    sizes: dict[str, tuple[int, int]] = {}
    if not trees:
        for name, text in PROGRAMS.items():
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "program.py").write_text(text)
                sizes[name] = size(Path(folder))
        trees = [tree for tree in sorted((ROOT / "samples").iterdir()) if any(tree.glob("**/*.py"))]
    for tree in trees:
        sizes[tree.name] = size(tree)
    print(f"{'program':<32}{'files':>6}{'lines':>8}")
    for name, (files, lines) in sizes.items():
        print(f"{name:<32}{files:>6}{lines:>8}")
    print(f"{'median':<38}{statistics.median(lines for _, lines in sizes.values()):>8.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

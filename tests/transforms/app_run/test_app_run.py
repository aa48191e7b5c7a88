"""Programs whose command line has flags for others beside those of TensorFlow."""

from __future__ import annotations

import pytest

from tests.transforms.texts import migrated

HEAD = "import argparse\nimport tensorflow as tf\n"
TAIL = "\n\ndef main(_):\n    return tf.constant(ARGS.n)\n\n\nif __name__ == '__main__':\n    "
PARSE = "flags_parser=lambda argv: flags.FLAGS(argv, known_only=True))"


@pytest.mark.parametrize(
    ("call", "run"),
    [
        ("tf.app.run()", f"app.run(main, {PARSE}"),
        ("tf.app.run(main=main)", f"app.run(main, {PARSE}"),
        ("tf.app.run(main, [sys.argv[0]] + rest)", f"app.run(main, argv=[sys.argv[0]] + rest, {PARSE}"),
        ("tf.app.run(argv=rest)", f"app.run(main, argv=rest, {PARSE}"),
    ],
)
def test_flags_that_argparse_reads_are_no_errors(call: str, run: str) -> None:
    text = migrated(f"{HEAD}ARGS = argparse.ArgumentParser().parse_args(){TAIL}{call}\n")
    assert text.endswith(f"    {run}\n")
    assert "from absl import app\n" in text and "from absl import flags\n" in text


def test_flags_of_tensorflow_alone_stay_strict() -> None:
    text = migrated(f"import tensorflow as tf\nARGS = tf.app.flags.FLAGS{TAIL}tf.app.run()\n")
    assert text.endswith("    app.run(main)\n")

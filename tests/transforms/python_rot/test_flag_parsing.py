"""Flags are parsed where a program starts to need them, as TF 1 did at the first access."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from migrator.analysis.index import ProjectIndex, summaries_from_texts
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from tests.transforms.texts import RULES, migrated, result_of

HEAD = """\
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer('n', 3, 'count')
FLAGS = flags.FLAGS

"""
BLOCK = """

if __name__ == '__main__':
    main()
"""


def test_a_script_whose_main_reads_them() -> None:
    text = migrated(HEAD + "\ndef main():\n    print(FLAGS.n)\n" + BLOCK)
    assert "if __name__ == '__main__':\n    FLAGS(sys.argv)\n    main()\n" in text
    assert "import sys" in text


def test_a_read_at_the_top_is_guarded_for_who_imports_the_module() -> None:
    text = migrated(HEAD + "TWICE = 2 * FLAGS.n\nprint(FLAGS.n)\n")
    guarded = "if not FLAGS.is_parsed():\n    FLAGS(sys.argv)\nTWICE = 2 * FLAGS.n\nprint(FLAGS.n)\n"
    assert text.endswith(guarded)


def test_a_script_without_a_main_block() -> None:
    text = migrated(HEAD + "\ndef main():\n    print(flags.FLAGS.n)\n\n\nmain()\n")
    assert text.endswith("if not flags.FLAGS.is_parsed():\n    flags.FLAGS(sys.argv)\nmain()\n")


@pytest.mark.parametrize(
    "rest",
    [
        "\ndef main(_):\n    print(FLAGS.n)\n\n\nif __name__ == '__main__':\n    tf.app.run()\n",
        "\ndef main(_):\n    print(FLAGS.n)\n\n\nif __name__ == '__main__':\n    tf.app.run(main)\n",
        "\ndef count():\n    return FLAGS.n\n",  # a library
        "\ndef main():\n    print(FLAGS.n)\n\n\nif __name__ == '__main__':\n    FLAGS(['x'])\n    main()\n",
        "\ndef main(FLAGS):\n    print(FLAGS.n)\n\n\nif __name__ == '__main__':\n    main(None)\n",
    ],
)
def test_others_parse_or_nothing_is_read(rest: str) -> None:
    assert "sys" not in migrated(HEAD + rest)


def test_flags_that_absl_defined_are_left_alone() -> None:
    text = (HEAD + "\ndef main():\n    print(FLAGS.n)\n" + BLOCK).replace(
        "import tensorflow as tf\n\nflags = tf.app.flags", "from absl import flags"
    )
    assert result_of(text).new_text is None


def test_flags_of_another_module_of_the_project() -> None:
    config = "import tensorflow as tf\nFLAGS = tf.flags.FLAGS\ntf.flags.DEFINE_bool('b', True, '')\n"
    use = "import tensorflow as tf\nfrom config import FLAGS\nprint(FLAGS.b)\n"
    index = ProjectIndex.assemble(summaries_from_texts({"config.py": config, "use.py": use}))
    new = migrate_text("use.py", use, index, Options(), RULES).new_text
    assert new is not None
    assert new.endswith("if not FLAGS.is_parsed():\n    FLAGS(sys.argv)\nprint(FLAGS.b)\n")


def test_the_script_runs_with_the_value_of_the_command_line(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(migrated(
        HEAD + "EARLY = FLAGS.n\n\n\ndef main():\n    print(EARLY, FLAGS.n)\n" + BLOCK
    ))
    run = subprocess.run(
        [sys.executable, str(script), "--n", "7"], capture_output=True, text=True, timeout=300,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"},
    )
    assert run.stdout.split() == ["7", "7"], run.stderr[-2000:]

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
from migrator.resources import templates_dir
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


def test_a_default_of_a_parameter_is_read_where_its_function_is_made() -> None:
    """Though the program parses them when it runs, behind that."""
    block = "\n\nif __name__ == '__main__':\n    tf.app.run()\n"
    text = migrated(f"{HEAD}\ndef some(n=FLAGS.n):\n    return n\n\n\ndef main(_):\n    print(some()){block}")
    assert "\nif not FLAGS.is_parsed():\n    FLAGS(sys.argv)\ndef some(n=FLAGS.n):\n" in text


def test_a_script_without_a_main_block() -> None:
    text = migrated(HEAD + "\ndef main():\n    print(flags.FLAGS.n)\n\n\nmain()\n")
    assert text.endswith("if not flags.FLAGS.is_parsed():\n    flags.FLAGS(sys.argv)\nmain()\n")


@pytest.mark.parametrize(
    "rest",
    [
        "\ndef main(_):\n    print(FLAGS.n)\n\n\nif __name__ == '__main__':\n    tf.app.run()\n",
        "\ndef main(_):\n    print(FLAGS.n)\n\n\nif __name__ == '__main__':\n    tf.app.run(main)\n",
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


def together(files: dict[str, str]) -> dict[str, str]:
    """What the modules of a project become."""
    index = ProjectIndex.assemble(summaries_from_texts(files))
    return {
        path: migrate_text(path, text, index, Options(), RULES).new_text or text
        for path, text in files.items()
    }


def test_a_library_reads_flags_that_parse_themselves() -> None:
    text = migrated(HEAD + "\ndef count():\n    return FLAGS.n\n")
    assert "FLAGS = tf1_flags.FLAGS\n" in text and "from absl import flags\n" in text
    assert result_of(text).new_text is None


def test_flags_that_others_take_from_a_module() -> None:
    new = together({
        "config.py": "import tensorflow as tf\ntf.flags.DEFINE_bool('b', True, '')\nFLAGS = tf.flags.FLAGS\n",
        "use.py": "from config import FLAGS\n\ndef f():\n    return FLAGS.b\n",
    })  # fmt: skip
    assert new["config.py"].endswith("FLAGS = tf1_flags.FLAGS\n")
    assert new["use.py"] == "from config import FLAGS\n\ndef f():\n    return FLAGS.b\n"


def test_a_script_that_others_import() -> None:
    script = HEAD + "\ndef main(_):\n    print(FLAGS.n)\n\n\nif __name__ == '__main__':\n    tf.app.run()\n"
    new = together({"script.py": script, "other.py": "import script\nscript.main(None)\n"})
    assert "FLAGS = tf1_flags.FLAGS" in new["script.py"]
    assert "tf1_flags" not in together({"script.py": script})["script.py"]


def test_a_library_reads_them_where_nobody_parses(tmp_path: Path) -> None:
    (tmp_path / "tf1_support").symlink_to(templates_dir() / "support")
    (tmp_path / "lib.py").write_text(migrated(HEAD + "\ndef count():\n    return FLAGS.n\n"))
    program = "import lib; print(lib.FLAGS.is_parsed(), lib.count(), lib.FLAGS.is_parsed(), 'n' in lib.FLAGS)"
    run = subprocess.run(
        [sys.executable, "-c", program, "--n", "7"], capture_output=True, text=True, timeout=300,
        cwd=tmp_path, env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"},
    )
    assert run.stdout.split() == ["False", "7", "True", "True"], run.stderr[-2000:]


def test_the_names_that_tensorflow_gave_the_arguments() -> None:
    text = migrated(HEAD + "flags.DEFINE_string('a', default_value='b', docstring='c')\n")
    assert text.endswith("flags.DEFINE_string('a', default='b', help='c')\n")


def test_flags_that_a_module_has_under_another_name() -> None:
    new = migrated(
        "import tensorflow as tf\n\nflags = tf.app.flags\nflags.DEFINE_string('agent', 'a', '')\n"
        "conf = flags.FLAGS\n\nif conf.agent == 'a':\n    AGENT = 1\n\n\ndef main(_):\n"
        "    print(conf.agent)\n\n\nif __name__ == '__main__':\n    tf.app.run()\n"
    )
    assert "if not conf.is_parsed():\n    conf(sys.argv)\nif conf.agent == 'a':" in new


@pytest.mark.parametrize("given", ["show(FLAGS)", "show('all', options=FLAGS)", "show(flags.FLAGS)"])
def test_what_is_given_all_flags_may_read_one(given: str) -> None:
    text = migrated("from shown import show\n" + HEAD + f"{given}\n")
    name = "flags.FLAGS" if "flags.FLAGS" in given else "FLAGS"
    assert text.endswith(f"if not {name}.is_parsed():\n    {name}(sys.argv)\n{given}\n")


def test_to_show_flags_is_to_read_none() -> None:
    assert "sys" not in migrated(HEAD + "print(FLAGS)\n")

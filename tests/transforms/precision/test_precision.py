"""`--precision` sets the policy once, at the entry, and only when asked."""

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset

PROGRAM = """import tensorflow as tf


def main():
  print(tf.to_float(1))


if __name__ == '__main__':
  # starts here
  main()
"""


def migrated(text: str, precision: str) -> str:
    options = Options(precision=precision)
    result = migrate_text("m.py", text, ProjectIndex(), options, load_ruleset(options))
    return result.new_text if result.new_text is not None else text


def test_the_policy_comes_before_everything_else() -> None:
    new = migrated(PROGRAM, "mixed_float16")
    assert "  # starts here\n  precision.set_policy('mixed_float16')\n  main()\n" in new
    assert "from tf1_support import precision" in new
    assert migrated(new, "mixed_float16") == new


def test_float32_needs_no_policy() -> None:
    assert "set_policy" not in migrated(PROGRAM, "float32")


def test_modules_without_an_entry_are_left_alone() -> None:
    module = PROGRAM.partition("if __name__")[0]
    assert "set_policy" not in migrated(module, "mixed_bfloat16")

"""`--precision` sets the policy once, at the entry, and only when asked."""

from pathlib import Path

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.plan import build_plan
from migrator.engine.ruleset import load_ruleset
from migrator.model import Rung

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


def test_a_program_that_keeps_its_graph_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import tensorflow as tf\n\n\ndef main(losses):\n    x = tf.placeholder(tf.float32, [None, 3])\n"
        "    y = tf.layers.dense(x, 1)\n    losses.append(y)\n    with tf.Session() as sess:\n"
        "        sess.run(tf.global_variables_initializer())\n"
        "        return [sess.run(loss, {x: [[1., 2., 3.]]}) for loss in losses]\n\n\n"
        "if __name__ == '__main__':\n    print(main([]))\n"
    )
    plan = build_plan(tmp_path, Options(jobs=1, precision="mixed_float16"))
    (finding,) = [f for f in plan.findings if f.code == "TF410"]
    assert (finding.line, finding.rung) == (14, Rung.MANUAL)
    assert "set_policy" not in (plan.files[0].new_text or "")

"""Modules in which a program looks names up: the support package has one with TF 1's names."""

import pytest

from migrator import support
from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset
from migrator.engine.support_use import used_support

RULES = load_ruleset(Options())
TF = "import tensorflow as tf\n\n"


@pytest.mark.parametrize(
    ("before", "after", "module"),
    [
        ("f = getattr(tf.train, name)", "f = getattr(named_train, name)", "named_train"),
        ("f = pick(name, tf.contrib.rnn)", "pick(name, named_contrib_rnn)", "named_contrib_rnn"),
        ("f = pick(name, where=tf.contrib.opt)", "name, where=named_contrib_opt)", "named_contrib_opt"),
        ("m = ('tensorflow.layers', mine)", "m = ('tf1_support.layers', mine)", "layers"),
        ("m = [mine, tf.nn.rnn_cell]", "m = [mine, named_nn_rnn_cell]", "named_nn_rnn_cell"),
        (
            "m = ['mine', 'tensorflow.contrib.opt']",
            "m = ['mine', 'tf1_support.named_contrib_opt']",
            "named_contrib_opt",
        ),
    ],
)
def test_the_module_with_old_names_is_looked_in(before: str, after: str, module: str) -> None:
    result = migrate_text("m.py", f"{TF}{before}\n", ProjectIndex(), Options(), RULES)
    assert result.new_text is not None
    assert after in result.new_text
    assert not result.findings
    assert module in used_support(result.new_text)


@pytest.mark.parametrize(
    "text",
    [
        "x = getattr(tf.train, 'Checkpoint')",
        "x = hasattr(tf.train, name)",
        "mock.patch.object(tf.train, 'Saver')",
        "log = logging.getLogger('tensorflow.train')",
        "getattr(mine.train, name)",
    ],
)
def test_what_looks_nothing_up_stays(text: str) -> None:
    result = migrate_text("m.py", f"{TF}{text}\n", ProjectIndex(), Options(), RULES)
    assert "named_" not in (result.new_text or "")


def test_a_module_in_a_string_is_needed_as_a_whole() -> None:
    text = "from tf1_support import slim\nm = ['tf1_support.slim']\nx = slim.conv2d(1, 2, 3)\n"
    assert used_support(text) == {"slim", "slim.conv2d"}


def test_the_rendered_module_has_what_the_old_one_had() -> None:
    files = support.render(["named_train"])
    assert "    AdamOptimizer,\n" in files["named_train.py"]
    assert "def __getattr__(name: str)" in files["named_train.py"]
    assert "class AdamOptimizer" in files["optimizers.py"]
    assert "def exponential_decay" in files["schedules.py"]

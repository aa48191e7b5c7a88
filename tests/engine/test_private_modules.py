"""What a private module of TF 1 only imports is what was documented; what it lacks is reported."""

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset

HEAD = "from tensorflow.python.platform import gfile\n"


def test_names_that_a_private_module_imports() -> None:
    text = HEAD + "gfile.DeleteRecursively(x)\nf = gfile.Open(x)\n"
    result = migrate_text("m.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert (result.new_text or "").splitlines()[1:] == [
        "tf.io.gfile.rmtree(x)", "f = tf.io.gfile.GFile(x)"
    ]


def test_names_that_nobody_knows() -> None:
    text = HEAD + "gfile.Vanish(x)\n"
    result = migrate_text("m.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert "TF003" in {finding.code for finding in result.findings}


def test_a_module_that_is_only_private_keeps_its_import() -> None:
    text = "from tensorflow.python.keras import utils\nf(utils.metrics_utils)\n"
    result = migrate_text("m.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert result.new_text is None

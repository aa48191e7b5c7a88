"""Who names the .meta file of an estimator's checkpoint is told that there is none."""

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset
from migrator.model import Rung

HEAD = "import tensorflow as tf\n\nfrom models import build\n\nestimator = {made}(build, 'kept')\n"
COPY = "for end in ['meta', 'index']:\n    tf.gfile.Copy(best + '.' + end, 'best.' + end)\n"


@pytest.mark.parametrize(
    ("made", "rest", "lines"),
    [
        ("tf.estimator.Estimator", COPY, [6]),
        ("tf.contrib.tpu.TPUEstimator", "tf.gfile.Remove(best + '.meta')\n", [6]),
        ("tf.estimator.Estimator", COPY.replace("'meta', ", ""), []),
        ("Estimator", COPY, []),
    ],
)
def test_meta_files_of_estimators(made: str, rest: str, lines: list[int]) -> None:
    text = HEAD.format(made=made) + rest
    result = migrate_text("program.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    found = [f for f in result.findings if f.code == "TF342"]
    assert [f.line for f in found] == lines
    assert all(f.rung is Rung.MANUAL for f in found)

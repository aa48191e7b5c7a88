"""Where equal values have no order, it is told; nothing is rewritten."""

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.model import Rung
from tests.transforms.texts import RULES


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("order = np.argsort(scores)[::-1]", True),
        ("order = scores.argsort()[::-1]", True),
        ("order = scores[:, 0].argsort(axis=0, kind='quicksort')", True),
        ("order = np.argsort(scores, 0, 'stable')", False),
        ("order = scores.argsort(0, 'mergesort')", False),
        ("order = np.argsort(scores, kind='stable')", False),
        ("order = tf.argsort(scores)", False),
        ("order = np.sort(scores)", False),
        ("order = np.argsort(scores)  # migrator: ignore[PY240]", False),
    ],
)
def test_what_is_told(line: str, told: bool) -> None:
    text = f"import numpy as np\nimport tensorflow as tf\n{line}\n"
    result = migrate_text("a.py", text, ProjectIndex(), Options(), RULES)
    found = [item for item in result.findings if item.code == "PY240"]
    assert [item.line for item in found] == [3] * told
    assert all(item.rung is Rung.NATIVE for item in found) and result.new_text is None

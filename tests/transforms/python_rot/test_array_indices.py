"""Lists with slices, by which arrays are indexed, become tuples, and index the same."""

import numpy as np
import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset

RULES = load_ruleset(Options())
HEAD = "import numpy as np\nx = np.arange(24).reshape(2, 3, 4)\n"
INDEXED = {  # by what they are equal to
    "y = x[[slice(0, 1), 2]]": "x[0:1, 2]",
    "y = x[[1] + [slice(0, d) for d in (2, 3)]]": "x[1, :2, :3]",
    "y = x[[slice(None)] * 2 + [0]]": "x[:, :, 0]",
    "at = [slice(None)] * 3\nat[1] = slice(1, None)\ny = x[at]": "x[:, 1:]",
    "def cut(a):\n    at = [slice(None), 0]\n    return a[at]\ny = cut(x)": "x[:, 0]",
    "at = [slice(None), 0]\nat = tuple(at)\ny = x[at]": "x[:, 0]",
}


def migrated(text: str) -> str:
    return migrate_text("m.py", text, ProjectIndex(), Options(), RULES).new_text or text


@pytest.mark.parametrize(("text", "same"), INDEXED.items())
def test_they_index_as_before(text: str, same: str) -> None:
    names: dict[str, np.ndarray] = {}
    exec(migrated(f"{HEAD}{text}\n"), names)
    np.testing.assert_array_equal(names["y"], eval(same, names))
    assert migrated(migrated(f"{HEAD}{text}\n")) == migrated(f"{HEAD}{text}\n")


@pytest.mark.parametrize("text", [
    "y = x[[0, 1]]",
    "y = x[(slice(None), 0)]",
    "y = x[slice(None)]",
    "at = [slice(None)]\nat = 0\ny = x[at]",
    "for at in ([slice(None)], 0):\n    y = x[at]",
    "def cut(a, at):\n    return a[at]",
])
def test_others_stay(text: str) -> None:
    assert migrated(f"{HEAD}{text}\n") == f"{HEAD}{text}\n"

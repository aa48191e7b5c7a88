"""How far values reach is asked by the function that NumPy still has."""

import numpy as np
import pytest

from tests.transforms.texts import migrated

HEAD = "import numpy as np\nimport tensorflow as tf\n\n\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("rows = (rows - rows.min(0)) / rows.ptp(0)\n", "rows = (rows - rows.min(0)) / np.ptp(rows, 0)\n"),
        ("wide = np.arange(3).ptp()  # all\n", "wide = np.ptp(np.arange(3))  # all\n"),
        ("wide = self.rows[1:].ptp(axis=1).ptp()\n", "wide = np.ptp(np.ptp(self.rows[1:], axis=1))\n"),
        ("wide = (a + b).ptp(0, keepdims=True)\n", "wide = np.ptp(a + b, 0, keepdims=True)\n"),
        ("wide = (a +\n        b).ptp( 0)\n", "wide = np.ptp(a +\n              b,  0)\n"),
    ],
)
def test_ranges_of_arrays(before: str, after: str) -> None:
    new = migrated(HEAD + before)
    assert new == HEAD + after
    assert migrated(new) == new


def test_the_numbers_are_those_of_the_array() -> None:
    got: dict[str, np.ndarray] = {}
    exec(migrated("import numpy as np\nrows = np.array([[1, 5], [4, 2]])\nwide = rows.ptp(1)\n"), got)
    assert got["wide"].tolist() == [4, 2]


@pytest.mark.parametrize(
    "text",
    [
        "wide = np.ptp(rows, 0)\n",
        "wide = np.ma.ptp(rows)\n",
        "wide = rows.ptp(*where)\n",
        "wide = process.ptp(pid=3)\n",
        "class A:\n    def ptp(self):\n        return 1\n\n\nprint(A().ptp())\n",
    ],
)
def test_other_functions_stay(text: str) -> None:
    assert migrated(HEAD + text) == HEAD + text

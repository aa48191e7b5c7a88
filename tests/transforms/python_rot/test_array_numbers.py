"""Rows of one element are asked for it where they become Python numbers."""

import pytest

from tests.transforms.texts import migrated

HEAD = "import numpy as np\nimport tensorflow as tf\n\n\n"
RANDOM = "labels = np.random.randint(0, 2, size=(16, 1)).astype(np.float32)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (RANDOM + "j = int(2 * labels[i] + np.random.randint(0, 2))\n",
         RANDOM + "j = int(2 * labels[i].item() + np.random.randint(0, 2))\n"),
        ("column = np.zeros((4, 1))\nj = float(-column[0])\n",
         "column = np.zeros((4, 1))\nj = float(-column[0].item())\n"),
        ("column = np.arange(4).reshape(-1, 1)\nj = int(column[i + 1])\n",
         "column = np.arange(4).reshape(-1, 1)\nj = int(column[i + 1].item())\n"),
        ("class A:\n  def f(self):\n    self.y = np.ones([3, 1])\n    return int(self.y[0])\n",
         "class A:\n  def f(self):\n    self.y = np.ones([3, 1])\n    return int(self.y[0].item())\n"),
    ],
)  # fmt: skip
def test_rows_of_one_element(before: str, after: str) -> None:
    new = migrated(HEAD + before)
    assert new == HEAD + after
    assert migrated(new) == new


@pytest.mark.parametrize(
    "text",
    [
        "rows = np.zeros((4, 2))\nj = int(rows[0])\n",
        "column = np.zeros((4, 1))\nj = int(column[0, 0])\n",
        "column = np.zeros((4, 1))\nj = int(column[0][0])\n",
        "column = np.zeros((4, 1))\ncolumn = [1, 2]\nj = int(column[0])\n",
        "column = np.zeros((4, 1))\ndef f(column):\n  return int(column[0])\n",
        "column = np.zeros((4, 1))\nfor column in x:\n  j = int(column[0])\n",
        "column = np.zeros((4, 1))\nj = len(column[0])\n",
    ],
)
def test_anything_else_stays(text: str) -> None:
    assert migrated(HEAD + text) == HEAD + text

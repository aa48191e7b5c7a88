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
        ("j = int(np.searchsorted(t, np.random.rand(1) * s))\n",
         "j = int(np.searchsorted(t, np.random.rand(1) * s).item())\n"),
        ("j = int(np.random.rand(1) * len(rows))\n",
         "j = int((np.random.rand(1) * len(rows)).item())\n"),
        ("rate = float(np.exp(np.random.uniform(-3, 0, size=[1])))\n",
         "rate = float(np.exp(np.random.uniform(-3, 0, size=[1])).item())\n"),
        ("pick = np.random.choice(9, 1, p=p)\nj = int(pick) + 1\n",
         "pick = np.random.choice(9, 1, p=p)\nj = int(pick.item()) + 1\n"),
        ("j = int(-np.floor(np.random.randn(1)))\n", "j = int((-np.floor(np.random.randn(1))).item())\n"),
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
        "j = int(np.random.rand(2) * s)\n",
        "j = int(np.random.rand() * s)\n",
        "j = int(np.random.randint(1))\n",
        "pick = np.random.choice(9, 1)\npick = 3\nj = int(pick)\n",
        "j = int(tf.cast(np.random.rand(1) * s, tf.int32))\n",
    ],
)
def test_anything_else_stays(text: str) -> None:
    assert migrated(HEAD + text) == HEAD + text

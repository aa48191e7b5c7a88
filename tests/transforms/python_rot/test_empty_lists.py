"""Whether something is an empty list, or an array."""

import numpy as np
import pytest

from tests.transforms.texts import migrated

HEAD = "import numpy as np\nx = np.load('x.npy') if given else []\n"
WRITTEN = """import numpy as np


def written(found):
    rows = []
    for boxes in found:
        if boxes == []:
            continue
        for k in range(boxes.shape[0]):
            rows.append(boxes[k, -1])
    return rows
"""


def test_conditions_ask_for_an_empty_list() -> None:
    new = migrated(WRITTEN)
    assert new == WRITTEN.replace("boxes == []", "isinstance(boxes, list) and not boxes")
    assert migrated(new) == new


def test_arrays_of_all_shapes_are_none() -> None:
    """NumPy 1.18, of TensorFlow 1.15.5's Python, gives [2.0, 4.0, 5.0]; NumPy 2 raises without the change."""
    got: dict[str, object] = {}
    found = "[[], np.array([[1.0, 2.0], [3.0, 4.0]]), np.ones((0, 5)), np.array([[5.0]])]"
    exec(f"{migrated(WRITTEN)}rows = written({found})\n", got)
    assert got["rows"] == [2.0, 4.0, 5.0]
    with pytest.raises(ValueError, match="broadcast"):
        np.ones((4, 5)) == []  # noqa: B015


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if not x == [] and x.shape: pass\n", "if not (isinstance(x, list) and not x) and x.shape: pass\n"),
        ("y = 1 if x == [] else x[:, 0]\n", "y = 1 if (isinstance(x, list) and not x) else x[:, 0]\n"),
        ("if x == []: y = x.upper()\n", "if x == []: y = x.upper()\n"),
        ("if x != []: y = x.shape\n", "if x != []: y = x.shape\n"),
        ("same = x == []; y = x.shape\n", "same = x == []; y = x.shape\n"),
    ],
)
def test_other_places(before: str, after: str) -> None:
    assert migrated(HEAD + before) == HEAD + after

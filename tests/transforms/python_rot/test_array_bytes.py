"""Arrays give their bytes by the method that NumPy still has."""

import numpy as np
import pytest

from tests.transforms.texts import migrated

HEAD = "import xml.etree.ElementTree as ET\n\nimport numpy as np\nimport tensorflow as tf\n\n\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("raw = np.arange(3, dtype=np.int16).tostring()\n",
         "raw = np.arange(3, dtype=np.int16).tobytes()\n"),
        ("def f(image):\n    return tf.train.BytesList(value=[image.tostring()])\n",
         "def f(image):\n    return tf.train.BytesList(value=[image.tobytes()])\n"),
        ("raw = a.image.tostring('F')  # column by column\n",
         "raw = a.image.tobytes('F')  # column by column\n"),
    ],
)  # fmt: skip
def test_bytes_of_arrays(before: str, after: str) -> None:
    new = migrated(HEAD + before)
    assert new == HEAD + after
    assert migrated(new) == new


def test_the_bytes_are_those_of_the_array() -> None:
    got: dict[str, bytes] = {}
    exec(migrated("import numpy as np\nraw = np.array([1, 2], np.int16).tostring()\n"), got)
    assert got["raw"] == np.array([1, 2], np.int16).tobytes()


@pytest.mark.parametrize(
    "text",
    [
        "raw = ET.tostring(tree)\n",
        "raw = tree.tostring(encoding='utf8')\n",
        "raw = writer.tostring(tree)\n",
        "import drawing\n\n\npage = drawing.Page('a', size=3)\nprint(page.tostring())\n",
        "from drawing import Page\n\n\nprint(Page('a').tostring())\n",
        "class A:\n    def tostring(self):\n        return ''\n\n\nprint(A().tostring())\n",
    ],
)
def test_other_methods_stay(text: str) -> None:
    assert migrated(HEAD + text) == HEAD + text

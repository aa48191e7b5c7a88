"""What matplotlib removed of canvases and axes, and the two results of OpenCV 4's findContours."""

from __future__ import annotations

import pytest

from tests.transforms.texts import result_of as migrated

PLOT = "import matplotlib.pyplot as plt\nimport numpy as np\nfig = plt.figure()\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (PLOT + "data = fig.canvas.tostring_rgb()\n",
         PLOT + "data = np.asarray(fig.canvas.buffer_rgba())[..., :3].tobytes()\n"),
        (PLOT + "data = np.fromstring(fig.canvas.tostring_rgb(), dtype='uint8')\n",
         PLOT + "data = np.frombuffer(np.asarray(fig.canvas.buffer_rgba())[..., :3].tobytes(), "
         "'uint8').copy()\n"),
        (PLOT + "fig.canvas.set_window_title('found')\nplt.gcf().canvas.set_window_title(name)\n",
         PLOT + "fig.canvas.manager.set_window_title('found')\n"
         "plt.gcf().canvas.manager.set_window_title(name)\n"),
        (PLOT + "fig.canvas.manager.set_window_title('found')\nset_window_title('x')\n",
         PLOT + "fig.canvas.manager.set_window_title('found')\nset_window_title('x')\n"),
        (PLOT + "axes = fig.add_subplot(111, axisbg='k')\naxes.set_axis_bgcolor('w')\n",
         PLOT + "axes = fig.add_subplot(111, facecolor='k')\naxes.set_facecolor('w')\n"),
        (PLOT + "plt.style.use('seaborn-white')\n", PLOT + "plt.style.use('seaborn-v0_8-white')\n"),
        ("from matplotlib import style\nstyle.use('seaborn')\n",
         "from matplotlib import style\nstyle.use('seaborn-v0_8')\n"),
        (PLOT + "plt.style.use('seaborn-v0_8')\nuse('seaborn')\n",
         PLOT + "plt.style.use('seaborn-v0_8')\nuse('seaborn')\n"),
        ("import cv2\n_, found, tree = cv2.findContours(a, 1, 2)\n",
         "import cv2\nfound, tree = cv2.findContours(a, 1, 2)\n"),
        ("import cv2\nfound, tree = cv2.findContours(a, 1, 2)\n",
         "import cv2\nfound, tree = cv2.findContours(a, 1, 2)\n"),
        ("import cv2\ncv2.imread(p, cv2.CV_LOAD_IMAGE_COLOR)\n",
         "import cv2\ncv2.imread(p, cv2.IMREAD_COLOR)\n"),
    ],
)  # fmt: skip
def test_rewritten(before: str, after: str) -> None:
    assert (migrated(before).new_text or before) == after


def test_a_used_image_is_said() -> None:
    result = migrated("import cv2\nimage, found, tree = cv2.findContours(a, 1, 2)\nshow(image)\n")
    assert result.new_text is None
    assert [f.code for f in result.findings] == ["PY226"]


def test_imports_of_templates_stay() -> None:
    assert migrated("import yaml\nx = yaml.load(f)\n").new_text == (
        "import yaml\nx = yaml.safe_load(f)\n"
    )


def test_imports_come_before_their_first_use() -> None:
    text = "import scipy.misc\nx = scipy.misc.imread('a')\nimport os\nimport tensorflow as tf\n"
    new = migrated(text).new_text or ""
    lines = new.splitlines()
    assert lines.index("from tf1_support import scipy_misc") < lines.index("x = scipy_misc.imread('a')")

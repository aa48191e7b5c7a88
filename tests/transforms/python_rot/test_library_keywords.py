"""Keywords that libraries lack by now are what they have in their place."""

from typing import Any

import numpy as np
import pytest

from tests.transforms.texts import migrated

HEAD = "import numpy as np\nimport tensorflow as tf\na = np.arange(6)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = np.reshape(a, newshape=(2, 3))  # b\n", "x = np.reshape(a, (2, 3))  # b\n"),
        ("x = np.reshape(a, [-1], order='F')\n", "x = np.reshape(a, [-1], order='F')\n"),
        ("x = np.percentile(a, 40, interpolation='nearest')\n",
         "x = np.percentile(a, 40, method='nearest')\n"),
        ("x = np.histogram(a, normed=True)[0]\n", "x = np.histogram(a, density=True)[0]\n"),
        ("x = np.unravel_index(3, dims=(2, 3))\n", "x = np.unravel_index(3, (2, 3))\n"),
        ("x = np.corrcoef(a, bias=True, rowvar=True, ddof=1)\n", "x = np.corrcoef(a, rowvar=True)\n"),
    ],
)  # fmt: skip
def test_keywords(before: str, after: str) -> None:
    new = migrated(HEAD + before)
    assert new == HEAD + after
    assert migrated(new) == new
    exec(new.replace("import tensorflow as tf\n", ""), {"np": np})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from sklearn.manifold import TSNE\nt = TSNE(init='pca', learning_rate=9, n_iter=500)  # b\n",
         "from sklearn.manifold import TSNE\nt = TSNE(init='pca', learning_rate=9, max_iter=500)  # b\n"),
        ("from sklearn import preprocessing\ne = preprocessing.OneHotEncoder(sparse=False)\n",
         "from sklearn import preprocessing\ne = preprocessing.OneHotEncoder(sparse_output=False)\n"),
        ("import matplotlib.pyplot as plt\nplt.hist(a, 5, normed=True)\nplt.grid(b=True)\n",
         "import matplotlib.pyplot as plt\nplt.hist(a, 5, density=True)\nplt.grid(visible=True)\n"),
        ("from skimage.metrics import structural_similarity as ssim\nx = ssim(a, b, multichannel=True)  # c\n"
         "y = ssim(a, b, multichannel=False)\nz = ssim(a, b, multichannel=a.ndim == 3, data_range=1)\n",
         "from skimage.metrics import structural_similarity as ssim\nx = ssim(a, b, channel_axis=-1)  # c\n"
         "y = ssim(a, b, channel_axis=None)\n"
         "z = ssim(a, b, channel_axis=-1 if a.ndim == 3 else None, data_range=1)\n"),
        ("import skimage.transform\nx = skimage.transform.resize(m, (2, 2), order=1, mode='edge')\n",
         "import skimage.transform\n"
         "x = skimage.transform.resize(m.astype(float) if m.dtype == bool else m, (2, 2), order=1, "
         "mode='edge')\n"),
        ("import skimage.transform\nx = skimage.transform.resize(m, (2, 2), order=0)\n",) * 2,
        ("from skimage.transform import resize\nx = resize(m, (2, 2))\n",) * 2,
        ("import skimage.measure\nx = skimage.measure.compare_ssim(a, b, multichannel=True)\n",
         "import skimage.measure\nx = skimage.metrics.structural_similarity(a, b, channel_axis=-1)\n"),
    ],
)  # fmt: skip
def test_keywords_of_other_libraries(before: str, after: str) -> None:
    assert migrated(HEAD + before) == HEAD + after
    assert migrated(HEAD + after) == HEAD + after


def test_a_line_through_repeated_points() -> None:
    curve = "from scipy import interpolate\nx = [0.0, 0.0, 0.1, 0.1, 1.0]\ny = [0.5, 0.4, 0.3, 0.2, 0.1]\n"
    before = (f"{curve}f = interpolate.interp1d(x, y, kind='slinear')\n"
              "k = interpolate.interp1d(a, a, kind='zero')\n")  # fmt: skip
    new = migrated(HEAD + before)
    assert new == HEAD + before.replace("'slinear'", "'linear'")
    found: dict[str, Any] = {"np": np}
    exec(new.replace("import tensorflow as tf\n", ""), found)
    # scipy 1.5.4 with 'slinear'
    np.testing.assert_allclose(found["f"]([0.0, 0.001, 0.1, 0.7, 1.0]), [0.4, 0.399, 0.2, 0.13333333, 0.1])

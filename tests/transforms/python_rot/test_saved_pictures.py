"""Pictures that imageio and scikit-image wrote of whatever numbers become bytes first."""

from __future__ import annotations

import pytest

from tests.transforms.texts import migrated, result_of

HEAD = "import imageio\nimport numpy as np\nimport os\nimport tensorflow as tf\nfrom skimage import io\n"


@pytest.mark.parametrize(("old", "new"), [
    ("imageio.imwrite('a.png', x)", "imageio.imwrite('a.png', pictures.as_bytes(x))"),
    ("io.imsave(os.path.join(d, '%d_p.png' % i), x[0])",
     "io.imsave(os.path.join(d, '%d_p.png' % i), pictures.as_bytes(x[0]))"),
    ("imageio.imsave(path, im=x)", "imageio.imsave(path, im=pictures.as_bytes(x, path))"),
    ("imageio.mimsave('a.gif', xs, fps=3)", "imageio.mimsave('a.gif', pictures.each_as_bytes(xs), fps=3)"),
    ("imageio.imwrite('a.png', x.astype(np.uint8))", ""), ("imageio.imwrite('a.tiff', x)", ""),
    ("imageio.imwrite('a.png', np.uint8(x * 255))", ""),
    ("y = np.uint8(x)\nio.imsave('a.png', y)", ""),
])  # fmt: skip
def test_text(old: str, new: str) -> None:
    text = migrated(HEAD + "x = np.ones(3)\nprint(tf.reduce_sum(x))\n" + old + "\n")
    assert (new or old) in text and ("pictures" in text) is bool(new)


def test_a_path_that_does_not_tell() -> None:
    found = result_of(HEAD + "print(tf.ones(3))\nimageio.imwrite(name(), x)\n").findings
    assert [(one.code, one.line) for one in found if one.code == "PY244"] == [("PY244", 7)]

"""Types that are compared with tf.Tensor; messages of modules that TensorFlow 2 exports elsewhere."""

import pytest

from tests.transforms.texts import migrated, result_of

HEAD = "import numpy as np\nimport tensorflow as tf\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if type(x) is tf.Tensor: pass", "if isinstance(x, tf.Tensor): pass"),
        ("y = type(x) == tf.Tensor", "y = isinstance(x, tf.Tensor)"),
        ("y = tf.Tensor == type(f(x))", "y = isinstance(f(x), tf.Tensor)"),
        ("y = type(x) is not tf.Tensor and a", "y = not isinstance(x, tf.Tensor) and a"),
        ("y = type(x) in [np.ndarray, tf.Tensor]", "y = isinstance(x, (np.ndarray, tf.Tensor))"),
        ("y = type(x) not in (tf.Tensor,)", "y = not isinstance(x, tf.Tensor)"),
        ("y = type(x) == type(z)", "y = type(x) == type(z)"),
        ("y = type(x) in kinds or tf.Tensor", "y = type(x) in kinds or tf.Tensor"),
        ("y = {tf.Tensor: 1}[type(x)]", "y = {tf.Tensor: 1}[type(x)]"),
    ],
)
def test_types_of_tensors(before: str, after: str) -> None:
    assert migrated(f"{HEAD}{before}\n") == f"{HEAD}{after}\n"


def test_versions_of_savers() -> None:
    """saver_pb2 is TensorFlow's own module of what was tf.train.SaverDef."""
    result = result_of(f"{HEAD}saver = tf.train.Saver(write_version=tf.train.SaverDef.V1)\n")
    assert result.new_text is not None
    assert "saver = checkpoint.Saver(write_version=saver_pb2.SaverDef.V1)\n" in result.new_text
    assert not result.findings

"""Integer features of parameters take booleans; what is written there, and other lists, stay."""

import pytest
import tensorflow as tf

from tests.transforms.texts import migrated

HEAD = "import tensorflow as tf\n\n\ndef feature(value, size=2):\n  return "


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tf.train.Int64List(value=value)", "tf.train.Int64List(value=[int(item) for item in value])"),
        ("tf.train.Int64List(value=[value, size])", "tf.train.Int64List(value=[int(value), int(size)])"),
        ("tf.train.Int64List(value=[value.height])", None),
        ("tf.train.Int64List(value=other)", None),
        ("tf.train.FloatList(value=value)", None),
        ("lib.Int64List(value=value)", None),
    ],
)
def test_values_of_parameters_become_integers(before: str, after: str | None) -> None:
    new = migrated(HEAD + before + "\n")
    assert new == HEAD + (after or before) + "\n"
    assert migrated(new) == new


def test_booleans_are_taken() -> None:
    space: dict[str, object] = {}
    exec(migrated(HEAD + "tf.train.Int64List(value=value)\n"), space)
    assert space["feature"]([True, False, 3]) == tf.train.Int64List(value=[1, 0, 3])  # type: ignore

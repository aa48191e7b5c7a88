"""Integer features of parameters take booleans; what is written there, and other lists, stay. Texts of
Python 2 are bytes."""

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
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


TEXTS = {
    "tf.train.BytesList(value=value)":
        "tf.train.BytesList(value=[tf.compat.as_bytes(item) for item in value])",
    "tf.train.BytesList(value=[value + '.jpg', b.tobytes()])":
        "tf.train.BytesList(value=[tf.compat.as_bytes(value + '.jpg'), b.tobytes()])",
    "tf.train.BytesList(value=[b'jpeg'])": "",
    "tf.train.BytesList(value=[value.encode('utf8')])": "",
    "lib.BytesList(value=value)": "",
}  # fmt: skip


def test_texts_of_python_2_become_bytes(tmp_path: Path) -> None:
    """In a module of Python 3, which knows the difference, they stay."""
    form = "\n\ndef f{}(value):\n    return {}\n"
    one = "".join(form.format(i, old) for i, old in enumerate(TEXTS))
    two = "".join(form.format(i, new or old) for i, (old, new) in enumerate(TEXTS.items()))
    head = "import tensorflow as tf\n"
    (tmp_path / "old.py").write_text("print 'a record'\n" + head + one)
    result, = build_plan(tmp_path, Options(jobs=1)).files
    assert result.new_text == "print('a record')\n" + head + two
    assert migrated(head + one) == head + one
    space: dict[str, Any] = {}
    exec(result.new_text, space)
    assert space["f0"](["a.jpg", b"b"]) == tf.train.BytesList(value=[b"a.jpg", b"b"])

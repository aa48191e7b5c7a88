"""Files that are given to pickle are opened for bytes."""

import pickle
from pathlib import Path

import pytest

from tests.transforms.texts import migrated

HEAD = "import json\nimport pickle\n\nimport tensorflow as tf\n\n\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("words = pickle.load(open(path))\n", "words = pickle.load(open(path, 'rb'))\n"),
        ("with open(path, 'w') as f:  # kept\n    pickle.dump(words, f, protocol=2)\n",
         "with open(path, 'wb') as f:  # kept\n    pickle.dump(words, f, protocol=2)\n"),
        ("def f(path):\n    stream = open(path, mode='r')\n    found = pickle.load(stream)\n"
         "    stream.close()\n    return found\n",
         "def f(path):\n    stream = open(path, mode='rb')\n    found = pickle.load(stream)\n"
         "    stream.close()\n    return found\n"),
        ("with open(a) as f, open(b, 'wb') as g:\n    pickle.Pickler(g).dump(pickle.load(f))\n",
         "with open(a, 'rb') as f, open(b, 'wb') as g:\n    pickle.Pickler(g).dump(pickle.load(f))\n"),
        ("with open(a) as f:\n    words = json.load(f)\nwith open(b) as f:\n    n = pickle.load(f)\n",
         "with open(a) as f:\n    words = json.load(f)\nwith open(b, 'rb') as f:\n    n = pickle.load(f)\n"),
    ],
)  # fmt: skip
def test_opened_for_bytes(before: str, after: str) -> None:
    new = migrated(HEAD + before)
    assert new == HEAD + after
    assert migrated(new) == new


@pytest.mark.parametrize(
    "text",
    [
        "with open(path, 'rb') as f:\n    words = pickle.load(f)\n",
        "with open(path) as f:\n    f.readline()\n    words = pickle.load(f)\n",
        "with open(path, mode) as f:\n    words = pickle.load(f)\n",
        "def f(stream):\n    return pickle.load(stream)\n",
        "with open(path, 'w') as f:\n    json.dump(words, f)\n",
    ],
)
def test_what_is_not_told_stays(text: str) -> None:
    assert migrated(HEAD + text) == HEAD + text


def test_python_2_programs(tmp_path: Path) -> None:
    """cPickle's file is one of pickle by then, and is read back."""
    program = ("import cPickle\n\ndef keep(path, words):\n    f = open(path, 'w')\n"
               "    cPickle.dump(words, f)\n    f.close()\n\ndef kept(path):\n"
               "    with open(path) as f:\n        return cPickle.load(f)\n")  # fmt: skip
    got: dict[str, object] = {}
    exec(migrated(program), got)
    got["keep"](tmp_path / "words", {"a": 1})  # type: ignore[operator]
    assert pickle.loads((tmp_path / "words").read_bytes()) == {"a": 1}
    assert got["kept"](tmp_path / "words") == {"a": 1}  # type: ignore[operator]

"""Files that hold bytes are opened for bytes."""

import pickle
from pathlib import Path

import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from tests.transforms.texts import migrated

HEAD = ("import json\nimport pickle\n\nimport numpy as np\nimport PIL.Image as pil\n"
        "import tensorflow as tf\n\n\n")  # fmt: skip


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
        ("for path in paths:\n    f = open(path, 'r')\n    picture = pil.open(f)\n    f.close()\n",
         "for path in paths:\n    f = open(path, 'rb')\n    picture = pil.open(f)\n    f.close()\n"),
        ("with open(path, 'w') as f:\n    np.savez(f, a=1)\nfound = np.load(open(path))\n",
         "with open(path, 'wb') as f:\n    np.savez(f, a=1)\nfound = np.load(open(path, 'rb'))\n"),
        ("with open(path) as f:\n    graph.ParseFromString(f.read())\npicture = pil.open('a.png')\n",
         "with open(path, 'rb') as f:\n    graph.ParseFromString(f.read())\npicture = pil.open('a.png')\n"),
        ("def decode(path):\n    data = open(path, 'r').read()\n    return tf.image.decode_jpeg(data)\n",
         "def decode(path):\n    data = open(path, 'rb').read()\n    return tf.image.decode_jpeg(data)\n"),
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
        "data = open(path).read()\nprint(data.split())\nshown = tf.image.decode_jpeg(data)\n",
        "with open(path) as f:\n    count(f.read())\nfound = np.load('a.npy')\n",
        "with open(path) as f:\n    graph.ParseFromString(f.read())\n    words = f.readlines()\n",
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


def test_functions_are_followed(tmp_path: Path) -> None:
    """What is read is put into a record by a function of another module, as converters of data sets do."""
    (tmp_path / "records.py").write_text(
        "import tensorflow as tf\n\n\ndef feature(value):\n"
        "    if not isinstance(value, list):\n        value = [value]\n"
        "    return tf.train.Feature(bytes_list=tf.train.BytesList(value=value))\n\n\n"
        "def example(image, shape):\n    print(shape)\n    return {'image': feature(image)}\n"
    )
    program = ("import tensorflow as tf\nfrom records import example\n\n\ndef convert(path):\n"
               "    data = tf.gfile.FastGFile(path, 'r').read()\n    "
               "return example(data, shape=(1, 2))\n")  # fmt: skip
    (tmp_path / "convert.py").write_text(program)
    (tmp_path / "words.py").write_text(program.replace("example(data, shape=(1, 2))", "example(1, data)"))
    plan = build_plan(tmp_path, Options(jobs=1))
    new = {file.path: file.new_text or "" for file in plan.files}
    assert "GFile(path, 'rb').read()" in new["convert.py"]
    assert "GFile(path, 'r').read()" in new["words.py"]

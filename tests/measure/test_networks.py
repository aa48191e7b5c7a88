"""Which functions are told to build a network, and with what inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrator.measure import networks
from migrator.measure.modules import Modules
from migrator.workload.spec import Input, Workload

NET = "import tensorflow as tf\n\ndef model(images, keys=None, is_training=True):\n    return images\n"


def found(root: Path, **files: str) -> list[Workload]:
    for name, text in {"nets/__init__.py": "", "nets/east.py": NET, **files}.items():
        path = root / name.replace("__slash__", "/").replace("__dot__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return networks.find(Modules.of(root))


def program(call: str, placeholder: str = "tf.placeholder(tf.float32, [None, 32, 32, 3])") -> str:
    return (
        f"import tensorflow as tf\nfrom nets import east\nfrom nets.east import model as build\n\n"
        f"def main(sizes):\n    x = {placeholder}\n    y = sizes()\n    z = 3\n    out = {call}\n"
    )


@pytest.mark.parametrize("call", [
    "east.model(x, is_training=False)", "build(x, None or True)", "build(x)", "build(x, None)",
])  # fmt: skip
def test_a_call_with_placeholders_and_constants(tmp_path: Path, call: str) -> None:
    made = found(tmp_path, eval__dot__py=program(call))
    if "or" in call:  # no constant
        assert made == []
        return
    (one,) = made
    assert (one.kind, one.call, one.roots) == ("function", "nets.east:model", (".",))
    assert one.inputs == (Input("images", ("batch", 32, 32, 3)),)
    assert one.kwargs == ({"is_training": False} if "False" in call else {})


def test_arguments_that_the_text_tells(tmp_path: Path) -> None:
    (one,) = found(tmp_path, eval__dot__py=program("build(x, z, is_training=z - 3)"))
    assert one.kwargs == {"keys": 3, "is_training": 0}


DEFAULTS = """\
import tensorflow as tf
from nets import text


def sample(rows=1, *, length=None, count=None, keep=0.5):
    settings = text.settings()
    if length is None:
        length = settings.n_ctx // 2
    if keep is None:
        keep = open("keep").read()
    x = tf.placeholder(tf.int32, [rows, None])
    out = text.continued(settings, tokens=x, length=length, keep=keep, start=count)
"""
TEXT = """\
def settings():
    return dict(n_words=0, n_ctx=8, offset=0)

def continued(settings, *, length, tokens, keep, start=None):
    return tokens
"""


def test_parameters_are_their_defaults_and_sizes_of_nothing_are_asked_for(tmp_path: Path) -> None:
    (one,) = found(tmp_path, main__dot__py=DEFAULTS, nets__slash__text__dot__py=TEXT)
    made = {"call": "nets.text:settings", "args": [], "set": {"n_words": 64}}
    assert one.kwargs == {"settings": made, "length": 64, "keep": 0.5}
    assert one.inputs == (Input("tokens", (1, 64), "int32", high=2.0),)
    assert one.name.endswith(networks.GUESSED)


METHOD = """\
import tensorflow as tf
from nets.yolo import Yolo, names
size = 32


def main(classes):
    x = tf.placeholder(tf.float32, [1, size * 2, size, 3])
    net = Yolo(names("names.txt"), classes)
    with tf.variable_scope("yolo"):
        out = net.forward(x, False)
"""
YOLO = """\
class Yolo:
    def __init__(self, names, classes):
        self.names = names

    def forward(self, inputs, is_training, reuse=None):
        return inputs

def names(path):
    return open(path).read()
"""


def test_a_method_of_an_object_that_the_repository_makes(tmp_path: Path) -> None:
    (one,) = found(tmp_path, eval__dot__py=METHOD, nets__slash__yolo__dot__py=YOLO)
    assert (one.kind, one.call) == ("function", "nets.yolo:Yolo.forward")
    assert one.inputs == (Input("inputs", (1, 64, 32, 3)),)
    assert one.kwargs == {"is_training": False}
    assert one.made == {"names": {"call": "nets.yolo:names", "args": ["names.txt"]}, "classes": 64}
    assert one.name.endswith(networks.GUESSED)  # the classes


@pytest.mark.parametrize(("placeholder", "shape", "dtype"), [
    ("tf.placeholder(tf.int32, shape=(1, 7))", (1, 7), "int32"),
    ("tf.placeholder(dtype='uint8', shape=[sizes[0], None, None, 3])", ("batch", 64, 64, 3), "uint8"),
    ("tf.placeholder(tf.float32, [], name='x')", (), "float32"),
])  # fmt: skip
def test_types_and_shapes(
    tmp_path: Path, placeholder: str, shape: tuple[object, ...], dtype: str
) -> None:
    (one,) = found(tmp_path, a__dot__py=program("build(x)", placeholder))
    assert (one.inputs[0].shape, one.inputs[0].dtype) == (shape, dtype)
    assert one.name.endswith(networks.GUESSED) == (64 in shape)


@pytest.mark.parametrize(("call", "placeholder"), [
    ("build(x, keys=y)", "tf.placeholder(tf.float32, [2])"),  # a value that is not in the call
    ("build(*[x])", "tf.placeholder(tf.float32, [2])"),
    ("build(x, **{})", "tf.placeholder(tf.float32, [2])"),
    ("build(x, is_training=None)", "tf.placeholder(tf.float32, [2])"),  # TOML has no null
    ("build(x)", "tf.placeholder(tf.float32)"), ("build(x)", "tf.placeholder(tf.string, [2])"),
    ("build(x)", "tf.placeholder(tf.float32, sizes)"), ("tf.identity(x)", "tf.placeholder(tf.float32, [2])"),
    ("build(3)", "tf.placeholder(tf.float32, [2])"), ("east.other(x)", "tf.placeholder(tf.float32, [2])"),
])  # fmt: skip
def test_what_is_not_known_is_not_taken(tmp_path: Path, call: str, placeholder: str) -> None:
    assert found(tmp_path, a__dot__py=program(call, placeholder)) == []


def test_modules_beside_the_program_and_functions_of_its_own(tmp_path: Path) -> None:
    own = f"{NET}\nif __name__ == '__main__':\n    z = tf.placeholder(tf.float32, [4])\n"
    made = found(
        tmp_path, src__slash__train__dot__py="import tensorflow as tf\nimport net\n"
        "x = tf.placeholder(tf.float32, [None, 5])\nnet.model(x)\n",
        src__slash__net__dot__py=NET, own__dot__py=own + "    model(z)\n", broken__dot__py="def (:\n",
    )  # fmt: skip
    assert {(w.call, w.roots) for w in made} == {("net:model", (".", "src")), ("own:model", (".",))}

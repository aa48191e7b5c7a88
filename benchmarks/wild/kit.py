"""What a driver of a wild repository is written with: `kit.py DRIVER PATH OUT` runs one path of it.

A driver is a module whose public functions of one argument are *paths*: things that people do with
the repository. A path is run twice, by TensorFlow 1.15 in the original and by TensorFlow 2 in the
migrated tree, each time with that tree as its working directory and first on sys.path:

    def train(w):
        w.script("train.py", "--steps=3")               # one of the repository's own programs

    def boxes(w):
        import nms
        w.dump(kept=nms.nms(some_boxes, 0.5))           # numbers to compare

All that scripts print and write is compared, and what is dumped. Random numbers are the same on both
sides (see docs/verifying.md), so that untrained networks begin with the same weights.

Keeps to Python 3.7: it also runs under TF 1.15.
"""

from __future__ import annotations

import gzip
import importlib.util
import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

#: Code to run ahead of a script that names folders by the time: it is always the same day.
SAME_DAY = """
import datetime
class Now(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2020, 1, 1)
datetime.datetime = Now
"""

#: Code to run ahead of a script that writes on pictures: letters change with the versions of Pillow.
WORDS_PRINTED = """
from PIL import ImageDraw, ImageFont
class Font:
    def getsize(self, words):
        return 6 * len(words), 11
    def getbbox(self, words):
        return 0, 0, 6 * len(words), 11
ImageFont.truetype = lambda *a: Font()
ImageDraw.ImageDraw.text = lambda self, place, words, *a, **k: print(words)
"""

def carried(path: Any) -> Any:
    """Runs the path on the original only; both trees get what it writes: data, weights, configs."""
    path.carried = True
    return path


def settings(**values: Any) -> Callable[[Any], Any]:
    """timeout: seconds that it may take. tolerance: instead of 1e-5. why: for another tolerance."""

    def mark(path: Any) -> Any:
        path.settings = values
        return path

    return mark


def under(code: str, file: str, why: str) -> Callable[[Any], Any]:
    """The path cannot come out equal, and the migration says so: with a finding of this code in this
    file, which has to be there."""

    def mark(path: Any) -> Any:
        path.under = [*getattr(path, "under", []), (code, file, why)]
        return path

    return mark


# Runs a program with some of its text exchanged; the file stays, though AutoGraph reads what runs.
_EDITED = """
import linecache
with open({0!r}, encoding='utf-8') as stream:
    said = stream.read()
for old, new in PAIRS:
    if old not in said:
        raise SystemExit('%s does not say %r' % ({0!r}, old))
    said = said.replace(old, new)
__file__ = {0!r}
linecache.cache[__file__] = len(said), None, said.splitlines(True), __file__
exec(compile(said, __file__, 'exec'))
"""


class Workbench:
    """What a path is given. `after`: whether it runs in the migrated tree."""

    def __init__(self, out: str) -> None:
        self.out = out
        self.after = os.environ.get("MIGRATOR_VERIFY_SIDE") == "after"
        self.arrays: dict[str, Any] = {}

    def script(
        self, *argv: Any, ahead: str = "", cwd: str = ".", stdin: str = "", env: Any = None,
        folders: Any = (), code: int = 0, instead: Any = (),
    ) -> None:  # fmt: skip
        """Runs one of the repository's programs, `script("train.py", "--steps=3")`, `("-m", "x.y")`.

        ahead: Python that is run first in its process, to make constants small that no flag sets.
        instead: pairs of texts, what the program says and what it is to say, for what it sets itself.
        folders: of the repository, for its PYTHONPATH. env: variables for it. code: the exit code
        that it is to have; with another one the path ends, with that code.
        """
        args = [str(a) for a in argv]
        if ahead or instead:
            module = args[0] == "-m"
            start = "runpy.run_module({0!r}, run_name='__main__', alter_sys=True)" if module else (
                _EDITED.replace("PAIRS", repr(list(instead))) if instead
                else "runpy.run_path({0!r}, run_name='__main__')"
            )
            rest = args[1:] if module else args
            folder = "''" if module else f"os.path.dirname(os.path.abspath({rest[0]!r}))"
            program = "\n".join([
                "import os, runpy, sys", f"sys.argv = {rest!r}", f"sys.path.insert(0, {folder})",
                ahead, start.replace("{0!r}", repr(rest[0])),
            ])  # fmt: skip
            args = ["-c", program]
        given = dict(os.environ, **(env or {}))
        paths = [given.get("PYTHONPATH", ""), *map(os.path.abspath, folders)]
        given["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        print(f"$ {' '.join(map(str, argv))}", flush=True)
        ended = subprocess.run(
            [sys.executable, *args], cwd=cwd, env=given, input=stdin.encode(), check=False
        )
        if ended.returncode != code:
            sys.stderr.flush()
            sys.exit(ended.returncode or 1)

    def dump(self, **arrays: Any) -> None:
        """Numbers, texts and nests of them, by name."""
        for name, value in arrays.items():
            if isinstance(value, dict):
                self.dump(**{f"{name}/{k}": v for k, v in value.items()})
            elif isinstance(value, (list, tuple)) and len({np.shape(v) for v in value}) > 1:
                self.dump(**{f"{name}/{i}": v for i, v in enumerate(value)})
            else:
                self.arrays[name] = np.asarray(value)

    def call(self, function: Callable[..., Any], *arrays: Any) -> Any:
        """What a function of the repository that builds a graph computes of some arrays.

        On TF 1: a graph with placeholders for the arrays, its initial weights, one session run. On
        TF 2: an eager call, in a store of its own where the repository has a support package, or a
        function of the graph where the code builds one.
        Returns the nest that the function returns, as arrays.
        """
        import tensorflow as tf

        if not self.after:
            with tf.Graph().as_default():
                feeds = [tf.placeholder(np.asarray(a).dtype, np.shape(a)) for a in arrays]
                built = function(*feeds)
                with tf.Session() as sess:
                    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
                    fed = dict(zip(feeds, arrays))  # noqa: B905  # Python 3.7
                    return sess.run(built, fed)
        given = [tf.constant(a) for a in arrays]
        try:
            from tf1_support.store import VariableStore
        except ImportError:
            built = function(*given)
        else:
            store = VariableStore()
            try:
                with store.as_default(), store.run():
                    built = function(*given)
            except (AttributeError, TypeError, ValueError) as error:  # it is for code that builds a graph
                told = ("out of scope", "eager tensor has no name", "unhashable", "already exists",
                        "undefined when eager")
                if not any(text in str(error) for text in told):
                    raise
                built = None
        if built is not None and all(hasattr(t, "numpy") for t in tf.nest.flatten(built) if tf.is_tensor(t)):
            return tf.nest.map_structure(lambda t: t.numpy() if hasattr(t, "numpy") else t, built)
        from tf1_support import graphs  # what is kept as code that builds a graph

        with graphs.Graph().as_default():
            feeds = [graphs.placeholder(np.asarray(a).dtype, np.shape(a)) for a in arrays]
            compute = graphs.function(feeds, function(*feeds))
            graphs.run(graphs.global_variables_initializer())
            return compute(*arrays)

    def save(self, name: str) -> None:
        if self.arrays:
            np.savez(os.path.join(self.out, name + ".npz"), **self.arrays)


def load(path: str) -> Any:
    """The driver module in a file."""
    name = "wild_driver"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def paths(driver: Any) -> dict[str, Any]:
    """The driver's paths by name, in the order in which they stand in the file."""
    found = {
        k: v for k, v in vars(driver).items()
        if inspect.isfunction(v) and v.__module__ == driver.__name__ and not k.startswith("_")
    }  # fmt: skip
    return dict(sorted(found.items(), key=lambda kv: kv[1].__code__.co_firstlineno))


def text(lines: int, seed: int = 0, words: str = "the quick brown fox jumps over a lazy dog") -> str:
    """Lines of made-up text."""
    random = np.random.RandomState(seed)
    known = words.split()
    return "\n".join(
        " ".join(known[i] for i in random.randint(len(known), size=random.randint(4, 12)))
        for _ in range(lines)
    )


def picture(path: str, height: int = 64, width: int = 64, seed: int = 0) -> None:
    """Writes a smooth picture with some rectangles, by the ending of its name."""
    from PIL import Image

    random = np.random.RandomState(seed)
    y, x = np.mgrid[0:height, 0:width]
    shades = [127 + 100 * np.sin((x * a + y * b) / 9.0) for a, b in random.uniform(-1, 1, (3, 2))]
    pixels = np.stack(shades, -1).astype(np.uint8)
    for _ in range(3):
        top, left = random.randint(height // 2), random.randint(width // 2)
        pixels[top : top + height // 4, left : left + width // 4] = random.randint(256, size=3)
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    Image.fromarray(pixels).save(path)


def fill(model: Any, random: np.random.RandomState, scale: float = 1.0, vectors: bool = True) -> Any:
    """A Keras model, with drawn weights of about `scale` / sqrt(inputs), and `vectors` from 0.5 to 1."""
    model.set_weights([
        random.normal(size=v.shape) * scale / np.sqrt(np.prod(v.shape[:-1])) if v.ndim > 1
        else random.uniform(0.5, 1, v.shape) if vectors else v
        for v in model.get_weights()
    ])  # fmt: skip
    return model


def write_digits(folder: str) -> None:
    """Writes 5,600 pictures for training and 300 for tests, 28 × 28: noise, and stripes whose places
    tell the class."""
    os.makedirs(folder, exist_ok=True)
    draw = np.random.RandomState(0)
    for name, count in (("train", 5600), ("t10k", 300)):
        labels = draw.randint(0, 10, count).astype(np.uint8)
        images = draw.randint(0, 60, (count, 28, 28)).astype(np.uint8)
        images[np.arange(count), labels * 2 + 3] = 220
        for kind, array, head in (("labels-idx1", labels, [2049, count]),
                                  ("images-idx3", images, [2051, count, 28, 28])):  # fmt: skip
            with gzip.open(os.path.join(folder, f"{name}-{kind}-ubyte.gz"), "wb") as stream:
                stream.write(np.array(head, ">u4").tobytes() + array.tobytes())


def write_detector(path: str, found: int = 16, kinds: int = 12) -> None:
    """Writes a frozen graph with the inputs and outputs of TensorFlow's object detectors, on TF 1. What it
    finds where goes by the colours of a picture.

    found: how many boxes it gives, a square. kinds: of things.
    """
    import tensorflow as tf

    random, side = np.random.RandomState(0), int(found**0.5)

    def maps(features: Any, count: int) -> Any:
        weights = tf.constant(random.normal(0, 0.1, (4, 4, 8, count)).astype("f"))
        return tf.reshape(tf.nn.conv2d(features, weights, [1, 4, 4, 1], "SAME"), [1, found, count])

    with tf.Graph().as_default() as graph:
        images = tf.compat.v1.placeholder(tf.uint8, [None, None, None, 3], name="image_tensor")
        pixels = tf.cast(images, tf.float32) / 127.5 - 1
        small = tf.compat.v1.image.resize_bilinear(pixels, [4 * side, 4 * side])
        kernel = tf.constant(random.normal(0, 1, (3, 3, 3, 8)).astype("f"))
        features = tf.nn.relu6(tf.nn.conv2d(small, kernel, [1, 1, 1, 1], "SAME"))
        y, x, height, width = tf.unstack(0.5 * tf.sigmoid(maps(features, 4)), axis=2)
        tf.stack([y, x, y + height, x + width], 2, name="detection_boxes")
        chances = maps(features, kinds)
        tf.reduce_max(tf.sigmoid(chances), 2, name="detection_scores")
        tf.add(tf.cast(tf.argmax(chances, 2), tf.float32), 1.0, name="detection_classes")
        tf.constant([float(found)], name="num_detections")
        tf.io.write_graph(graph, *os.path.split(path), as_text=False)


def vgg19_layers(draw: np.random.RandomState, **others: Any) -> np.ndarray:
    """The layers of a small VGG-19, as MatConvNet kept them in its .mat files: object [1, 37].

    others: further fields of each layer, ahead of its weights.
    """
    widths = {1: 2, 2: 2, 3: 4, 4: 4, 5: 4}  # blocks -> how many convolutions
    kinds = [kind for block, count in widths.items()
             for kind in [(block, True), (block, False)] * count + [(0, False)]][:-1]  # fmt: skip
    layers, depth = np.empty((1, len(kinds)), object), 3
    for i, (block, convolves) in enumerate(kinds):
        weights = np.empty((1, 2), object)
        weights[0, 0], weights[0, 1] = np.zeros((1, 1)), np.zeros((1, 1))
        if convolves:
            width = 4 * block
            weights[0, 0] = draw.normal(0, (2 / 9 / depth) ** 0.5, (3, 3, depth, width)).astype("f")
            weights[0, 1] = draw.normal(0, 0.1, (1, width)).astype("f")
            depth = width
        fields = {**others, "weights": weights}
        layer = np.empty((1, 1), [(name, object) for name in fields])
        for name, value in fields.items():
            layer[0, 0][name] = value
        layers[0, i] = layer
    return layers


def write(path: str, content: str) -> None:
    """Writes a text file, with the folders above it."""
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(content)


def edit(path: str, old: str, new: str) -> None:
    """Replaces a piece of a file that has to be there, as a person edits a configuration."""
    with open(path, encoding="utf-8") as stream:
        content = stream.read()
    if old not in content:
        raise SystemExit(f"{path} has no {old!r} to edit")
    write(path, content.replace(old, new))


def main() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.curdir) != here]
    sys.modules["kit"] = sys.modules[__name__]
    driver, name, out = sys.argv[1:4]
    sys.path.insert(0, os.getcwd())
    workbench = Workbench(out)
    paths(load(driver))[name](workbench)
    workbench.save(name)


if __name__ == "__main__":
    main()

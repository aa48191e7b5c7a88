"""chiphuyen/stanford-tensorflow-tutorials: the examples of Stanford's CS 20, from variables to a char-RNN."""

from __future__ import annotations

import gzip
import os
import zipfile

import numpy as np
from kit import carried, picture, settings, text, write, write_digits

REPOSITORY = "https://github.com/chiphuyen/stanford-tensorflow-tutorials"
COMMIT = "51e53daaa2a32cfe7a1966f060b28dbbd081791c"

_AHEAD = """
import random, time, matplotlib, numpy, tensorflow
matplotlib.use('Agg')
numpy.random.seed(1)
random.seed(1)
time.time = lambda: 0.0
"""
_WORDS = [
    ("VOCAB_SIZE = 50000", "VOCAB_SIZE = 60"), ("EMBED_SIZE = 128", "EMBED_SIZE = 8"),
    ("BATCH_SIZE = 128", "BATCH_SIZE = 16"), ("NUM_SAMPLED = 64", "NUM_SAMPLED = 8"),
    ("SKIP_STEP = 5000", "SKIP_STEP = 3"),
]  # fmt: skip


@carried
def data(w):
    draw = np.random.RandomState(0)
    rows = ["Country\tBirth rate\tLife expectancy"]
    for i in range(30):
        birth = draw.uniform(1, 7)
        rows.append(f"Land{i}\t{birth:.3f}\t{90 - 6 * birth + draw.normal():.3f}")
    write("examples/data/birth_life_2010.txt", "\n".join(rows) + "\n")
    for place in ("examples/data", "2017/examples/data"):  # not JPEG, whose decoders differ
        picture(f"{place}/friday.png", 60, 80, 3)
        os.rename(f"{place}/friday.png", f"{place}/friday.jpg")
    write_digits("examples/data/mnist")
    for name in sorted(os.listdir("examples/data/mnist")):
        packed = os.path.join("examples/data/mnist", name)
        with gzip.open(packed) as stream, open(packed[:-3], "wb") as out:
            out.write(stream.read())
    with zipfile.ZipFile("examples/data/text8.zip", "w") as packed:
        packed.writestr("text8", text(200).replace("\n", " "))
    write("examples/data/trump_tweets.txt", text(90))
    write("assignments/02_style_transfer/content/deadpool.jpg", "")
    picture("assignments/02_style_transfer/content/deadpool.jpg", 40, 50, 1)
    picture("assignments/02_style_transfer/styles/guernica.jpg", 40, 50, 2)
    lines = ["sbp,tobacco,ldl,adiposity,famhist,typea,obesity,alcohol,age,chd"]
    for _ in range(60):
        numbers = draw.uniform(1, 100, 9)
        numbers[4] = draw.randint(2)
        lines.append(",".join([*(f"{n:.2f}" if i != 4 else "Present" for i, n in enumerate(numbers)),
                               str(draw.randint(2))]))  # fmt: skip
    write("2017/examples/data/heart.csv", "\n".join(lines) + "\n")


def _script(w, name, *instead, folder="examples"):
    w.script(name, ahead=_AHEAD, instead=list(instead), cwd=folder)


def simple(w):
    # The text of a graph is another one in TensorFlow 2.
    _script(w, "02_simple_tf.py", ("name='my_const')\nprint(", "name='my_const')\nstr("))


def variables(w):
    # The script ends at its second variable named 'scalar'; here it has another name.
    _script(w, "02_variables.py",
            ("('scalar', initializer=tf.constant(2)) \na_times",
             "('another', initializer=tf.constant(2)) \na_times"))  # fmt: skip


def placeholder(w):
    _script(w, "02_placeholder.py")


def loading(w):
    _script(w, "02_lazy_loading.py", ("\tprint(", "\tstr("))


def linear(w):
    _script(w, "03_linreg_placeholder.py", ("range(100)", "range(5)"))


def linear_dataset(w):
    _script(w, "03_linreg_dataset.py", ("range(100)", "range(5)"))


def logistic(w):
    _script(w, "03_logreg.py", ("n_epochs = 30", "n_epochs = 2"))


def logistic_placeholder(w):
    _script(w, "03_logreg_placeholder.py",
            ("n_epochs = 30", "n_epochs = 1"), ("'data/mnist'", "'data/mnist'"))  # fmt: skip


def words(w):
    _script(w, "04_word2vec.py", *_WORDS, ("NUM_TRAIN_STEPS = 100000", "NUM_TRAIN_STEPS = 7"))


def words_shown(w):
    _script(w, "04_word2vec_visualize.py", *_WORDS, ("NUM_TRAIN_STEPS = 100000", "NUM_TRAIN_STEPS = 7"),
            ("NUM_VISUALIZE = 3000", "NUM_VISUALIZE = 5"))  # fmt: skip


def words_eager(w):
    _script(w, "04_word2vec_eager.py", *_WORDS, ("NUM_TRAIN_STEPS = 100000", "NUM_TRAIN_STEPS = 7"))


def linear_eager(w):
    _script(w, "04_linreg_eager.py", ("range(100)", "range(11)"))


def random_numbers(w):
    _script(w, "05_randomization.py")


def sharing(w):
    _script(w, "05_variable_sharing.py")


@settings(timeout=900)
def convolution(w):
    os.makedirs("examples/checkpoints", exist_ok=True)
    for _ in range(2):
        _script(w, "07_convnet_layers.py", ("n_epochs=15", "n_epochs=1"))


@settings(timeout=900)
def convolution_raw(w):
    _script(w, "07_convnet_mnist.py", ("n_epochs=30", "n_epochs=1"))


def kernels(w):
    _script(w, "07_run_kernels.py")


def characters(w):
    _script(w, "11_char_rnn.py", ("hidden_sizes = [128, 256]", "hidden_sizes = [8, 6]"),
            ("batch_size = 64", "batch_size = 4"), ("num_steps = 50", "num_steps = 10"),
            ("len_generated = 200", "len_generated = 5"),
            ("while True:\n                batch", "for _ in range(3):\n                batch"))  # fmt: skip


def exercises(w):
    _script(w, "q1_sol.py", folder="assignments/01")


def queue(w):
    _script(w, "09_queue_example.py", folder="2017/examples")


def records(w):
    _script(w, "09_tfrecord_example.py", folder="2017/examples")


def rows(w):
    _script(w, "05_csv_reader.py", folder="2017/examples")

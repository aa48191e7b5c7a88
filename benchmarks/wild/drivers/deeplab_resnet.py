"""DrSleep/tensorflow-deeplab-resnet: trains (plain, fine tuning, several scales), evaluates, infers."""

from __future__ import annotations

import numpy as np
from kit import carried, picture, settings, under, write

REPOSITORY = "https://github.com/DrSleep/tensorflow-deeplab-resnet"
COMMIT = "066023c033624e6c8154340e06e8fbad4f702bdf"
PYTHON2 = True

_DATA = ("--data-dir=data", "--data-list=data/list.txt")
_LABELLED = ("--data-dir=data", "--data-list=data/labelled.txt", "--num-steps=3")
_TRAIN = (*_DATA, "--input-size=65,65", "--num-steps=2", "--save-pred-every=1000")
# The original's numpy wants to be told that an array holds objects; the migrated code has to say so.
_PICKLES = "import functools, numpy as np\nnp.load = functools.partial(np.load, allow_pickle=True)"


@carried
def data(w):
    from PIL import Image

    random = np.random.RandomState(0)
    lines = []
    for i in range(3):
        picture(f"data/{i}.jpg", 80, 72, seed=i)
        labels = np.kron(random.randint(0, 21, (10, 9)), np.ones((8, 8))).astype(np.uint8)
        # TF 1.15's metrics refuse the label that stands for nothing
        Image.fromarray(labels).save(f"data/{i}_all.png")
        labels[:4] = 255
        Image.fromarray(labels).save(f"data/{i}.png")
        lines.append(f"/{i}.jpg /{i}.png")
    write("data/list.txt", "\n".join(lines) + "\n")
    write("data/labelled.txt", "\n".join(x.replace(".png", "_all.png") for x in lines) + "\n")


@carried
def weights(w):
    """As a checkpoint, and as the dictionary that the Caffe converter writes."""
    import tensorflow as tf
    from deeplab_resnet import DeepLabResNetModel

    DeepLabResNetModel({"data": tf.zeros([1, 65, 65, 3])})
    layers: dict = {}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        tf.train.Saver().save(sess, "./deeplab_resnet.ckpt", write_meta_graph=False)
        for variable in tf.global_variables():
            layer, _, name = variable.op.name.rpartition("/")
            layers.setdefault(layer, {})[name] = sess.run(variable)
    np.save("weights.npy", layers)


@settings(timeout=900)
def train(w):
    w.script("train.py", *_TRAIN, "--batch-size=2", "--snapshot-dir=plain", "--is-training",
             "--random-mirror", "--random-scale")  # fmt: skip


@settings(timeout=900)
def train_frozen_statistics(w):
    w.script("train.py", *_TRAIN, "--batch-size=2", "--snapshot-dir=frozen", "--not-restore-last",
             "--learning-rate=1e-9")  # these weights explode with more


@settings(timeout=900)
def fine_tune(w):
    w.script("fine_tune.py", *_TRAIN, "--batch-size=2", "--snapshot-dir=tuned")


@settings(timeout=900)
def train_several_scales(w):
    w.script("train_msc.py", *_TRAIN, "--grad-update-every=2", "--snapshot-dir=scales")


def evaluate(w):
    w.script("evaluate.py", *_LABELLED)


def evaluate_several_scales(w):
    w.script("evaluate_msc.py", *_LABELLED)


def infer(w):
    w.script("inference.py", "data/0.jpg", "deeplab_resnet.ckpt", "--save-dir=masks/")


@under("TF602", "npy2ckpt.py", "the first format of checkpoints is not written any more")
def convert_weights(w):
    w.script("npy2ckpt.py", "weights.npy", "--save-dir=converted", ahead="" if w.after else _PICKLES)

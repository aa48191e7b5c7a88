"""kwotsin/TensorFlow-ENet: class weights, training, evaluation and segmentation."""

from __future__ import annotations

import os
import shutil

import numpy as np
from kit import carried, picture, settings, under

REPOSITORY = "https://github.com/kwotsin/TensorFlow-ENet"
COMMIT = "d7e555e53c8f38a5f3d54906848110f6a3e6e98a"
PYTHON2 = True

# SciPy's reading of pictures, for the original; the migrated code has to bring its own. Figures are
# kept as the arrays that are shown in them.
_PICTURES = """
import numpy as np
from PIL import Image
import matplotlib; matplotlib.use('Agg')
import matplotlib.pyplot as plt
shown = []
plt.imshow = lambda array, *a, **k: shown.append(np.asarray(array))
plt.savefig = lambda path, *a, **k: np.save(path + '.npy', np.stack(shown[-2:]).astype(float))
"""
_SCIPY = """
import scipy.misc
scipy.misc.imread = lambda path, *a, **k: np.asarray(Image.open(path))
scipy.misc.imsave = lambda path, array, *a: Image.fromarray(np.asarray(array).astype('uint8')).save(path)
"""


def _run(w, script, *flags, ahead=""):
    w.script(f"../{script}", *flags, cwd="small", ahead=_PICTURES + ("" if w.after else _SCIPY) + ahead)


@carried
def data(w):
    from PIL import Image

    random = np.random.RandomState(0)
    for name, count in (("train", 6), ("val", 2), ("test", 10)):
        os.makedirs(f"small/dataset/{name}annot", exist_ok=True)
        for i in range(count):
            picture(f"small/dataset/{name}/{i:02}.png", 40, 48, seed=i)
            labels = np.kron(random.randint(0, 12, (5, 6)), np.ones((8, 8))).astype(np.uint8)
            Image.fromarray(labels).save(f"small/dataset/{name}annot/{i:02}.png")


_SIZE = ("--image_height=40", "--image_width=48", "--batch_size=2")


@carried
@settings(timeout=900)
def trained_by_original(w):
    """Weights that evaluation and prediction load; prediction looks into a folder of this name."""
    _run(w, "train_enet.py", *_SIZE, "--eval_batch_size=2", "--num_epochs=1", "--logdir=./before",
         "--save_images=False")  # fmt: skip
    shutil.copytree("small/before", "small/checkpoint_mfb")


@settings(timeout=900)
def train(w):
    _run(w, "train_enet.py", *_SIZE, "--eval_batch_size=2", "--num_epochs=2", "--logdir=./log")


@settings(timeout=900)
def train_otherwise(w):
    _run(w, "train_enet.py", *_SIZE, "--eval_batch_size=2", "--num_epochs=1", "--logdir=./log_skip",
         "--weighting=ENET", "--skip_connections=True", "--combine_dataset=True", "--save_images=False",
         "--stage_two_repeat=1")  # fmt: skip


@under("TF503", "test_enet.py", "how full its queues were is not written any more")
def evaluate(w):
    _run(w, "test_enet.py", *_SIZE[:2], "--batch_size=10", "--num_epochs=2", "--checkpoint_dir=./before",
         "--logdir=./log_test")  # fmt: skip


def predict(w):
    """Sizes are fixed in it."""
    _run(w, "predict_segmentation.py")


def weights_of_classes(w):
    os.chdir("small")
    if not w.after:
        import scipy.misc
        from PIL import Image

        scipy.misc.imread = lambda path: np.asarray(Image.open(path))
    import get_class_weights

    w.dump(enet=get_class_weights.ENet_weighing(), mfb=get_class_weights.median_frequency_balancing())

"""davidsandberg/facenet: its tests, networks and losses, the face detector, and softmax training."""

from __future__ import annotations

import numpy as np
from kit import SAME_DAY, carried, picture, settings

REPOSITORY = "https://github.com/davidsandberg/facenet"
COMMIT = "096ed770f163957c1e56efa7feeb194773920f6e"

# What the repository uses of SciPy's pictures, which are gone.
_PICTURES = """
import numpy as np, scipy.misc
from PIL import Image
scipy.misc.imread = lambda path, mode='RGB': np.asarray(Image.open(path).convert(mode))
scipy.misc.imresize = lambda image, size, interp='bilinear': np.asarray(
    Image.fromarray(image).resize(tuple(size)[1::-1], Image.BILINEAR))
scipy.misc.imsave = lambda path, image: Image.fromarray(image).save(path)
"""


@carried
def faces(w):
    for person in ("ann", "bob", "eve"):
        for i in range(4):
            picture(f"faces/{person}/{person}_{i:04d}.png", 96, 96, seed=hash_of(person) + i)


def hash_of(name):
    return sum(map(ord, name))


def tests(w):
    for name in ("triplet_loss_test", "center_loss_test", "restore_test", "batch_norm_test"):
        w.script(f"test/{name}.py", folders=["src"])


def networks(w):
    import sys

    sys.path.insert(0, "src")
    from models import inception_resnet_v1, squeezenet

    x = np.random.RandomState(0).rand(2, 160, 160, 3).astype("f")
    for name, module in (("squeezenet", squeezenet), ("inception_resnet_v1", inception_resnet_v1)):
        w.dump(**{name: w.call(lambda x, m=module: m.inference(
            x, 1.0, phase_train=False, bottleneck_layer_size=16)[0], x)})  # fmt: skip


@settings(timeout=900)
def align(w):
    w.script("src/align/align_dataset_mtcnn.py", "faces", "aligned", "--image_size=48", "--margin=8",
             folders=["src"], ahead=_PICTURES)  # fmt: skip


@settings(timeout=900)
def train_softmax(w):
    w.script("src/train_softmax.py", "--data_dir=faces", "--logs_base_dir=logs",
             "--models_base_dir=models", "--model_def=models.squeezenet", "--image_size=96",
             "--embedding_size=8", "--max_nrof_epochs=1", "--epoch_size=2", "--batch_size=4",
             "--center_loss_factor=0.1", "--weight_decay=0.0001", "--optimizer=ADAM",
             "--learning_rate=0.01", "--lfw_dir=", "--random_flip", folders=["src"],
             ahead=_PICTURES + SAME_DAY)  # fmt: skip



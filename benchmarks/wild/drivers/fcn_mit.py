"""shekkizh/FCN.tensorflow: trains a segmentation, goes on from its checkpoint, shows what it finds."""

from __future__ import annotations

import numpy as np
from kit import carried, picture, settings

REPOSITORY = "https://github.com/shekkizh/FCN.tensorflow"
COMMIT = "691effb86f41ceef614859447f754f4e5f13c7d1"

# A narrow VGG in the place of the one that is loaded; numpy 1.18 takes no axis that is not there.
_SMALL = """
import numpy as np
expand = np.expand_dims
np.expand_dims = lambda a, axis: expand(a, min(axis, np.ndim(a)))
import scipy.misc
from PIL import Image
def resized(image, size, interp):
    return np.asarray(Image.fromarray(image).resize(size[::-1], Image.NEAREST))
scipy.misc.imread = lambda path: np.asarray(Image.open(path))  # what SciPy had
scipy.misc.imresize = resized
scipy.misc.imsave = lambda path, image: Image.fromarray(image).save(path)
import TensorflowUtils as utils
def vgg(folder, address):
    random, before = np.random.RandomState(0), 3
    layers = np.empty((1, 43), object)
    widths = iter([8, 8, 8, 8] + [16] * 4 + [16] * 4 + [16] * 4)
    kinds = ''.join('cr' * n + 'p' for n in (2, 2, 4, 4, 4))
    for i, kind in enumerate(kinds):
        if kind == 'c':
            width = next(widths)
            kernel = random.normal(0, 0.2, (3, 3, before, width)).astype('f')
            layers[0, i] = [[[[(kernel, np.zeros((1, width), 'f'))]]]]
            before = width
    mean = np.full((4, 4, 3), 120.0)
    return {'normalization': [[[mean]]], 'layers': layers}
utils.get_model_data = vgg
whole = utils.weight_variable
def narrow(shape, stddev=0.02, name=None):
    return whole([{512: 16, 4096: 24}.get(n, n) for n in shape], stddev, name)
utils.weight_variable = narrow
biases = utils.bias_variable
utils.bias_variable = lambda shape, name=None: biases([{4096: 24}.get(n, n) for n in shape], name)
"""
_SHORT = [("int(1e5 + 1)", "11"), ("IMAGE_SIZE = 224", "IMAGE_SIZE = 64"),
          ("datetime.datetime.now()", "'now'")]


@carried
def data(w):
    import pickle

    from PIL import Image

    records = {}
    for kind in ("training", "validation"):
        records[kind] = []
        for i in range(3):
            name = f"scenes/{kind}{i}"
            picture(name + ".png", 80, 90, seed=i)
            labels = np.asarray(Image.open(name + ".png").convert("L")) // 16
            Image.fromarray(labels).save(name + "_labels.png")
            records[kind].append(
                {"image": name + ".png", "annotation": name + "_labels.png", "filename": str(i)})
    with open("scenes/MITSceneParsing.pickle", "wb") as stream:
        pickle.dump(records, stream, 2)


@settings(timeout=600)
def train(w):
    w.script("FCN.py", "--data_dir=scenes", ahead=_SMALL, instead=_SHORT)


@settings(timeout=600)
def go_on(w):
    w.script("FCN.py", "--data_dir=scenes", "--debug=True", ahead=_SMALL, instead=_SHORT)


def show(w):
    w.script("FCN.py", "--data_dir=scenes", "--mode=visualize", ahead=_SMALL, instead=_SHORT)

"""yunjey/show-attend-and-tell: features of pictures by VGG, captions by an attending LSTM, which goes on
from what it kept, and tells."""

from __future__ import annotations

import os
import pickle

import numpy as np
from kit import carried

REPOSITORY = "https://github.com/yunjey/show-attend-and-tell"
COMMIT = "1b8ca3a0025f5c46b5153cc872dea9b198f276b6"
PYTHON2 = True

# What the program takes from packages that are not here: hickle keeps arrays, the scores are nought.
_AHEAD = """
import pickle, random, sys, types
import numpy as np
def module(name, **has):
    made = sys.modules[name] = types.ModuleType(name)
    vars(made).update(has)
    return made
def load(path):
    with open(path, 'rb') as stream:
        return np.load(stream)
def dump(array, path):
    with open(path, 'wb') as stream:
        np.save(stream, array)
module('hickle', load=load, dump=dump)
module('skimage'), module('skimage.transform')
class Scorer:
    def __init__(self, n=1):
        self.n = n
    def compute_score(self, ref, hypo):
        told = float(sum(len(h[0]) for h in hypo.values()))
        return ([told] * self.n if self.n > 1 else told), None
module('pycocoevalcap')
for name in ('bleu', 'rouge', 'cider', 'meteor'):
    module('pycocoevalcap.' + name)
    module('pycocoevalcap.%s.%s' % (name, name), **{name.capitalize(): Scorer})
sys.path.insert(0, 'core')
"""

_SIZES = [("dim_feature=[196, 512], dim_embed=512,", "dim_feature=[196, 6], dim_embed=5,"),
          ("dim_hidden=1024, n_time_step=16", "dim_hidden=7, n_time_step=4"),
          ("n_epochs=20, batch_size=128", "n_epochs=2, batch_size=4"),
          ("print_every=1000", "print_every=1")]  # fmt: skip


@carried
def features(w):
    random = np.random.RandomState(0)
    words = ["<NULL>", "<START>", "<END>", "a", "fox", "dog", "jumps"]
    for split, n in (("train", 8), ("val", 5)):
        os.makedirs(f"data/{split}", exist_ok=True)
        with open(f"data/{split}/{split}.features.hkl", "wb") as stream:
            np.save(stream, random.rand(n, 196, 6).astype("f"))
        kept = {
            "file.names": np.array([f"{i}.jpg" for i in range(n)]),
            "captions": np.insert(random.randint(2, 7, (n, 4)), 0, 1, 1).astype(np.int32),
            "image.idxs": np.arange(n, dtype=np.int32),
            "references": {i: ["a fox ."] for i in range(n)},
        }
        for name, value in kept.items():
            with open(f"data/{split}/{split}.{name}.pkl", "wb") as stream:
                pickle.dump(value, stream, protocol=2)
    with open("data/train/word_to_idx.pkl", "wb") as stream:
        pickle.dump({word: i for i, word in enumerate(words)}, stream, protocol=2)


def train(w):
    w.script("train.py", ahead=_AHEAD, instead=[*_SIZES, ("dropout=True)", "dropout=False)")])


def dropout(w):
    w.script("train.py", ahead=_AHEAD, instead=[*_SIZES, ("model/lstm/'", "dropped/'")])


def go_on(w):
    w.script("train.py", ahead=_AHEAD, instead=[
        *_SIZES, ("pretrained_model=None", "pretrained_model='model/lstm/model-2'"),
        ("model/lstm/'", "more/'"),
        ("dropout=True)", "dropout=False)")])  # fmt: skip


def tell(w):
    w.script("train.py", ahead=_AHEAD, instead=[
        *_SIZES,
        ("solver.train()",
         "solver.test(val_data, split='val', attention_visualization=False)"),
        ("model-10'", "model-2'")])  # fmt: skip


def words(w):
    exec(_AHEAD, {"__name__": "ahead"})
    from core.utils import decode_captions

    known = dict(enumerate(["<NULL>", "<START>", "<END>", "a", "fox", "dog", "jumps"]))
    print(decode_captions(np.array([[1, 3, 4, 2], [3, 0, 5, 6]]), known))


def vgg(w):
    """The weights are as MATLAB keeps them: the name, the kind, and both arrays, in cells of cells."""
    import scipy.io

    random = np.random.RandomState(0)
    layers, deep = [], 3
    counts = enumerate((2, 2, 4, 4, 4), 1)
    for name in [f"conv{block}_{i + 1}" for block, count in counts for i in range(count)]:
        size = 512 if name == "conv5_3" else 4
        kept = np.empty((1, 2), dtype=object)
        kept[0, 0] = random.randn(3, 3, deep, size).astype("f") / 5
        kept[0, 1] = random.rand(1, size).astype("f")
        layers.append([[(np.array([name]), np.array(["conv"]), kept)]])
        deep = size
    scipy.io.loadmat = lambda path: {"layers": [layers]}
    exec(_AHEAD, {"__name__": "ahead"})
    from core.vggnet import Vgg19

    def build(x):
        net = Vgg19("vgg.mat")
        net.images = x
        net.build_params()
        net.build_model()
        return net.features

    w.dump(told=w.call(build, random.rand(1, 224, 224, 3).astype("f") * 255))

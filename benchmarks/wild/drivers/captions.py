"""DeepRNN/image_captioning: trains on captioned pictures, goes on, and captions others by a beam search."""

from __future__ import annotations

import json

import numpy as np
from kit import carried, picture, settings, write

REPOSITORY = "https://github.com/DeepRNN/image_captioning"
COMMIT = "ee6936c3a1a8872ae7b055cfc8762fa323b01412"
PYTHON2 = True

# Few words and narrow layers. Weights are kept as pickles, which the numpy of the original refuses by now;
# words are split at spaces; what matplotlib draws differs with its version.
_SMALL = """
import sys, types
import numpy as np
if np.__version__ < '2':
    load = np.load
    np.load = lambda path, **k: load(path, allow_pickle=True, **k)
nltk, tokens = types.ModuleType('nltk'), types.ModuleType('nltk.tokenize')
tokens.word_tokenize = lambda text: text.replace('.', ' .').split()
sys.modules.update({'nltk': nltk, 'nltk.tokenize': tokens})
import matplotlib
matplotlib.use('Agg')
import matplotlib.pyplot as plt
plt.title = lambda words: print(words)
plt.savefig = lambda path: print(path)
sys.path.insert(0, '.')
import config
class Config(config.Config):
    def __init__(self):
        super(Config, self).__init__()
        self.max_caption_length, self.vocabulary_size, self.batch_size, self.num_epochs = 5, 9, 2, 2
        for name in ('dim_embedding', 'num_lstm_units', 'dim_initalize_layer', 'dim_attend_layer',
                     'dim_decode_layer'):
            setattr(self, name, 8)
        self.fc_drop_rate, self.lstm_drop_rate, self.initial_learning_rate = 0.0, 0.0, 1e-3
        for name, value in CHANGED.items():
            setattr(self, name, value)
CHANGED = {}
config.Config = Config
config.Config.__module__ = '__main__'
from utils.nn import NN
whole = NN.conv2d
def smaller(self, inputs, filters, *args, **kwargs):  # the last maps are counted elsewhere
    last = kwargs['name'] == 'conv5_3' or filters == 2048
    return whole(self, inputs, filters if last else filters // 16, *args, **kwargs)
NN.conv2d = smaller
"""

_FOLDER = [("config = Config()", "config = Config(); import os; os.makedirs(config.save_dir, exist_ok=True)")]


@carried
def data(w):
    words = ["a", "cat", "dog", "sits", "runs", "there", "here"]
    draw = np.random.RandomState(0)
    images, notes = [], []
    for i in range(4):
        name = f"{i}.jpg"
        picture(f"train/images/{name}", 60, 80, seed=i)
        images.append({"id": i, "file_name": name})
        said = " ".join(words[draw.randint(len(words))] for _ in range(4))
        notes.append({"id": i, "image_id": i, "caption": (said if i else " ".join(words[:4])) + " ."})
    notes.append({"id": 9, "image_id": 0, "caption": " ".join(words[3:]) + " ."})
    for i in range(3):
        picture(f"test/images/{i}.jpg", 60, 80, seed=10 + i)
    write("train/captions_train2014.json", json.dumps({"info": {}, "images": images, "annotations": notes}))
    write("summary/.keep", "")


@settings(timeout=900)
def train(w):
    w.script("main.py", "--phase=train", ahead=_SMALL)


@carried
@settings(timeout=900)
def trained_by_original(w):
    """Weights of a network, and those of the pictures' part by themselves."""
    w.script("main.py", "--phase=train", ahead=_SMALL + "CHANGED.update(num_epochs=1, save_dir='./before/')",
             instead=_FOLDER)
    kept = np.load("before/3.npy", allow_pickle=True).item()
    convolutions = {}
    for name, value in kept.items():
        if name.startswith("conv") and "optimizer" not in name:
            layer, _, part = name[:-2].partition("/")
            convolutions.setdefault(layer, {})[part] = value
    np.save("vgg16_no_fc.npy", convolutions)


@settings(timeout=900)
def go_on(w):
    """All of it, with another optimizer, dropout and a rate that falls."""
    w.script("main.py", "--phase=train", "--load", "--model_file=before/3.npy", "--train_cnn", "--load_cnn",
             ahead=_SMALL + """
CHANGED.update(num_epochs=1, optimizer='RMSProp', learning_rate_decay_factor=0.5, num_steps_per_decay=2,
               fc_drop_rate=0.3)
""")  # fmt: skip


@settings(timeout=900)
def caption(w):
    w.script("main.py", "--phase=test", "--model_file=before/3.npy", "--beam_size=2", ahead=_SMALL)


@settings(timeout=900)
def residual(w):
    """The other network of pictures, with normalization that trains, and smaller heads."""
    w.script("main.py", "--phase=train", "--train_cnn", ahead=_SMALL + """
CHANGED.update(cnn='resnet50', num_epochs=1, optimizer='Momentum', momentum=0.9, num_attend_layers=1,
               num_initalize_layers=1, num_decode_layers=1, save_dir='./residual/',
               initial_learning_rate=1e-6)
""", instead=_FOLDER)

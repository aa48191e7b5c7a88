"""bilylee/SiamFC-TensorFlow: trains a network that finds a patch again, goes on, tracks, converts weights."""

from __future__ import annotations

import pickle

import numpy as np
from kit import carried, picture, settings, write

REPOSITORY = "https://github.com/bilylee/SiamFC-TensorFlow"
COMMIT = "f572dca95f2b3b2861f54de467259753428e468c"

# What the experiments of sacred do for a script: its main function gets what the configuration sets.
_EXPERIMENT = """
import inspect, random, sys, types
class Experiment:
    def __init__(self, *a):
        self.observers, self.settings = [], {}
    def config(self, function):
        source = inspect.getsource(function).split(':\\n', 1)[1]
        exec('if 1:\\n' + source, function.__globals__, self.settings)
    def automain(self, function):
        wanted = inspect.signature(function).parameters
        function(**{name: self.settings[name] for name in wanted})
        return function
sacred = types.ModuleType('sacred')
sacred.Experiment = Experiment
sacred.observers = types.ModuleType('sacred.observers')
sacred.observers.FileStorageObserver = types.SimpleNamespace(create=lambda folder: folder)
sys.modules.update({'sacred': sacred, 'sacred.observers': sacred.observers})
sys.modules['pynvml'] = None  # there is no GPU to ask
sys.path.insert(0, '.')
import configuration
"""
_SMALL = _EXPERIMENT + """
import datasets.sampler
configuration.MODEL_CONFIG['embed_config']['bn_momentum'] = 0.5
trained = configuration.TRAIN_CONFIG
for part in ('train_data_config', 'validation_data_config'):
    trained[part].update(batch_size=2, prefetch_threads=1, prefetch_capacity=1)
trained['train_data_config'].update(num_examples_per_epoch=4, epoch=1)
trained['lr_config']['num_epochs_per_decay'] = 2
"""


@carried
def data(w):
    """A few films of three pictures each."""
    for name, count in (("train", 3), ("validation", 2)):
        films = []
        for film in range(count):
            films.append([f"data/{name}{film}/{i}.jpg" for i in range(3)])
            for i, path in enumerate(films[-1]):
                picture(path, 255, 255, seed=10 * film + i)
        with open(f"data/{name}_imdb.pickle", "wb") as stream:
            pickle.dump({"videos": films}, stream, protocol=2)
    for i in range(4):
        picture(f"film/img/{i}.jpg", 120, 160, seed=40 + i // 2)
    write("film/groundtruth_rect.txt", "50,40,40,30\n")


@settings(timeout=900)
def train(w):
    w.script("train_siamese_model.py", ahead=_SMALL)


@carried
@settings(timeout=900)
def trained_by_original(w):
    w.script("train_siamese_model.py", ahead=_SMALL + "trained['train_dir'] = 'before'")


@settings(timeout=900)
def go_on(w):
    """From what the original trained; in grey, clipped, with another optimizer and another rate."""
    w.script("train_siamese_model.py", ahead=_SMALL + """
trained['train_dir'] = 'before'
trained['train_data_config'].update(epoch=2, preprocessing_name='siamese_fc_gray')
trained['clip_gradients'] = 1.0
""")


def plain(w):
    """Plain gradients, and a rate that follows a cosine."""
    w.script("train_siamese_model.py", ahead=_SMALL + """
trained['train_dir'] = 'plain'
trained['optimizer_config']['optimizer'] = 'SGD'
trained['lr_config']['policy'] = 'cosine'
""")


def track(w):
    w.script("scripts/run_tracking.py", ahead=_EXPERIMENT,
             instead=[("'Logs/SiamFC/track_model_checkpoints/SiamFC-3s-color-pretrained'", "'before'"),
                      ("'assets/KiteSurf'", "'film'")])  # fmt: skip


@carried
def matlab(w):
    """Weights as MatConvNet kept them."""
    from scipy import io

    draw = np.random.RandomState(0)
    found = []

    def add(name, *shape):
        found.append((name, draw.uniform(0.01, 0.1, shape).astype("f")))

    for layer, shape in enumerate([(11, 11, 3, 96), (5, 5, 48, 256), (3, 3, 256, 384), (3, 3, 192, 384),
                                   (3, 3, 192, 256)], 1):  # fmt: skip
        add(f"conv{layer}f", *shape)
        add(f"conv{layer}b", shape[3], 1)
        if layer < 5:
            add(f"bn{layer}m", shape[3], 1)
            add(f"bn{layer}b", shape[3], 1)
            add(f"bn{layer}x", shape[3], 2)
    add("adjust_f", 1, 1)
    add("adjust_b", 1, 1)
    params = np.empty((1, len(found)), [("name", object), ("value", object)])
    for i, (name, value) in enumerate(found):
        params[0, i] = (name, value)
    io.savemat("some.mat", {"net": {"params": params}})


def convert(w):
    w.script("scripts/convert_pretrained_model.py", ahead=_EXPERIMENT + """
configuration.MODEL_CONFIG['embed_config'].update(embedding_checkpoint_file='some.mat', train_embedding=False)
configuration.TRAIN_CONFIG['train_dir'] = 'converted'
""")

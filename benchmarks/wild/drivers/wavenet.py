"""ibab/tensorflow-wavenet: trains on recordings, goes on, and generates both ways."""

from __future__ import annotations

import json

import numpy as np
from kit import carried, settings, write

REPOSITORY = "https://github.com/ibab/tensorflow-wavenet"
COMMIT = "3c973c038c8c2c20fef0039f111cb04139ff594b"

# What the repository uses of librosa, whose newer versions have no `output`.
_SOUND = """
import sys, types
import numpy as np
from scipy.io import wavfile
librosa = sys.modules['librosa'] = types.ModuleType('librosa')
librosa.load = lambda path, sr, mono=True: (wavfile.read(path)[1].astype('f') / 32768, sr)
librosa.output = types.SimpleNamespace(
    write_wav=lambda path, y, sr: np.save(path, np.asarray(y, 'f')))  # headers are SciPy's
librosa.feature = types.SimpleNamespace(rmse=lambda a: np.sqrt(np.mean(a * a)).reshape(1, 1))
"""
_TRAIN = (
    "train.py", "--data_dir=recordings", "--wavenet_params=tiny.json", "--sample_size=400",
    "--silence_threshold=0", "--checkpoint_every=2",
)  # fmt: skip


@carried
def recordings(w):
    from scipy.io import wavfile

    t = np.arange(1200) / 1000
    for speaker, pitch in ((1, 40), (2, 60)):
        wave = 9000 * np.sin(t * pitch) * np.cos(t * 3)
        write(f"recordings/p{speaker}_001.txt", "")
        wavfile.write(f"recordings/p{speaker}_001.wav", 1000, wave.astype(np.int16))
    write("tiny.json", json.dumps({
        "filter_width": 2, "sample_rate": 1000, "dilations": [1, 2, 4, 1, 2], "residual_channels": 8,
        "dilation_channels": 8, "quantization_channels": 32, "skip_channels": 12, "use_biases": True,
        "scalar_input": False, "initial_filter_width": 4,
    }))  # fmt: skip


# One file at a time, in the order of its name: the reader shuffles.
# A thread of the reader prints how many there are as often as it comes around.
_ONE = _SOUND + """
import builtins, random
random.randint = lambda a, b: a
shown = builtins.print
builtins.print = lambda *a, **k: None if str(a[:1])[2:].startswith('files length') else shown(*a, **k)
"""
# TensorFlow's logarithms and NumPy's agree to the last bit in some versions only.
_CLOSE = [("assertAllEqual(manual_decode, decode)", "assertAllClose(manual_decode, decode)"),
          ("assertAllEqual(decoded_manual, decode)", "assertAllClose(decoded_manual, decode)")]


@settings(timeout=900)
def train(w):
    w.script(*_TRAIN, "--num_steps=4", "--logdir=trained", ahead=_ONE)


@settings(timeout=900)
def go_on(w):
    w.script(*_TRAIN, "--num_steps=6", "--logdir=trained", "--optimizer=sgd",
             "--l2_regularization_strength=0.01", ahead=_ONE)  # fmt: skip


@settings(timeout=900)
def train_speakers(w):
    w.script(*_TRAIN, "--num_steps=2", "--logdir=speakers", "--gc_channels=4", "--optimizer=rmsprop",
             ahead=_ONE)  # fmt: skip


def generate(w):
    w.script("generate.py", "--samples=20", "--wavenet_params=tiny.json", "--wav_out_path=fast.wav",
             "--logdir=generated", "trained/model.ckpt-3", ahead=_SOUND)  # fmt: skip


def generate_slowly(w):
    w.script("generate.py", "--samples=12", "--wavenet_params=tiny.json", "--fast_generation=false",
             "--wav_out_path=slow.wav", "--logdir=generated2", "trained/model.ckpt-3",
             ahead=_SOUND)  # fmt: skip


def generate_speaker(w):
    w.script("generate.py", "--samples=12", "--wavenet_params=tiny.json", "--gc_channels=4", "--gc_id=1",
             "--gc_cardinality=3", "--logdir=generated3", "speakers/model.ckpt-1",
             ahead=_SOUND)  # fmt: skip


def tests(w):
    w.script("test/test_causal_conv.py", folders=["."], ahead=_SOUND)
    w.script("test/test_mu_law.py", folders=["."], ahead=_SOUND, instead=_CLOSE)

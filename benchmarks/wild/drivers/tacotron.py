"""keithito/tacotron: trains from a queue that a thread fills, goes on, and speaks."""

from __future__ import annotations

import os

import numpy as np
from kit import carried, settings, write

REPOSITORY = "https://github.com/keithito/tacotron"
COMMIT = "d26c763342518d4e432e9c4036a1aff3b4fdaa1e"

_SMALL = (
    "--hparams=batch_size=2,num_mels=8,num_freq=33,outputs_per_step=2,embed_depth=8,encoder_depth=16,"
    "postnet_depth=16,attention_depth=16,decoder_depth=16,max_iters=4,griffin_lim_iters=2"
)
# What the repository uses of librosa; and training goes on until it is interrupted.
_SOUND = """
import sys, types
import numpy as np
librosa = sys.modules['librosa'] = types.ModuleType('librosa')
librosa.filters = sys.modules['librosa.filters'] = types.ModuleType('librosa.filters')
librosa.effects = sys.modules['librosa.effects'] = types.ModuleType('librosa.effects')
"""
_STOP = _SOUND + """
import random
random.shuffle = lambda x: None
from util import infolog
inner = infolog.log
def log(message, slack=False):
    if message.startswith('Step {stop}'):
        raise SystemExit(0)
    inner(message.split('[')[0], slack)
infolog.log = log
from util import audio, plot
audio.inv_spectrogram = audio.save_wav = plot.plot_alignment = lambda *a, **k: None
"""


@carried
def data(w):
    random = np.random.RandomState(0)
    lines = []
    os.makedirs("talk/training")
    for i, said in enumerate(("A fox.", "The lazy dog jumps.", "Quick!", "Over there.")):
        frames = 6 + 2 * i
        np.save(f"talk/training/linear{i}.npy", random.rand(frames, 33).astype("f"))
        np.save(f"talk/training/mel{i}.npy", random.rand(frames, 8).astype("f"))
        lines.append(f"linear{i}.npy|mel{i}.npy|{frames}|{said}")
    write("talk/training/train.txt", "\n".join(lines) + "\n")


@settings(timeout=900)
def train(w):
    w.script("train.py", "--base_dir=talk", _SMALL, "--summary_interval=2", "--checkpoint_interval=2",
             ahead=_STOP.replace("{stop}", "4"))  # fmt: skip


@settings(timeout=900)
def go_on(w):
    w.script("train.py", "--base_dir=talk", _SMALL, "--restore_step=2", "--checkpoint_interval=2",
             "--summary_interval=100", ahead=_STOP.replace("{stop}", "5"))  # fmt: skip


@settings(timeout=900)
def speak(w):
    w.script("eval.py", "--checkpoint=talk/logs-tacotron/model.ckpt-2", _SMALL, ahead=_SOUND)


def text(w):
    from text import sequence_to_text, text_to_sequence

    for said in ("Mr. Smith paid $3.50 in 1998.", "{HH AH0} there, 2nd!"):
        numbers = text_to_sequence(said, ["english_cleaners"])
        w.dump(**{f"numbers_{len(numbers)}": numbers})
        print(sequence_to_text(numbers))

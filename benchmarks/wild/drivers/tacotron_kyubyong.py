"""Kyubyong/tacotron: trains on batches of about one length, goes on, evaluates and speaks."""

from __future__ import annotations

from kit import carried, settings, write

REPOSITORY = "https://github.com/Kyubyong/tacotron"
COMMIT = "379bb7f54c3359ffe97d1f09a773bc6da49eba6f"

# What the repository uses of librosa, and small networks. All sounds are alike: threads share the batches.
_AHEAD = """
import sys, types
import numpy as np
def module(name, **has):
    made = sys.modules[name] = types.ModuleType(name)
    vars(made).update(has)
    return made
def stft(y, n_fft, hop_length=None, win_length=None):
    y = np.pad(y, (0, -len(y) % n_fft), 'constant')
    return np.fft.rfft(y.reshape(-1, n_fft), axis=1).T
def istft(matrix, hop_length=None, win_length=None, window=None):
    return np.fft.irfft(matrix.T, axis=1).ravel()
def load(path, sr=None):
    return np.random.RandomState(3).uniform(-1, 1, 190).astype(np.float32), sr
librosa = module('librosa', stft=stft, istft=istft, load=load)
librosa.effects = module('librosa.effects', trim=lambda y: (y, None))
librosa.filters = module('librosa.filters', mel=lambda sr, n_fft, n_mels: np.random.RandomState(1).rand(
    n_mels, 1 + n_fft // 2) / 9)
from hyperparams import Hyperparams as H
H.data, H.test_data, H.n_fft, H.n_mels, H.embed_size, H.encoder_num_banks = 'voice', 'said.txt', 16, 4, 8, 3
H.decoder_num_banks, H.num_highwaynet_blocks, H.r, H.batch_size, H.n_iter, H.dropout_rate = 2, 1, 2, 2, 2, 0.
"""
_FEW = [("while 1:", "for _ in range(1):"), ("range(g.num_batch)", "range(3)"), ("gs % 1000", "gs % 3"),
        ("plot_alignment(al[0], gs)", "print(al.shape, al.sum(), al[0, 0, 0])")]  # fmt: skip


@carried
def voice(w):
    said = ["A title"] + ["The lazy dog jumps"] * 30 + ["The lazy dog jumps over"]
    write("voice/transcript.csv", "".join(f"LJ{i:02}|{text}|{text}\n" for i, text in enumerate(said)))
    write("said.txt", "Sentences\n1. The fox.\n2. A dog jumps.\n")


@settings(timeout=900)
def train(w):
    w.script("train.py", ahead=_AHEAD, instead=_FEW)


@settings(timeout=900)
def go_on(w):
    w.script("prepro.py", ahead=_AHEAD)
    w.script("train.py", ahead=_AHEAD, instead=_FEW)


@settings(timeout=900)
def evaluate(w):
    w.script("eval.py", ahead=_AHEAD)


@settings(timeout=900)
def speak(w):
    w.script("synthesize.py", ahead=_AHEAD, instead=[("range(200)", "range(3)"), (", 200, hp", ", 3, hp")])


def text(w):
    exec(_AHEAD, {"__name__": "ahead"})
    from data_load import load_data, load_vocab, text_normalize

    w.dump(texts=load_data("synthesize"), lengths=load_data()[1], last=load_data()[2][-1])
    print(text_normalize("Ça va? ÉTÉ 12!"), sorted(load_vocab()[0].items()))

"""hunkim/word-rnn-tensorflow: trains, goes on training and samples words."""

from __future__ import annotations

from kit import carried, text, write

REPOSITORY = "https://github.com/hunkim/word-rnn-tensorflow"
COMMIT = "5df11c5578a43bf0b732e0bcb63ee8fec7a29d33"

_SMALL = ("--data_dir=tiny", "--rnn_size=8", "--seq_length=5", "--batch_size=4", "--save_every=10")


@carried
def corpus(w):
    write("tiny/input.txt", text(60))
    for name in ("rnn", "gru", "lstm"):
        write(f"save_{name}/here", "")


def train(w):
    for kind in ("rnn", "gru", "lstm"):
        w.script("train.py", *_SMALL, "--num_epochs=2", f"--model={kind}", f"--save_dir=save_{kind}",
                 f"--log_dir=logs_{kind}")  # fmt: skip


def resume(w):
    w.script("train.py", *_SMALL, "--num_epochs=1", "--init_from=save_lstm", "--save_dir=save_lstm")


def sample(w):
    for kind in ("rnn", "gru", "lstm"):
        for how in (0, 1, 2):
            w.script("sample.py", "-n", 20, f"--sample={how}", "--prime=the", f"--save_dir=save_{kind}")


def beam(w):
    w.script("sample.py", "-n", 10, "--pick=2", "--width=3", "--prime=the", "--save_dir=save_lstm")

"""sherjilozair/char-rnn-tensorflow: trains, goes on training and samples characters."""

from __future__ import annotations

from kit import carried, text, write

REPOSITORY = "https://github.com/sherjilozair/char-rnn-tensorflow"
COMMIT = "4bff62d34ba6d536f052145cd3f8f79b6fa11365"

_SMALL = ("--data_dir=tiny", "--rnn_size=8", "--seq_length=5", "--batch_size=4", "--save_every=10")


@carried
def corpus(w):
    write("tiny/input.txt", text(20))


@carried
def weights(w):
    w.script("train.py", *_SMALL, "--num_epochs=1", "--save_dir=save_before")


def train(w):
    w.script("train.py", *_SMALL, "--num_epochs=2")


def dropout(w):
    w.script("train.py", *_SMALL, "--num_epochs=1", "--num_layers=1", "--save_dir=save_dropout",
             "--output_keep_prob=0.8", "--input_keep_prob=0.9")  # fmt: skip


def resume(w):
    w.script("train.py", *_SMALL, "--num_epochs=1", "--init_from=save")


def sample(w):
    for how in (0, 1, 2):
        w.script("sample.py", "-n", 30, f"--sample={how}", "--prime=the")


def sample_from_original(w):
    w.script("sample.py", "-n", 30, "--sample=1", "--save_dir=save_before")

"""gaussic/text-classification-cnn-rnn: trains both networks on characters, tests, and classifies texts."""

from __future__ import annotations

import numpy as np
from kit import carried, write

REPOSITORY = "https://github.com/gaussic/text-classification-cnn-rnn"
COMMIT = "90dd55cccacac663e87445ed356bf59307864168"

_SMALL = """
import {module} as m
c = m.{config}
c.embedding_dim = c.hidden_dim = c.num_filters = 8
c.learning_rate = 0.01
c.seq_length, c.batch_size, c.num_epochs, c.print_per_batch, c.save_per_batch = 20, 8, 2, 2, 1
"""
_CNN = _SMALL.format(module="cnn_model", config="TCNNConfig")
_RNN = _SMALL.format(module="rnn_model", config="TRNNConfig")


@carried
def texts(w):
    from data.cnews_loader import read_category

    random = np.random.RandomState(0)
    labels, _ = read_category()
    letters = list("abcdefghijklmnopqrstuvwxyz")
    for name, count in (("train", 40), ("val", 20), ("test", 20)):
        lines = []
        for i in range(count):
            label = labels[i % len(labels)]
            mine = [letters[i % len(labels)]] * random.randint(5, 20)  # what can be learned
            lines.append(label + "\t" + "".join([*mine, *random.choice(letters, size=5)]))
        write(f"data/cnews/cnews.{name}.txt", "\n".join(lines) + "\n")


def train_cnn(w):
    w.script("run_cnn.py", "train", ahead=_CNN)


def test_cnn(w):
    w.script("run_cnn.py", "test", ahead=_CNN)


def classify(w):
    w.script("predict.py", ahead=_CNN)


def train_rnn(w):
    w.script("run_rnn.py", "train", ahead=_RNN)


def test_rnn(w):
    w.script("run_rnn.py", "test", ahead=_RNN)


def train_lstm(w):
    w.script("run_rnn.py", "train", ahead=_RNN + "c.rnn, c.num_layers, c.dropout_keep_prob = 'lstm', 1, 1.0")

"""dennybritz/cnn-text-classification-tf: trains on sentences, evaluates what it saved."""

from __future__ import annotations

import glob
import os

from kit import carried, text, write

REPOSITORY = "https://github.com/dennybritz/cnn-text-classification-tf"
COMMIT = "18762b459e21d9c70e5c242f8d43fc4e6db37a0d"

_FILES = ("--positive_data_file=sentences.pos", "--negative_data_file=sentences.neg")
_SMALL = (
    *_FILES, "--embedding_dim=8", "--num_filters=4", "--batch_size=8", "--num_epochs=2",
    "--evaluate_every=4", "--checkpoint_every=4",
)  # fmt: skip
# It calls a method that TensorFlow's flags lost in 1.5.
_FLAGS = "import absl.flags; absl.flags.FlagValues._parse_flags = lambda self: self(sys.argv)"


@carried
def data(w):
    write("sentences.pos", text(30, 1, "a fine warm film with charm and a moving story it is good") + "\n")
    write("sentences.neg", text(30, 2, "a dull cold film without any story it is bad and slow too") + "\n")


@carried
def trained_by_original(w):
    w.script("train.py", *_SMALL, "--num_epochs=1")
    (folder,) = glob.glob("runs/*")
    os.rename(folder, "before")


def train(w):
    w.script("train.py", *_SMALL)


def train_regularized(w):
    w.script("train.py", *_SMALL, "--num_epochs=1", "--l2_reg_lambda=0.1", "--filter_sizes=2,3",
             "--dropout_keep_prob=0.7", "--dev_sample_percentage=0.2")  # fmt: skip


def evaluate(w):
    newest = sorted(glob.glob("runs/*"))[0]
    w.script("eval.py", *_FILES, "--eval_train", f"--checkpoint_dir={newest}/checkpoints", ahead=_FLAGS)


def evaluate_original(w):
    w.script("eval.py", *_FILES, "--checkpoint_dir=before/checkpoints", ahead=_FLAGS)


def batches(w):
    import data_helpers

    x, y = data_helpers.load_data_and_labels("sentences.pos", "sentences.neg")
    w.dump(x=x, y=y, batches=[list(b) for b in data_helpers.batch_iter(range(7), 3, 2)])

"""allenai/bilm-tf: trains language models for ELMo, and embeds sentences."""

from __future__ import annotations

from kit import carried, settings, write

REPOSITORY = "https://github.com/allenai/bilm-tf"
COMMIT = "7cffee2b0986be51f5e2a747244836e1047657f4"

_AHEAD = """
import itertools, random, types
import numpy
random.seed(1)
numpy.random.seed(1)
import bilm.training
ticks = itertools.count()
bilm.training.time = types.SimpleNamespace(time=lambda: next(ticks) / 2)
"""
_SMALL = [
    ("batch_size = 128", "batch_size = 2"), ("n_gpus = 3", "n_gpus = 1"),
    ("n_train_tokens = 768648884", "n_train_tokens = 120"), ("'n_epochs': 10", "'n_epochs': 1"),
    ("'dim': 4096", "'dim': 12"), ("'projection_dim': 512", "'projection_dim': 6"),
    ("'unroll_steps': 20", "'unroll_steps': 5"), ("8192", "8"), ("'dropout': 0.1", "'dropout': 0.0"),
    ("      [2, 32],\n       [3, 64],\n"
     "       [4, 128],\n       [5, 256],\n       [6, 512],\n       [7, 1024]]",
     "      [2, 4]]"), ("[[1, 32]", "[[1, 4]"),
]  # fmt: skip
_DATA = "tests/fixtures/train"


@carried
def folder(w):
    write("kept/note.txt", "")


@settings(timeout=900)
def train(w):
    w.script("bin/train_elmo.py", "--save_dir=kept", f"--vocab_file={_DATA}/vocab.txt",
             f"--train_prefix={_DATA}/data.txt", ahead=_AHEAD, instead=_SMALL, folders=["."])  # fmt: skip


def embed(w):
    import json

    from bilm import Batcher, BidirectionalLanguageModel, weight_layers

    folder = "tests/fixtures/model"
    model = BidirectionalLanguageModel(f"{folder}/options.json", f"{folder}/lm_weights.hdf5")
    with open(f"{folder}/lm_embeddings_sentences.json", encoding="utf-8") as stream:
        sentences = json.load(stream)[0][:2]
    ids = Batcher(f"{folder}/vocab_test.txt", 50).batch_sentences([s.split() for s in sentences])

    def embedded(given):
        return weight_layers("input", model(given), l2_coef=0.0)["weighted_op"]

    w.dump(embedded=w.call(embedded, ids))

"""cs230-stanford/cs230-code-examples: pictures of signs and tagged sentences, by data sets and sessions."""

from __future__ import annotations

import json
import os

from kit import carried, picture, settings, write

REPOSITORY = "https://github.com/cs230-stanford/cs230-code-examples"
COMMIT = "478e747b1c8bf57c6e2ce6b7ffd8068fe0287056"

_VISION, _NLP = "tensorflow/vision", "tensorflow/nlp"
_SIGNS = {
    "learning_rate": 1e-3, "batch_size": 4, "num_epochs": 2, "num_channels": 4, "use_batch_norm": True,
    "bn_momentum": 0.9, "image_size": 64, "use_random_flip": False, "num_labels": 6,
    "num_parallel_calls": 1, "save_summary_steps": 1,
}  # fmt: skip


@carried
def data(w):
    for part, number in (("train", 8), ("dev", 4), ("test", 4)):
        for i in range(number):
            picture(f"{_VISION}/data/64x64_SIGNS/{part}_signs/{i % 6}_IMG_{i}.jpg", 64, 64, seed=i)
    write(f"{_VISION}/experiments/test/params.json", json.dumps(_SIGNS))


@settings(timeout=900)
def signs(w):
    w.script("train.py", cwd=_VISION)


@settings(timeout=900)
def evaluate_signs(w):
    w.script("evaluate.py", cwd=_VISION)


@settings(timeout=900)
def go_on_with_signs(w):
    w.script("train.py", "--restore_from=experiments/test/last_weights", cwd=_VISION)


def vocabulary(w):
    w.script("build_vocab.py", "--data_dir=data/small", cwd=_NLP)


@settings(timeout=900)
def tags(w):
    w.script("train.py", "--data_dir=data/small", cwd=_NLP)
    os.remove(f"{_NLP}/experiments/base_model/train.log")  # TensorFlow 1 warns of contrib in it


@settings(timeout=900)
def evaluate_tags(w):
    w.script("evaluate.py", "--data_dir=data/small", cwd=_NLP)
    os.remove(f"{_NLP}/experiments/base_model/evaluate.log")

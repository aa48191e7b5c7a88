"""jiegzhan/multi-class-text-classification-cnn-rnn: trains on a table of texts, and predicts from it."""

from __future__ import annotations

import io
import json
import zipfile

from kit import carried, settings, text, write

REPOSITORY = "https://github.com/jiegzhan/multi-class-text-classification-cnn-rnn"
COMMIT = "5db803b7c156655ead270cb9788148dc8c7f6afd"

_WORDS = "grand theft from locked auto battery of person stolen property possession warrant arrest lost"
# gensim is imported and not used; folders are named by the time.
_AHEAD = (
    "import types; sys.modules['gensim'] = types.ModuleType('gensim')\n"
    "import time; time.time = lambda: 5"
)
_CONFIG = {
    "batch_size": 8, "dropout_keep_prob": 0.5, "embedding_dim": 300, "evaluate_every": 2,
    "filter_sizes": "3,4", "hidden_unit": 6, "l2_reg_lambda": 0.1, "max_pool_size": 2,
    "non_static": False, "num_epochs": 2, "num_filters": 4,
}  # fmt: skip


@carried
def data(w):
    kinds = ["BURGLARY", "ASSAULT", "WARRANTS"]
    lines = text(44, 3, _WORDS).upper().split("\n")
    rows = [f"{kinds[i % 3]},{line}" for i, line in enumerate(lines)]
    table = io.BytesIO()
    with zipfile.ZipFile(table, "w") as packed:
        packed.writestr("train.csv", "\n".join(["Category,Descript", *rows]) + "\n")
    with open("data/train.csv.zip", "wb") as stream:
        stream.write(table.getvalue())
    some = [row.replace(",", "|") for row in rows[:9]]
    write("data/small_samples.csv", "\n".join(["Category|Descript", *some]) + "\n")
    write("training_config.json", json.dumps(_CONFIG))


@settings(timeout=900)
def train(w):
    w.script("train.py", "data/train.csv.zip", "training_config.json", ahead=_AHEAD)


@settings(timeout=900)
def predict(w):
    w.script("predict.py", "trained_results_5/", "data/small_samples.csv", ahead=_AHEAD)


@settings(timeout=900)
def train_words(w):
    """The vectors of words are trained as well."""
    write("training_config.json", json.dumps(dict(_CONFIG, non_static=True, num_epochs=1)))
    w.script("train.py", "data/train.csv.zip", "training_config.json", ahead=_AHEAD)

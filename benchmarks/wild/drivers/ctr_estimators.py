"""lambdaji/tf_repos: estimators of clicks by factorization machines and their like."""

from __future__ import annotations

import numpy as np
from kit import carried, settings, under, write

REPOSITORY = "https://github.com/lambdaji/tf_repos"
COMMIT = "b531ff12cdab65acc9551025f73fade2b6f425a7"

_FOLDER = "deep_ctr/Model_pipeline"
# One reader, and no day in names of folders.
_SMALL = ("--data_dir=data", "--dt_dir=1", "--feature_size=20", "--field_size=4", "--embedding_size=3",
          "--batch_size=4", "--log_steps=2", "--num_epochs=2", "--num_threads=1", "--deep_layers=6,4",
          "--dropout=1.0,1.0,1.0", "--learning_rate=0.01")  # fmt: skip


# Lists, as Python 2 had them; what is migrated has them.
_MAPS = ("map(int, params[\"deep_layers\"].split(','))", "map(float, params[\"dropout\"].split(','))")
_LISTS = [(text, f"list({text})") for text in _MAPS]


@carried
def data(w):
    draw = np.random.RandomState(0)
    for name, count in (("tr", 12), ("va", 8), ("te", 4)):
        rows = [f"{draw.randint(2)} " + " ".join(
            f"{draw.randint(5) + 5 * i}:{draw.uniform():.3f}" for i in range(4)) for _ in range(count)]
        write(f"{_FOLDER}/data/{name}.libsvm", "\n".join(rows) + "\n")


def _all(w, name, *more, tasks=("train", "eval", "infer", "export")):
    for task in tasks:
        w.script(f"{name}.py", *_SMALL, f"--task_type={task}", f"--model_dir=model_{name}",
                 f"--servable_model_dir=served_{name}", *more, cwd=_FOLDER,
                 instead=() if w.after else _LISTS)  # fmt: skip


@settings(timeout=1500)
def deep_fm(w):
    _all(w, "DeepFM")


@under("TF314", "deep_ctr/Model_pipeline/DeepFM.py", "averages move in evaluation, too")
@settings(timeout=1500)
def deep_fm_normed(w):
    _all(w, "DeepFM", "--batch_norm", "--optimizer=Adagrad", "--dt_dir=2", tasks=("train", "eval"))

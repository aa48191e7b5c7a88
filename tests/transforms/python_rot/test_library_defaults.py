"""Defaults that libraries had beside TensorFlow 1 are written out where calls left arguments to them."""

from __future__ import annotations

import io

import numpy as np
import pytest

from tests.transforms.texts import migrated, result_of

HEAD = """\
import io
import numpy as np
import tensorflow as tf
import librosa
from sklearn.cluster import KMeans
from sklearn.manifold import TSNE
from skimage.color import label2rgb
from scipy.sparse.linalg import lsqr
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("k = KMeans(3)  # b\n", "k = KMeans(3, n_init=10)  # b\n"),
        ("k = KMeans()\n", "k = KMeans(n_init=10)\n"),
        ("k = KMeans(\n    n_clusters=3,\n    max_iter=9,  # few\n)\n",
         "k = KMeans(\n    n_clusters=3,\n    max_iter=9, n_init=10,  # few\n)\n"),
        ("t = TSNE(2, 5.0, init='pca')\n",
         "t = TSNE(2, perplexity=5.0, init='pca', learning_rate=200.0)\n"),
        ("s = librosa.stft(y, 512)\n", "s = librosa.stft(y, n_fft=512, pad_mode='reflect')\n"),
        ("i = label2rgb(m, a)\n", "i = label2rgb(m, a, bg_label=-1)\n"),
        ("v = lsqr(a, b, 0.0, 1e-3)\n", "v = lsqr(a, b, 0.0, 1e-3, btol=1e-8)\n"),
        ("t = np.genfromtxt(f, dtype=None)\n", "t = np.genfromtxt(f, dtype=None, encoding='bytes')\n"),
        ("t = np.loadtxt(f, converters={0: g})\n",
         "t = np.loadtxt(f, converters={0: g}, encoding='bytes')\n"),
    ],
)  # fmt: skip
def test_what_was_left_out_is_written(before: str, after: str) -> None:
    assert migrated(HEAD + before) == HEAD + after


@pytest.mark.parametrize("text", [
    "k = KMeans(3, n_init=1)\n", "k = KMeans(*sizes)\n", "k = KMeans(3, **options)\n",
    "s = librosa.stft(y=y, pad_mode='constant')\n", "i = label2rgb(m, a, None, 0.3, 0)\n",
    "t = np.loadtxt(f)\n", "t = np.genfromtxt(f, dtype=float)\n",
    "k = KMeans(3)  # migrator: ignore[PY245]\n",
])  # fmt: skip
def test_what_is_given_stays(text: str) -> None:
    assert migrated(HEAD + text) == HEAD + text


@pytest.mark.parametrize(("call", "told"), [
    ("librosa.load(path, sr=16000)", 1), ("librosa.load(path)", 1), ("librosa.load(path, sr=None)", 0),
    ("librosa.load(path, res_type='kaiser_fast')", 0), ("librosa.resample(y=y, orig_sr=8, target_sr=16)", 1),
])  # fmt: skip
def test_resampling_is_told(call: str, told: int) -> None:
    findings = result_of(f"{HEAD}y = {call}\n").findings
    assert sum(finding.code == "PY245" for finding in findings) == told


def test_columns_are_read_as_bytes() -> None:
    new = migrated(HEAD + (
        "kinds = {b'a': 4, b'b': 5}\n"
        "rows = np.loadtxt(io.BytesIO(b'1,a 2,b'.replace(b' ', bytes([10]))), delimiter=',',\n"
        "                  converters={1: lambda kind: kinds[kind]})\n"))
    values: dict[str, object] = {"np": np, "io": io}
    exec("\n".join(line for line in new.splitlines() if "import" not in line), values)
    np.testing.assert_array_equal(values["rows"], [[1, 4], [2, 5]])  # type: ignore[arg-type]

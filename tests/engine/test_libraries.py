"""What companion libraries have no longer is told where a text goes on saying it, or called by its name."""

from __future__ import annotations

import importlib
import importlib.metadata

import pytest

from migrator.analysis import libraries
from tests.transforms.texts import migrated, result_of

HEAD = "import tensorflow as tf\n"


def told(text: str) -> list[tuple[int, str]]:
    return [(f.line, f.message) for f in result_of(HEAD + text).findings if f.code == "PY242"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("from sklearn.metrics import jaccard_similarity_score\n", "metrics.jaccard_similarity_score"),
        ("import networkx as nx\ndef f(a):\n    return nx.from_numpy_matrix(a)\n", "from_numpy_matrix"),
        ("import sklearn.cross_validation\n", "sklearn.cross_validation"),
        ("from skimage import util\nx = util.pad([1], 1)\n", "skimage.util.pad"),
        ("import asyncore\n", "asyncore"),
        ("import gensim\nclass A(gensim.summarization.Summarizer): pass\n", "gensim.summarization"),
        ("import tensorflow_hub as hub\nembed = hub.Module('some')\n", "tensorflow_hub.Module"),
        ("import tensorflow_hub\nc = tensorflow_hub.text_embedding_column('a', 'b')\n",
         "tensorflow_hub.text_embedding_column"),
        # there, but all that it does is to say so
        ("import tensorlayer as tl\nnet = tl.layers.FlattenLayer(None)\n", "tensorlayer.layers.FlattenLayer"),
        ("from tensorlayer.layers import DenseLayer\n", "tensorlayer.layers.DenseLayer"),
    ],
)
def test_a_name_that_is_gone_is_told_at_its_line(text: str, what: str) -> None:
    (line, message), = told(text)
    assert what + " any more" in message
    assert what.rpartition(".")[2] in text.splitlines()[line - 2]


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    from sklearn.metrics import jaccard_similarity_score\nexcept ImportError:\n    pass\n",
        "import numpy as np\nx = np.product([2]) + np.find_common_type([], [])\n",  # rules know better
        "class networkx:\n    from_numpy_matrix = 1\nx = networkx.from_numpy_matrix\n",
        "import numpy as np\nx = np.linalg.norm([1.0])\n",
        "import os, sys, collections\nx = collections.OrderedDict()\n",
        "import tensorflow_hub as hub\nembed = hub.KerasLayer('some')\n",
    ],
)
def test_what_is_guarded_rewritten_or_there_is_not_told(text: str) -> None:
    assert told(text) == []


def test_where_there_is_one_of_that_name_now_is_said() -> None:
    text = HEAD + "import numpy as np\nx = np.byte_bounds([1])\n"
    (finding,) = (f for f in result_of(text).findings if f.code == "PY242")
    assert "numpy.lib.array_utils.byte_bounds" in finding.advice


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("from sklearn.linear_model import Ridge\nm = Ridge(normalize=True)\n", "no argument normalize"),
        ("from skimage.feature import hog\nh = hog(1, visualise=True)\n", "no argument visualise"),
        # the fourth was another one in each of two old releases
        ("import pandas as pd\nx = pd.concat([], 1, 'outer', None)\n", "by position"),
    ],
)
def test_an_argument_that_is_gone_is_told(text: str, what: str) -> None:
    (_, message), = told(text)
    assert what in message


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import pandas as pd\nx = pd.concat([a, b], 1)\n", "pd.concat([a, b], axis=1)"),
        ("import librosa\ns = librosa.stft(y, 1024,  # size\n                 256)\n",
         "librosa.stft(y, n_fft=1024,  # size\n                 hop_length=256, pad_mode='reflect')"),
        ("from sklearn.svm import SVC\nc = SVC(1.0, 'rbf', gamma='auto')\n",
         "SVC(C=1.0, kernel='rbf', gamma='auto')"),
        ("import matplotlib.pyplot as plt\nf = plt.subplots(2, 2, True)\n", "subplots(2, 2, sharex=True)"),
    ],
)  # fmt: skip
def test_what_is_taken_by_name_only_is_called_by_its_name(before: str, after: str) -> None:
    assert after in migrated(HEAD + before)


@pytest.mark.parametrize(
    "text",
    ["import pandas as pd\nx = pd.concat(*parts)\n", "import pandas as pd\nx = pd.concat([a], axis=1)\n",
     "import librosa\ny = librosa.load(path)\n"],
)  # fmt: skip
def test_other_calls_stay_as_they_are(text: str) -> None:
    assert migrated(HEAD + text) == HEAD + text


def test_a_method_is_known_by_its_name_where_the_library_is_imported() -> None:
    text = "def f(frame):\n    return frame.get_dtype_counts()\n"
    assert [line for line, _ in told("import pandas\n" + text)] == [4]
    assert told(text) == []
    own = "class Frame:\n    def get_dtype_counts(self):\n        pass\n"
    assert told("import pandas\n" + own + text) == []


@pytest.mark.parametrize("top", sorted(libraries.libraries()))
def test_the_table_is_right_about_what_is_installed_here(top: str) -> None:
    """Where the release of the table is at hand, none of its names can be imported."""
    name, _, version = libraries.release(top).rpartition(" ")
    try:
        installed = importlib.metadata.version({"OpenCV": "opencv-python-headless"}.get(name, name))
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{name} is not installed")
    if ".".join(installed.split(".")[:2]) != version:
        pytest.skip(f"{name} {installed} is installed")
    public = [path for path in libraries.names_of(top) if path.count(".") == 1]
    assert [path for path in public if hasattr(importlib.import_module(top), path.partition(".")[2])] == []

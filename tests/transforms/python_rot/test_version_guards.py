"""Guards about versions: what TensorFlow 1.15 and Python 3 did not run is left out."""

from __future__ import annotations

import re

import pytest

from tests.transforms.texts import migrated, result_of

TF = "import tensorflow as tf\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # a name that went before 1.15, and one that came
        ("try:\n    X = tf.image_summary\nexcept AttributeError:\n    X = tf.nn.relu\n",
         "X = tf.nn.relu\n"),
        ("try:\n    X = tf.nn.relu\nexcept:\n    X = tf.pack\n", "X = tf.nn.relu\n"),
        ("def f():\n    try:\n        # new\n        X = tf.log\n        Y = tf.exp\n"
         "    except (NameError, AttributeError):\n        X = tf.pack\n    return X\n",
         "def f():\n    # new\n    X = tf.math.log\n    Y = tf.exp\n    return X\n"),
        ("try:\n    from tensorflow.models.rnn import ptb\nexcept ImportError:\n    ptb = None\n",
         "ptb = None\n"),
        # modules of Python 2
        ("try:\n    import cPickle as pickle\nexcept ImportError:\n    import pickle\n"
         "pickle.dumps(tf.exp(2.))\n",
         "import pickle\npickle.dumps(tf.exp(2.))\n"),
        ("try:\n    from itertools import izip\nexcept ImportError:\n    izip = zip\nizip(tf.exp(1.))\n",
         None),
        # a module bound to what TF 1 is called in it
        ("tf = tf.compat.v1\nX = tf.log\n", "X = tf.math.log\n"),
        ("try:\n    tf = tf.compat.v1\nexcept AttributeError:\n    pass\nX = tf.log\n", "X = tf.math.log\n"),
        ("def later(version):\n    \"\"\"Whether it is.\"\"\"\n    return tf.__version__ > version\n\n\n"
         "if later('1.1'):\n    tf = tf.compat.v1\nX = tf.log\n",
         "def later(version):\n    \"\"\"Whether it is.\"\"\"\n    return tf.__version__ > version\n\n\n"
         "X = tf.math.log\n"),
        # tests that say on TensorFlow 2 what they said on 1.15
        ("if tf.__version__ < '1.0':\n    x = tf.pack([1])\nelse:\n    x = tf.stack([1])\n",
         "x = tf.stack([1])\n"),
        ("if 'concat_v2' in dir(tf):\n    x = tf.concat_v2([1], 0)\n"
         "else:\n    x = tf.concat([1], 0)\n",
         "x = tf.concat([1], 0)\n"),
        ("if int(tf.__version__.split('.')[1]) >= 4:\n    a = 1\nb = 2\n", "a = 1\nb = 2\n"),
        ("V = tuple(map(int, tf.__version__.split('.')))\nif V[:2] < (1, 3):\n    a = 1\nb = V\n",
         "V = tuple(map(int, tf.__version__.split('.')))\nb = V\n"),
        ("from distutils.version import LooseVersion as V\n"
         "if V(tf.__version__) >= V('1.4'):\n    x = tf.exp(1.)\n", None),
        ("import sys\nif sys.version_info[0] == 2:\n    x = 1\nelif sys.version_info[0] == 3:\n"
         "    x = tf.exp(2.)\n", "x = tf.exp(2.)\n"),
        ("import sys\nif b:\n    x = 1\nelif sys.version_info[0] == 3:\n    x = tf.exp(2.)\n", None),
        # and one that does not, where names tell which branch is the older one
        ("if hasattr(tf, 'log'):\n    x = tf.log(2.)\nelse:\n    x = tf.exp(2.)\n",
         "x = tf.math.log(2.)\n"),
        ("for i in x:\n    if not hasattr(tf, 'pack'):\n        pass\n", "for i in x:\n    pass\n"),
        ("for i in x:\n    if hasattr(tf, 'pack'):\n        tf.pack(i)\n", "for i in x:\n    pass\n"),
    ],
)  # fmt: skip
def test_what_did_not_run_goes(before: str, after: str | None) -> None:
    result = result_of(TF + before)
    if after is None:
        assert "except" not in (result.new_text or "") and "if " not in (result.new_text or "")
    else:
        assert result.new_text == ("" if re.search(r"\btf\b", before) and "tf." not in after else TF) + after
    assert not [f for f in result.findings if f.code in ("TF003", "TF151")]


@pytest.mark.parametrize(
    "guard",
    [
        "if tf.__version__ >= '2.0':\n    import tensorflow.compat.v1 as tf\n    tf.disable_v2_behavior()\n",
        "if tf.version.VERSION[0] == '2':\n    tf = tf.compat.v1\n    tf.disable_eager_execution()\n",
        "if tf.VERSION.startswith('1.'):\n    import tensorflow as tf\n"
        "else:\n    from tensorflow.compat import v1 as tf\n",
        "try:\n    import tensorflow.compat.v1 as tf\n    tf.disable_v2_behavior()\n"
        "except ImportError:\n    import tensorflow as tf\n",
    ],
)  # fmt: skip
def test_variants_that_both_go_on_as_tensorflow_1_are_one(guard: str) -> None:
    """Though TensorFlow 2 has another branch run than TensorFlow 1.15 did."""
    result = result_of(f"{TF}{guard}x = tf.log(2.)\n")
    assert result.new_text is not None and result.new_text.replace(TF, "") == "x = tf.math.log(2.)\n"
    assert result.findings == ()


def test_the_version_by_its_private_name() -> None:
    guard = "from tensorflow.python.framework.versions import VERSION\nif VERSION >= '2.0.0a0':\n"
    both = "    import tensorflow.compat.v1 as tf\nelse:\n    import tensorflow as tf\nx = tf.log(2.)\n"
    assert migrated(guard + both) == f"{TF}x = tf.math.log(2.)\n"


def test_two_variants_stay_and_the_one_of_1_15_runs() -> None:
    result = result_of(TF + "if tf.__version__.startswith('1.'):\n    a = 1\nelse:\n    a = 2\n")
    assert result.new_text == "if True:\n    a = 1\nelse:\n    a = 2\n"
    assert [f.code for f in result.findings] == ["TF151"]
    assert "else" not in migrated(TF + "if hasattr(tf, 'log'):\n    a = 1\nelse:\n    a = tf.pack\n")


@pytest.mark.parametrize(
    "text",
    [
        TF + "try:\n    x = load(tf.exp(1.))\nexcept AttributeError:\n    x = 2\n",  # does something
        TF + "try:\n    import cv2\nexcept ImportError:\n    cv2 = tf.exp\n",  # may be there
        "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\n",
        TF + "if hasattr(tf, name):\n    x = tf.exp(1.)\n",
        TF + "if x > '1.4':\n    y = tf.exp(1.)\n",
        TF + "try:\n    X = tf.exp\nexcept ValueError:\n    X = tf.sin\n",  # for something else
    ],
)
def test_what_is_not_known_stays(text: str) -> None:
    assert result_of(text).new_text is None


def test_a_name_that_a_handler_waits_for_is_no_stand_in() -> None:
    guard = "try:\n    X = tf.contrib.bayesflow.entropy\n    go()\nexcept AttributeError:\n    X = None\n"
    assert "missing" not in migrated(TF + guard)


def test_texts_over_several_lines_stay() -> None:
    guard = 'if tf.__version__ < "1.0":\n    x = """a\n  b"""\nelse:\n    x = """c\nd"""\n'
    text = TF + guard + "y = tf.log(1.)\n"
    assert '"""c\nd"""' in migrated(text) and "if tf" in migrated(text)


def test_what_others_ask_says_what_it_said_on_version_1() -> None:
    """A decorator or a condition of another module goes with the variant that is kept."""
    text = (TF + "IS_2 = int(tf.__version__.split('.')[0]) >= 2\nNEW = tf.__version__ > '1.1'\n\n\n"
            "def is_tf2():\n    \"\"\"Which it is.\"\"\"\n    return tf.__version__.startswith('2')\n\n\n"
            "def later(version):\n    return tf.__version__ > version\n")
    result = result_of(text)
    new = result.new_text or ""
    assert "IS_2 = False\nNEW = tf.__version__ > '1.1'\n" in new
    assert '    """Which it is."""\n    return False\n' in new
    assert "    return tf.__version__ > version\n" in new
    assert [(f.code, f.line) for f in result.findings] == [("TF151", 2), ("TF151", 8)]
    assert migrated(new) == new

"""Imports and aliases: rewritten where they bind, dropped when unused, never the user's own."""

from __future__ import annotations

import pytest

from tests.engine.helpers import migrate, new


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # tf_upgrade_v2 misses all of these
        ("import tensorflow as T\ny = T.log(x)\n", "import tensorflow as T\ny = T.math.log(x)\n"),
        ("from tensorflow import log\ny = log(x)\n",
         "from tensorflow.math import log\ny = log(x)\n"),
        ("import tensorflow.contrib.slim as slim\ny = slim.conv2d(x, 3)\n",
         "from tf1_support import slim\ny = slim.conv2d(x, 3)\n"),
        ("from tensorflow.contrib import slim\ny = slim.conv2d(x, 3)\n",
         "from tf1_support import slim\ny = slim.conv2d(x, 3)\n"),
        ("import tf_slim as slim\ny = slim.conv2d(x, 3)\n",
         "from tf1_support import slim\ny = slim.conv2d(x, 3)\n"),
        ("import tensorflow as tf\nslim = tf.contrib.slim\ny = slim.conv2d(x, 3)\n",
         "from tf1_support import slim\ny = slim.conv2d(x, 3)\n"),
        ("import tensorflow as tf\ncontrib_slim = tf.contrib.slim\ny = contrib_slim.conv2d(x, 3)\n",
         "from tf1_support import slim as contrib_slim\n"
         "y = contrib_slim.conv2d(x, 3)\n"),
        ("import tensorflow as tf\ny = tf.contrib.slim.conv2d(x, 3)\n",
         "from tf1_support import slim\ny = slim.conv2d(x, 3)\n"),
        ("import tensorflow.contrib.slim\ny = tensorflow.contrib.slim.conv2d(x, 3)\n",
         "from tf1_support import slim\ny = slim.conv2d(x, 3)\n"),
        # what TensorFlow 2 has under no public name
        ("import tensorflow as tf\ny = tf.contrib.framework.nest.flatten_up_to(x, z)\n",
         "from tensorflow.python.util import nest\ny = nest.flatten_up_to(x, z)\n"),
        # names that are taken
        ("import tensorflow as tf\ndef layers(): pass\ny = tf.layers.dense(x, 3)\n",
         "from tf1_support import layers as tf1_layers\n"
         "def layers(): pass\ny = tf1_layers.dense(x, 3)\n"),
        ("import tensorflow as tf\ndef f(layers):\n  return tf.layers.dense(layers, 3)\n",
         "from tf1_support import layers as tf1_layers\n"
         "def f(layers):\n  return tf1_layers.dense(layers, 3)\n"),
        # a parameter called tf is not TensorFlow
        ("import tensorflow as tf\ndef f(tf):\n  return tf.log(1)\n",
         "import tensorflow as tf\ndef f(tf):\n  return tf.log(1)\n"),
        ("import tensorflow as tf\nFLAGS = tf.app.flags.FLAGS\n",
         "from absl import flags\nFLAGS = flags.FLAGS\n"),
        ("import tensorflow as tf\nflags = tf.app.flags\nFLAGS = flags.FLAGS\nFLAGS.tf.log\n",
         "from absl import flags\nFLAGS = flags.FLAGS\nFLAGS.tf.log\n"),
        ("import tensorflow.compat.v1 as tf\ny = tf.log(x)\n",
         "import tensorflow as tf\ny = tf.math.log(x)\n"),
        ("from tensorflow.compat import v1 as tf\ny = tf.log(tf.Session())\n",
         "import tensorflow as tf\ny = tf.math.log(tf.compat.v1.Session())\n"),
        ("import tensorflow as tf\ny = tf.compat.v1.log(x), tf.compat.v1.nn.relu(x)\n",
         "import tensorflow as tf\ny = tf.math.log(x), tf.nn.relu(x)\n"),
        ("try:\n  import tensorflow.compat.v1 as tf\nexcept ImportError:\n  import tensorflow as tf\n"
         "y = tf.log(x)\n",
         "try:\n  import tensorflow as tf\nexcept ImportError:\n  import tensorflow as tf\n"
         "y = tf.math.log(x)\n"),
        ("def f(x):\n  import tensorflow as tf\n  return tf.to_float(x)\n",
         "def f(x):\n  import tensorflow as tf\n  return tf.cast(x, tf.float32)\n"),
        ("from tensorflow import to_float, nn\ny = nn.relu(to_float(x))\n",
         "from tensorflow import nn\nimport tensorflow as tf\n"
         "y = nn.relu(tf.cast(x, tf.float32))\n"),
        ("from tensorflow import *\ny = log(x)\n",
         "from tensorflow import *\nimport tensorflow as tf\ny = tf.math.log(x)\n"),
        ("import cPickle as pickle\npickle.load(f)\n", "import pickle\npickle.load(f)\n"),
        ("import os, cPickle\ncPickle.load(f)\n",
         "import os\nimport pickle as cPickle\ncPickle.load(f)\n"),
        ("try:\n  import Queue\nexcept ImportError:\n  import queue as Queue\nQueue.Queue()\n",
         "try:\n  import queue as Queue\nexcept ImportError:\n  import queue as Queue\nQueue.Queue()\n"),
        ("try:\n  from new import Net\nexcept ImportError:\n"
         "  from tensorflow.contrib import gone as Net\nNet()\n",
         "try:\n  from new import Net\nexcept ImportError:\n"
         "  from tensorflow.contrib import gone as Net\nNet()\n"),
        ("import tensorflow as tf\ntry:\n  conv = tf.contrib.slim.conv2d\nexcept:\n  conv = None\n"
         "import numpy as np\nx = np.ones(1)\n",
         "from tf1_support import slim\ntry:\n"
         "  conv = slim.conv2d\nexcept:\n  conv = None\n"
         "import numpy as np\nx = np.ones(1)\n"),
        ("import numpy as np\ny = np.float(1), np.float32(2)\n",
         "import numpy as np\ny = float(1), np.float32(2)\n"),
        ("from tensorflow.contrib import gone2\nimport os\n", "import os\n"),
        ("if x:\n  from tensorflow.contrib import gone2\n", "if x:\n  pass\n"),
        ("import unused, os as o\nimport tensorflow as tf\ny = tf.log(1)\n",
         "import unused, os as o\nimport tensorflow as tf\ny = tf.math.log(1)\n"),
        ("#!/usr/bin/python\n# Licence\n\n'''Doc.'''\nfrom __future__ import division\n"
         "from tensorflow.contrib import slim\nslim.conv2d(x, 1)\n",
         "#!/usr/bin/python\n# Licence\n\n'''Doc.'''\nfrom __future__ import division\n"
         "from tf1_support import slim\nslim.conv2d(x, 1)\n"),
    ],
)  # fmt: skip
def test_rewritten(before: str, after: str) -> None:
    assert new(before) == after


def test_alias_of_a_function_keeps_its_uses() -> None:
    text = "import tensorflow as tf\nlg = tf.log\ny = lg(x)\n"
    assert new(text) == text.replace("tf.log", "tf.math.log")


def test_a_name_bound_to_different_things_is_left_alone() -> None:
    text = "import tensorflow as tf\nop = tf.log\nif a:\n  op = tf.nn.relu\ny = op(x)\n"
    assert new(text) == text.replace("tf.log", "tf.math.log")


def test_star_imports_are_said() -> None:
    codes = [f.code for f in migrate("from tensorflow import *\ny = log(x)\n").findings]
    assert codes == ["TF004"]


def test_support_symbols_are_listed() -> None:
    text = "from tensorflow.contrib import slim\nwith slim.arg_scope([slim.conv2d]): pass\n"
    result = migrate(text)
    assert result.support == {"slim.arg_scope", "slim.conv2d"}
    assert migrate(str(result.new_text)).support == result.support

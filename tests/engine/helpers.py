"""A small rule set of the tests' own, so that they do not change with the shipped packs."""

from __future__ import annotations

import functools
import json
import tempfile
from pathlib import Path

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.registry import Transform
from migrator.engine.ruleset import RuleSet, build_ruleset
from migrator.model import FileResult

PACK = """
[renames]
"tf.log" = "tf.math.log"
"tf.app.flags" = "absl.flags"
"tf.contrib.framework.nest.flatten_up_to" = "tensorflow.python.util.nest.flatten_up_to"
"tf.train.SessionRunHook" = "tf.estimator.SessionRunHook"
"np.float" = "float"
"cPickle" = "pickle"
"Queue" = "queue"
[support]
"tf.contrib.slim.conv2d" = "slim.conv2d"
"tf.contrib.slim.arg_scope" = "slim.arg_scope"
"tf.layers.dense" = "layers.dense"
[manual]
"tf.contrib.bayesflow" = "Use TensorFlow Probability."
[[rule]]
code = "TF110"
title = "tf.to_float is tf.cast to float32"
why = "removed"
match = "tf.to_float(x, name=name)"
rewrite = "tf.cast(x, tf.float32, name=name)"
[[rule]]
code = "TF111"
title = "keep_dims is keepdims"
why = "renamed"
match = "tf.reduce_sum(input_tensor, axis, keep_dims=keep_dims, name=name)"
rewrite = "tf.reduce_sum(input_tensor, axis=axis, keepdims=keep_dims, name=name)"
[[rule]]
code = "TF112"
title = "dropout takes the rate of what is dropped"
why = "keep_prob was removed"
match = "tf.nn.dropout(x, keep_prob, name=name)"
rewrite = "tf.nn.dropout(x, rate=1 - keep_prob, name=name)"
[[rule]]
code = "TF113"
title = "eager execution is always on"
why = "TF 2"
match = "tf.enable_eager_execution()"
delete = true
[[rule]]
code = "TF114"
title = "arguments change places"
why = "order"
match = "tf.swap(a, b)"
rewrite = "tf.swapped(b, a)"
[[rule]]
code = "TF115"
title = "a float division"
why = "an operator"
match = "tf.div2(x, y)"
rewrite = "x / y"
[[rule]]
code = "TF116"
title = "looks at a literal"
why = "literal"
match = "tf.resize(images, size, align_corners=True)"
rewrite = "tf1_support.image.resize(images, size)"
[[rule]]
code = "TF117"
title = "never automatic"
why = "x"
match = "tf.contrib.training.train(op, logdir)"
finding = "this loop is not rewritten"
advice = "Write the loop."
[[rule]]
code = "TF118"
title = "variadic"
why = "x"
match = "tf.join(*inputs, name=name)"
rewrite = "tf.joined([*inputs], name=name)"
[[rule]]
code = "PY205"
title = "xrange is range"
why = "Python 3"
match = "xrange(*args)"
rewrite = "range(*args)"
"""
TF1 = {
    "tensorflow.to_float": "(x, name='ToFloat')",
    "tensorflow.reduce_sum": "(input_tensor, axis=None, keepdims=None, name=None, "
    "reduction_indices=None, keep_dims=None)",
    "tensorflow.nn.dropout": "(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None)",
    "tensorflow.enable_eager_execution": "(config=None)",
    "tensorflow.swap": "(a, b)",
    "tensorflow.div2": "(x, y)",
    "tensorflow.resize": "(images, size, align_corners=False, name=None)",
    "tensorflow.join": "(*inputs, name=None)",
    "tensorflow.Session": {"kind": "class"},
    "tensorflow.Session.run": "(fetches, feed_dict=None)",
    "tensorflow.contrib.training.train": "(op, logdir)",
    "tensorflow.contrib.slim.conv2d": "(inputs, num_outputs)",
    "tensorflow.contrib.gone": "(x)",
    "tensorflow.GraphDef": {"kind": "class"},
}
TF2 = {
    "tensorflow.math.log": "(x, name=None)",
    "tensorflow.cast": "(x, dtype, name=None)",
    "tensorflow.reduce_sum": "(input_tensor, axis=None, keepdims=False, name=None)",
    "tensorflow.nn.dropout": "(x, rate, noise_shape=None, seed=None, name=None)",
    "tensorflow.nn.relu": "(features, name=None)",
    "tensorflow.constant": "(value, dtype=None, shape=None, name='Const')",
    "tensorflow.float32": {"kind": "constant"},
    "tensorflow.swapped": "(b, a)",
    "tensorflow.joined": "(values, name=None)",
    "tensorflow.estimator.SessionRunHook": {"kind": "class"},
    "tensorflow.compat.v1.Session": {"kind": "class"},
    "tensorflow.compat.v1.GraphDef": {"kind": "class"},
    "tensorflow.keras.layers.Dense": {"kind": "class", "sig": "(units)"},
}


def write_rules(folder: Path, pack: str = PACK) -> Path:
    """A rules directory with the test pack and the two snapshots."""
    (folder / "api").mkdir(parents=True, exist_ok=True)
    (folder / "pack.toml").write_text(pack, encoding="utf-8")
    for version, symbols in (("tf1.15", TF1), ("tf2.21", TF2)):
        text = json.dumps({"symbols": symbols, "aliases": {}})
        (folder / "api" / f"{version}.json").write_text(text, encoding="utf-8")
    return folder


@functools.cache
def rules() -> RuleSet:
    """The test rule set."""
    with tempfile.TemporaryDirectory() as folder:
        return build_ruleset(write_rules(Path(folder)))


def with_transforms(*transforms: Transform) -> RuleSet:
    """The test rule set with structural transforms."""
    with tempfile.TemporaryDirectory() as folder:
        return build_ruleset(write_rules(Path(folder)), transforms=list(transforms))


def migrate(
    text: str,
    options: Options | None = None,
    registry: RuleSet | None = None,
    index: ProjectIndex | None = None,
) -> FileResult:
    """One file through the engine."""
    return migrate_text(
        "a.py", text, index or ProjectIndex(), options or Options(), registry or rules()
    )


def new(text: str) -> str:
    """The new text (the old one where nothing changed); checked to be a fixed point."""
    result = migrate(text)
    assert not result.error, result.error
    after = text if result.new_text is None else result.new_text
    again = migrate(after)
    assert again.new_text is None, again.new_text
    return after

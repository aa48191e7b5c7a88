"""What means something else on TensorFlow 2 is told; what means the same is not."""

from __future__ import annotations

import subprocess
import sys

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from tests.transforms.texts import RULES

GRAPH = 'import tensorflow as tf\nx = tf.placeholder(tf.float32, [3], name="x")\n'


def found(text: str, code: str) -> list[int]:
    result = migrate_text("a.py", text, ProjectIndex(), Options(), RULES)
    return [item.line for item in result.findings if item.code == code]


@pytest.mark.parametrize(
    "body",
    [
        "n = len(tf.get_default_graph().get_operations())",
        "names = [o.name for o in x.graph.get_operations()]",
        "with tf.Session() as s:\n    n = s.graph.get_operations()\n    print(s.run(x, {x: n}))",
    ],
)
def test_the_operations_of_a_graph_that_is_built_are_other_ones(body: str) -> None:
    line = 3 + body[: body.index("get_operations")].count("\n")
    assert found(GRAPH + body + "\n", "TF308") == [line]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("print(len(tf.get_default_graph().as_graph_def().node))", True),
        ("d = x.graph.as_graph_def()\nnames = [n.name for n in d.node]", True),
        ("with tf.Session() as s:\n    d = s.graph_def\n    print(d.node, s.run(x, {x: [1.0]}))", True),
        ("with tf.Session() as s:\n    d = x.graph.as_graph_def()\n"
         "    d = tf.graph_util.convert_variables_to_constants(s, d, ['x'])\n    print(len(d.node))", True),
        ("d = x.graph.as_graph_def()\nprint(tree.node, len(d.library.function))", False),
    ],
)  # fmt: skip
def test_the_nodes_of_a_graph_that_is_built_are_other_ones(body: str, told: bool) -> None:
    line = 3 + body[: body.index(".node")].count("\n")
    assert found(GRAPH + body + "\n", "TF308") == [line] * told


def test_a_graph_that_is_loaded_has_the_operations_that_it_had() -> None:
    text = """import tensorflow as tf
graph_def = tf.GraphDef()
with open("m.pb", "rb") as f:
    graph_def.ParseFromString(f.read())
with tf.Graph().as_default() as graph:
    tf.import_graph_def(graph_def, name="")
    names = [o.name for o in graph.get_operations()]
    nodes = [n.name for n in graph.as_graph_def().node]
    with tf.Session() as s:
        print(s.run("y:0", {"x:0": [1.0]}))
"""
    assert found(text, "TF308") == []


MODEL = """import tensorflow as tf
def model_fn(features, labels, mode):
    h = tf.keras.layers.BatchNormalization()(features, training=mode == "train")
    loss = tf.losses.mean_squared_error(labels, tf.layers.dense(h, 1))
    train = tf.train.AdamOptimizer().minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op={})
"""


def test_updates_of_a_keras_layer_that_nobody_ran() -> None:
    # TensorFlow 1.15.5 leaves batch_normalization/moving_mean at 0 in all steps of MODEL
    assert found(MODEL.format("train"), "TF309") == [3]
    run = "tf.group(train, *tf.keras.Model(features, h).updates)"
    assert found(MODEL.format(run), "TF309") == []


HELD = """import tensorflow as tf
tf.enable_eager_execution()
class Net({}):
    def __init__(self):
        super(Net, self).__init__()
        self.held = {}
net = Net()
{}
"""


@pytest.mark.parametrize(
    ("base", "held", "asked", "line"),
    [
        ("tf.keras.Model", "tf.Variable(1.0)", "net.variables", [6]),
        ("tf.keras.layers.Layer", "tf.contrib.eager.Variable(1.0)", "net.trainable_weights", [6]),
        ("tf.keras.Model", "tf.layers.Dense(3)", "net.save_weights('w')", [6]),
        ("tf.keras.Model", "tf.keras.layers.Dense(3)", "net.variables", []),
        ("tf.keras.Model", "tf.Variable(1.0)", "tf.trainable_variables()", []),
        ("object", "tf.Variable(1.0)", "net.variables", []),
    ],
)
def test_what_keras_does_not_list(base: str, held: str, asked: str, line: list[int]) -> None:
    # TensorFlow 1.15.5 lists it in net.variables for those that have a line, Keras 3.15 does not
    assert found(HELD.format(base, held, asked), "TF313") == line


FED = """import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
train = tf.placeholder_with_default(False, [])
def net(x, training):
    return {}
y = net(x, {})
"""


@pytest.mark.parametrize(
    ("layer", "given", "line"),
    [
        ("tf.keras.layers.Dropout(0.5)(x, training=training)", "train", [5]),
        ("tf.keras.layers.BatchNormalization()(x, training=train)", "True", [5]),
        ("tf.keras.layers.Dropout(0.5)(x, training=training)", "training=train", [5]),
        ("tf.keras.layers.Dropout(0.5)(x, training=training)", "True", []),
        ("tf.layers.dropout(x, training=training)", "train", []),
        ("drop(x, training=training)\ndrop = tf.keras.layers.Dropout(0.5)", "train", [5]),
    ],
)
def test_keras_layers_are_not_fed_whether_they_train(layer: str, given: str, line: list[int]) -> None:
    # Keras 3.15: OperatorNotAllowedInGraphError for those that have a line
    assert found(FED.format(layer, given), "TF311") == line


@pytest.mark.parametrize("head", ["import random\nrandom.seed(3)\n", "from random import seed\nseed(3)\n"])
def test_a_seed_before_the_import_is_told(head: str) -> None:
    assert found(f"{head}{GRAPH}", "PY235") == [2]


@pytest.mark.parametrize(
    "text",
    [
        f"import random\n{GRAPH}random.seed(3)\n",
        f"import numpy as np\nnp.random.seed(3)\n{GRAPH}",
        f"import random\ndef main():\n    random.seed(3)\n{GRAPH}",
    ],
)
def test_other_seeds_are_not(text: str) -> None:
    assert found(text, "PY235") == []


def test_the_import_draws_from_pythons_random_numbers() -> None:
    """If this ends, PY235 can go."""
    drawn = "import random; random.seed(1); {}; print(random.random())"

    def printed(what: str) -> bytes:
        return subprocess.check_output([sys.executable, "-c", drawn.format(what)])

    assert printed("pass") != printed("import tensorflow")


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("tf.nn.top_k(x, k=2, sorted=False).values", True),
        ("tf.math.top_k(x, 2, False)[0]", True),
        ("tf.nn.top_k(x, n, sorted=quick)[1]", True),
        ("tf.nn.top_k(x, 2)[0]", False),
        ("tf.nn.top_k(x, k=2, sorted=True)[0]", False),
        ("tf.nn.top_k(x, k=1, sorted=False)[0]", False),
        ("model.top_k(x, k=2, sorted=False)[0]", False),
    ],
)
def test_the_largest_values_without_an_order_are_told(call: str, told: bool) -> None:
    assert found(f"{GRAPH}y = {call}\n", "TF152") == [3] * told


def test_the_kernel_finds_the_largest_values_in_another_order() -> None:
    """If this ends, TF152 can go: TensorFlow 1.15.5 gave [7, 8, 9]."""
    import tensorflow as tf

    values = tf.math.top_k(tf.constant([3.0, 9.0, 1.0, 7.0, 5.0, 8.0]), 3, sorted=False).values
    assert sorted(values.numpy()) == [7, 8, 9] and list(values.numpy()) != [7, 8, 9]


BOXES = "tf.constant([[i, 0.0, i + 0.5, 1.0] for i in range(8)])"


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (f"tf.image.non_max_suppression({BOXES}, scores, 8)", True),
        (f"tf.image.non_max_suppression_with_scores({BOXES}, scores, 8)[0]", True),
        (f"model.non_max_suppression({BOXES}, scores, 8)", False),
    ],
)
def test_boxes_of_equal_scores_are_told(call: str, told: bool) -> None:
    assert found(f"{GRAPH}scores = tf.fill([8], 0.5)\ny = {call}\n", "TF155") == [4] * told


def test_the_kernel_takes_boxes_of_equal_scores_in_another_order() -> None:
    """If this ends, TF155 can go: TensorFlow 1.15.5 gave [0, 2, 6, 7, 5, 4, 3, 1]."""
    import tensorflow as tf

    boxes = tf.constant([[i, 0.0, i + 0.5, 1.0] for i in range(8)])
    kept = tf.image.non_max_suppression(boxes, tf.fill([8], 0.5), 8)
    assert sorted(kept.numpy()) == list(range(8)) and list(kept.numpy()) != [0, 2, 6, 7, 5, 4, 3, 1]


def test_a_model_of_one_replica_is_told() -> None:
    made = "model = tf.contrib.estimator.replicate_model_fn(model_fn)\nother = mine.replicate_model_fn(2)\n"
    assert found(GRAPH + made, "TF406") == [3]


@pytest.mark.parametrize(
    ("made", "lines"),
    [
        ("tf.RunOptions(timeout_in_ms=60000)", [4]), ("tf.RunOptions(trace_level=3)", []),
        ("mine.RunOptions(timeout_in_ms=60000)", []),
    ],
)
def test_a_run_that_was_to_end_is_told(made: str, lines: list[int]) -> None:
    text = f"{GRAPH}x = tf.zeros([])\noptions = {made}\nprint(tf.Session().run(x, options=options))\n"
    assert found(text, "TF306") == lines


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("right = tf.metrics.accuracy(y, x)\n    tf.identity(right[1], name='train')\n"
         "    tf.summary.scalar('train', right[1])", [4]),
        ("_, update = tf.metrics.mean(x)\n    tf.summary.scalar('train', update)", [4]),
        ("right = tf.metrics.accuracy(y, x)\n    tf.summary.scalar('loss', x)", []),
        ("right = tf.metrics.accuracy(y, x)\n    tf.summary.scalar('train', right[0])", []),
    ],
)
def test_a_metric_that_is_logged_while_an_estimator_trains(body: str, lines: list[int]) -> None:
    text = (f"import tensorflow as tf\ndef model_fn(x, y, mode):\n    {body}\n"
            "    return tf.estimator.EstimatorSpec(mode, loss=x)\n")  # fmt: skip
    assert found(text, "TF312") == lines


STEPS = """import tensorflow as tf
def train(loss, rate):
    step = tf.train.get_or_create_global_step()
    rate = tf.train.polynomial_decay(rate, step, 8, end_learning_rate=0.0)
    optimizer = tf.train.GradientDescentOptimizer(rate)
    update = optimizer.apply_gradients(optimizer.compute_gradients(loss))
    {}
"""


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("next_step = step + 1\n    return tf.group(update, [step.assign(next_step)])", 8),
        ("counted = tf.assign(step, step + 1)\n    with tf.control_dependencies([update, counted]):\n"
         "        return tf.no_op()", 7),
        ("with tf.control_dependencies([update]):\n        counted = step.assign(step + 1)\n"
         "    return tf.group(update, counted)", 0),
        ("other = tf.Variable(0)\n    return tf.group(update, other.assign(other + 1))", 0),
        ("return tf.group(update, tf.assign_add(step, 1))", 7),
    ],
)  # fmt: skip
def test_steps_counted_beside_an_update_that_goes_by_them(body: str, line: int) -> None:
    # on TensorFlow 1.15.5, 36 of 54 steps of such a program read the number that was counted (assign), and
    # 52 of 72 (assign_add)
    assert found(STEPS.format(body), "TF310") == [line] * bool(line)


BY_HAND = """import tensorflow as tf
def updates_of(params, grads, rate):
    updates = []
    t = tf.Variable(1.)
    for p, g in zip(params, grads):
        m = tf.Variable(tf.zeros(p.get_shape()))
        m_t = 0.9 * m + 0.1 * g
        p_t = p - rate * m_t{}
        updates.append(m.assign(m_t))
        updates.append(p.assign(p_t))
    updates.append({})
    return tf.group(*updates)
"""


@pytest.mark.parametrize(("use", "count", "lines"), [
    (" / (1. - tf.pow(0.9, t))", "t.assign_add(1.)", [11]),
    (" / (1. - tf.pow(0.9, t))", "tf.assign_add(t, 1.)", [11]),
    ("", "t.assign_add(1.)", []),
])  # fmt: skip
def test_a_counter_beside_updates_that_are_written_by_hand(use: str, count: str, lines: list[int]) -> None:
    # of 20 updates of such a program on TensorFlow 1.15.5, 18, 4, 0, 8, 13 and 0 read it before (resources)
    assert found(BY_HAND.format(use, count), "TF310") == lines


@pytest.mark.parametrize(
    ("version", "told"),
    [("1", True), ("tf.train.SaverDef.V1", True), ("2", False), ("tf.train.SaverDef.V2", False)],
)
def test_checkpoints_in_the_first_format(version: str, told: bool) -> None:
    text = f"def f(sess, v):\n    saver = tf.train.Saver(v, write_version={version})\n    {{}}(sess, 'm')\n"
    assert found(f"import tensorflow as tf\n{text.format('saver.save')}", "TF602") == [3] * told
    assert found(f"import tensorflow as tf\n{text.format('saver.restore')}", "TF602") == []


@pytest.mark.parametrize(("given", "told"), [("saver_def=d", True), ("saver_def=None", False), ("d", False)])
def test_savers_of_a_definition(given: str, told: bool) -> None:
    text = f"import tensorflow as tf\ndef f(d, path):\n    tf.train.Saver({given}).restore(None, path)\n"
    assert found(text + "# saver_def\n", "TF602") == [3] * told


MOVED = """import tensorflow as tf
from tensorflow.python.training import moving_averages
def bn(x, average):
    update = moving_averages.assign_moving_average(average, tf.reduce_mean(x, keep_dims=True), 0.9)
    tf.add_to_collection("updates", update)
    return x - average
"""


def test_an_average_that_moves_at_each_call_is_told() -> None:
    assert found(MOVED, "TF153") == [4]
    assert found(MOVED.replace("tensorflow.python.training", "mine"), "TF153") == []


@pytest.mark.parametrize(("body", "told"), [
    ("loss = tf.log(tf.nn.sigmoid(x))", True),
    ("loss = -tf.reduce_mean(tf.log(tf.sigmoid(x - 1.) + 1e-14))", True),
    ("tiny = 1e-12\np = tf.nn.sigmoid(x)\nloss = tf.log(p + tiny)", True),
    ("loss = tf.log(1e-3 + tf.sigmoid(x))", False),
    ("large = 1e-4\nloss = tf.log(tf.sigmoid(x) + large)", False),
    ("p = tf.nn.sigmoid(x)\nloss = tf.log(1. - p) + tf.log(x)", False),
])  # fmt: skip
def test_logarithms_of_sigmoids(body: str, told: bool) -> None:
    assert bool(found(GRAPH + body + "\n", "TF154")) == told


@pytest.mark.parametrize(("config", "lines"), [
    ("tf.ConfigProto(log_device_placement=True)", [3]),
    ("tf.ConfigProto()\nconfig.log_device_placement = True", [4]),
    ("tf.ConfigProto(log_device_placement=False)", []),
    ("tf.ConfigProto(log_device_placement=FLAGS.log)", []),
])  # fmt: skip
def test_where_operations_are_placed_is_logged_in_other_words(config: str, lines: list[int]) -> None:
    run = "with tf.Session(config=config) as s:\n    print(s.run(x, {x: [1.0] * 3}))\n"
    text = f"{GRAPH}config = {config}\n{run}"
    assert found(text, "TF404") == lines


def test_devices_that_a_test_compares() -> None:
    text = """import tensorflow as tf
class T(tf.test.TestCase):
    def test(self):
        with tf.Graph().as_default() as g, tf.device("/cpu:0"):
            v = tf.get_variable("v", [])
            self.assertDeviceEqual(v.device, "/cpu:0")
            self.assertDeviceEqual(of(g), "")
"""
    assert found(text, "TF405") == [6]


TWO_NORMS = """\
import tensorflow as tf


def norm(x, training, name):
    one = tf.contrib.layers.batch_norm(x, updates_collections=None, is_training=True, scope=name)
    two = tf.contrib.layers.batch_norm(x, updates_collections=None, is_training=False, reuse=True, scope=name)
    return tf.cond(CONDITION, lambda: one, lambda: two)


def build(x, mode):
    return norm(x, GIVEN, 'bn')
"""


@pytest.mark.parametrize(
    ("condition", "given", "told"),
    [
        ("tf.cast(training, tf.bool)", "mode == 'train'", True),
        ("tf.constant(training)", "True", True),
        ("tf.cast(training, tf.bool)", "tf.placeholder(tf.bool)", False),
        ("training", "mode", False),  # a bool of Python is refused: it is a tensor
    ],
)
def test_a_norm_ahead_of_a_choice_updates_where_the_other_branch_is_taken(
    condition: str, given: str, told: bool
) -> None:
    text = TWO_NORMS.replace("CONDITION", condition).replace("GIVEN", given)
    assert found(text, "TF314") == [7] * told
    assert not found(text.replace("updates_collections=None, is_training=True", "is_training=True"), "TF314")


@pytest.mark.parametrize(
    ("layers", "freezes", "told"),
    [
        ("BatchNormalization", "for layer in model.layers[:20]: layer.trainable = False", [4]),
        ("BatchNormalization", "model.get_layer('b').trainable = name in frozen", [4]),
        ("BatchNormalization", "model.trainable = True", []),
        ("Dense", "model.trainable = False", []),
    ],
)  # fmt: skip
def test_batch_normalizations_that_are_frozen(layers: str, freezes: str, told: list[int]) -> None:
    text = f"from keras import models, layers\nmodel = models.Sequential()\nmodel.add(layers.{layers}())\n"
    assert found(f"{text}{freezes}\n", "TF315") == told
    assert found(f"{text}{freezes}\nmodel.save_weights(path)\n", "TF315") == told


@pytest.mark.parametrize(
    ("module", "use", "told"),
    [("keras", "model.fit(x)", [2]), ("keras", "f(x)", []), ("tensorflow.keras", "model.fit(x)", [])],
)  # fmt: skip
def test_moving_averages_of_keras_2(module: str, use: str, told: list[int]) -> None:
    made = "x = BatchNormalization()(x)\n"
    assert found(f"from {module}.layers import BatchNormalization\n{made}{made}{use}\n", "TF316") == told


@pytest.mark.parametrize(
    ("switch", "first", "told"),
    [("enable_resource_variables", "a", [9]), ("enable_v2_behavior", "a", [9]), ("no_op", "a", []),
     ("enable_resource_variables", "x", [])],
)  # fmt: skip
def test_gradients_behind_updates_of_resource_variables(switch: str, first: str, told: list[int]) -> None:
    text = f"""import tensorflow as tf
tf.{switch}()
x = tf.placeholder(tf.float32, [2])
v = tf.get_variable('v', [2])
w = tf.get_variable('w', [2])
y = x * v * w
rate = tf.train.AdamOptimizer()
a = rate.minimize(tf.reduce_sum(y), var_list=[v])
with tf.control_dependencies([{first}]):
    b = rate.minimize(tf.reduce_sum(y), var_list=[w])
session = tf.Session()
session.run(tf.global_variables_initializer())
print(session.run(b, {{x: [1, 2]}}), session.graph)
"""
    assert found(text, "TF317") == told


@pytest.mark.parametrize(("made", "told"), [("", [5]), ("tf.enable_resource_variables()\n", [])])
def test_gradients_behind_updates_of_estimators(made: str, told: list[int]) -> None:
    text = f"""import tensorflow as tf
def model(features, labels, mode):
    loss, other, rate = network(features, labels)
    first = rate.minimize(loss)
    with tf.control_dependencies([first]):
        second = rate.minimize(other)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=second)
{made}tf.estimator.Estimator(model).train(lambda: data)
"""
    assert found(text, "TF317") == told


@pytest.mark.parametrize(
    ("second", "fetched", "told"),
    [
        ("other.minimize(-loss, var_list=w)", "[a, b, loss]", [11]),
        ("other.minimize(-loss, var_list=w)", "[tf.group(a, b), loss]", [11]),
        ("other.minimize(-loss, var_list=w)", "[a, loss]", []),
        ("other.minimize(-loss, var_list=v)", "[a, b]", []),
        ("other.minimize(-loss)", "[a, b]", []),
        ("other.minimize(tf.reduce_sum(x * w), var_list=w)", "[a, b]", []),
        ("other.apply_gradients(other.compute_gradients(-loss, w))", "[a, b]", [11]),
    ],
)
def test_updates_of_one_run_that_follow_from_the_same_layers(
        second: str, fetched: str, told: list[int]) -> None:
    text = f"""import tensorflow as tf
x = tf.placeholder(tf.float32, [2])
v = tf.get_variable('v', [2])
w = tf.get_variable('w', [2])
y = tf.tanh(x * v)
loss = tf.reduce_sum(y * w)
rate, other = tf.train.AdamOptimizer(), tf.train.AdamOptimizer()
a = rate.minimize(loss, var_list=v)
b = {second}
session = tf.Session()
session.run({fetched}, {{x: [1, 2]}})
"""
    assert found(text, "TF310") == told


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("x = tf.zeros([2], tf.float64)\ny = tf.keras.layers.Dense(2)(x)\nz = tf.keras.layers.Dense(3)(y)\n",
         [3]),
        ("class Plain(tf.keras.layers.Layer):\n  def call(self, x):\n    return x + tf.cast(1, tf.half)\n",
         [2]),
        ("class Typed(tf.keras.Model):\n  def __init__(self):\n    super().__init__(dtype=tf.float64)\n", []),
        ("x = tf.zeros([2], tf.float64)\ny = tf.keras.layers.Dense(2, dtype='float64')(x)\n", []),
        ("tf.keras.backend.set_floatx('float64')\nx = tf.zeros([2], tf.float64)\n"
         "y = tf.keras.layers.Dense(2)(x)\n", []),
        ("x = tf.keras.layers.Input([2], dtype=tf.float32)\ny = tf.keras.layers.Dense(2)(x)\n", []),
        ("x = tf.layers.dense(tf.zeros([2, 2], tf.float64), 2)\n", []),
    ],
)  # fmt: skip
def test_layers_of_keras_whose_inputs_are_cast(body: str, lines: list[int]) -> None:
    assert found("import tensorflow as tf\n" + body, "TF318") == lines


@pytest.mark.parametrize(
    ("expected", "lines"),
    [("[[0, 1], [1, 0]]", [6]), ("[.1, .7]", [6]), (".25", [6]), ("[2]", []), ("[2, 3]", []), ("y", [])],
)
def test_numbers_that_a_test_expects_of_a_seed(expected: str, lines: list[int]) -> None:
    text = ("import tensorflow as tf\n\n\nclass DrawnTest(tf.test.TestCase):\n  def testDrawn(self):\n"
            "    tf.set_random_seed(1)\n    with self.test_session() as sess:\n"
            f"      y = tf.random_normal([2])\n      self.assertAllClose(sess.run(y), {expected})\n")
    assert found(text, "TF319") == lines


@pytest.mark.parametrize(("line", "told"), [
    ("from keras.callbacks import TensorBoard\nc = TensorBoard(log_dir='l')\n", [2]),
    ("import tensorflow as tf\nc = [tf.keras.callbacks.TensorBoard('l')]\n", [2]),
    ("from tensorflow import keras\nc = keras.callbacks.TensorBoard('l')\n", [2]),
    ("import tensorflow as tf\nfrom boards import TensorBoard\nc = TensorBoard('l')\n", []),
])  # fmt: skip
def test_events_of_keras(line: str, told: list[int]) -> None:
    assert found(line, "TF323") == told

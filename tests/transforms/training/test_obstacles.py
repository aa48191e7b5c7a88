"""Programs that must not be rewritten, and what is said about them."""

from __future__ import annotations

import ast
import re

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine.context import FileContext
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset
from migrator.model import Rung
from migrator.transforms.session import SessionPrograms

HEAD = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.zeros([2, 1]))
y = tf.matmul(x, w)
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y))
"""

BY_HANDLE = """\
data = tf.data.Dataset.from_tensors([[1.0, 2.0]])
first, second = data.make_one_shot_iterator(), data.make_one_shot_iterator()
handle = tf.placeholder(tf.string, [])
row = tf.data.Iterator.from_string_handle(handle, data.output_types, data.output_shapes).get_next()
z = tf.matmul(row, w)
"""

OBSTACLES = {
    "opaque feed": (
        "with tf.Session() as sess:\n    sess.run(y, feed_dict=dict(zip([x], [np.ones((1, 2))])))",
        "not a dict literal",
    ),
    "feed from elsewhere": (
        "def go(feed):\n    with tf.Session() as sess:\n        return sess.run(y, feed_dict=feed)",
        "comes from elsewhere",
    ),
    "fetch through a parameter": (
        "def go(fetch):\n    with tf.Session() as sess:\n"
        "        return sess.run(fetch, feed_dict={x: np.ones((1, 2))})",
        "cannot be told",
    ),
    "tensor by name": (
        "with tf.Session() as sess:\n    sess.run('MatMul:0', feed_dict={x: np.ones((1, 2))})",
        "by its name",
    ),
    "tensor asked for by name": (
        "z = tf.get_default_graph().get_tensor_by_name('MatMul:0')\n"
        "with tf.Session() as sess:\n    value = sess.run([y, z], feed_dict={x: np.ones((1, 2))})",
        "is asked for what is in it by name",
    ),
    "fed tensor asked for by name": (
        "z = tf.get_default_graph().get_tensor_by_name('MatMul:0')\n"
        "with tf.Session() as sess:\n    value = sess.run(y * 2, feed_dict={x: np.ones((1, 2)), z: 1})",
        "is asked for what is in it by name",
    ),
    "update made in the run of a loop": (
        "v = tf.Variable(tf.zeros([2]))\nwith tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    for number, variable in enumerate(tf.global_variables()):\n"
        "        sess.run(variable.assign(variable * 0.5 + number))",
        "is made where it is run",
    ),
    "restore before a later layer": (
        "def load():\n"
        "    with tf.Graph().as_default(), tf.Session() as sess:\n"
        "        p = tf.placeholder(tf.float32, [1, 2])\n"
        "        h = tf.layers.dense(p, 2)\n"
        "        tf.train.Saver().restore(sess, 'model.ckpt')\n"
        "        z = tf.layers.dense(h, 2)\n"
        "        return sess.run(z, feed_dict={p: np.ones((1, 2))})",
        "before the graph is complete",
    ),
    "layers of Keras": (
        "h = tf.keras.layers.Dense(3)(x)\nwith tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    value = sess.run(h, feed_dict={x: np.ones((1, 2))})",
        "makes Keras layers",
    ),
    "a model of Keras made by a function": (
        "def net(images):\n    model = tf.keras.Sequential([tf.keras.layers.Dense(3)])\n"
        "    return model(images)\n\n"
        "h = net(x)\nwith tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    value = sess.run(h, feed_dict={x: np.ones((1, 2))})",
        "makes Keras layers",
    ),
    "unfed placeholder": (
        "with tf.Session() as sess:\n    value = sess.run(y)",
        "does not feed",
    ),
    "session passed on": (
        "def go(evaluate):\n    with tf.Session() as sess:\n        evaluate(sess)\n"
        "        return sess.run(y, feed_dict={x: np.ones((1, 2))})",
        "session is passed",
    ),
    "graph grows in a loop": (
        "with tf.Session() as sess:\n    for i in range(3):\n        z = y * i\n"
        "        value = sess.run(z, feed_dict={x: np.ones((1, 2))})",
        "grows inside a loop",
    ),
    "run metadata": (
        "with tf.Session() as sess:\n    value = sess.run(y, feed_dict={x: np.ones((1, 2))},\n"
        "                     run_metadata=tf.RunMetadata())",
        "RunMetadata",
    ),
    "helper that makes placeholders": (
        "def build():\n    x = tf.placeholder(tf.float32, [None, 2])\n"
        "    return x, tf.matmul(x, w)\n\n\ninputs, outputs = build()\nothers = build()\n"
        "with tf.Session() as sess:\n"
        "    value = sess.run(outputs, feed_dict={inputs: np.ones((1, 2))})",
        "makes placeholders of its own",
    ),
    "helper that makes the training op": (
        "def step_of(loss):\n    return tf.train.AdamOptimizer(0.1).minimize(loss)\n\n\n"
        "step = step_of(tf.reduce_sum(y))\nother = step_of(tf.reduce_max(y))\nwith tf.Session() as sess:\n"
        "    sess.run(step, feed_dict={x: np.ones((1, 2))})",
        "makes the training op",
    ),
    "initialised again": (
        "with tf.Session() as sess:\n    for i in range(3):\n"
        "        sess.run(tf.global_variables_initializer())\n"
        "        sess.run(train_op, feed_dict={x: np.ones((1, 2))})",
        "initialised again",
    ),
    "input queue": (
        "row = tf.train.batch([tf.constant([1.0, 2.0])], 4)\nz = tf.matmul(row, w)\n"
        "with tf.Session() as sess:\n    tf.train.start_queue_runners(sess)\n"
        "    value = sess.run(z)",
        "comes from queues",
    ),
    "input queue in a helper": (
        "def rows():\n    return tf.train.batch([tf.constant([1.0, 2.0])], 4)\n\n\n"
        "z = tf.matmul(rows(), w)\nwith tf.Session() as sess:\n"
        "    tf.train.start_queue_runners(sess)\n    value = sess.run(z)",
        "comes from queues",
    ),
    "iterator in a helper": (
        "def rows(scale):\n    data = tf.data.Dataset.from_tensors([[1.0, 2.0]])\n"
        "    row = data.make_one_shot_iterator().get_next()\n    print(row)\n    return row * scale\n"
        "\n\nz = tf.matmul(rows(2.0), w)\nwith tf.Session() as sess:\n    value = sess.run(z)",
        "its own iterator",
    ),
    "handle of either iterator": (
        f"{BY_HANDLE}with tf.Session() as sess:\n"
        "    one, two = sess.run([first.string_handle(), second.string_handle()])\n"
        "    for chosen in (one, two):\n        value = sess.run(z, feed_dict={handle: chosen})",
        "which iterator this run reads from is not known",
    ),
    "handle that changes": (
        f"{BY_HANDLE}with tf.Session() as sess:\n    chosen = sess.run(first.string_handle())\n"
        "    value = sess.run(z, feed_dict={handle: chosen})\n"
        "    chosen = sess.run(second.string_handle())\n"
        "    value = sess.run(z, feed_dict={handle: chosen})",
        "which iterator this run reads from is not known",
    ),
    "variables listed before they are made": (
        "with tf.variable_scope('one'):\n    one = tf.layers.dense(x, 2, name='d')\n"
        "with tf.variable_scope('two'):\n    two = tf.layers.dense(x, 2, name='d')\n"
        "copies = [tf.assign(a, b) for a, b in zip(\n"
        "    tf.global_variables('one'), tf.global_variables('two'))]\n"
        "with tf.Session() as sess:\n    sess.run(copies)\n"
        "    values = sess.run(one, {x: np.ones((1, 2))}), sess.run(two, {x: np.ones((1, 2))})",
        "variables are listed before the graph is complete",
    ),
    "changed Python value": (
        "scale = 2.0\nz = y * scale\nwith tf.Session() as sess:\n    for scale in range(3):\n"
        "        value = sess.run(z, feed_dict={x: np.ones((1, 2))})",
        "changes after the graph",
    ),
    "Python value changed before the run's function": (
        "scale = 2.0\nz = y * scale\nprint(z)\nscale = 3.0\n\n\ndef go():\n"
        "    with tf.Session() as sess:\n"
        "        return sess.run(z, feed_dict={x: np.ones((1, 2))})",
        "changes after the graph",
    ),
    "optimizer of a helper in two runs": (
        "def train(loss):\n    optimizer = tf.train.AdamOptimizer(0.1)\n"
        "    pairs = optimizer.compute_gradients(loss, [w])\n"
        "    with tf.control_dependencies([optimizer.apply_gradients(pairs)]):\n"
        "        return tf.identity(loss)\n\n\nloss = train(tf.reduce_sum(y))\n"
        "with tf.Session() as sess:\n    sess.run(loss, {x: np.ones((1, 2))})\n"
        "    values = sess.run([loss, y], {x: np.ones((1, 2))})",
        "makes an optimizer that several runs use",
    ),
    "optimize_loss": (
        "op = tf.contrib.layers.optimize_loss(tf.reduce_sum(y), None, 0.1, 'SGD')\n"
        "with tf.Session() as sess:\n    sess.run(op, {x: np.ones((1, 2))})",
        "optimize_loss makes the optimizer",
    ),
    "initialiser in an inner function": (
        "def go():\n    sess = tf.Session()\n\n    def reset():\n"
        "        sess.run(tf.global_variables_initializer())\n\n    reset()\n"
        "    return sess.run(y, {x: np.ones((1, 2))})",
        "are initialised again",
    ),
    "object that several steps would build": (
        "class Net:\n    def __init__(self, k):\n        self.k = k\n\n"
        "    def build(self, x):\n        self.a = x * self.k\n        self.b = self.a + 1.0\n\n\n"
        "net = Net(np.float32(2.0))\nnet.build(y)\nwith tf.Session() as sess:\n"
        "    a = sess.run(net.a, {x: np.ones((1, 2))})\n"
        "    b = sess.run(net.b, {x: np.ones((1, 2))})",
        "builds into an object",
    ),
    "value of an op": (
        "with tf.Session() as sess:\n    print(sess.run(train_op, {x: np.ones((1, 2))}))",
        "without value",
    ),
    "values of ops": (
        "with tf.Session() as sess:\n    print(sess.run([train_op, train_op], {x: np.ones((1, 2))}))",
        "without value",
    ),
    "session in a handler": (
        "try:\n    import nothing\nexcept ImportError:\n    def go():\n"
        "        sess = tf.Session()\n        return sess.run(y, {x: np.ones((1, 2))})",
        "comes from another scope",
    ),
    "feed of a function that others read": (
        "def feed():\n    return {x: np.ones((1, 2))}\n\n\nprint(feed())\n"
        "with tf.Session() as sess:\n    sess.run(y, feed_dict=feed())",
        "is used otherwise",
    ),
}


@pytest.mark.parametrize("name", OBSTACLES)
def test_a_program_without_proof_keeps_its_graph(name: str) -> None:
    text = f"{HEAD}\n{OBSTACLES[name][0]}\n"
    ctx = FileContext.of("program.py", text)
    SessionPrograms().run(ctx)
    assert ctx.text == text and not ctx.findings and not ctx.changes
    result = migrate_text("program.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert result.new_text is not None
    ast.parse(result.new_text)
    assert "graphs.placeholder(" in result.new_text
    for word in ("tf.Session", "tf.placeholder", "compat.v1.Session", "compat.v1.placeholder"):
        assert word not in result.new_text
    again = migrate_text(
        "program.py", result.new_text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert again.new_text is None


def test_a_print_that_goes_with_its_tensor_is_told() -> None:
    body = (
        "z = tf.identity(x)\nprint('z', z)\nprint('y', y)\nwith tf.Session() as sess:\n"
        "    value = sess.run(y, feed_dict={x: np.ones((1, 2))})\n"
    )
    ctx = FileContext.of("program.py", HEAD + body)
    SessionPrograms().run(ctx)
    assert [(f.code, f.rung) for f in ctx.findings] == [("TF307", Rung.NATIVE)]
    assert "print('z', z)" not in ctx.text and "    print('y', y)" in ctx.text


@pytest.mark.parametrize(("updates", "told"), [
    ("step = tf.train.GradientDescentOptimizer(0.1).minimize(y, var_list=mine)\n"
     "clip = [v.assign(tf.clip_by_value(v, -1.0, 1.0)) for v in mine]\n", 1),
    ("adam = tf.train.AdamOptimizer(0.1)\nfound = adam.compute_gradients(y, mine)\n"
     "step = tf.group(adam.apply_gradients(found), adam.apply_gradients(found))\nclip = y\n", 1),
    ("step = tf.train.GradientDescentOptimizer(0.1).minimize(y, var_list=mine)\n"
     "with tf.control_dependencies([step]):\n    clip = mine[0].assign(tf.negative(mine[0]))\n", 0),
    ("step = tf.train.GradientDescentOptimizer(0.1).minimize(y, var_list=mine)\n"
     "clip = count.assign_add(1)\n", 0),
])  # fmt: skip
def test_updates_without_an_order_are_told(updates: str, told: int) -> None:
    body = (
        "w = tf.Variable([[1.0], [2.0]])\ncount = tf.Variable(0, trainable=False)\nmine = [w]\n"
        "y = tf.reduce_mean(tf.matmul(x, w))\n" + updates + "with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    value, _, _ = sess.run([y, step, clip], feed_dict={x: np.ones((1, 2))})\n    print(value)\n"
    )
    ctx = FileContext.of("program.py", HEAD + body)
    SessionPrograms().run(ctx)
    assert "tf.Session" not in ctx.text
    assert [f.code for f in ctx.findings] == ["TF310"] * told


def test_what_is_printed_while_the_graph_is_built_is_printed_once() -> None:
    body = (
        "print('y', y)\nwith tf.Session() as sess:\n"
        "    value = sess.run(y, feed_dict={x: np.ones((1, 2))})\n"
        "    other = sess.run(y * 2., feed_dict={x: np.ones((1, 2))})\n"
    )
    ctx = FileContext.of("program.py", HEAD + body)
    SessionPrograms().run(ctx)
    assert ctx.text.count("print('y', y)") == 1 and not ctx.findings
    assert ctx.text.index("print('y', y)") < ctx.text.index("* 2.")


LOST = {
    "read by a function":
        "with tf.Session() as sess:\n    sess.run(train_op, feed_dict={x: np.ones((1, 2))})\n"
        "def later():\n    return y",
    "flag of a feed changes":
        "t = tf.placeholder(tf.bool, [])\nz = tf.cond(t, lambda: y, lambda: -y)\n"
        "with tf.Session() as sess:\n    feed = {x: np.ones((1, 2)), t: True}\n"
        "    sess.run(z, feed_dict=feed)\n    feed[t] = False\n    value = sess.run(z, feed)",
    "feed grows":
        "t = tf.placeholder(tf.float32, [])\nz = y * t\n"
        "with tf.Session() as sess:\n    feed = {x: np.ones((1, 2))}\n"
        "    sess.run(y, feed_dict=feed)\n    feed[t] = 2.0\n    value = sess.run(z, feed)",
    "second session":
        "def go():\n    with tf.Session() as sess:\n"
        "        sess.run(tf.global_variables_initializer())\n"
        "        return sess.run(y, {x: np.ones((1, 2))})\n\n\n"
        "def again():\n    with tf.Session() as sess:\n"
        "        sess.run(tf.global_variables_initializer())\n"
        "        return sess.run(y, {x: np.ones((1, 2))})",
    "two feeds reach a run":
        "with tf.Session() as sess:\n    feed = {x: np.ones((1, 2))}\n    for i in range(2):\n"
        "        value = sess.run(y, feed)\n        feed = {x: np.zeros((1, 2))}",
}


def test_two_graphs_of_one_scope_stay_two() -> None:
    part = (
        "    with tf.Graph().as_default():\n        model = Model()\n"
        "        with tf.Session() as sess:\n"
        "            sess.run(tf.global_variables_initializer())\n"
        "            print(sess.run(model.y, {model.x: [1.0]}))\n"
    )
    text = (
        "import tensorflow as tf\n\n\nclass Model(object):\n    def __init__(self):\n"
        "        self.x = tf.placeholder(tf.float32, [None])\n"
        "        self.y = self.x * tf.get_variable('w', [])\n\n\n"
        f"def main():\n{part}{part}"
    )
    result = migrate_text("program.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert result.new_text is not None and not result.findings
    assert result.new_text.count("with graphs.Graph().as_default():") == 2
    assert result.new_text.count(" = graphs.function([model.x], model.y)") == 2


@pytest.mark.parametrize("filled", [
    "found = {}\nfound['y'] = y\n", "found = []\nfound.append(y)\n",
    "found = {}\nif len(sys.argv) > 1:\n    found['y'] = tf.nn.relu(y)\n",
])
def test_a_container_that_was_filled_is_fetched_as_one(filled: str) -> None:
    body = (
        f"import sys\n{filled}with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    values = sess.run(found, {x: np.ones((1, 2))})\n"
    )
    ctx = FileContext.of("program.py", f"{HEAD}\n{body}")
    SessionPrograms().run(ctx)
    assert not ctx.findings
    assert "outputs = compute_found(np.ones((1, 2)))\n" in ctx.text
    assert "values = tf.nest.map_structure(lambda t: t.numpy(), outputs)" in ctx.text


@pytest.mark.parametrize("fetched", [
    "[y] + [y * 2.0]", "[y * i for i in range(2)]", "tf.get_collection('ends') + [y]",
    "tf.cond(tf.reduce_any(x > 0), lambda: [y, x], lambda: [x, y])", "tf.nn.top_k(x)",
])
def test_several_tensors_under_one_name_are_fetched_as_such(fetched: str) -> None:
    body = (
        f"ends = {fetched}\nwith tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    values = sess.run(ends, {x: np.ones((1, 2))})\n"
        f"    direct = sess.run({fetched}, {{x: np.ones((1, 2))}})\n"
    )
    ctx = FileContext.of("program.py", f"{HEAD}\n{body}")
    SessionPrograms().run(ctx)
    assert not ctx.findings
    assert ctx.text.count("map_structure(lambda t: t.numpy(), ") == 2


@pytest.mark.parametrize("name", ["add", "same", "both", "again"])
def test_an_update_happens_once_whatever_its_name(name: str) -> None:
    body = (
        "add = tf.assign_add(w, tf.ones([2, 1]) * tf.reduce_sum(x))\nsame = add\n"
        "both = tf.group(add)\nagain = both\nother = train_op\nwith tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        f"    sess.run({name}, {{x: np.ones((1, 2))}})\n    sess.run(other, {{x: np.ones((1, 2))}})\n"
    )
    ctx = FileContext.of("program.py", f"{HEAD}\n{body}")
    SessionPrograms().run(ctx)
    assert not ctx.findings
    assert ctx.text.count("tf.assign_add(") == 1 and ctx.text.count(".apply_gradients(") == 1


@pytest.mark.parametrize("branch", ["lambda: y", "lambda: tf.zeros([1, 1])"])
def test_one_tensor_of_a_branch_is_fetched_as_one(branch: str) -> None:
    body = (
        f"z = tf.cond(tf.reduce_any(x > 0), lambda: tf.matmul(x, w), {branch})\n"
        "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
        "    value = sess.run(z, {x: np.ones((1, 2))})\n"
    )
    ctx = FileContext.of("program.py", f"{HEAD}\n{body}")
    SessionPrograms().run(ctx)
    assert not ctx.findings and "map_structure" not in ctx.text and ".numpy()" in ctx.text


@pytest.mark.parametrize("name", LOST)
def test_nothing_is_rewritten_that_would_miss_a_name(name: str) -> None:
    text = f"{HEAD}\n{LOST[name]}\n"
    ctx = FileContext.of("program.py", text)
    SessionPrograms().run(ctx)
    assert ctx.text == text and not ctx.findings and not ctx.changes


@pytest.mark.parametrize(("index", "written"), [
    ("[:, 1:]", ".numpy()[:, 1:]"), ("[0, :]", ".numpy()[0, :]"),
    ("[0]", "tf.nest.map_structure("), ("[0, 1]", "tf.nest.map_structure("),  # a dict may have such keys
])  # fmt: skip
def test_what_is_sliced_in_several_dimensions_is_one_array(index: str, written: str) -> None:
    body = (
        "import other\nz = other.made_of(y)\nwith tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        f"    value = sess.run(z, {{x: np.ones((1, 2))}}){index}\n"
    )
    ctx = FileContext.of("program.py", HEAD + body)
    SessionPrograms().run(ctx)
    assert not ctx.findings and written in ctx.text and f"){index}\n" in ctx.text


@pytest.mark.parametrize(("run", "use", "written"), [
    ("value = sess.run(z, {x: a})", "value[0, :]", "value = predict(a).numpy()"),
    ("[w_now, value] = sess.run([w, z], {x: a})", "value[0, :]",
     "w_now, value = (value.numpy() for value in"),
    ("w_now, value = sess.run([w, z], {x: a})", "value[0]", "w_now, value = tf.nest.map_structure("),
    ("w_now, value = sess.run([w, z], {x: a})", "w_now[0, :]", "w_now, value = tf.nest.map_structure("),
])  # fmt: skip
def test_what_its_name_is_sliced_by_shows_that_it_is_one_array(run: str, use: str, written: str) -> None:
    body = (
        "import other\nz = other.made_of(y)\na = np.ones((1, 2))\nwith tf.Session() as sess:\n"
        f"    sess.run(tf.global_variables_initializer())\n    {run}\n    print({use})\n"
    )
    ctx = FileContext.of("program.py", HEAD + body)
    SessionPrograms().run(ctx)
    called = re.sub(r"\b(evaluate_step|compute_\w+)\b", "predict", ctx.text)
    assert not ctx.findings and written in called


def test_what_a_run_took_is_asked_of_a_person_where_it_is_read() -> None:
    text = HEAD + (
        "with tf.Session() as sess:\n    took = tf.RunMetadata()\n"
        "    sess.run(y, {x: [[1, 2]]}, run_metadata=took)\n    print(took.step_stats)\n")
    result = migrate_text("program.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert [f.rung for f in result.findings if f.code == "TF306"] == [Rung.MANUAL]


def test_what_a_loop_makes_anew_is_no_step_that_was_traced_with_its_first_number() -> None:
    text = HEAD + (
        "def f(n):\n    return 3 * tf.square(n) + 10\n\nwith tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    for n in range(4):\n        print(sess.run(f(n)), sess.run(y, {x: [[1, 2]]}))\n")
    result = migrate_text("program.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert "return f(n)" not in (result.new_text or "") and "run(f(n))" in (result.new_text or "")

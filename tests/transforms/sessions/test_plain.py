"""Plain tests are made eager without a plan: what comes out must be what the planner writes."""

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from migrator.engine.context import FileContext
from migrator.engine.edits import Lines, apply
from migrator.engine.function_context import FunctionContext
from migrator.transforms.eager.plain_tests import opened
from migrator.transforms.test_cases import _method

HEAD = "import tensorflow as tf\nfrom tensorflow import placeholder as ph\n\n\nclass T(tf.test.TestCase):\n\n"
AFTER = "\n  # about the next\n  def test_next(self):\n    pass\n"
BUILT = (
    "x = tf.ones([2])",
    "y = lib.f(\n    x, 3,\n    4)",
    "y = [[1, 2],\n  [3, 4]]",
    'z = ("some"\n     "thing")  # said',
    "init = tf.global_variables_initializer()",
    "for item in range(3):\n  if item:\n    w = item\n  # or not\n  else:\n    w = (1,\n         2)",
    "# a comment",
    "    # an odd comment",
    "",
    '"""A text\n  of two lines."""',
    "with lib.patched() as p:\n  y = lib.f(x)",
    "v = [init for init in x]",
    "p = ph(tf.float32)",
    "y = tf.assign(x, 1)",
    "name = x.op.name",
    "import lib",
)
RUN = (
    "a = sess.run(x)",
    "a, b = sess.run([x,\n                 y])",
    "a = sess.run(\n    (x, y),\n)  # both",
    "self.assertAllClose(x.eval(), lib.g(sess.run(y)), 1e-3)",
    "sess.run(init)",
    "sess.run(tf.global_variables_initializer())",
    "sess.run([init, tf.tables_initializer()])",
    "tf.global_variables_initializer().run()",
    "init.run()",
    "sess.run(x)",
    "a = sess.run((x))",
    "a = (x + y).eval()",
    "a = [sess.run(n) for n in (x, y)]",
    "for n in (x, y):\n  a = sess.run(n)",
    "if sess.run(x):\n  pass",
    "a = sess.run(x, feed_dict={y: 1})",
    "a = sess.run(fetches=x)",
    "lib.use(sess)",
    "a = sess.run(sess.run(x))",
    "a = f'{sess.run(x)}'",
    "return sess.run(y)",
)
BLOCKS = (
    "with self.test_session() as sess:",
    "with self.session(use_gpu=True) as sess:  # on the GPU",
    "with tf.Session() as sess:",
    "with self.cached_session():",
    "with self.test_session(\n    use_gpu=False) as sess:",
    "with self.test_session(graph=tf.Graph()) as sess:",
    "with lib.patched(x), self.test_session() as sess:",
    "with lib.patched(\n    x) as p:",
)


def indented(parts: list[str], by: int) -> str:
    lines = "\n".join(parts).split("\n")
    return "".join(f"{' ' * by}{line}\n" if line else "\n" for line in lines)


@st.composite
def methods(draw: st.DrawFn) -> str:
    """The text of a test method: what it builds, then blocks with runs."""
    some = st.lists(st.sampled_from(8 * BUILT[:9] + BUILT), max_size=4)  # mostly plain
    text = "  def test_it(self):\n" + indented([*draw(some), "x = 1"], 4)
    for _ in range(draw(st.integers(1, 2))):
        head = draw(st.sampled_from(3 * BLOCKS[:4] + BLOCKS))
        asked = st.lists(st.sampled_from(8 * (RUN[:9] + BUILT[:9]) + RUN), max_size=4)
        inner = [*draw(asked), "a = sess.run(y)"]
        if head.startswith("with lib.patched(\n"):
            body = indented([head], 4) + indented([BLOCKS[0]], 6) + indented(inner, 8)
        else:
            body = indented([head], 4) + indented(inner, 6)
        text += body + indented(draw(some), 4)
    return text


def both(text: str) -> tuple[str | None, str]:
    """The file after the plain way (None: not plain) and after the planner."""
    context = FileContext.of("a_test.py", text)
    lines = Lines(text)
    method = context.tree.body[2].body[0]  # type: ignore[attr-defined]
    edits = opened(context, lines, method)
    planned = list(_method(FunctionContext(context, method, lines)))
    return None if edits is None else apply(text, edits)[0], apply(text, planned)[0]


@given(methods())
@settings(max_examples=100, deadline=None)
def test_plain_tests_become_what_the_planner_makes_of_them(method: str) -> None:
    text = HEAD + method + AFTER
    try:
        ast.parse(text)
    except SyntaxError:
        return
    plain, planned = both(text)
    assert plain is None or plain == planned


@pytest.mark.parametrize(
    "body",
    [
        "x = tf.ones([2])\n\nwith self.test_session() as sess:\n\n  # asks\n  a, b = sess.run([x,\n"
        "                   y])\n  self.assertAllClose(a, b)\n",
        "x = tf.ones([2])\ninit = tf.global_variables_initializer()\n\nwith lib.patched():\n"
        "  with self.cached_session():\n    init.run()\n    self.assertTrue(x.eval())\n",
        "x = tf.ones([2])\ninit = tf.global_variables_initializer()\nwith self.test_session() as sess:\n\n"
        "  sess.run(init)\n\n  self.assertTrue(sess.run(x))\n",
    ],
)
def test_the_plain_way_is_taken(body: str) -> None:
    text = HEAD + "  def test_it(self):\n" + indented(body.splitlines(), 4) + AFTER
    plain, planned = both(text)
    assert plain == planned
    assert plain is not None and "self.evaluate(" in plain and "session" not in plain

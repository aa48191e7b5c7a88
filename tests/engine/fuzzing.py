"""Programs that nobody wrote, and what must hold for each of them; shared with benchmarks/fuzz.py."""

from __future__ import annotations

import ast
import random
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.plan import build_plan
from migrator.engine.ruleset import load_ruleset
from migrator.model import FileResult, Status


@dataclass
class Tally:
    """What a run of many programs found; `problems` are (name, what is wrong)."""

    programs: int = 0
    changed: int = 0
    failed: int = 0
    changed_without_tensorflow: int = 0
    trees_with_tensorflow: list[str] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)

    def add(self, name: str, text: str) -> None:
        """Examine one more program."""
        result, problems = examine(name, text)
        self.programs += 1
        self.changed += result.status is Status.CHANGED
        self.failed += result.status is Status.FAILED
        self.problems += [(name, problem) for problem in problems]

    def tree(self, name: str, root: Path) -> None:
        """Plan a whole tree; one without TensorFlow must stay as it is."""
        plan = build_plan(root, Options(jobs=1))
        for result in plan.files:
            if "internal error" in result.error:
                self.problems.append((f"{name}/{result.path}", result.error))
        if plan.options["tensorflow"]:
            self.trees_with_tensorflow.append(name)
            return
        for result in plan.changed:
            self.changed_without_tensorflow += 1
            codes = ", ".join(sorted({change.code for change in result.changes}))
            problem = f"was changed, though there is no TensorFlow ({codes})"
            self.problems.append((f"{name}/{result.path}", problem))


def run(path: str, text: str) -> FileResult:
    """The engine with all its rules on one text."""
    options = Options()
    return migrate_text(path, text, ProjectIndex(), options, load_ruleset(options))


def parsed(text: str) -> ast.Module | None:
    """The syntax tree, None where CPython has none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def examine(path: str, text: str) -> tuple[FileResult, list[str]]:
    """(what the engine makes of a text, all that must not be)."""
    problems: list[str] = []
    before = parsed(text)
    result = run(path, text)
    if result.old_text != text:
        problems.append("the result is not about this text")
    if result.status is Status.FAILED:
        if not result.error.startswith(f"{path}:"):
            problems.append(f"the error has no place: {result.error}")
        if "internal error" in result.error or before is not None:
            problems.append(f"valid Python failed: {result.error}")
    for finding in result.findings:
        if finding.code == "TF000":
            problems.append(f"a rewrite was withdrawn: {finding.message}")
    if result.new_text is None:
        return result, problems
    after = parsed(result.new_text)
    if after is None:
        return result, [*problems, "the result does not parse"]
    if not result.changes:
        problems.append("the text was changed, but no change is told")
    again = run(path, result.new_text)
    if again.new_text is not None:
        problems.append("a second run changes it again")
    # Translation of Python 2, and of programs (TF3) and tests (TF7) around sessions, is of wholes.
    if before is not None and not any(c.code.startswith(_WHOLES) for c in result.changes):
        lost = untouched(before, result, after)
        problems += [f"line {line} has no edit, but its tree is another one" for line in lost[:3]]
    return result, problems


_WHOLES = ("PY1", "TF3", "TF7")


def untouched(before: ast.Module, result: FileResult, after: ast.Module) -> list[int]:
    """Lines of statements without edits whose trees are not in the new text, in their order."""
    touched = {n for c in result.changes for n in range(c.line, c.end_line + 1)}
    have = [ast.dump(node) for node in _statements(after)]
    lost = []
    position = 0
    for node in _statements(before):
        decorators = [d.lineno for d in getattr(node, "decorator_list", ())]
        first = min([node.lineno, *decorators])
        lines = range(first, (node.end_lineno or node.lineno) + 1)
        if isinstance(node, (ast.Import, ast.ImportFrom)) or touched.intersection(lines):
            continue
        wanted = ast.dump(node)
        if wanted in have[position:]:
            position += have[position:].index(wanted) + 1
        else:
            lost.append(node.lineno)
    return lost


def _statements(tree: ast.Module) -> Iterable[ast.stmt]:
    """Top-level statements, and those of top-level classes and functions after them."""
    for node in tree.body:
        yield node
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            yield from node.body


# -- programs with TensorFlow in them


@cache
def symbols() -> tuple[str, ...]:
    """Every public symbol of TensorFlow 1.15, as people write it."""
    names = (name for name in load_ruleset(Options()).tf1.symbols if name.startswith("tensorflow."))
    return tuple(sorted("tf" + name.removeprefix("tensorflow") for name in names))


@st.composite
def calls(draw: st.DrawFn) -> str:
    """A call or use of some TensorFlow 1 symbol with arguments that may fit."""
    name = draw(st.sampled_from(symbols()))
    arguments = draw(st.lists(st.sampled_from(_ARGUMENTS), max_size=5))
    positional = [a for a in arguments if "=" not in a.partition("(")[0] and not a.startswith("**")]
    keywords = list({a.partition("=")[0]: a for a in arguments if a not in positional}.values())
    keywords.sort(key=lambda a: a.startswith("**"))
    gap = draw(st.sampled_from((", ", ",", ",\n        ", ",  # why\n        ", " , ")))
    called = f"{name}({gap.join([*positional, *keywords])})"
    return draw(st.sampled_from((called, called, called, name, f"{name}.x", f"{called}.y", f"f({name})")))


_ARGUMENTS = (
    "x", "1", "None", "[1, 2]", "'name'", "*rest", "(yield_ if c else d)", "lambda tf: tf.log(1)",
    "tf.log(x)", "tf.to_float(tf.to_int32(x))", "name='n'", "axis=1", "dim=0", "keep_dims=True",
    "reduction_indices=[0]", "dtype=tf.float32", "scope=s", "**options", "reuse=tf.AUTO_REUSE",
    "is_training=True", "f'{tf.log(x)}'", "[tf.log(y) for y in z]", "{'a': tf.Session()}",
)  # fmt: skip
_FRAMES = (
    "{0}\n", "r = {0}\n", "def f(a={0}, *k, tf=1):\n    return {1}\n", "class C({0}):\n    a = {1}\n",
    "with {0} as w:\n    {1}\n", "for i in {0}:\n    {1}\nelse:\n    {2}\n", "@{0}\ndef g():\n\t{1}\n",
    "try:\n    {0}\nexcept {1} as e:\n    {2}\nfinally:\n    pass\n", "assert {0}, {1}\n",
    "async def h():\n    async with {0}:\n        await {1}\n    async for q in {2}: pass\n",
    "match {0}:\n    case [a, *b]:\n        {1}\n    case _:\n        {2}\n", "if (n := {0}): del n\n",
    "x[{0}] += {1}\n", "lambda: ({0}, *{1})\n", "s = f'{{x!r:>{{y}}}} é' ; t = {0}\n", "x = \\\n  {0}\n",
    "with tf.Session() as sess:\n    print(sess.run({0}, feed_dict={{p: {1}}}))\n",
    "p = tf.placeholder(tf.float32)\ny = {0}\nwith tf.Session() as s:\n  s.run(y, {{p: {1}}})\n",
    "def build(images, is_training):\n  net = {0}\n  with tf.variable_scope('a'):\n    return {1}\n",
    "global_step = tf.train.get_or_create_global_step()\nloss = {0}\n"
    "train = tf.train.AdamOptimizer(1e-3).minimize(loss)\nwith tf.Session() as s:\n"
    "  s.run(tf.global_variables_initializer())\n  for i in range(3):\n    s.run([train, loss])\n",
    "class T(tf.test.TestCase):\n  def testA(self):\n    with self.test_session() as sess:\n"
    "      self.assertAllClose(sess.run({0}), {1})\n",
    "x = 1  # type: ignore\n", "'''{0}'''\n", "if __name__ == '__main__':\n    tf.app.run({0})\n",
)  # fmt: skip
_HEADS = (
    "import tensorflow as tf\n", "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n",
    "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n'''Doc.'''\nfrom __future__ import division\n"
    "import tensorflow as tf\nfrom tensorflow.contrib import slim\n",
    "try:\n  import tensorflow as tf\nexcept ImportError:\n  tf = None\n",
    "import tensorflow\ntf = tensorflow\n",
)  # fmt: skip


@st.composite
def tensorflow_programs(draw: st.DrawFn) -> str:
    """A module of some statements around TensorFlow 1 calls, with the line ends of some system."""
    parts = [draw(st.sampled_from(_HEADS))]
    for frame in draw(st.lists(st.sampled_from(_FRAMES), min_size=1, max_size=6)):
        wanted = [draw(calls()) for _ in range(3)]
        parts.append(frame.format(*wanted))
    end = draw(st.sampled_from(("\n", "\n", "\n", "\r\n")))
    text = "".join(parts).replace("\n", end)
    return text if draw(st.booleans()) else text.removesuffix(end)


def seeded(text: str, seed: int) -> str:
    """A program with some of its names replaced by TensorFlow 1 symbols, wherever they stand.

    The text comes back as it is where that would be no Python.
    """
    tree = parsed(text)
    if tree is None or not text.isascii():
        return text
    chosen = random.Random(seed)
    lines = text.split("\n")
    names = [
        node for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    ]  # fmt: skip
    names.sort(key=lambda n: (n.lineno, n.col_offset), reverse=True)
    for node in names:
        if "\r" in text or "\f" in text or chosen.random() < 0.5:
            continue
        line = lines[node.lineno - 1]
        if line[node.col_offset : node.end_col_offset] == node.id:
            new = chosen.choice(symbols())
            lines[node.lineno - 1] = line[: node.col_offset] + new + line[node.end_col_offset :]
    future = next((i + 1 for i, line in enumerate(lines) if "__future__" in line), 0)
    made = "\n".join([*lines[:future], "import tensorflow as tf", *lines[future:]])
    return made if parsed(made) is not None else text


def read(path: Path) -> str | None:
    """A real file's text as the engine would get it; None for what is no text."""
    from migrator.project.source import SourceError, decode
    from migrator.project.tree import read_named

    try:
        return decode(read_named(path)[0], path).text
    except SourceError:
        return None

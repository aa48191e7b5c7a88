"""What runs cost, collected as RunMetadata: a function has none, so the program goes without."""

from __future__ import annotations

import ast

from migrator.analysis.source import Edit, SourceText
from migrator.analysis.tree_walk import blocks_in, walk
from migrator.transforms.sessions.helpers import cut
from migrator.transforms.sessions.reshaping.amend import Amendable, Remark

ADVICE = "profile the tf.function with tf.profiler.experimental instead"
_WRITES = "add_run_metadata"


class RunMetadata(Amendable):
    """A run fills a RunMetadata."""

    def __init__(self, call: ast.Call) -> None:
        super().__init__(call, "this run collects RunMetadata", ADVICE)
        self.remark = Remark("TF306", call.lineno, "What runs take is not collected any more.",
                             f"To see it, {ADVICE}.")

    def amended(self, text: str) -> str | None:
        """The program without metadata, None where it does more with it than write it."""
        tree = ast.parse(text)
        source = SourceText(text, tree)
        keywords = [a for n in walk(tree) if isinstance(n, ast.Call) and _collects(n)
                    for a in n.keywords if a.arg in ("options", "run_metadata")]
        names = {a.value.id for a in keywords if isinstance(a.value, ast.Name)}
        if any(a.arg == "run_metadata" and not isinstance(a.value, ast.Name) for a in keywords):
            return None
        gone: list[ast.stmt] = []
        for stmt in walk(tree):
            if _makes(stmt, names) or _writes(stmt, names):
                assert isinstance(stmt, ast.stmt)
                gone.append(stmt)
        inside = {id(n) for node in [*gone, *keywords] for n in walk(node)}
        if any(isinstance(n, ast.Name) and n.id in names and id(n) not in inside
               for n in walk(tree)):
            return None
        edits: list[Edit] = [cut(source, *source.span(a)) for a in keywords]
        edits += [(*source.span(stmt), "pass") if _alone(tree, stmt, gone) else source.removal(stmt)
                  for stmt in gone]
        return source.splice(0, len(text), _apart(edits))


def _collects(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "run" and any(
        a.arg == "run_metadata" for a in call.keywords)


def _makes(node: ast.AST, names: set[str]) -> bool:
    """``run_metadata = tf.RunMetadata()`` and ``run_options = tf.RunOptions(...)``."""
    return (
        isinstance(node, ast.Assign) and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name) and node.targets[0].id in names
        and (isinstance(node.value, ast.Constant) and node.value.value is None
             or isinstance(node.value, ast.Call)
             and ast.unparse(node.value.func).endswith(("RunMetadata", "RunOptions")))
    )


def _writes(node: ast.AST, names: set[str]) -> bool:
    """``writer.add_run_metadata(run_metadata, tag)``."""
    call = node.value if isinstance(node, ast.Expr) else None
    return (
        isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        and call.func.attr == _WRITES and bool(call.args)
        and isinstance(call.args[0], ast.Name) and call.args[0].id in names
    )


def _alone(tree: ast.Module, stmt: ast.stmt, gone: list[ast.stmt]) -> bool:
    """Whether a block would be empty; the last of its statements then leaves a `pass`."""
    block = next(block for block in blocks_in(tree) if stmt in block)
    return stmt is block[-1] and all(other in gone for other in block)


def _apart(edits: list[Edit]) -> list[Edit]:
    """Cuts of neighbours in one call may share a comma: the later one begins behind the earlier."""
    result: list[Edit] = []
    for start, end, text in sorted(edits):
        if result and start < result[-1][1]:
            start = result[-1][1]
        result.append((start, max(start, end), text))
    return result

"""Reads records with a data set's numpy iterator where a graph may be around, which a data set refuses."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from migrator.analysis.graph_code import builds_around
from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Confidence, Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF119"
_READ = frozenset({"tensorflow.python_io.tf_record_iterator", "tensorflow.io.tf_record_iterator"})
_GRAPHS = re.compile(r"\bgraphs(?:_\w+)?\.(?:build|building|Graph)\b")


@transform
class RecordIterators:
    """TF119: what counts records beside a graph is called while that is built, or by what builds it."""

    name = "record_iterators"
    triggers = _READ
    order = 93  # it is known by then what builds a graph

    def run(self, ctx: FileContext) -> str | None:
        if not _GRAPHS.search(ctx.text) and not builds_around(ctx.index, ctx.path):
            return None
        lines, edits = Lines(ctx.text), list[Edit]()
        for node in walk(ctx.tree):
            if not isinstance(node, (ast.Name, ast.Attribute)) or ctx.suppressed(CODE, node) or (
                ctx.names.resolve_node(node, values=False) not in _READ
            ):
                continue
            edits.append(Edit(*lines.span(node), (ctx.support("readers.tf_record_iterator"),)))
            ctx.change(CODE, node, "records are read at once, also where a graph is built",
                       Rung.SUPPORT, Confidence.PROVEN)  # fmt: skip
        return apply(ctx.text, edits)[0] if edits else None

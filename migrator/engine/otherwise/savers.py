"""Savers that wrote the first format of checkpoints, or are made of another one's definition."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.values import argument
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding, Rung


@tells("write_version", ".save(")
def first_format(changed: Changed) -> Iterator[Finding]:
    """Savers that wrote the first format of checkpoints."""
    for call in changed.calls_of(("tensorflow.train.Saver",)):
        version = argument(call, -1, "write_version")
        if version is not None and ast.unparse(version).rpartition(".")[2] in ("1", "V1"):
            yield changed.told(
                "TF602", call,
                "this wrote checkpoints as one file without an ending; TensorFlow 2 writes an .index and "
                ".data files, and reads both formats",
                "What looks for the file itself (os.path.exists) is to look for the .index, or to ask "
                "tf.train.checkpoint_exists.", rung=Rung.SUPPORT,
            )  # fmt: skip


@tells("saver_def")
def of_definition(changed: Changed) -> Iterator[Finding]:
    """Savers that restore by the operations which another one left in a graph."""
    for call in changed.calls_of(("tensorflow.train.Saver",)):
        given = argument(call, 7, "saver_def")
        if given is not None and not (isinstance(given, ast.Constant) and given.value is None):
            yield changed.told(
                "TF602", call,
                "this restores by operations that another saver left in the graph, which savers of "
                "TensorFlow 2 do not do: it fails here, and so do variables of a GraphDef that "
                "tf.import_graph_def brings",
                "Build the network again and save its variables, or take the meta graph "
                "(tf.train.import_meta_graph), which has variables.",
            )  # fmt: skip

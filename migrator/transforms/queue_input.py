"""Input queues become data sets, before anything asks how a graph gets its input."""

from __future__ import annotations

from migrator.analysis import graph_kinds as k
from migrator.analysis.queue_pipelines import pipelines
from migrator.engine.context import FileContext
from migrator.engine.linemap import line_map
from migrator.engine.registry import transform

_WORDS = ("_producer", "get_next", "DatasetDataProvider", "slim.dataset")


@transform
class QueuesToDataSets:
    """``tf.train.batch`` and its like at the end of a queue are a `tf.data` pipeline."""

    name = "queue_input"
    triggers = frozenset(
        {"tensorflow.data.*", "tensorflow.contrib.slim.*", *(name for name in k.QUEUES if ".train." in name)}
    )
    order = 4

    def run(self, ctx: FileContext) -> None:
        """Rewrite the file's understood input queues; the others stay with their threads."""
        if not any(word in ctx.text for word in _WORDS):
            return
        found = pipelines(ctx.text, ctx.tree, ctx.names)
        if found is None:
            return
        lines = line_map(ctx.text, found.base) if found.base != ctx.text else None
        for line in found.lines:
            line = lines.original(line) if lines is not None else line
            ctx.change("TF503", line, "the tf.data pipeline reads, batches and prepares the input",
                       symbol="tensorflow.train.batch")
        ctx.text = found.text

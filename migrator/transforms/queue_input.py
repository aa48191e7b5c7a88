"""Input queues become data sets, before anything asks how a graph gets its input."""

from __future__ import annotations

from migrator.analysis import graph_kinds as k
from migrator.analysis.queue_parts import NO_FULLNESS, merges_summaries
from migrator.analysis.queue_pipelines import pipelines
from migrator.engine.context import FileContext
from migrator.engine.linemap import line_map
from migrator.engine.registry import transform
from migrator.model import Rung

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
        merged = bool(found.queued) and merges_summaries(
            ctx.text, *map(ctx.index.text, ctx.index.importers(ctx.path)))
        for read in found.lines:
            line = lines.original(read) if lines is not None else read
            ctx.change("TF503", line, "the tf.data pipeline reads, batches and prepares the input",
                       symbol="tensorflow.train.batch")
            if merged and read in found.queued:
                ctx.finding("TF503", line, *NO_FULLNESS, Rung.MANUAL, "tensorflow.train.batch")
        ctx.text = found.text

"""slim's readers of records, which gave another one at each run of a graph."""

from __future__ import annotations

from collections.abc import Iterator

from migrator.analysis.graph_code import shares_graph
from migrator.analysis.queue_parts import NO_FULLNESS, merges_summaries
from migrator.analysis.tree_walk import calls_in
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding

# What gives another record at each run of a graph, and what to do where none is run.
_READING = {
    "slim_data.DatasetDataProvider": "Iterate over the provider's `examples`, a tf.data.Dataset of dicts.",
    "slim_data.parallel_read": "Iterate over slim_data.read_records(...), which takes the same arguments.",
    "slim_data.single_pass_read": "Iterate over slim_data.read_records(...), which takes the same arguments.",
}


@tells("slim")
def read_once(changed: Changed) -> Iterator[Finding]:
    """slim's readers: where no graph is shown to be around them, and whose queues had summaries."""
    if not changed.support & _READING.keys() or ".examples" in changed.now:  # the data set of a provider
        return
    index, path = changed.index, changed.path
    advice = {name.partition(".")[2]: text for name, text in _READING.items()}
    graph = changed.in_graph or shares_graph(index, path)
    merged = merges_summaries(changed.before.text, *map(index.text, index.importers(path)))
    for call in calls_in(changed.before.tree):
        made = changed.before.names.resolve_node(call.func) or ""
        name = made.rpartition(".")[2]
        if not made.startswith("tensorflow.contrib.slim.") or name not in advice:
            continue
        if not graph:
            yield changed.told(
                "TF501", call,
                f"{name} reads one record at a time, unless an estimator calls it in an input function; in "
                "TensorFlow 1 its tensors were another one at each run", advice[name],
            )  # fmt: skip
        if merged:
            yield changed.told("TF503", call, *NO_FULLNESS)

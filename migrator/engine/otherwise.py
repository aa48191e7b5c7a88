"""What runs on TensorFlow 2 as it stands and means something else there: told at its line."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from migrator.analysis.graph_code import shares_graph
from migrator.analysis.index import ProjectIndex
from migrator.analysis.parsed import Parsed
from migrator.analysis.queue_parts import MERGED, NO_FULLNESS
from migrator.analysis.static_shapes import asked_for_none
from migrator.analysis.tree_walk import calls_in, walk
from migrator.analysis.values import argument
from migrator.model import Finding, Rung

_BATCH_NORM = "BatchNormalization"
# What runs the updates of Keras layers, or has Keras do it.
_UPDATES = (
    ".updates", "get_updates_for", ".fit", "train_on_batch", "model_to_estimator", "enable_eager",
    "enable_v2",
)  # fmt: skip
_TOP_K = frozenset(("tensorflow.nn.top_k", "tensorflow.math.top_k"))
# What gives another record at each run of a graph, and one where none is run.
_READING = {
    "slim_data.DatasetDataProvider": "Iterate over the provider's `examples`, a tf.data.Dataset of dicts.",
    "slim_data.parallel_read": "Iterate over slim_data.read_records(...), which takes the same arguments.",
    "slim_data.single_pass_read": "Iterate over slim_data.read_records(...), which takes the same arguments.",
}
_Line = Callable[[int], int]


def otherwise(
    path: str, before: Parsed, support: frozenset[str], index: ProjectIndex, original: _Line,
    stays: bool, now: str,
) -> Iterator[Finding]:  # fmt: skip
    """Findings of a program of TensorFlow 1 that is changed to the text `now`.

    support: what its output uses. stays: some of it goes on as it was, through compat.
    """
    text, modules = before.text, {name.partition(".")[0] for name in support}
    if "None" in text and any(word in text for word in ("shape", "Shape")):
        yield from _never_none(path, before.tree, original)
    loaded = modules & {"frozen_graph", "meta_graph"}  # a graph from a file has the operations that it had
    if support & _READING.keys() and ".examples" not in now:  # the data set of a provider
        yield from _read_once(path, before, index, "graphs" in modules, original)
    if "get_operations" in text and "graphs" in modules and not loaded and not stays:
        yield from _listed_operations(path, before.tree, original)
    if _BATCH_NORM in text and "graphs" not in modules:
        yield from _updates_that_happen(path, before, index, original)
    if "training=" in text and "keras" in text and "placeholder" in text:
        yield from _training_that_is_fed(path, before, original)
    if "assign_moving_average" in text and "graphs" not in modules:
        yield from _moved_at_once(path, before, original)
    if "top_k" in text:
        yield from _unsorted(path, before, original)
    if "write_version" in text and ".save(" in text:
        yield from _first_format(path, before, original)
    if "assign" in text and "Optimizer(" in text:
        yield from _counted_beside(path, before, original)
    if "seed" in text and "import tensorflow" in text:
        yield from _seeded_too_early(path, before, original)


def _never_none(path: str, tree: ast.Module, original: _Line) -> Iterator[Finding]:
    """Where it asks whether a dimension is None, and now gets an answer."""
    for node in asked_for_none(tree):
        was = isinstance(node.ops[0], (ast.IsNot, ast.NotIn))
        other = "a known" if isinstance(node.ops[0], ast.NotEq) else "an unknown"
        yield Finding(
            "TF130", path, original(node.lineno), node.col_offset,
            f"for every tensor of TensorFlow 1 this was {str(was).lower()}: no dimension is None, or "
            f"equal or unequal to it. In TensorFlow 2 {other} size makes it {str(not was).lower()}",
            f"Decide which branch such a size takes: {was} in place of the comparison is what TensorFlow 1 "
            "did, the comparison as it stands is probably what was meant.",
        )  # fmt: skip


def _read_once(
    path: str, before: Parsed, index: ProjectIndex, graph: bool, original: _Line
) -> Iterator[Finding]:
    """slim's readers: where no graph is shown to be around them, and whose queues had summaries."""
    advice = {name.partition(".")[2]: text for name, text in _READING.items()}
    graph = graph or shares_graph(index, path)
    texts = [before.text, *(index.text(other) or "" for other in index.importers(path))]
    merged = any(map(MERGED.search, texts))
    for call in calls_in(before.tree):
        made = before.names.resolve_node(call.func) or ""
        name = made.rpartition(".")[2]
        if not made.startswith("tensorflow.contrib.slim.") or name not in advice:
            continue
        if not graph:
            yield Finding(
                "TF501", path, original(call.lineno), call.col_offset,
                f"{name} reads one record at a time, where in TensorFlow 1 its tensors were another one at "
                "each run", advice[name],
            )  # fmt: skip
        if merged:
            yield Finding("TF503", path, original(call.lineno), call.col_offset, *NO_FULLNESS)


def _updates_that_happen(
    path: str, before: Parsed, index: ProjectIndex, original: _Line
) -> Iterator[Finding]:
    """Batch normalization of Keras in an Estimator's model whose updates nobody ran in TensorFlow 1."""
    near = {*index.importers(path), *index.imported(path)} - {path}
    texts = [before.text, *(index.text(other) or "" for other in near)]
    if any(word in text for word in _UPDATES for text in texts) or not any("stimator" in t for t in texts):
        return
    for call in calls_in(before.tree):
        if (before.names.resolve_node(call.func) or "").endswith(f"keras.layers.{_BATCH_NORM}"):
            yield Finding(
                "TF309", path, original(call.lineno), call.col_offset,
                "in an Estimator's graph TensorFlow 1 changed the moving averages of this layer only where "
                "its updates were run, which nothing here does: it evaluated with mean 0 and variance 1. "
                "Now they move in training",
                "This is what the layer is for; numbers of evaluation and prediction are others than before.",
            )  # fmt: skip


def _training_that_is_fed(path: str, before: Parsed, original: _Line) -> Iterator[Finding]:
    """Layers of Keras that a placeholder tells whether they train, also one that a function is given."""
    fed: set[str] = set()
    layers: set[str] = set()
    for node in walk(before.tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made = before.names.resolve_node(node.value.func) or ""
            if made.startswith("tensorflow.placeholder"):
                fed.update(map(ast.unparse, node.targets))
            elif "keras.layers." in made:
                layers.update(map(ast.unparse, node.targets))
    functions = {n.name: n for n in walk(before.tree) if isinstance(n, ast.FunctionDef)}
    for call in calls_in(before.tree):
        function = functions.get(ast.unparse(call.func).rpartition(".")[2])
        if function is not None:
            names = [argument.arg for argument in function.args.args]
            names = names[isinstance(call.func, ast.Attribute) :]  # self
            given = [*zip(names, call.args, strict=False), *((k.arg, k.value) for k in call.keywords)]
            fed.update(name for name, value in given if name and ast.unparse(value) in fed)
    for call in calls_in(before.tree):
        layer = call.func.func if isinstance(call.func, ast.Call) else call.func
        if ast.unparse(layer) not in layers and "keras.layers." not in (
                before.names.resolve_node(layer) or ""):
            continue
        for keyword in call.keywords:
            if keyword.arg == "training" and ast.unparse(keyword.value) in fed:
                yield Finding(
                    "TF311", path, original(keyword.value.lineno), keyword.value.col_offset,
                    "a layer of Keras 3 asks in Python whether it trains; a tensor that is fed has no answer "
                    "while the graph is built, and the call raises",
                    "Call the layer with True and with False, and choose between the results by tf.cond.",
                )  # fmt: skip


def _first_format(path: str, before: Parsed, original: _Line) -> Iterator[Finding]:
    """Savers that wrote the first format of checkpoints."""
    for call in calls_in(before.tree):
        if before.names.resolve_node(call.func) != "tensorflow.train.Saver":
            continue
        version = argument(call, -1, "write_version")
        if version is not None and ast.unparse(version).rpartition(".")[2] in ("1", "V1"):
            yield Finding(
                "TF602", path, original(call.lineno), call.col_offset,
                "this wrote checkpoints as one file without an ending; TensorFlow 2 writes an .index and "
                ".data files, and reads both formats",
                "What looks for the file itself (os.path.exists) is to look for the .index, or to ask "
                "tf.train.checkpoint_exists.", rung=Rung.SUPPORT,
            )  # fmt: skip


def _counted_beside(path: str, before: Parsed, original: _Line) -> Iterator[Finding]:
    """Steps that are counted beside the update whose learning rate follows from them."""
    scopes = [before.tree, *(n for n in walk(before.tree) if isinstance(n, ast.FunctionDef))]
    told: set[int] = set()
    for scope in reversed(scopes):
        calls = calls_in(scope)
        assigned: dict[str, list[ast.expr]] = {}
        ordered: set[int] = set()  # calls that wait for something
        for node in walk(scope):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    assigned.setdefault(ast.unparse(target), []).append(node.value)
            elif isinstance(node, ast.With) and any(
                    "control_dependencies" in ast.unparse(item.context_expr) for item in node.items):
                ordered.update(id(inner) for part in node.body for inner in walk(part))
        rates = [argument(call, 0, "learning_rate") for call in calls
                 if ast.unparse(call.func).endswith("Optimizer")]
        behind = _behind([rate for rate in rates if rate is not None], assigned)
        for call in calls:
            symbol = before.names.resolve_node(call.func)
            if symbol not in ("tensorflow.group", "tensorflow.control_dependencies"):
                continue
            parts = [part for given in call.args
                     for part in (given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given])]
            made = [value for part in parts for value in assigned.get(ast.unparse(part), [part])]
            for change in made if len(parts) > 1 else ():
                counted = _assigned_to(change, before)
                if counted in behind and id(change) not in ordered | told:
                    told.add(id(change))
                    yield Finding(
                        "TF310", path, original(change.lineno), change.col_offset,
                        f"the learning rate follows from {counted}, and TensorFlow 1 left open whether it is "
                        "read before or after this: both happened, from run to run. Now one always happens",
                        "Count behind the update (with tf.control_dependencies), and give the schedule the "
                        "number that is meant.",
                    )  # fmt: skip


def _behind(found: list[ast.expr], assigned: Mapping[str, list[ast.expr]]) -> set[str]:
    """Names and attributes that some expressions follow from, by way of those that are assigned."""
    names: set[str] = set()
    for expression in found:  # grows on the way
        for node in walk(expression):
            if isinstance(node, (ast.Name, ast.Attribute)) and (name := ast.unparse(node)) not in names:
                names.add(name)
                found.extend(assigned.get(name, ()))
    return names


def _assigned_to(node: ast.expr, before: Parsed) -> str:
    """What ``x.assign_add(1)`` or ``tf.assign(x, x + 1)`` changes, "" for anything else."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("assign", "assign_add", "assign_sub")):  # fmt: skip
        return ""
    plain = (before.names.resolve_node(node.func) or "").startswith("tensorflow.assign")
    changed = argument(node, 0, "ref") if plain else node.func.value
    return "" if changed is None else ast.unparse(changed)


def _listed_operations(path: str, tree: ast.Module, original: _Line) -> Iterator[Finding]:
    for call in calls_in(tree):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "get_operations" and not call.args:
            yield Finding(
                "TF308", path, original(call.lineno), call.col_offset,
                "the operations of a graph that this program builds are other ones in TensorFlow 2: a "
                "variable has no VariableV2, Assign and read, layers and gradients have other kernels",
                "What is looked for by name is better asked for by name, or kept where it is made; a "
                "count or a list of all operations has other contents.",
            )  # fmt: skip


def _moved_at_once(path: str, before: Parsed, original: _Line) -> Iterator[Finding]:
    """TensorFlow's own update of a moving average, which is no operation to be run outside of a graph."""
    for call in calls_in(before.tree):
        name = before.names.resolve_node(call.func) or ""
        if name.startswith("tensorflow.") and name.endswith("moving_averages.assign_moving_average"):
            yield Finding(
                "TF153", path, original(call.lineno), call.col_offset,
                "in TensorFlow 1 this average moved where the operation was run; outside of a graph it moves "
                "at each call, also where the network only predicts",
                "Call it where the program trains only, or keep what it returned out of the network: "
                "moving_averages of the support package has assign_moving_average, too.",
            )  # fmt: skip


def _unsorted(path: str, before: Parsed, original: _Line) -> Iterator[Finding]:
    """The largest values as the kernel finds them: `top_k(..., sorted=False)` of more than one."""
    for call in calls_in(before.tree):
        if (before.names.resolve_node(call.func) or "") not in _TOP_K:
            continue
        given = dict(zip(("input", "k", "sorted"), call.args, strict=False))
        given |= {k.arg: k.value for k in call.keywords if k.arg}
        how, k = given.get("sorted"), given.get("k")
        always = how is None or (isinstance(how, ast.Constant) and bool(how.value))
        if not always and k is not None and not (isinstance(k, ast.Constant) and k.value == 1):
            yield Finding(
                "TF152", path, original(call.lineno), call.col_offset,
                "without sorting, TensorFlow 2 gives the largest values in another order than TensorFlow 1",
                "Where only the set of values matters there is nothing to do. Weights behind them (k-max "
                "pooling that is flattened) that TensorFlow 1 trained give other results: train them again, "
                "best with sorted=True.",
            )  # fmt: skip


def _seeded_too_early(path: str, before: Parsed, original: _Line) -> Iterator[Finding]:
    """`random.seed` in a module that imports TensorFlow further down."""
    seeds: list[ast.stmt] = []
    for statement in before.tree.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            if before.names.resolve_node(statement.value.func) == "random.seed":
                seeds.append(statement)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)) and seeds:
            if any(name.split(".")[0] == "tensorflow" for name in _imported(statement)):
                for seed in seeds:
                    yield Finding(
                        "PY235", path, original(seed.lineno), seed.col_offset,
                        "TensorFlow 2 draws from Python's random numbers while it is imported, further down: "
                        "what is drawn after that is not what was drawn in TensorFlow 1",
                        "Seed after the import, and compare with numbers that were drawn so.",
                    )  # fmt: skip
                return


def _imported(statement: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(statement, ast.ImportFrom):
        return [statement.module or ""]
    return [alias.name for alias in statement.names]

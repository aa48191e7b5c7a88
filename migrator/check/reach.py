"""Where code builds a TF 1 graph, and whether graph mode is shown to get there.

TensorFlow 2 computes eagerly. What only a graph has (placeholders, sessions, savers without a list,
optimizers that minimize a tensor) works where a graph is entered around it: in the text, by
`graphs.building` on the function or class, by all of its callers, or for the whole process.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping

from migrator.analysis.module_summary import is_main_test
from migrator.analysis.tree_walk import walk
from migrator.check.records import Reach, Role, Unit, Use
from migrator.check.units import Reader, last_name

Function = tuple[str, str]  # the path of its file, its qualified name
#: The functions and classes of the project that a path leads to when a module says it.
Resolve = Callable[[str, Unit], Iterable[tuple[Unit, str]]]

#: Names of tf.compat.v1 that raise where TensorFlow is eager, or give what no graph is made of
#: (None for an initializer, no variables, a function for a learning rate).
GRAPH_ONLY = frozenset(
    f"tensorflow.compat.v1.{name}" for name in (
        "placeholder", "sparse_placeholder", "Session", "InteractiveSession", "gradients",
        "hessians", "global_variables_initializer", "local_variables_initializer",
        "variables_initializer", "tables_initializer", "initialize_all_variables",
        "initialize_local_variables", "initialize_variables", "initialize_all_tables",
        "report_uninitialized_variables", "add_check_numerics_ops",
        "get_collection", "global_variables", "trainable_variables", "local_variables",
        "model_variables", "moving_average_variables", "all_variables",
        "train.Saver", "train.MonitoredTrainingSession", "train.MonitoredSession",
        "train.SingularMonitoredSession", "train.Supervisor", "train.Scaffold",
        "train.start_queue_runners", "train.string_input_producer", "train.input_producer",
        "train.range_input_producer", "train.slice_input_producer", "train.batch",
        "train.batch_join", "train.maybe_batch", "train.maybe_batch_join",
        "train.maybe_shuffle_batch", "train.maybe_shuffle_batch_join", "train.shuffle_batch",
        "train.shuffle_batch_join", "train.export_meta_graph", "train.import_meta_graph",
        "train.exponential_decay", "train.polynomial_decay", "train.natural_exp_decay",
        "train.inverse_time_decay", "train.cosine_decay", "train.cosine_decay_restarts",
        "train.linear_cosine_decay", "train.noisy_linear_cosine_decay",
        "train.piecewise_constant", "train.piecewise_constant_decay",
        "summary.merge", "summary.merge_all", "summary.FileWriter",
        "data.make_initializable_iterator", "data.Iterator.from_string_handle",
        "TextLineReader", "WholeFileReader", "TFRecordReader", "FixedLengthRecordReader",
        "IdentityReader", "LMDBReader",
        *(f"metrics.{name}" for name in (
            "accuracy", "auc", "average_precision_at_k", "false_negatives", "false_positives", "mean",
            "mean_absolute_error", "mean_cosine_distance", "mean_iou", "mean_per_class_accuracy",
            "mean_relative_error", "mean_squared_error", "mean_tensor", "percentage_below",
            "precision", "precision_at_k", "recall", "recall_at_k", "root_mean_squared_error",
            "true_negatives", "true_positives", "sensitivity_at_specificity")),
    )
)  # fmt: skip
_OPTIMIZERS = frozenset(
    f"tensorflow.compat.v1.train.{name}Optimizer" for name in (
        "GradientDescent", "Momentum", "Adam", "RMSProp", "Adagrad", "AdagradDA", "Adadelta", "Ftrl",
        "ProximalAdagrad", "ProximalGradientDescent", "SyncReplicas")
)  # fmt: skip
_SWITCHES = frozenset(("disable_eager_execution", "disable_v2_behavior"))
_ENTERING = frozenset(("building", "run_deprecated_v1", "run_v1_only"))
_COMMON = frozenset(
    ("append", "format", "join", "get", "items", "keys", "values", "split", "extend", "close", "write",
     "reshape", "astype", "startswith", "endswith", "copy", "strip", "update", "pop", "sum", "mean",
     "shape", "as_list", "get_shape", "makedirs", "exists", "tolist", "add", "sort", "index")
)  # fmt: skip


def needs_graph(use: Use) -> bool:
    """Whether a name works in a graph only."""
    path = use.path.partition("(")[0]
    return path in GRAPH_ONLY or path in _OPTIMIZERS


def reach_of(reader: Reader, uses: Iterable[Use]) -> Reach:
    """What one module shows of graph mode."""
    scopes = reader.names.scopes
    entered = frozenset(
        reader.owners[scope.index] for scope in scopes
        if scope.kind in ("function", "class")
        and any(last_name(item) in _ENTERING for item in scope.node.decorator_list)  # type: ignore[attr-defined]
    )
    calls: dict[str, list[tuple[str, int]]] = {}
    everywhere = in_main = False
    for reference in reader.names.references:
        name = reference.attrs[-1] if reference.attrs else reference.root
        if reference.call is None or name in _COMMON:
            continue
        begins = name in _SWITCHES or name == "build" and reference.root == "graphs"
        if begins and reference.scope.kind == "module":
            if _in_main(reader, reference.node):
                in_main = True
            else:
                everywhere = True
        if reference.attrs:
            calls.setdefault(name, []).append((reader.owners[reference.scope.index], reference.node.lineno))
    spans = tuple(
        (reader.owners[s.index], s.node.lineno, s.node.end_lineno or 0)  # type: ignore[attr-defined]
        for s in scopes if s.kind == "function"
    )
    for line, name, what in reader.after_calls:
        if what == "(" and name not in _COMMON:
            calls.setdefault(name, []).append((_owner_at(spans, line), line))
    return Reach(
        tuple(_entered_blocks(reader)), entered, everywhere, in_main,
        {name: tuple(dict.fromkeys(sites)) for name, sites in calls.items()},
        spans,
        frozenset(use.line for use in uses if needs_graph(use)),
    )  # fmt: skip


def _in_main(reader: Reader, node: ast.expr) -> bool:
    return any(
        isinstance(stmt, ast.If) and is_main_test(stmt.test)
        and stmt.lineno <= node.lineno <= (stmt.end_lineno or 0)
        for stmt in reader.parsed.tree.body
    )


def _entered_blocks(reader: Reader) -> Iterator[tuple[int, int]]:
    """The lines of ``with`` blocks that enter a graph."""
    text = reader.parsed.text
    if "as_default" not in text and "graph=" not in text:
        return
    for node in reader.statements:
        if isinstance(node, (ast.With, ast.AsyncWith)):
            if any(_enters(item.context_expr) for item in node.items):
                yield node.lineno, node.end_lineno or node.lineno


def _enters(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    if any(keyword.arg == "graph" for keyword in node.keywords):
        return True  # a session on a graph of its own
    func = node.func
    if not isinstance(func, ast.Attribute) or func.attr != "as_default":
        return False
    named = " ".join(
        getattr(part, "attr", "") or getattr(part, "id", "") for part in walk(func.value)
    ).lower()
    return "graph" in named or named.strip() in ("g", "self g")


class Graphs:
    """Which functions of a project graph mode is shown to reach."""

    def __init__(
        self, units: Mapping[str, Unit], resolve: Resolve, importers: Callable[[str], Iterable[str]]
    ) -> None:
        self.units = units
        self._all = {path for path, unit in units.items() if unit.reach is not None and unit.reach.all}
        pending = list(self._all)
        while pending:  # who imports such a module is in its graph from then on
            new = set(importers(pending.pop())) - self._all
            self._all |= new
            pending += new
        self._eager = self._reached_eagerly(resolve)

    def shown(self, path: str, line: int) -> bool:
        """Whether the code at a line of a file is shown to run in a graph."""
        unit = self.units.get(path)
        if unit is None or unit.reach is None:
            return False
        owner = _owner_at(unit.reach.spans, line)
        return self._covered(unit, owner, line) or (path, owner) not in self._eager

    def _covered(self, unit: Unit, owner: str, line: int) -> bool:
        """Whether a graph is entered around a line in its own module."""
        reach = unit.reach
        assert reach is not None
        if unit.path in self._all or any(first <= line <= last for first, last in reach.covered):
            return True
        return any(_is_in(owner, unit_name) for unit_name in reach.entered)

    def _reached_eagerly(self, resolve: Resolve) -> set[Function]:
        """Functions to which some way leads on which nobody enters a graph: from a module's own
        statements, or from somebody who is not known."""
        functions: set[Function] = set()
        roots: list[Function] = []
        known: list[str] = []
        for path, unit in self.units.items():
            if unit.reach is not None:
                known.append(path)
                functions.update((path, owner) for owner, _, _ in unit.reach.spans)
                if not unit.reach.main:
                    roots.append((path, ""))
        called: set[Function] = set()
        edges: dict[Function, set[Function]] = {}
        made: dict[Function, set[Function]] = {}  # who makes objects of a class outside of a graph

        def edge(unit: Unit, owner: str, line: int, target: Function) -> None:
            called.add(target)
            if not self._covered(unit, owner, line):
                edges.setdefault((unit.path, owner), set()).add(target)

        methods: dict[str, list[Function]] = {}
        for path, owner in functions:
            if "." in owner:
                methods.setdefault(owner.rpartition(".")[2], []).append((path, owner))
        for path in known:
            unit = self.units[path]
            reach = unit.reach
            assert reach is not None
            for use in unit.uses:
                if use.role is Role.IMPORTED:
                    continue
                for home, name in resolve(use.path, unit):
                    if name in home.classes:
                        makers = made.setdefault((home.path, name), set())
                        if not self._covered(unit, use.owner, use.line):
                            makers.add((unit.path, use.owner))
                        name = f"{name}.__init__"
                    edge(unit, use.owner, use.line, (home.path, name))
            for name, sites in reach.calls.items():
                for owner, line in sites if name in methods else ():
                    edge(unit, owner, line, ("", name))
            for owner, first, _ in reach.spans:
                outer = owner.rpartition(".")[0]
                if (path, outer) in functions:  # a function in a function
                    edge(unit, outer, first, (path, owner))
        for name, targets in methods.items():  # all who call it share the way to all that have its name
            if ("", name) in called:
                called.update(targets)
                edges["", name] = set(targets)
        for path, owner in functions - called:  # a method that nobody calls by its name
            makers_of = made.get((path, owner.rpartition(".")[0]))
            if makers_of is not None:
                called.add((path, owner))
                for maker in makers_of:
                    edges.setdefault(maker, set()).add((path, owner))
        roots += functions - called
        eager: set[Function] = set()
        while roots:
            current = roots.pop()
            if current not in eager:
                eager.add(current)
                roots += edges.get(current, ())
        return eager


def _owner_at(spans: Iterable[tuple[str, int, int]], line: int) -> str:
    """The innermost function around a line, "" for the module."""
    found = [(last - first, owner) for owner, first, last in spans if first <= line <= last]
    return min(found)[1] if found else ""


def _is_in(owner: str, unit: str) -> bool:
    return owner == unit or owner.startswith(f"{unit}.")


__all__ = ["GRAPH_ONLY", "Graphs", "needs_graph", "reach_of"]

"""Which functions of a module can only be called while a graph is being built, or ask for tensors' names."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from migrator.analysis.facts import fact
from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import calls_in, children, has_functions, last_name, walk

#: Calls that TensorFlow refuses in eager code, wherever their arguments come from.
GRAPH_ONLY = frozenset(
    {
        "tensorflow.gradients",
        "tensorflow.hessians",
        "tensorflow.placeholder",
        "tensorflow.placeholder_with_default",
        "tensorflow.sparse_placeholder",
    }
)
#: What opens a graph or a session.
OPENERS = frozenset(
    {"as_default", "Session", "InteractiveSession", "test_session", "cached_session", "session",
     "MonitoredSession", "MonitoredTrainingSession", "SingularMonitoredSession"}
)  # fmt: skip
_OPERATION = re.compile(r"(^|_)(op|ops|init|initializer)$")  # what people call operations
_LAST = frozenset(symbol.rpartition(".")[2] for symbol in GRAPH_ONLY)
_WORDS = tuple(f"{name}(" for name in _LAST)


def names_graph_only(text: str) -> bool:
    """Whether a text can hold one of these calls at all."""
    return any(word in text for word in _WORDS)


def graph_only_calls(tree: ast.AST, names: NameTable) -> list[tuple[ast.Call, str]]:
    """The calls below `tree` that need a graph, with their symbols; those in functions that
    `tf.function` traces are left out."""
    found: list[tuple[ast.Call, str]] = []
    if not any(last_name(call.func) in _LAST for call in calls_in(tree)):
        return found
    queue = [tree]
    while queue:
        node = queue.pop()
        if node is not tree and is_traced(node):
            continue
        if isinstance(node, ast.Call) and last_name(node.func) in _LAST:
            symbol = names.resolve_node(node.func, values=False)
            if symbol in GRAPH_ONLY:
                found.append((node, symbol))
        queue += children(node)
    return found


def is_traced(node: ast.AST) -> bool:
    """Whether a function is decorated with ``<tensorflow>.function``."""
    if not isinstance(node, ast.FunctionDef):
        return False
    decorators = (d.func if isinstance(d, ast.Call) else d for d in node.decorator_list)
    return any(isinstance(d, ast.Attribute) and d.attr == "function" for d in decorators)


def opens_session(function: ast.FunctionDef) -> bool:
    """Whether a function has a graph or session of its own: such a program is complete, and is
    either made eager as a whole or keeps its graph as a whole."""
    return any(last_name(c.func) in OPENERS for c in calls_in(function))


#: What takes the gradients of a loss that it is given: the computation behind an eager one is gone.
_TRAINERS = frozenset({"minimize", "compute_gradients", "optimize_loss"})
_TRAINS = "tensorflow.train.Optimizer."


@fact("graph_only", *sorted(_LAST | _TRAINERS), when=has_functions)
def graph_only_functions(
    tree: ast.Module, names: NameTable, module: str
) -> dict[str, list[str]] | None:
    """Top-level function -> what makes it need a graph: symbols of `GRAPH_ONLY` that it calls
    itself, or through other functions of this module, and the training of a loss that it is given."""
    del module
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    needs: dict[str, set[str]] = {}
    for name, node in functions.items():
        if not is_traced(node) and not opens_session(node):
            symbols = {symbol for _, symbol in graph_only_calls(node, names)} | _trained(node)
            if symbols:
                needs[name] = symbols
    return _with_callers(functions, needs) or None


@fact("runs_by_default", ".run(", when=has_functions)
def running_functions(
    tree: ast.Module, names: NameTable, module: str
) -> dict[str, list[str]] | None:
    """Top-level function -> those, it or others of this module that it calls, which run operations that they
    are given in the session that is around them."""
    del names, module
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    running = {name: {name} for name, node in functions.items()
               if not is_traced(node) and not opens_session(node) and _runs_by_default(node)}
    return _with_callers(functions, running) or None


def _runs_by_default(function: ast.FunctionDef) -> bool:
    """Whether a function runs operations without saying in which session: ``scaffold.init_op.run()``."""
    return any(
        isinstance(call.func, ast.Attribute) and call.func.attr == "run" and not call.args
        and all(word.arg == "feed_dict" for word in call.keywords)
        and _OPERATION.search(last_name(call.func.value)) for call in calls_in(function))


def _trained(function: ast.FunctionDef) -> set[str]:
    """What a function trains a loss by that is one of its parameters."""
    taken = {a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
    found = set[str]()
    for call in calls_in(function):
        if (name := last_name(call.func)) in _TRAINERS:
            given = [*call.args[:1], *(word.value for word in call.keywords if word.arg == "loss")]
            if any(isinstance(loss, ast.Name) and loss.id in taken for loss in given):
                found.add(f"{_TRAINS}{name}")
    return found


def _with_callers(
    functions: Mapping[str, ast.FunctionDef | ast.ClassDef], needs: dict[str, set[str]]
) -> dict[str, list[str]]:
    """What functions need by themselves, or through other functions of their module."""
    if not needs:
        return {}
    calls = {
        name: {n.id for n in (*(c.func for c in calls_in(node)), *getattr(node, "bases", ()))
               if isinstance(n, ast.Name) and n.id in functions}
        for name, node in functions.items()
        if not is_traced(node) and not (isinstance(node, ast.FunctionDef) and opens_session(node))
    }
    changed = True
    while changed:
        changed = False
        for name, called in calls.items():
            inherited = set().union(*(needs.get(other, set()) for other in called))
            if not inherited <= needs.get(name, set()):
                needs.setdefault(name, set()).update(inherited)
                changed = True
    return {name: sorted(symbols) for name, symbols in needs.items()}


_NAMED = frozenset({"tensorflow.variable_scope", "tensorflow.name_scope", "tensorflow.assign"})
_NAMES = frozenset({"name", "device"})  # which a rewrite asks of variables themselves


def reads_operations(tree: ast.AST) -> bool:
    """Whether code takes the operations that made tensors: eager ones have none."""
    others = set[int]()  # of a GraphDef's nodes, where it is what the operation is called
    every = list[ast.Attribute]()
    for node in walk(tree):
        if isinstance(node, ast.Attribute):
            every.append(node)
            if node.attr in _NAMES:
                others.add(id(node.value))
        elif isinstance(node, ast.Compare):
            others.update(map(id, (node.left, *node.comparators)))
    return any(node.attr == "op" and id(node) not in others and isinstance(node.ctx, ast.Load)
               and not ast.unparse(node.value).endswith(("self", "node", "node_def")) for node in every)


def asks_for_graph(tree: ast.AST, names: NameTable) -> bool:
    """Whether code asks for the graph that is being built: in eager code nothing is in it."""
    return any(last_name(call.func) == "get_default_graph"
               and names.resolve_node(call.func, values=False) == "tensorflow.get_default_graph"
               for call in calls_in(tree))


def _defines(tree: ast.Module) -> bool:
    return any(isinstance(node, (ast.FunctionDef, ast.ClassDef)) for node in tree.body)


@fact("named_tensors", ".name", ".op", "get_default_graph", when=_defines)
def naming_functions(
    tree: ast.Module, names: NameTable, module: str
) -> dict[str, list[str]] | None:
    """Top-level function or class -> those, it or others of this module that it calls, which read what there
    is in a graph only: itself, the operation of a tensor, or its name, if they take its shape or give it to
    an operation."""
    del module
    functions = {n.name: n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    asking: dict[str, set[str]] = {}
    for node in functions.values():
        if not is_traced(node) and (
                reads_operations(node) or asks_for_graph(node, names)
                or isinstance(node, ast.FunctionDef) and _reads_names(node, names)):
            asking[node.name] = {node.name}
    return _with_callers(functions, asking) or None


def _reads_names(node: ast.FunctionDef, names: NameTable) -> bool:
    """Whether a function reads the name of a tensor that it is given, by itself or in a list."""
    taken = {a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    named, tensors = set[str](), set[str]()
    for part in walk(node):
        if isinstance(part, ast.Attribute):
            if part.attr == "name":
                named.add(ast.unparse(part.value))
            elif part.attr in ("shape", "get_shape"):
                tensors.add(ast.unparse(part.value))
        elif isinstance(part, ast.Assign) and isinstance(part.value, ast.Subscript) and (
                _root(part.value) in taken):  # an item of what is given
            taken.update(target.id for target in part.targets if isinstance(target, ast.Name))
        elif isinstance(part, ast.Call) and part.args and isinstance(part.func, ast.Attribute):
            symbol = names.resolve_node(part.func, values=False) or ""
            if symbol.startswith("tensorflow.") and symbol not in _NAMED:
                tensors.add(ast.unparse(part.args[0]))
    return any(text.partition("[")[0] in taken for text in named & tensors)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""

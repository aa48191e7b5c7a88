"""Which functions of a module can only be called while a graph is being built, or ask for tensors' names."""

from __future__ import annotations

import ast

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
_OPENERS = frozenset(
    {"as_default", "Session", "InteractiveSession", "test_session", "cached_session", "session",
     "MonitoredSession", "MonitoredTrainingSession", "SingularMonitoredSession"}
)  # fmt: skip
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
    return any(last_name(c.func) in _OPENERS for c in calls_in(function))


@fact("graph_only", *sorted(_LAST), when=has_functions)
def graph_only_functions(
    tree: ast.Module, names: NameTable, module: str
) -> dict[str, list[str]] | None:
    """Top-level function -> what makes it need a graph: symbols of `GRAPH_ONLY` that it calls
    itself, or through other functions of this module."""
    del module
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    needs: dict[str, set[str]] = {}
    for name, node in functions.items():
        if not is_traced(node) and not opens_session(node):
            symbols = {symbol for _, symbol in graph_only_calls(node, names)}
            if symbols:
                needs[name] = symbols
    return _with_callers(functions, needs) or None


def _with_callers(functions: dict[str, ast.FunctionDef], needs: dict[str, set[str]]) -> dict[str, list[str]]:
    """What functions need by themselves, or through other functions of their module."""
    if not needs:
        return {}
    calls = {
        name: {
            n.func.id
            for n in calls_in(node)
            if isinstance(n.func, ast.Name) and n.func.id in functions
        }
        for name, node in functions.items()
        if not is_traced(node) and not opens_session(node)
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


@fact("named_tensors", ".name", when=has_functions)
def naming_functions(
    tree: ast.Module, names: NameTable, module: str
) -> dict[str, list[str]] | None:
    """Top-level function -> the functions, it or others of this module that it calls, which read the
    `name` of a parameter whose shape they take: a tensor, which has none in eager code."""
    del names, module
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    asking: dict[str, set[str]] = {}
    for node in functions.values():
        if is_traced(node):
            continue
        taken = {a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
        read: dict[str, set[str]] = {"name": set(), "shape": set(), "get_shape": set()}
        for part in walk(node):
            if isinstance(part, ast.Attribute) and part.attr in read and isinstance(part.value, ast.Name):
                read[part.attr].add(part.value.id)
        if taken & read["name"] & (read["shape"] | read["get_shape"]):
            asking[node.name] = {node.name}
    return _with_callers(functions, asking) or None

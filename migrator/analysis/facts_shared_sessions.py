"""Which functions and names of a module give a session on the default graph, and which it runs."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrator.analysis.arguments import none_by_default
from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import last_name, self_attribute, walk
from migrator.engine.registry import fact

_SESSIONS = frozenset({"tensorflow.Session", "tensorflow.InteractiveSession"})
_SESSION_NAMES = frozenset({"Session", "InteractiveSession"})
#: What a tensor, a variable or an iterator has: no sign of another object's graph.
_OF_TENSORS = frozenset({"initializer", "op", "name", "shape", "graph", "dtype", "string_handle"})
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


@fact("shared_sessions", "sess", "Sess")
def shared_sessions(
    tree: ast.Module, names: NameTable, module: str
) -> dict[str, Any] | None:
    """``makes``: top-level functions, classes and names that give a session for which no graph is
    named, so that it runs what anybody built, and whether that is more than a new one for each
    call; ``uses``: dotted names, as the module resolves them, of what it runs as a session and did
    not make itself, and whether otherwise than in a local; ``classes``: by name, attributes in which
    a class ``keeps`` such a session, attributes of which it ``runs`` what an object that it was
    given holds (``self.sess.run(self.model.loss)``), and its ``bases``."""
    del module
    nodes = walk(tree)
    named = any(last_name(node) in _SESSION_NAMES for node in nodes)
    runs = [n for n in nodes if isinstance(n, ast.Call) and last_name(n.func) == "run" and n.args]
    makes = _made(tree, names) if named else {}
    uses = _used(nodes, runs, names)
    classes = {}
    if named or any(self_attribute(run.func.value) for run in runs if isinstance(run.func, ast.Attribute)):
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and (found := _class_sessions(node, names)):
                classes[node.name] = found
    if not (makes or uses or classes):
        return None
    return {"makes": makes, "uses": uses, "classes": classes}


def _made(tree: ast.Module, names: NameTable) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for node in tree.body:
        if isinstance(node, _Function):
            given = _gives_session(node, names)
            if given is not None:
                found[node.name] = given
        elif isinstance(node, ast.ClassDef):
            if any(names.resolve_node(base) in _SESSIONS for base in node.bases):
                found[node.name] = True
        elif isinstance(node, ast.Assign) and _is_session(node.value, names, frozenset()):
            found |= {target.id: True for target in node.targets if isinstance(target, ast.Name)}
    return found


def _gives_session(
    function: ast.FunctionDef | ast.AsyncFunctionDef, names: NameTable
) -> bool | None:
    """Whether a function keeps a session that it makes in a global (True), or returns a new one
    each time (False); None if it does neither."""
    nodes = walk(function)
    if _enters_graph(nodes):
        return None
    missing = none_by_default(function.args)
    kept = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    returned = {
        node.value.id
        for node in nodes
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Name)
    }
    found = None
    for node in nodes:
        if isinstance(node, ast.Return) and node.value is not None:
            if _is_session(node.value, names, missing):
                found = found or False
        elif isinstance(node, ast.Assign) and _is_session(node.value, names, missing):
            bound = {target.id for target in node.targets if isinstance(target, ast.Name)}
            if bound & kept:
                return True
            if bound & returned:
                found = False
    return found


def _enters_graph(nodes: Sequence[ast.AST]) -> bool:
    """Whether there is a block in which another graph is the default one."""
    return any(
        isinstance(node, ast.With) and any("as_default" in ast.unparse(i) for i in node.items)
        for node in nodes
    )


def _is_session(node: ast.expr, names: NameTable, missing: frozenset[str]) -> bool:
    """Whether `node` makes a session whose graph is the default one; `missing` are None."""
    if not (isinstance(node, ast.Call) and names.resolve_node(node.func) in _SESSIONS):
        return False
    graphs = [k.value for k in node.keywords if k.arg == "graph"] + node.args[1:2]
    return all(isinstance(graph, ast.Name) and graph.id in missing for graph in graphs)


def _used(
    nodes: Sequence[ast.AST], runs: Sequence[ast.Call], names: NameTable
) -> dict[str, bool]:
    """What is run: as ``S.run(...)``, ``.eval(session=S)`` or through an attribute that holds it,
    with whether that is any other than a local."""
    bases = [run.func.value for run in runs if isinstance(run.func, ast.Attribute)]
    for node in nodes:
        if isinstance(node, ast.keyword) and node.arg in ("session", "sess"):
            bases.append(node.value)
    found: dict[str, bool] = {}
    for base in bases:
        name = _session_of(base, names)
        found[name] = found.get(name, False) or not isinstance(base, ast.Name)
    attributes = {base.attr for base in bases if isinstance(base, ast.Attribute)}
    for node in nodes if attributes else ():
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Attribute) and target.attr in attributes
            for target in node.targets
        ):
            found[_session_of(node.value, names)] = True
    found.pop("", None)
    return found


def _session_of(node: ast.expr, names: NameTable) -> str:
    """The function, class or name of another module that a session may come from, "" if none."""
    if isinstance(node, ast.Call) and any(k.arg == "graph" for k in node.keywords):
        return ""
    name = names.resolve_node(node) or ""
    if name.startswith(("tensorflow", "builtins.", "tf1_support")) or "." not in name:
        return ""
    name = name.removesuffix("()")
    return "" if "(" in name else name


def _class_sessions(node: ast.ClassDef, names: NameTable) -> dict[str, list[str]]:
    """What `shared_sessions` says of one class; nothing at all if it has no such session or run."""
    keeps: set[str] = set()
    runs: set[str] = set()
    given, bound = _given(node)
    for inner in walk(node):
        if isinstance(inner, ast.Assign) and _is_session(inner.value, names, frozenset()):
            keeps |= {name for target in inner.targets if (name := self_attribute(target))}
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
            session = self_attribute(inner.func.value)
            if inner.func.attr == "run" and session and any(
                isinstance(part, ast.Attribute) and part.attr not in _OF_TENSORS
                and (owner := self_attribute(part.value))
                and (owner in given or owner not in bound and bool(node.bases))
                for argument in inner.args[:1] for part in walk(argument)
            ):
                runs.add(session)
    if keeps and _enters_graph(walk(node)):
        keeps = set()  # in a graph of its own
    if not keeps and not runs:
        return {}
    bases = [names.resolve_node(base, values=False) or ast.unparse(base) for base in node.bases]
    return {"keeps": sorted(keeps), "runs": sorted(runs), "bases": bases}


def _given(node: ast.ClassDef) -> tuple[set[str], set[str]]:
    """Attributes to which the methods of a class bind a parameter (``self.model = model``), and
    all that they bind."""
    found: set[str] = set()
    bound: set[str] = set()
    for method in node.body:
        if not isinstance(method, _Function):
            continue
        parameters = {a.arg for a in (*method.args.args[1:], *method.args.kwonlyargs)}
        for inner in walk(method):
            if isinstance(inner, ast.Assign):
                targets = {name for target in inner.targets if (name := self_attribute(target))}
                bound |= targets
                if isinstance(inner.value, ast.Name) and inner.value.id in parameters:
                    found |= targets
    return found, bound

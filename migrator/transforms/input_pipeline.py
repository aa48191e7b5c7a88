"""Functions that returned an iterator's next element return the data set, and callers follow."""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts_functions import module_functions
from migrator.analysis.input_functions import returned_elements
from migrator.analysis.names import Scope
from migrator.analysis.program import Program
from migrator.analysis.program_items import Obstacle
from migrator.analysis.source import SourceText
from migrator.analysis.tree_walk import walk
from migrator.engine.context import FileContext
from migrator.engine.registry import transform
from migrator.transforms.session import runs_left
from migrator.transforms.sessions.facts import FunctionTable
from migrator.transforms.sessions.records import Names
from migrator.transforms.sessions.writing.render import Decisions, rendered

#: Methods and classes that take an input function first.
_ESTIMATORS = frozenset({"train", "evaluate", "predict", "TrainSpec", "EvalSpec"})
_SESSIONS = frozenset({"test_session", "cached_session", "session", "self_session"})


@transform
class ReturnedDatasets:
    """``return iterator.get_next()`` becomes ``return dataset`` in input functions."""

    name = "input_functions"
    together = frozenset({name, "input_function_callers"})
    triggers = frozenset({"tensorflow.data.*", "tensorflow.contrib.data.*", *k.QUEUES})
    order = 14

    def run(self, ctx: FileContext) -> None:
        """Make the file's input functions return their data sets."""
        if "iterator" not in ctx.text:
            return
        text, tree, names = ctx.text, ctx.tree, ctx.names
        source = SourceText(text, tree)
        scopes: dict[int, Scope] = {id(scope.node): scope for scope in names.scopes}
        own = module_functions(tree, names)
        decisions = Decisions()
        changed = False
        for node in tree.body:
            if not isinstance(node, ast.FunctionDef) or own[node.name][0].kind != k.ELEMENT:
                continue
            program = Program(
                names, scopes[id(node)], node.body, lambda n: own[n][0] if n in own else None
            )
            found = returned_elements(program)
            if found is None:
                continue
            changed = True
            for statement in found.gone:
                decisions.dropped.add(id(statement))
            for returned in found.returns:
                assert returned.value is not None
                span = source.span(returned.value)
                decisions.edits.append((*span, source.segment(found.dataset)))
                ctx.change(
                    "TF502", returned,
                    f"{node.name} returns the data set; its callers iterate over it",
                    symbol="tensorflow.data.Dataset.make_one_shot_iterator",
                )
        if not changed:
            return
        try:
            ctx.text = rendered(source, tree, decisions)
        except Obstacle as obstacle:
            raise ValueError(obstacle.reason) from obstacle


@transform
class DatasetCallers:
    """Callers of such functions that are no session program take the next element themselves."""

    name = "input_function_callers"
    together = frozenset({name, "input_functions"})
    triggers = frozenset({"tensorflow.*"})
    order = 12

    def run(self, ctx: FileContext) -> None:
        """Wrap the file's calls of such functions."""
        if not _imports_elements(ctx):
            return
        text, tree, names = ctx.text, ctx.tree, ctx.names
        table = FunctionTable(ctx, tree, names)
        source = SourceText(text, tree)
        decisions = Decisions()
        edits = decisions.edits
        free = Names(names.used_names)
        graph = runs_left(ctx) or _called_in_graphs(ctx)
        handed = _InputFunctions(ctx)
        for reference in names.references:
            call = reference.call
            if call is None:
                continue
            symbol = names.resolve_node(call.func, reference.scope, values=False)
            name = symbol or reference.root
            if reference.attrs and symbol is None:
                continue
            fact = table(name)
            if fact is None or fact.kind != k.ELEMENT or _iterated(call, reference.scope.node):
                continue
            if handed.has(call):  # an estimator iterates over it
                continue
            start, end = source.span(call)
            body = source.text[start:end]
            assigned = _assignment(call, reference.scope.node)
            if assigned is not None and _has_session(reference.scope.node):
                iterator = free.fresh("iterator", "batches", "batch_iterator")
                maker = ctx.support("iterators.make_one_shot_iterator")  # in a graph, that one's
                lines = f"{iterator} = {maker}({body})".split("\n")
                decisions.before.setdefault(id(assigned), []).extend(
                    line.removeprefix(source.indent(assigned)) for line in lines
                )
                edits.append((start, end, f"{iterator}.get_next()"))
            elif graph or handed.holds(call):
                maker = ctx.support("iterators.make_one_shot_iterator")
                edits.append((start, end, f"{maker}({body}).get_next()"))
            else:
                edits.append((start, end, f"next(iter({body}))"))
            ctx.change("TF502", call, f"{name} returns a data set now")
        if edits:
            ctx.text = rendered(source, tree, decisions)


class _InputFunctions:
    """What the functions return that a file hands to estimators, which take a data set from them."""

    def __init__(self, ctx: FileContext) -> None:
        functions: dict[str, list[ast.expr]] = {}  # by name: what they return
        given: set[str] = set()
        called: set[str] = set()
        lambdas: set[int] = set()
        for node in walk(ctx.tree):
            if isinstance(node, ast.FunctionDef):
                functions.setdefault(node.name, []).extend(
                    n.value for n in walk(node) if isinstance(n, ast.Return) and n.value is not None)
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        functions.setdefault(target.id, []).append(node.value.body)
            elif isinstance(node, ast.Call):
                if isinstance(node.func, ast.Name):
                    called.add(node.func.id)
                for function in _input_functions(node):
                    if isinstance(function, ast.Lambda):
                        lambdas.add(id(function.body))
                    elif isinstance(function, ast.Name):
                        given.add(function.id)
        given |= {name for name in functions if name.endswith("input_fn")}
        users = [ctx.index.text(path) or "" for path in ctx.index.importers(ctx.path)]
        given = {name for name in given - called if not any(f"{name}(" in text for text in users)}
        returned = {id(value) for name in given for value in functions.get(name, [])}
        self._returned = lambdas | returned
        self._inside: set[int] = set()
        for node in walk(ctx.tree):
            if isinstance(node, ast.FunctionDef) and node.name in given or id(node) in self._returned:
                self._inside |= {id(inner) for inner in walk(node)}

    def has(self, call: ast.Call) -> bool:
        """Whether such a function returns just what this call gives."""
        return id(call) in self._returned

    def holds(self, call: ast.Call) -> bool:
        """Whether such a function calls it, and makes something else of the element."""
        return id(call) in self._inside


def _input_functions(call: ast.Call) -> list[ast.expr]:
    """Arguments of a call that are functions which an estimator gets its data from."""
    given = [keyword.value for keyword in call.keywords if (keyword.arg or "").endswith("input_fn")]
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return given + (call.args[:1] if name in _ESTIMATORS else [])


def _imports_elements(ctx: FileContext) -> bool:
    for path in [*ctx.index.imported(ctx.path), ctx.path]:
        facts = ctx.index.fact(path, "functions", ctx.path) or {}
        if any(record["kind"] == k.ELEMENT for record in facts.values()):
            return True
    return False


def _called_in_graphs(ctx: FileContext) -> bool:
    """Whether a module that leads here has sessions: its graph may be what the calls are a part of."""
    seen, to_see = {ctx.path}, [ctx.path]
    while to_see:
        for path in ctx.index.importers(to_see.pop()):
            if path not in seen:
                if "Session" in (ctx.index.text(path) or ""):
                    return True
                seen.add(path)
                to_see.append(path)
    return False


def _iterated(call: ast.Call, scope: ast.AST) -> bool:
    """Whether the call's result is (by now) iterated over as a data set."""
    name = None
    for node in walk(scope):
        if isinstance(node, ast.Assign) and node.value is call and len(node.targets) == 1:
            target = node.targets[0]
            name = target.id if isinstance(target, ast.Name) else None
        if isinstance(node, ast.Call) and call in node.args:
            if isinstance(node.func, ast.Name) and node.func.id == "iter":
                return True
        if isinstance(node, ast.Attribute) and node.value is call:
            return True
    return name is not None and any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "iter"
        and any(isinstance(a, ast.Name) and a.id == name for a in node.args)
        for node in walk(scope)
    )


def _assignment(call: ast.Call, scope: ast.AST) -> ast.Assign | None:
    for node in walk(scope):
        if isinstance(node, ast.Assign) and node.value is call:
            return node
    return None


def _has_session(scope: ast.AST) -> bool:
    for node in walk(scope):
        if isinstance(node, ast.Attribute) and (node.attr in _SESSIONS or "Session" in node.attr):
            return True
    return False

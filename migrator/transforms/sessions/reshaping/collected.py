"""Assignments that a function makes for listed variables and runs at once: they need no run.

``for a, b in zip(these, those): ops.append(b.assign(a))`` and then ``sess.run(ops)`` is
``b.assign(a)`` where TensorFlow computes at once.
"""

from __future__ import annotations

import ast

from migrator.analysis.source import Edit, SourceText
from migrator.analysis.tree_walk import blocks_in, calls_in, walk

_LISTS = ("trainable_variables", "global_variables", "all_variables", "model_variables",
          "get_variables", "get_trainable_variables", "get_model_variables")
_COLLECTIONS = ("get_collection", "get_collection_ref")
_SORTS = ("sorted", "list", "reversed", "zip", "enumerate")


def without_run(text: str, run: ast.Call) -> str | None:
    """`text` in which what `run` (a call of it) fetches happens where it is made; None where it is
    anything but assignments to variables that the function lists itself."""
    tree = ast.parse(text)
    found = [
        (function, stmt) for function in walk(tree) if isinstance(function, ast.FunctionDef)
        for stmt in walk(function) if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call)
        and (stmt.lineno, stmt.value.col_offset) == (run.lineno, run.col_offset)
    ]
    if not found:
        return None
    function, stmt = found[-1]
    call = stmt.value
    assert isinstance(call, ast.Call)
    if len(call.args) != 1 or call.keywords:
        return None
    collected = _Collected(function, SourceText(text, tree))
    edits = collected.edits(stmt, call.args[0])
    if edits is None:
        return None
    return collected.source.splice(0, len(text), [*edits, *collected.idle_session(call)])


class _Collected:
    """The assignments of one function."""

    def __init__(self, function: ast.FunctionDef, source: SourceText) -> None:
        self.function = function
        self.source = source

    def edits(self, run: ast.Expr, fetch: ast.expr) -> list[Edit] | None:
        """What makes the assignments happen where they are made."""
        if isinstance(fetch, ast.Call):
            return [(*self.source.span(run.value), self.source.segment(fetch))] if (
                self._assigns(fetch)) else None
        block = next((b for b in blocks_in(self.function) if run in b), None)
        if not isinstance(fetch, ast.Name) or block is None:
            return None
        uses = [n for n in walk(self.function) if isinstance(n, ast.Name) and n.id == fetch.id]
        position = block.index(run)
        made = next((s for s in block[:position] if isinstance(s, ast.Assign)
                     and len(s.targets) == 1 and s.targets[0] in uses), None)
        if made is None:
            return None
        between = block[block.index(made) + 1:position]
        if isinstance(made.value, ast.ListComp) and len(uses) == 2 and not between:
            return self._comprehended(made, run)
        if not (isinstance(made.value, ast.List) and not made.value.elts) or len(uses) != 3 or (
            len(between) != 1 or not isinstance(between[0], ast.For)
        ):
            return None
        return self._looped(made, between[0], run)

    def idle_session(self, run: ast.Call) -> list[Edit]:
        """What takes the session away that a function opens for a run alone."""
        name = ast.unparse(run.func).rpartition(".")[0]
        uses = [n for n in walk(self.function) if isinstance(n, ast.Name) and n.id == name]
        opened = [s for s in self.function.body if isinstance(s, ast.Assign)
                  and [ast.unparse(t) for t in s.targets] == [name]
                  and ast.unparse(s.value).endswith("Session()")]
        return [self.source.removal(opened[0])] if len(opened) == 1 and len(uses) == 2 else []

    def _comprehended(self, made: ast.Assign, run: ast.Expr) -> list[Edit] | None:
        """``ops = [b.assign(a) for a, b in pairs]`` becomes a loop."""
        comprehension = made.value
        assert isinstance(comprehension, ast.ListComp)
        generator = comprehension.generators[0]
        if len(comprehension.generators) != 1 or generator.ifs or not isinstance(
            comprehension.elt, ast.Call
        ) or not self._assigns(comprehension.elt):
            return None
        segment, indent = self.source.segment, self.source.indent(made)
        loop = (f"for {segment(generator.target)} in {segment(generator.iter)}:\n"
                f"{indent}{self.source.unit}{segment(comprehension.elt)}")
        return [(*self.source.span(made), loop), self.source.removal(run)]

    def _looped(self, made: ast.Assign, loop: ast.For, run: ast.Expr) -> list[Edit] | None:
        """The loop keeps the assignments, without the list that collects them."""
        last = loop.body[-1]
        if loop.orelse or not (
            isinstance(last, ast.Expr) and isinstance(last.value, ast.Call)
            and isinstance(last.value.func, ast.Attribute) and last.value.func.attr == "append"
            and ast.unparse(last.value.func.value) == ast.unparse(made.targets[0])
            and len(last.value.args) == 1
        ):
            return None
        added = last.value.args[0]
        edits = [self.source.removal(made), self.source.removal(run)]
        if isinstance(added, ast.Call) and len(loop.body) == 1 and self._assigns(added):
            return [*edits, (*self.source.span(last), self.source.segment(added))]
        if not isinstance(added, ast.Name) or len(loop.body) != 2:
            return None
        first = loop.body[0]
        uses = [n for n in walk(self.function) if isinstance(n, ast.Name) and n.id == added.id]
        if isinstance(first, ast.Assign) and isinstance(first.value, ast.Call) and (
            ast.unparse(first.targets[0]) == added.id and len(uses) == 2
            and self._assigns(first.value)
        ):
            return [*edits, (*self.source.span(first), self.source.segment(first.value)),
                    self.source.removal(last)]
        return None

    def _assigns(self, call: ast.Call) -> bool:
        """Whether a call assigns to a listed variable what is computed from such variables."""
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr == "assign" and isinstance(
            func.value, ast.Name
        ) and self._is_listed(func.value.id):
            names = {n.id for a in call.args for n in walk(a) if isinstance(n, ast.Name)}
            parameters = {a.arg for a in walk(self.function.args) if isinstance(a, ast.arg)}
            return not call.keywords and len(call.args) == 1 and not calls_in(call.args[0]) and all(
                self._is_listed(name) or name in parameters for name in names)
        return False

    def _is_listed(self, name: str) -> bool:
        """Whether a name only takes variables of lists that the function asks for."""
        sources = []
        for node in walk(self.function):
            if isinstance(node, (ast.For, ast.comprehension)):
                for target, source in _pairs(node.target, node.iter):
                    if isinstance(target, ast.Name) and target.id == name:
                        sources.append(source)
        stored = [n for n in walk(self.function) if isinstance(n, ast.Name) and n.id == name
                  and not isinstance(n.ctx, ast.Load)]
        return bool(sources) and len(sources) == len(stored) and all(map(self._lists, sources))

    def _lists(self, node: ast.expr, depth: int = 0) -> bool:
        """Whether an expression lists variables of the graph."""
        if depth > 8:
            return False
        if isinstance(node, ast.Name):
            made = [s for s in walk(self.function) if isinstance(s, ast.Assign)
                    and [ast.unparse(t) for t in s.targets] == [node.id]]
            return bool(made) and all(
                self._lists(s.value, depth + 1) for s in made
                if not any(n is node for n in walk(s.value)))
        if isinstance(node, ast.ListComp):
            generator = node.generators[0]
            return len(node.generators) == 1 and (
                ast.unparse(node.elt) == ast.unparse(generator.target)
            ) and self._lists(generator.iter, depth + 1)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return self._lists(node.value, depth + 1)
        if not isinstance(node, ast.Call):
            return False
        name = ast.unparse(node.func).rpartition(".")[2]
        if name in _SORTS and node.args:
            return self._lists(node.args[0], depth + 1)
        return name in _LISTS or name in _COLLECTIONS and bool(node.args) and (
            "VARIABLES" in ast.unparse(node.args[0]))


def _pairs(target: ast.expr, source: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """The names of a loop with what each of them goes through."""
    if isinstance(target, ast.Tuple) and isinstance(source, ast.Call):
        name = ast.unparse(source.func)
        if name == "zip" and len(target.elts) == len(source.args):
            return list(zip(target.elts, source.args, strict=True))
        if name == "enumerate" and len(target.elts) == 2 and len(source.args) == 1:
            return _pairs(target.elts[1], source.args[0])
    return [(target, source)]

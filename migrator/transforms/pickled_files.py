"""Files that are opened as text and pickled: Python 3's pickle reads and writes bytes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.tree_walk import walk
from migrator.analysis.values import argument
from migrator.engine.context import FileContext
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform

CODE = "PY234"
#: What pickles -> the place of the stream among its arguments.
_PICKLES = {
    f"{module}.{name}": place
    for module in ("pickle", "cPickle", "six.moves.cPickle", "_pickle", "dill", "cloudpickle")
    for name, place in (("load", 0), ("dump", 1), ("Unpickler", 0), ("Pickler", 0))
}
_OPENS = ("builtins.open", "open", "io.open", "codecs.open", "tensorflow.gfile.GFile",
          "tensorflow.gfile.Open", "tensorflow.gfile.FastGFile", "tensorflow.io.gfile.GFile")
_MODES = {"", "r", "rt", "rU", "U", "w", "wt", "a", "w+", "r+", "a+"}
_HARMLESS = frozenset({"close", "flush", "seek", "tell"})


@transform
class PickledFiles:
    """PY234: ``open(path, "rb")`` where the file is given to pickle and to nothing else."""

    name = "pickled_files"
    triggers = frozenset(_PICKLES)
    order = 87

    def run(self, ctx: FileContext) -> str | None:
        lines, edits = Lines(ctx.text), {}
        for scope in walk(ctx.tree):
            if not isinstance(scope, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            own = list(_of_scope(scope))
            for call in own:
                place = _place(call, ctx)
                if place is None:
                    continue
                assert isinstance(call, ast.Call)
                stream = argument(call, place, "file")
                for opened in _opened(stream, call, own, ctx) if stream is not None else ():
                    writes = (ctx.names.resolve_node(call.func) or "").endswith(("dump", ".Pickler"))
                    edit = _in_bytes(opened, writes, lines)
                    if edit is not None and not ctx.suppressed(CODE, opened):
                        if id(opened) not in edits:
                            ctx.change(CODE, opened, "Python 3's pickle reads and writes bytes")
                        edits[id(opened)] = edit
        return apply(ctx.text, list(edits.values()))[0] if edits else None


def _of_scope(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope, without those of functions in it."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _of_scope(child)


def _place(node: ast.AST, ctx: FileContext) -> int | None:
    if not isinstance(node, ast.Call):
        return None
    return _PICKLES.get(ctx.names.resolve_node(node.func) or "")


def _opened(stream: ast.expr, call: ast.Call, own: list[ast.AST], ctx: FileContext) -> list[ast.Call]:
    """The calls that open what is pickled; none where the text does not tell, or more is done with it."""
    if _opens(stream, ctx):
        assert isinstance(stream, ast.Call)
        return [stream]
    if not isinstance(stream, ast.Name):
        return []
    blocks = [(node, item.context_expr) for node in own if isinstance(node, (ast.With, ast.AsyncWith))
              for item in node.items
              if isinstance(item.optional_vars, ast.Name) and item.optional_vars.id == stream.id
              and node.lineno <= call.lineno <= (node.end_lineno or node.lineno)]
    if blocks:
        block, made = max(blocks, key=lambda found: found[0].lineno)
        within = [node for statement in block.body for node in walk(statement)]
    else:
        assigned = [node for node in own if isinstance(node, ast.Assign) and node.lineno <= call.lineno
                    and any(isinstance(t, ast.Name) and t.id == stream.id for t in node.targets)]
        if not assigned:
            return []
        last = max(assigned, key=lambda node: node.lineno)
        later = [node.lineno for node in own if isinstance(node, ast.Name) and node.id == stream.id
                 and isinstance(node.ctx, ast.Store) and node.lineno > last.lineno]
        end = min(later, default=10**9)
        made = last.value
        within = [node for node in own if last.lineno < getattr(node, "lineno", 0) < end]
    if not _opens(made, ctx) or not _only_pickled(stream.id, within, ctx):
        return []
    assert isinstance(made, ast.Call)
    return [made]


def _opens(node: ast.AST, ctx: FileContext) -> bool:
    return isinstance(node, ast.Call) and ctx.names.resolve_node(node.func) in _OPENS


def _only_pickled(name: str, nodes: list[ast.AST], ctx: FileContext) -> bool:
    """Whether a stream is pickled, and else closed at most."""
    fine = {id(arg) for node in nodes if _place(node, ctx) is not None
            for arg in (*node.args, *(word.value for word in node.keywords))}  # type: ignore[attr-defined]
    fine |= {id(node.value) for node in nodes
             if isinstance(node, ast.Attribute) and node.attr in _HARMLESS}
    return all(id(node) in fine for node in nodes if isinstance(node, ast.Name) and node.id == name)


def _in_bytes(call: ast.Call, writes: bool, lines: Lines) -> Edit | None:
    """The edit that opens a file for bytes; None where it is, or where the mode is not written."""
    if {word.arg for word in call.keywords} - {"mode", "name", "file", "buffering"}:
        return None
    mode = argument(call, 1, "mode")
    if mode is None:
        if writes or not (call.args or call.keywords):
            return None
        end = max(lines.span(a)[1] for a in (*call.args, *(word.value for word in call.keywords)))
        return Edit(end, end, (", 'rb'" if not call.keywords else ", mode='rb'",))
    if not isinstance(mode, ast.Constant) or mode.value not in _MODES:
        return None
    wanted = (str(mode.value).replace("U", "").replace("t", "") or "r") + "b"
    return Edit(*lines.span(mode), (repr(wanted),))

"""Flags that a script reads without `tf.app.run`: TF 1 parsed them at the first access, absl does not."""

from __future__ import annotations

import ast

from migrator.analysis.facts_graph_code import is_main
from migrator.analysis.names import Scope
from migrator.analysis.reexports import taken
from migrator.analysis.source import SourceText
from migrator.analysis.tree_walk import walk
from migrator.engine.context import FileContext
from migrator.engine.registry import transform
from migrator.engine.scanned import SUPPORT_PACKAGE
from migrator.model import Rung

CODE = "TF145"
_FLAGS = ("tensorflow.app.flags.FLAGS", "tensorflow.flags.FLAGS")
_PARSERS = frozenset({"tensorflow.app.run", "absl.app.run", "tensorflow.test.main"})
#: What absl's flags offer before they are parsed.
_UNPARSED = frozenset(
    {"is_parsed", "mark_as_parsed", "unparse_flags", "register_flag_by_module", "flag_values_dict"}
)
#: What shows the flags without reading one.
_SHOWING = frozenset(f"builtins.{name}" for name in ("print", "str", "repr", "type", "id", "vars"))
_Functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@transform
class FlagParsing:
    """TF145: parses the flags where a program starts to need them.

    That is ahead of the first statement of the module that reads one itself, or, in a script whose
    functions read them, ahead of what it starts with, unless it runs `tf.app.run` before. Where
    others import what reads them, nobody knows what starts: there the flags of the support package
    parse themselves at the first read.
    """

    name = "flag_parsing"
    triggers = frozenset({*_FLAGS, "tensorflow.app.flags", "tensorflow.flags", "tensorflow.app.*"})
    words = frozenset({"FLAGS"})
    order = 89

    def run(self, ctx: FileContext) -> str | None:
        reads = _reads(ctx)
        if reads and f"{reads[0][2]}(" in ctx.text:  # parses them itself
            return None
        handed_on = "FLAGS" in taken(ctx.index, ctx.path)
        in_functions = any(not _at_module(scope) for _, scope, _ in reads)
        if handed_on or in_functions and (ctx.index.importers(ctx.path) or not _starts_itself(ctx)):
            return self._when_read(ctx)
        place = _place(ctx, reads) if reads else None
        if place is None or ctx.suppressed(CODE, place[0]):
            return None
        stmt, guarded = place
        source = SourceText(ctx.text, ctx.tree)
        start = source.offset(source.first_line(stmt), 0)
        if ctx.text[start : source.offset(stmt.lineno, stmt.col_offset)].strip():
            return None  # behind other statements on its line
        flags, indent = reads[0][2], source.indent(stmt)
        argv = f"{ctx.require_import('sys')}.argv"
        text = f"{indent}{flags}({argv})\n"
        if guarded:
            text = f"{indent}if not {flags}.is_parsed():\n{indent}    {flags}({argv})\n"
        ctx.change(CODE, stmt, "TF 1 parsed flags at the first access, absl where it is told to")
        return source.splice(0, len(ctx.text), [(start, start, text)])


    @staticmethod
    def _when_read(ctx: FileContext) -> str | None:
        """Let the module have the flags of the support package."""
        source = SourceText(ctx.text, ctx.tree)
        edits: dict[int, tuple[int, int, str]] = {}
        for reference in ctx.names.references:
            node: ast.expr = reference.node
            for name in reversed(reference.attrs):
                if name == "FLAGS":
                    break
                assert isinstance(node, ast.Attribute)
                node = node.value
            dotted = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
            if reference.role != "load" or not dotted or reference.in_fstring:
                continue
            found = ctx.names.lookup(dotted, reference.scope)
            if found is None or found.name not in _FLAGS or ctx.suppressed(CODE, node):
                continue
            start, end = source.span(node)
            edits[start] = (start, end, "")
            ctx.change(CODE, node, "TF 1 parsed flags at the first access, absl where it is told to",
                       rung=Rung.SUPPORT)  # fmt: skip
        if not edits:
            return None
        text = f"{ctx.require_import(SUPPORT_PACKAGE, 'flags', 'tf1_flags')}.FLAGS"
        new = [(start, end, text) for start, end, _ in edits.values()]
        return source.splice(0, len(ctx.text), new)


def _starts_itself(ctx: FileContext) -> bool:
    """Whether the module is a script: something in it starts the program."""
    own = {s.name for s in ctx.tree.body if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef))}
    return any(
        isinstance(s, ast.If) and is_main(s) or not isinstance(s, _Functions) and _starts(s, own)
        or any(isinstance(node, ast.Call) and ctx.names.resolve_node(node.func, values=False) in _PARSERS
               for node in walk(s))
        for s in ctx.tree.body
    )  # fmt: skip


def _reads(ctx: FileContext) -> list[tuple[ast.expr, Scope, str]]:
    """Reads of a flag's value, and calls that are given all flags, to read them: the node, its scope, and
    how the module calls all flags."""
    found: list[tuple[ast.expr, Scope, str]] = []
    given = {
        id(value) for call in walk(ctx.tree) if isinstance(call, ast.Call)
        and ctx.names.resolve_node(call.func, values=False) not in _SHOWING
        for value in (*call.args, *(keyword.value for keyword in call.keywords))
    }
    other_names = {
        target.id for s in ctx.tree.body if isinstance(s, ast.Assign)
        and isinstance(s.value, (ast.Name, ast.Attribute)) and ast.unparse(s.value).endswith("FLAGS")
        for target in s.targets if isinstance(target, ast.Name)
    }  # fmt: skip
    for reference in ctx.names.references:
        parts = [reference.root, *reference.attrs]
        if reference.role != "load" or "FLAGS" not in parts and parts[0] not in other_names:
            continue
        target = ctx.names.reference_target(reference)
        flags, _, flag = f"{target.name if target is not None else ''}.".partition(".FLAGS.")
        flag = flag.rstrip(".")
        if flag.split(".")[0] in _UNPARSED or not flag and id(reference.node) not in given:
            continue
        if not _of_tensorflow(ctx, flags) or ctx.names.root(reference.root) is None:
            continue
        written = ".".join(parts[: -1 - flag.count(".")] if flag else parts)
        if not written:
            continue
        found.append((reference.name_node, reference.scope, written))
    return found


def _of_tensorflow(ctx: FileContext, module: str) -> bool:
    """Whether the FLAGS of a module are TensorFlow's, which a module of the project may hand on."""
    if f"{module}.FLAGS" in _FLAGS:
        return True
    hit = ctx.index.resolve(module, ctx.path)
    if hit is None or hit[1] or "FLAGS" not in hit[0].summary.assigned:
        return False
    tops = {target.split(".")[0] for target in hit[0].summary.imports}
    return "tensorflow" in tops and "absl" not in tops


def _place(
    ctx: FileContext, reads: list[tuple[ast.expr, Scope, str]]
) -> tuple[ast.stmt, bool] | None:
    """The statement ahead of which flags must be parsed, and whether they may be parsed already:
    the module may be imported."""
    body = ctx.tree.body
    main = next((s for s in body if isinstance(s, ast.If) and is_main(s)), None)
    direct = [node.lineno for node, scope, _ in reads if _at_module(scope)]
    started = [
        node.lineno for node in walk(ctx.tree)
        if isinstance(node, ast.Call)
        and ctx.names.resolve_node(node.func, values=False) in _PARSERS
    ]
    own = {
        s.name for s in body
        if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    }
    for stmt in [*(s for s in body if s is not main), *(main.body if main else ())]:
        first, last = stmt.lineno, stmt.end_lineno or stmt.lineno
        if any(first <= line <= last for line in started):
            return None
        inside = main is not None and stmt in main.body
        if any(first <= line <= last for line in direct):  # in a function: as a default of its parameters
            return stmt, not inside
        if isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if not started and (inside or main is None and _starts(stmt, own)):
            return stmt, not inside
    return None


def _at_module(scope: Scope) -> bool:
    """Whether code of a scope runs where the module is read: comprehensions and classes do."""
    current: Scope | None = scope
    while current is not None:
        if isinstance(current.node, _Functions):
            return False
        current = current.parent
    return True


def _starts(stmt: ast.stmt, own: set[str]) -> bool:
    """Whether a statement of the module calls one of its `own` functions or classes."""
    return not isinstance(stmt, ast.ClassDef) and any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in own
        for node in walk(stmt)
    )

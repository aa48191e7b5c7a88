"""Code that asks which TensorFlow or Python it runs on: what did not run on TF 1.15 and Python 3 goes.

``try: X = tf.old_name`` with ``except AttributeError: X = tf.new_name``, ``if tf.__version__ < "1.0"``,
``try: import cPickle as pickle``, ``tf = tf.compat.v1``. Both branches would be rewritten otherwise, and
names of the one that is dead be told as unknown.
"""

from __future__ import annotations

import ast
import functools
import sys

from migrator.analysis.api import Api, load_api
from migrator.analysis.names import NameTable, canonical
from migrator.analysis.tree_walk import walk
from migrator.analysis.value_kinds import Parents
from migrator.analysis.version_tests import (
    Undecided,
    World,
    asks_for_version,
    decide,
    decided,
    returned,
)
from migrator.engine.context import FileContext
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.resources import rules_dir
from migrator.transforms.graphs.sessions import without

CODE = "TF151"
_ERRORS = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError", "NameError", "Exception"})
_TENSORFLOW = frozenset({"tensorflow", "tensorflow.compat.v1"})
#: What makes TensorFlow 2 behave like TensorFlow 1.
_LIKE_1 = frozenset({
    "disable_v2_behavior", "disable_eager_execution", "disable_resource_variables",
    "disable_v2_tensorshape", "disable_tensor_equality", "disable_control_flow_v2",
})  # fmt: skip
_WORDS = ("except", "hasattr", "version", "VERSION", "dir(", "PY2", "PY3", "compat.v1")
#: Modules, and members of modules, that Python 3 does not have.
_GONE = frozenset({
    "cPickle", "Queue", "ConfigParser", "StringIO", "cStringIO", "urllib2", "urlparse", "httplib",
    "Tkinter", "commands", "__builtin__", "copy_reg", "SocketServer", "HTMLParser", "thread", "cookielib",
    "itertools.izip", "itertools.imap", "itertools.ifilter", "urllib.urlretrieve", "urllib.urlopen",
    "urllib.quote", "urllib.unquote", "urllib.urlencode",
})  # fmt: skip


@transform
class VersionGuards:
    """TF151: only what ran on TensorFlow 1.15 and Python 3 is left of a guard.

    Where TensorFlow 2 would go the other way, both ways stay, and the test says what it said there.
    """

    name = "version_guards"
    triggers = frozenset({"tensorflow", "tensorflow.*", *(name.partition(".")[0] for name in _GONE)})
    order = 2

    def run(self, ctx: FileContext) -> str | None:
        if not any(word in ctx.text for word in _WORDS):
            return None
        old, new = (load_api(rules_dir() / "api" / f"{name}.json") for name in ("tf1.15", "tf2.21"))
        self._function = functools.partial(_function, ctx)
        self._old = World("1.15.5", lambda name: _has(old, name), self._function)
        self._new = World("2.21.0", lambda name: _has(new, name), self._function)
        lines, found = Lines(ctx.text), []
        for node in walk(ctx.tree):
            if not isinstance(node, (ast.Try, ast.If, ast.Assign, ast.FunctionDef)) or (
                    ctx.suppressed(CODE, node)):
                continue
            reason = "what TensorFlow 1.15 and Python 3 did not run is left out"
            if isinstance(node, (ast.Assign, ast.FunctionDef)):
                edit = self._rebound(ctx, lines, node) if isinstance(node, ast.Assign) else None
                reason = "TensorFlow 1 goes by the module's own name"
                if edit is None:
                    edit, reason = self._kept(ctx, lines, node), "the answer is that of TensorFlow 1.15"
            else:
                edit = (self._tried if isinstance(node, ast.Try) else self._tested)(ctx, lines, node)
            if edit is not None:
                found.append((node, edit, reason))
        outer = [
            (node, edit, reason) for node, edit, reason in found
            if not any(o.start <= edit.start and edit.end <= o.end for _, o, _ in found if o is not edit)
        ]  # what is inside of another one has its turn in the next round
        for node, _, reason in outer:
            ctx.change(CODE, node, reason)
        return apply(ctx.text, [edit for _, edit, _ in outer])[0] if outer else None

    def _rebound(self, ctx: FileContext, lines: Lines, node: ast.Assign) -> Edit | None:
        """``tf = tf.compat.v1`` goes."""
        return without(node, Parents(ctx.tree), lines) if _is_rebound(ctx, node) else None

    def _kept(self, ctx: FileContext, lines: Lines, node: ast.Assign | ast.FunctionDef) -> Edit | None:
        """``def is_tf2(): return tf.__version__.startswith("2")``: others ask it, whose variants are to fit
        together."""
        if isinstance(node, ast.FunctionDef):
            answer = None if node.args.args else returned(node)
        else:
            answer = node.value
        if not isinstance(answer, (ast.Compare, ast.Call, ast.BoolOp, ast.UnaryOp)) or (
                "hasattr" in ast.unparse(answer) or not asks_for_version(answer, ctx.names)):
            return None
        try:
            was, now = (decided(answer, ctx.names, world) for world in (self._old, self._new))
        except Undecided:
            return None
        if not isinstance(was, bool) or not isinstance(now, bool) or was == now:
            return None
        self._told(ctx, answer)
        return Edit(*lines.span(answer), (str(was),))

    def _told(self, ctx: FileContext, test: ast.expr) -> None:
        ctx.finding(
            CODE, test,
            f"{ast.unparse(test)} chooses between two variants of the program; the one that ran on "
            "TF 1.15 is kept",
            "Take out the variant that you do not want.",
        )  # fmt: skip

    def _tested(self, ctx: FileContext, lines: Lines, node: ast.Try | ast.If) -> Edit | None:
        """``if tf.__version__ < "1.0": ... else: ...``"""
        assert isinstance(node, ast.If)
        if not asks_for_version(node.test, ctx.names, self._function):
            return None
        try:
            was = decide(node.test, ctx.names, self._old)
        except Undecided:
            return None
        try:
            now = decide(node.test, ctx.names, self._new)
        except Undecided:
            now = not was
        older = was and "hasattr" in ast.unparse(node.test) and not self._of_version_2(ctx, node.orelse)
        kept, other = (node.body, node.orelse) if was else (node.orelse, node.body)
        if was == now or older or _goes_on_as_1(ctx, other):
            while (further := self._decided(ctx, kept)) is not None:
                kept = further
            return _folded(ctx, lines, node, kept)
        self._told(ctx, node.test)
        start, end = lines.span(node.test)
        return Edit(start, end, (str(was),))

    def _decided(self, ctx: FileContext, body: list[ast.stmt]) -> list[ast.stmt] | None:
        """The branch of an ``elif`` that alone is left, where TF 1.15 and TensorFlow 2 choose the same."""
        if len(body) != 1 or not isinstance(node := body[0], ast.If):
            return None
        if not asks_for_version(node.test, ctx.names, self._function):
            return None
        try:
            was, now = (decide(node.test, ctx.names, world) for world in (self._old, self._new))
        except Undecided:
            return None
        return (node.body if was else node.orelse) if was == now else None

    def _of_version_2(self, ctx: FileContext, body: list[ast.stmt]) -> bool:
        """Whether a branch has names that only TensorFlow 2 has: it is not there for older ones."""
        nodes = (node for statement in body for node in walk(statement) if isinstance(node, ast.Attribute))
        names = (ctx.names.resolve_node(node, values=False) for node in nodes)
        return any(
            name is not None and name.startswith("tensorflow.") and self._old.has(name) is False
            and bool(self._new.has(name))
            for name in names
        )  # fmt: skip

    def _tried(self, ctx: FileContext, lines: Lines, node: ast.Try | ast.If) -> Edit | None:
        """``try: X = tf.old`` with ``except AttributeError: X = tf.new``: which of them ran."""
        assert isinstance(node, ast.Try)
        if len(node.handlers) != 1 or node.finalbody or node.handlers[0].name:
            return None
        handler = node.handlers[0]
        if not _expected(handler):
            return None
        about_versions = False
        if _goes_on_as_1(ctx, node.body) and _goes_on_as_1(ctx, handler.body):
            return _folded(ctx, lines, node, [*node.body, *node.orelse])
        for statement in node.body:
            works, asks = self._works(ctx, statement)
            about_versions |= asks
            if works is None:
                return None
            if not works:
                return _folded(ctx, lines, node, handler.body) if about_versions else None
        fallback = any(_mentions_tensorflow(ctx, inner) for inner in walk(handler))
        plain = _only_binds(handler.body) or all(isinstance(s, ast.Pass) for s in handler.body)
        if not about_versions or not (fallback or plain):
            return None
        return _folded(ctx, lines, node, [*node.body, *node.orelse])

    def _works(self, ctx: FileContext, statement: ast.stmt) -> tuple[bool | None, bool]:
        """(whether an import or alias works on TF 1.15 and Python 3, whether that is a matter of versions);
        None for what is not known, or does more than binding names."""
        if isinstance(statement, ast.Import):
            paths = [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom) and not statement.level and statement.module:
            paths = [f"{statement.module}.{alias.name}" for alias in statement.names]
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            if _is_rebound(ctx, statement):
                return True, True
            if not isinstance(statement.value, ast.Attribute):
                return None, False
            paths = [ctx.names.resolve_node(statement.value, values=False) or ""]
        else:
            return None, False
        answers = [self._there(path) for path in paths]
        if None in answers:
            return None, False
        return all(answers), True

    def _there(self, path: str) -> bool | None:
        """Whether a module, or something in it, is there on TF 1.15 and Python 3."""
        if path in _GONE or path.partition(".")[0] in _GONE:
            return False
        name = canonical(path)[0]
        if path.startswith("tensorflow.compat."):
            return self._old.has(name) if name.count(".") else True
        if name.count(".") and name.startswith("tensorflow."):
            return self._old.has(name)
        top = path.partition(".")[0]
        return True if top in sys.stdlib_module_names and top == path else None


def _goes_on_as_1(ctx: FileContext, body: list[ast.stmt]) -> bool:
    """Whether all that a branch does is to have TensorFlow 2 be like TensorFlow 1: to import the module
    for that, and to switch its behaviour."""
    imports = False
    for statement in body:
        if isinstance(statement, ast.Import):
            said = imports = all(alias.name in _TENSORFLOW for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            said = imports = all(f"{statement.module}.{a.name}" in _TENSORFLOW for a in statement.names)
        elif isinstance(statement, ast.Assign):
            said = imports = isinstance(statement.value, ast.Attribute) and (
                ctx.names.resolve_node(statement.value, values=False) in _TENSORFLOW)
        else:
            call = statement.value if isinstance(statement, ast.Expr) else None
            name = ctx.names.resolve_node(call.func, values=False) if isinstance(call, ast.Call) else None
            said = (name or "").rpartition(".")[2] in _LIKE_1
        if not said:
            return False
    return imports


def _is_rebound(ctx: FileContext, node: ast.stmt) -> bool:
    """Whether a statement is ``tf = tf.compat.v1``: the file is TF 1's from there on anyway."""
    if not (isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.Attribute)
            and isinstance(target := node.targets[0], ast.Name)):
        return False
    return ast.unparse(node.value) == f"{target.id}.compat.v1" and (
        ctx.names.resolve(target.id, ctx.names.scope_of(node.value)) == "tensorflow")


def _function(ctx: FileContext, node: ast.expr) -> tuple[ast.FunctionDef, NameTable] | None:
    """The function at the top of a module of the project that an expression names."""
    here = [s for s in ctx.tree.body if isinstance(s, ast.FunctionDef) and (
        isinstance(node, ast.Name) and s.name == node.id)]
    if len(here) == 1:
        return here[0], ctx.names
    dotted = ctx.names.resolve_node(node, values=False)
    found = ctx.index.resolve(dotted, ctx.path) if dotted else None
    if found is None or (tree := ctx.index.tree(found[0].path)) is None:
        return None
    named = [s for s in tree.body if isinstance(s, ast.FunctionDef) and s.name == found[1]]
    return (named[0], NameTable.of(tree)) if len(named) == 1 else None


def _has(api: Api, name: str) -> bool | None:
    """Whether a TensorFlow has a name; None where the snapshot does not say."""
    name = canonical(name)[0]
    if name in api:
        return True
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:length])
        if api.kind(module) == "module":
            listed = ".python." not in f"{module}." and not parts[length].startswith("_")
            return False if listed else None
        if module in api.symbols:
            return None  # a member of a class
    return None


def _expected(handler: ast.ExceptHandler) -> bool:
    """Whether a handler is for names and modules that are not there."""
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return all(isinstance(kind, ast.Name) and kind.id in _ERRORS for kind in kinds)


def _mentions_tensorflow(ctx: FileContext, node: ast.AST) -> bool:
    if isinstance(node, (ast.Name, ast.Attribute)):
        found = ctx.names.resolve_node(node, values=False)
        return found is not None and found.startswith("tensorflow.")
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").startswith("tensorflow")
    return isinstance(node, ast.Import) and any(a.name.startswith("tensorflow") for a in node.names)


def _only_binds(body: list[ast.stmt]) -> bool:
    """Whether a handler only imports something else, which is what it is there for."""
    return all(
        isinstance(s, (ast.Import, ast.ImportFrom))
        and not any(a.name.split(".")[0] == "tensorflow" for a in s.names)
        for s in body
    )


def _folded(ctx: FileContext, lines: Lines, node: ast.Try | ast.If, kept: list[ast.stmt]) -> Edit | None:
    """The statements `kept` in the place of the guard; None where their text is not plainly laid out."""
    text, starts = ctx.text, lines.starts
    kept = [statement for statement in kept if not _is_rebound(ctx, statement)]
    begin = starts[node.lineno - 1]
    indent = text[begin : lines.offset(node.lineno, node.col_offset)]
    if text.startswith("elif", lines.offset(node.lineno, node.col_offset)):
        return None
    last = node.end_lineno or node.lineno
    end = starts[last] if last < len(starts) else len(text)
    if indent.strip() or text[lines.span(node)[1] : end].strip(" \t\r\n;"):
        return None  # an elif, or beside other statements
    if not kept:
        alone = any(
            node in (block := getattr(holder, name, ())) and len(block) == 1
            for holder in walk(ctx.tree) for name in ("body", "orelse", "finalbody")
            if isinstance(getattr(holder, name, None), list)
        )
        if not alone and text[:begin].endswith("\n\n"):
            end += len(text[end:]) - len(text[end:].lstrip("\n"))  # blank lines stand ahead of it as well
        return Edit(begin, end, (f"{indent}pass\n",) if alone else ())
    new: list[str] = []
    previous = 0
    for statement in kept:
        first, stop = statement.lineno, statement.end_lineno or statement.lineno
        head = text[starts[first - 1] : lines.offset(first, statement.col_offset)]
        if head.strip() or any(
            isinstance(n, (ast.Constant, ast.JoinedStr)) and (n.end_lineno or 0) > n.lineno
            and not (isinstance(n, ast.Constant) and not isinstance(n.value, (str, bytes)))
            for n in ast.walk(statement)
        ):
            return None  # on the line of its ``try:``, or with lines in a string
        while first - 2 >= node.lineno and text[starts[first - 2] : starts[first - 1]].startswith(head + "#"):
            first -= 1
        if previous and first - previous > 1:
            new.append("\n" * min(first - previous - 1, 2))
        for number in range(first, stop + 1):
            line = text[starts[number - 1] : starts[number] if number < len(starts) else len(text)]
            if not line.strip():
                new.append(line)
            elif line.startswith(head):
                line = line[len(head) :]
                other = number == first and isinstance(statement, ast.If) and line.startswith("elif")
                new.append(indent + (line[2:] if other else line))
            else:
                return None
        previous = stop
    whole = "".join(new)
    return Edit(begin, end, (whole if whole.endswith("\n") or end == len(text) else whole + "\n",))


__all__ = ["VersionGuards"]

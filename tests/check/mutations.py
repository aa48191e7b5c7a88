"""Breaks right programs, each in one place, in the ways in which edits break them."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from migrator.analysis.names import NameTable
from migrator.engine.edits import Lines

Texts = Mapping[str, str]
_CALLABLE = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Mutant:
    """A project in which one file was broken: how, and where."""

    kind: str
    path: str
    line: int
    texts: Texts


def mutants(old: Texts, texts: Texts, seed: int = 0, most: int = 3) -> Iterator[Mutant]:
    """Up to `most` mutants of each kind of each file that an edit changed."""
    chosen = random.Random(seed)
    for path in sorted(texts):
        if texts[path] == old[path]:
            continue
        tree = ast.parse(texts[path])
        file = _File(path, texts, tree)
        for kind, make in _KINDS.items():
            places = list(make(file))
            chosen.shuffle(places)
            for line, text in places[:most]:
                try:
                    ast.parse(text)
                except SyntaxError:
                    continue
                yield Mutant(kind, path, line, {**texts, path: text})


class _File:
    def __init__(self, path: str, texts: Texts, tree: ast.Module) -> None:
        self.path, self.texts, self.tree = path, texts, tree
        self.text = texts[path]
        self.lines = Lines(self.text)
        self.names = NameTable.of(tree)
        self.others = "\n".join(text for other, text in texts.items() if other != path)
        self.parents = {id(c): p for p in ast.walk(tree) for c in ast.iter_child_nodes(p)}

    def without(self, node: ast.stmt) -> str:
        """The text with `pass` for a statement."""
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        start = self.lines.starts[first - 1]
        end = self.lines.span(node)[1]  # type: ignore[arg-type]
        indent = len(self.text[start:end]) - len(self.text[start:end].lstrip())
        return self.text[: start + indent] + "pass" + self.text[end:]

    def replaced(self, start: int, end: int, new: str) -> str:
        return self.text[:start] + new + self.text[end:]

    def walk(self, *kinds: type) -> Iterator[ast.AST]:
        return (node for node in ast.walk(self.tree) if isinstance(node, kinds))


def bindings(file: _File) -> Iterator[tuple[int, str]]:
    """The only statement that binds a name which something in its scope reads."""
    for scope in file.names.scopes:
        if scope.kind not in ("module", "function"):
            continue
        for name, group in scope.bindings.items():
            node = group[0].node
            if len(group) != 1 or not isinstance(node, (ast.Assign, *_CALLABLE, ast.Import, ast.ImportFrom)):
                continue
            if isinstance(node, ast.Assign) and not (
                len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
            ):
                continue
            if isinstance(node, (ast.Import, ast.ImportFrom)) and len(node.names) > 1:
                continue
            for reference in file.names.references:
                found = file.names.find(reference.root, reference.scope)
                if reference.root == name and found is not None and found[0] is scope:
                    if not _guarded(file, reference.node):
                        yield node.lineno, file.without(node)
                        break


def _guarded(file: _File, node: ast.AST) -> bool:
    current: ast.AST | None = node
    while current is not None:
        if isinstance(current, ast.Try):
            return True
        current = file.parents.get(id(current))
    return False


def references(file: _File) -> Iterator[tuple[int, str]]:
    """A misspelt name of TensorFlow's or of the support package's."""
    for reference in file.names.references:
        target = file.names.reference_target(reference)
        if target is None or not reference.attrs or reference.in_fstring or "(" in target.name:
            continue
        if not target.name.startswith(("tensorflow.", "tf1_support.")) or _guarded(file, reference.node):
            continue
        if ".python." in target.name or ".core." in target.name or len(reference.attrs) > 2:
            continue
        if target.name.startswith("tf1_support.missing") or reference.attrs[-1][0].isupper():
            continue
        end = file.lines.span(reference.node)[1]
        yield reference.node.lineno, file.replaced(end, end, "_x")


def calls(file: _File) -> Iterator[tuple[int, str]]:
    """A keyword that a function of TensorFlow, of the support package or of the project refuses."""
    for reference in file.names.references:
        call = reference.call
        if call is None or reference.in_fstring or _starred(call):
            continue
        target = file.names.reference_target(reference)
        known = target is not None and target.name.startswith(("tensorflow.nn.", "tensorflow.math."))
        found = file.names.find(reference.root, reference.scope) if not reference.attrs else None
        own = found is not None and len(found[1]) == 1 and isinstance(found[1][0].node, _CALLABLE)
        if own and (found[1][0].node.args.kwarg or found[1][0].node.decorator_list):  # type: ignore
            continue
        if known or own:
            end = file.lines.span(call)[1] - 1
            joint = ", " if call.args or call.keywords else ""
            before = file.text[:end].rstrip()
            if before.endswith(","):
                continue
            yield call.lineno, file.replaced(end, end, f"{joint}no_such_keyword=1")


def arguments(file: _File) -> Iterator[tuple[int, str]]:
    """A call of the file's own function without its first argument, which has no default."""
    for reference in file.names.references:
        call = reference.call
        if call is None or reference.attrs or not call.args or _starred(call):
            continue
        found = file.names.find(reference.root, reference.scope)
        if found is None or len(found[1]) != 1 or not isinstance(found[1][0].node, _CALLABLE):
            continue
        node = found[1][0].node
        given = len(call.args) + len(call.keywords)
        needed = len(node.args.args) - len(node.args.defaults)
        if node.decorator_list or node.args.vararg or given > needed:
            continue
        start, end = file.lines.span(call.args[0])
        if len(call.args) > 1:
            end = file.lines.span(call.args[1])[0]
        elif call.keywords:
            continue
        yield call.lineno, file.replaced(start, end, "")


def _starred(call: ast.Call) -> bool:
    return any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)


def attributes(file: _File) -> Iterator[tuple[int, str]]:
    """The only statement that sets an attribute which a method of the class reads."""
    for made in file.walk(ast.ClassDef):
        assert isinstance(made, ast.ClassDef)
        if any(not (isinstance(b, ast.Name) and b.id == "object") for b in made.bases):
            continue
        sets: dict[str, list[ast.stmt]] = {}
        reads: set[str] = set()
        for node in ast.walk(made):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.value.id != "self":
                    continue
                if isinstance(node.ctx, ast.Store):
                    parent = file.parents[id(node)]
                    sets.setdefault(node.attr, []).append(parent)  # type: ignore[arg-type]
                else:
                    reads.add(node.attr)
        members = {n.name for n in made.body if isinstance(n, _CALLABLE)}
        everywhere = file.others + file.text
        for name, where in sets.items():
            if len(where) == 1 and name in reads - members and isinstance(where[0], ast.Assign):
                if everywhere.count(f".{name} = ") == 1 and len(where[0].targets) == 1:
                    yield where[0].lineno, file.without(where[0])


def order(file: _File) -> Iterator[tuple[int, str]]:
    """A function that the module's own statements call, below them."""
    called = {
        node.func.id for stmt in file.tree.body for node in ast.walk(stmt)
        if not isinstance(stmt, (*_CALLABLE, ast.ClassDef))
        and isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    for node in file.tree.body:
        if isinstance(node, _CALLABLE) and node.name in called and node is not file.tree.body[-1]:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            start, end = file.lines.starts[first - 1], file.lines.span(node)[1]  # type: ignore[arg-type]
            moved = file.text[start:end]
            yield node.lineno, f"{file.replaced(start, end, '').rstrip()}\n\n\n{moved}\n"


def makers(file: _File) -> Iterator[tuple[int, str]]:
    """A call that makes variables."""
    for node in file.walk(ast.Assign, ast.Expr):
        assert isinstance(node, (ast.Assign, ast.Expr))
        value = node.value
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            if value.func.attr in ("get_variable", "Variable", "dense", "conv2d", "fully_connected"):
                start, end = file.lines.span(value)
                yield node.lineno, file.replaced(start, end, "None")


def exports(file: _File) -> Iterator[tuple[int, str]]:
    """A function or class that another module imports by name."""
    for node in file.tree.body:
        if isinstance(node, (*_CALLABLE, ast.ClassDef)):
            module = file.path[:-3].replace("/", ".")
            if f"from {module} import {node.name}" in file.others:
                yield node.lineno, file.text.replace(f" {node.name}(", f" {node.name}_x(").replace(
                    f"class {node.name}:", f"class {node.name}_x:"
                )


_KINDS: dict[str, Callable[[_File], Iterator[tuple[int, str]]]] = {
    f.__name__: f
    for f in (bindings, references, calls, arguments, attributes, order, makers, exports)
}

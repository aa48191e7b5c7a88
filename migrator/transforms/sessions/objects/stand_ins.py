"""Stand-in methods of a graph object: their names, the sessions they do without, their end."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from migrator.analysis.source import Edit, SourceText
from migrator.analysis.tree_walk import walk
from migrator.engine.context import FileContext
from migrator.transforms.sessions.helpers import cut, names_session, parameter_span
from migrator.transforms.sessions.objects.classes import class_of
from migrator.transforms.sessions.objects.outside import Reader, Unknown

METHOD = "_outside_"


@dataclass
class Group:
    """A class and the files that run its graph. `texts` are to be planned instead of the files'.

    `names` maps the stand-ins for methods to the names of the functions that were made; `runs` has
    for each file the lines of its runs, and the stand-ins that they call. Where the object is given
    its inputs instead, `makers` has the lines on which each file makes one.
    """

    home: str
    owner: str
    texts: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    runs: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    makers: dict[str, list[int]] = field(default_factory=dict)

    def finished(self, path: str, text: str) -> str:
        """The planned text with the functions under their names."""
        if path == self.home:
            text = without_methods(text, self.owner, self.names)
        for method, name in self.names.items():
            text = re.sub(rf"\.{method}\b", f".{name}", text)
        return text


def text_of(ctx: FileContext, path: str) -> str | None:
    """The text of a module of the project, None where it cannot be read."""
    if path == ctx.path:
        return ctx.text
    return ctx.index.text(path)


def parameter_of(attribute: str) -> str:
    return attribute.lstrip("_")


def without_session(
    tree: ast.Module, source: SourceText, reader: Reader, taken: list[ast.expr]
) -> list[Edit]:
    """Session parameters of functions that used them for the object's runs only are cut."""
    covered = {id(node) for node in taken}
    covered |= {id(n) for run in reader.runs for n in walk(run.call)}
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    cuts: dict[str, int] = {}
    for name, function in functions.items():
        for position, parameter in enumerate(function.args.args):
            if names_session(parameter.arg) and name in reader.calls_of:
                cuts[name] = position
    changed = True
    while changed:  # a session may be handed on to functions that lose it as well
        changed = False
        passed = {
            id(call.args[cuts[name]])
            for name in cuts for call, _ in reader.calls_of[name]
            if len(call.args) > cuts[name]
        }
        for name in list(cuts):
            function = functions[name]
            handed = function.args.args[cuts[name]].arg
            loose = any(
                isinstance(n, ast.Name) and n.id == handed and id(n) not in covered | passed
                for n in walk(function)
            )
            odd = any(len(call.args) <= cuts[name] for call, _ in reader.calls_of[name])
            if loose or odd or function.args.defaults:
                del cuts[name]
                changed = True
    edits: list[Edit] = []
    for name, position in cuts.items():
        function = functions[name]
        handed = function.args.args[position].arg
        edits.append(cut(source, *parameter_span(source, function, handed)))
        for call, _ in reader.calls_of[name]:
            edits.append(cut(source, *source.span(call.args[position])))
    return edits


def function_names(text: str, owner: str) -> dict[str, str]:
    """Stand-in method -> public name of the function that it calls in the planned text."""
    node = class_of(ast.parse(text), owner)
    defined = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
    kept = {
        n.attr for n in walk(node)
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)
    }
    found: dict[str, str] = {}
    for method in node.body:
        if not isinstance(method, ast.FunctionDef) or not method.name.startswith(METHOD):
            continue
        called = [
            n.func.attr for n in walk(method)
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
            and isinstance(n.func.value, ast.Name) and n.func.attr in kept
        ]
        if len(called) != 1:
            raise Unknown(f"{method.name} is no call of one function")
        name = called[0].lstrip("_")
        found[method.name] = name if name not in defined | kept else f"{name}_function"
    return found


def without_methods(text: str, owner: str, names: Mapping[str, str]) -> str:
    """The class without stand-ins; its functions are public attributes."""
    tree = ast.parse(text)
    node = class_of(tree, owner)
    source = SourceText(text, tree)
    edits: list[Edit] = []
    private: dict[str, str] = {}
    for method in node.body:
        if not isinstance(method, ast.FunctionDef) or method.name not in names:
            continue
        for inner in walk(method):
            if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name):
                if inner.attr.startswith("_") and inner.attr.strip("_") in names[method.name]:
                    private[inner.attr] = names[method.name]
        start = source.span(node.body[node.body.index(method) - 1])[1]
        edits.append((start, source.span(method)[1], ""))
    for inner in walk(node):
        if isinstance(inner, ast.Attribute) and inner.attr in private and not any(
            start <= source.span(inner)[0] < end for start, end, _ in edits
        ):
            start, end = source.span(inner)
            edits.append((start, end, f"{ast.unparse(inner.value)}.{private[inner.attr]}"))
    return source.splice(0, len(text), edits)

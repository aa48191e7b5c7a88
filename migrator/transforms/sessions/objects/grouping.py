"""Shows the class of an object that others run to the planner, as if it ran itself.

For each set of values that some file fetches from the object, the class is given a session and a
method of its own; what the planner makes of that method is the function that the users then call.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

from migrator.analysis import graph_kinds as k
from migrator.analysis.class_program import ClassProgram
from migrator.analysis.names import NameTable
from migrator.analysis.source import Edit, SourceText
from migrator.analysis.tree_walk import calls_in, walk
from migrator.analysis.values import Value
from migrator.engine.context import FileContext
from migrator.transforms.sessions.helpers import cut, names_session, parameter_span
from migrator.transforms.sessions.objects.classes import (
    class_of,
    class_program,
    constructor,
    given_by,
)
from migrator.transforms.sessions.objects.outside import Key, OutsideRun, Reader, Unknown
from migrator.transforms.sessions.objects.stand_ins import (
    METHOD,
    Group,
    parameter_of,
    text_of,
    without_session,
)


class Grouping:
    """Builds the texts of one group."""

    def __init__(self, ctx: FileContext, home: str, text: str, owner: str) -> None:
        self.ctx = ctx
        self.home = ctx.anew(text, home)
        self.node = class_of(self.home.tree, owner)
        self.values: dict[str, Value] = {}
        self.methods: dict[Key, str] = {}

    @classmethod
    def of(cls, ctx: FileContext, home: str, text: str, owner: str) -> Group | None:
        """The group of a class whose functions its users call."""
        return cls(ctx, home, text, owner).group()

    def group(self) -> Group | None:
        """None where nobody runs the class's graph from outside."""
        home, node = self.home, self.node
        program = class_program(home, node)
        if any(value.kind == k.SESSION for value in program.env.values()):
            return None
        self.values = {
            name: value for name, value in program.attributes().items()
            if value.traced or value.kind in (k.OP, k.VARIABLE)
        }
        if not any(value.kind == k.PLACEHOLDER for value in self.values.values()):
            return None
        properties = self._properties(program.owner or "self")
        attributes = {name: name for name in self.values} | properties
        texts = self._texts(attributes)
        if texts is None:
            return None
        group = Group(home.path, node.name)
        for path, text in texts.items():
            if text is None:
                raise Unknown(path)
            if node.name not in text:
                continue
            other = home if path == home.path else self.ctx.anew(text, path)
            edits = self._file(other, attributes, group)
            if edits is None and path != home.path:
                continue
            group.texts[path] = SourceText(text, other.tree).splice(0, len(text), edits or [])
        if not self.methods:
            return None
        group.texts[home.path] = self._home_text(properties, program, group.texts[home.path])
        return group

    def _texts(self, attributes: Iterable[str]) -> dict[str, str | None] | None:
        """The texts of the files that may use the class, None where none of them seems to run what
        an object has: a look that needs no parsing."""
        paths = [self.home.path, *self.ctx.index.importers(self.home.path)]
        texts = {path: text_of(self.ctx, path) for path in paths}
        fetched = re.compile(rf"\b(?!self\b)\w+\.(?:{'|'.join(map(re.escape, attributes))})\b")
        if not any(
            text and self.node.name in text and ".run(" in text and fetched.search(text)
            for text in texts.values()
        ):
            return None
        return texts

    def _properties(self, owner: str) -> dict[str, str]:
        """Properties that only return an attribute of the graph -> the attribute."""
        return {
            method.name: attribute for method in self.node.body
            if isinstance(method, ast.FunctionDef) and len(method.body) <= 2
            and (attribute := given_by(method, owner)) in self.values and attribute is not None
        }

    # -- the users

    def _file(
        self, other: FileContext, attributes: dict[str, str], group: Group
    ) -> list[Edit] | None:
        """Edits that turn the file's runs into calls of methods, None if it has no object."""
        own = other.path == self.home.path
        makers = {self.node.name} if own else {f"{self.home.module_name}.{self.node.name}"}
        self._refuse_other_uses(other, makers)
        reader = Reader(other.tree, other.names, makers, attributes)
        reader.read()
        if not any(reader.instances.values()):
            return None
        source = SourceText(other.text, other.tree)
        edits: list[Edit] = []
        feeds: set[int] = set()
        for run in reader.runs:
            edits.append(self._call(run, source))
            group.runs.setdefault(other.path, []).append((run.call.lineno, self.methods[run.key]))
            if run.feed is not None and id(run.feed) not in feeds:
                feeds.add(id(run.feed))
                edits += [
                    (*source.span(key), repr(parameter_of(attributes[key.attr])))
                    for key in run.feed.keys if isinstance(key, ast.Attribute)
                ]
        taken = self._method_sessions(reader)
        edits += [cut(source, *source.span(node)) for node in taken]
        edits += without_session(other.tree, source, reader, taken)
        return edits

    def _session_methods(self) -> dict[str, int]:
        """Methods that are given the session -> which of a call's arguments it is."""
        found = {}
        for method in self.node.body:
            if not isinstance(method, ast.FunctionDef) or method.name == "__init__":
                continue
            for position, parameter in enumerate(method.args.args):
                if names_session(parameter.arg) and position:
                    found[method.name] = position - 1
        return found

    def _method_sessions(self, reader: Reader) -> list[ast.expr]:
        """The sessions that a file gives to methods of the object."""
        methods = self._session_methods()
        found = []
        objects = set().union(*reader.instances.values())
        for call in calls_in(reader.tree):
            func = call.func
            if not (isinstance(func, ast.Attribute) and func.attr in methods
                    and isinstance(func.value, ast.Name) and func.value.id in objects):
                continue
            if len(call.args) <= methods[func.attr]:
                raise Unknown(ast.unparse(call))
            found.append(call.args[methods[func.attr]])
        return found

    def _refuse_other_uses(self, other: FileContext, makers: set[str]) -> None:
        """The class may be imported and called; who subclasses or hands it on knows its graph."""
        called = {id(call.func) for call in calls_in(other.tree)}
        for node in walk(other.tree):
            if isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in called:
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    continue
                name = other.names.resolve_node(node, values=False) or ""
                local = isinstance(node, ast.Name) and node.id in makers
                if local or name in makers:
                    raise Unknown(ast.unparse(node))

    def _call(self, run: OutsideRun, source: SourceText) -> Edit:
        method = self.methods.setdefault(run.key, f"{METHOD}{len(self.methods)}")
        if run.feed_name:
            arguments = [f"**{run.feed_name}"]
        else:
            arguments = [source.segment(run.arguments[name]) for name in run.key.feeds]
        call = f"{run.instance}.{method}({', '.join(arguments)})"
        outputs = self._outputs(run.key)
        if not outputs:
            if not (isinstance(run.stmt, ast.Expr) or run.targets):
                raise Unknown("the value of an op without one")
            return (*source.span(run.stmt), call)
        if run.targets:
            targets = [source.segment(run.targets[i]) for i in outputs]
            value = f"{call}.numpy()" if len(outputs) == 1 else (
                f"(value.numpy() for value in {call})")
            return (*source.span(run.stmt), f"{', '.join(targets)} = {value}")
        if run.form == "single":
            return (*source.span(run.call), f"{call}.numpy()")
        if len(outputs) != len(run.key.fetches):
            raise Unknown("ops without value between fetched values")
        text = f"[{call}.numpy()]" if len(outputs) == 1 else (
            f"[value.numpy() for value in {call}]")
        return (*source.span(run.call), text)

    def _outputs(self, key: Key) -> list[int]:
        """Positions of the fetched values that somebody reads."""
        return [
            i for i, (name, used) in enumerate(zip(key.fetches, key.used, strict=True))
            if used and (self.values[name].kind not in k.WITHOUT_VALUE or self.values[name].single)
        ]

    # -- the class

    def _home_text(
        self, properties: Mapping[str, str], program: ClassProgram, text: str
    ) -> str:
        """The class with a session and the methods that run it."""
        tree = ast.parse(text)
        node = class_of(tree, self.node.name)
        source = SourceText(text, tree)
        owner = program.owner or "self"
        init = constructor(node)
        assert init is not None
        session = "sess" if f"{owner}.sess" not in program.env else "graph_session"
        tf = _tensorflow(self.home.names)
        body, member = source.indent(init.body[-1]), source.indent(init)
        end = source.span(init.body[-1])[1]
        opened = f"\n{body}{owner}.{session} = {tf}.Session()"
        edits: list[Edit] = []
        for inner in node.body:
            if isinstance(inner, ast.FunctionDef) and inner.name in properties:
                start = source.offset(inner.decorator_list[0].lineno, 0)
                edits.append((start, source.span(inner)[1], ""))
        step = body[len(member):]
        for inner in node.body:
            if isinstance(inner, ast.FunctionDef) and inner.name in self._session_methods():
                edits += self._own_session(inner, source, f"{owner}.{session}")
        methods = [
            line for key, name in self.methods.items()
            for line in ["", f"def {name}({', '.join([owner, *map(parameter_of, key.feeds)])}):",
                         *(step + line for line in self._method(key, f"{owner}.{session}", owner))]
        ]
        last = source.span(node.body[-1])[1]
        lines = "".join(f"\n{member}{line}" if line else "\n" for line in methods)
        added = [(end, end, opened), (last, last, lines)] if end != last else [
            (end, end, opened + lines)]
        return source.splice(0, len(text), [*edits, *added])

    def _own_session(self, method: ast.FunctionDef, source: SourceText, text: str) -> list[Edit]:
        """A method that was given the session takes the object's."""
        parameter = method.args.args[self._session_methods()[method.name] + 1]
        edits = [cut(source, *parameter_span(source, method, parameter.arg))]
        for node in walk(method):
            if isinstance(node, ast.Name) and node.id == parameter.arg:
                edits.append((*source.span(node), text))
        return edits

    def _method(self, key: Key, session: str, owner: str) -> list[str]:
        feeds = [f"{owner}.{name}: {parameter_of(name)}" for name in key.feeds]
        feeds += [f"{owner}.{name}: {value}" for name, value in key.constants]
        feed = f", feed_dict={{{', '.join(feeds)}}}" if feeds else ""
        outputs = self._outputs(key)
        if len(key.fetches) == 1:
            run = f"{session}.run({owner}.{key.fetches[0]}{feed})"
            return [f"return {run}" if outputs else run]
        run = f"{session}.run([{', '.join(f'{owner}.{name}' for name in key.fetches)}]{feed})"
        if not outputs:
            return [run]
        names = [f"value_{i}" if i in outputs else "_" for i in range(len(key.fetches))]
        return [f"{', '.join(names)} = {run}",
                f"return {', '.join(f'value_{i}' for i in outputs)}"]


def _tensorflow(names: NameTable) -> str:
    for name, bindings in names.module_scope.bindings.items():
        if any(b.kind == "import" and b.target.startswith("tensorflow") for b in bindings):
            if names.resolve(f"{name}.Session") == "tensorflow.Session":
                return name
    raise Unknown("TensorFlow has no name in the module")

"""Objects that build a graph and are handed to the object that runs it: that one makes them itself.

``net = Net(3)`` and ``Solver(net, data)`` become ``Solver(3, data)`` whose constructor begins with
``self.net = Net(classes)``, so that the planner sees graph and session in one class.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from migrator.analysis import graph_kinds as k
from migrator.analysis.arguments import defaults_of, given_to
from migrator.analysis.fresh_names import fresh_name
from migrator.analysis.source import Edit, SourceText
from migrator.analysis.tree_walk import calls_in, walk
from migrator.engine.context import FileContext
from migrator.transforms.sessions.helpers import cut, parameter_span, straight, whole_argument
from migrator.transforms.sessions.objects.classes import class_of, constructor
from migrator.transforms.sessions.objects.outside import Unknown
from migrator.transforms.sessions.objects.stand_ins import text_of

#: What of TensorFlow may stand between the making of an object and its handing over.
_HARMLESS = (
    "tensorflow.flags", "tensorflow.app", "tensorflow.logging", "tensorflow.gfile",
    "tensorflow.io.gfile", "tensorflow.ConfigProto", "tensorflow.GPUOptions",
    "tensorflow.train.latest_checkpoint", "tensorflow.train.get_checkpoint_state",
)


@dataclass(frozen=True)
class Handing:
    """One call that gives an object to its holder: in the file `path`, the call that makes the
    object (`maker`, in the statement `made` if it has a name), and the class that keeps it."""

    path: str
    maker: ast.Call
    made: ast.stmt | None
    given: ast.expr
    call: ast.Call
    holder_path: str
    holder: str


def held(
    ctx: FileContext, owner: str, home: str, texts: dict[str, str]
) -> dict[str, str]:
    """The texts of a project's files in which the objects of the class `owner` of the file `home`
    are made by the objects that keep them; `texts` as they are where none is handed over.

    Raises Unknown where an object is handed over in a way that cannot be followed.
    """
    files = _Files(ctx, texts)
    symbol = f"{files.context(home).module_name}.{owner}"
    handings = [
        handing for path in texts for handing in _handings(files, path, owner, home, symbol)
    ]
    for holder in dict.fromkeys((h.holder_path, h.holder) for h in handings):
        own = [h for h in handings if (h.holder_path, h.holder) == holder]
        _HolderMove(files, own, owner, home, symbol).move()
    return files.edited()


class _Files:
    """The texts of some files with their trees, and the edits to be made."""

    def __init__(self, ctx: FileContext, texts: dict[str, str]) -> None:
        self.ctx = ctx
        self.texts = dict(texts)
        self.edits: dict[str, list[Edit]] = {}
        self._contexts: dict[str, FileContext] = {}
        self._sources: dict[str, SourceText] = {}

    def context(self, path: str) -> FileContext:
        if path not in self._contexts:
            text = self.texts.get(path) or text_of(self.ctx, path)
            if text is None:
                raise Unknown(path)
            self.texts[path] = text
            self._contexts[path] = self.ctx.anew(text, path)
        return self._contexts[path]

    def source(self, path: str) -> SourceText:
        if path not in self._sources:
            other = self.context(path)
            self._sources[path] = SourceText(other.text, other.tree)
        return self._sources[path]

    def edit(self, path: str, *edits: Edit) -> None:
        self.edits.setdefault(path, []).extend(edits)

    def edited(self) -> dict[str, str]:
        return self.texts | {
            path: self.source(path).splice(0, len(self.texts[path]), edits)
            for path, edits in self.edits.items()
        }


def _handings(
    files: _Files, path: str, owner: str, home: str, symbol: str
) -> Iterator[Handing]:
    """The objects of a class that a file makes for nothing but to hand them over."""
    other = files.context(path)

    def makes(node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and (
            path == home and isinstance(node.func, ast.Name) and node.func.id == owner
            or other.names.resolve_node(node.func, values=False) == symbol
        )

    functions = [n for n in walk(other.tree) if isinstance(n, ast.FunctionDef)]
    places: list[ast.Module | ast.FunctionDef] = [other.tree, *functions]
    for place in places:
        statements = list(straight(place.body))
        for position, stmt in enumerate(statements):
            if isinstance(stmt, ast.Assign) and makes(stmt.value) and len(stmt.targets) == 1:
                named = _named_handing(files, other, place, statements, position)
                if named is not None:
                    yield named
            elif isinstance(stmt, (ast.Assign, ast.Expr)):
                for call in calls_in(stmt):
                    for given in [*call.args, *(a.value for a in call.keywords)]:
                        holder = _class_called(files, other, call) if makes(given) else None
                        if holder is not None:
                            assert isinstance(given, ast.Call)
                            yield Handing(path, given, None, given, call, *holder)


def _named_handing(
    files: _Files, other: FileContext, place: ast.Module | ast.FunctionDef,
    statements: list[ast.stmt], position: int,
) -> Handing | None:
    """The one use of an object that the statement at `position` of a place gives a name, where that
    hands it over."""
    made = statements[position]
    assert isinstance(made, ast.Assign) and isinstance(made.value, ast.Call)
    target = made.targets[0]
    if not isinstance(target, ast.Name):
        return None
    uses = [n for n in walk(place) if isinstance(n, ast.Name) and n.id == target.id
            and n is not target]
    takers = [c for c in calls_in(place) if any(_is_given(u, c) for u in uses)]
    if len(uses) != 1 or len(takers) != 1:
        return None
    holder = _class_called(files, other, takers[0])
    later = next((i for i, s in enumerate(statements) if _within(takers[0], s)), 0)
    if holder is None or later <= position:
        return None
    _refuse_graph_between(other, statements[position + 1 : later])
    return Handing(other.path, made.value, made, uses[0], takers[0], *holder)


def _is_given(node: ast.AST, call: ast.Call) -> bool:
    return node in call.args or any(a.value is node for a in call.keywords)


def _within(node: ast.AST, stmt: ast.stmt) -> bool:
    return not isinstance(stmt, ast.With) and any(inner is node for inner in walk(stmt))


def _refuse_graph_between(other: FileContext, statements: list[ast.stmt]) -> None:
    for stmt in statements:
        for call in calls_in(stmt):
            symbol = other.names.resolve_node(call.func, values=False) or ""
            if symbol.startswith("tensorflow.") and not symbol.startswith(_HARMLESS) and (
                k.call_kind(symbol) != k.GRAPH
            ):
                raise Unknown(f"{symbol} before the object is handed over")


def _class_called(files: _Files, other: FileContext, call: ast.Call) -> tuple[str, str] | None:
    """(path, name) of the class of the project that a call makes an object of."""
    if isinstance(call.func, ast.Name) and any(
        isinstance(n, ast.ClassDef) and n.name == call.func.id for n in other.tree.body
    ):
        return other.path, call.func.id
    symbol = other.names.resolve_node(call.func, values=False)
    found = files.ctx.index.resolve(symbol, other.path) if symbol else None
    if found is None or found[1] not in found[0].summary.classes:
        return None
    return found[0].path, found[1]


class _HolderMove:
    """Moves the making of objects into the constructor of the class that keeps them."""

    def __init__(
        self, files: _Files, handings: list[Handing], owner: str, home: str, symbol: str
    ) -> None:
        self.files = files
        self.handings = handings
        self.owner = owner
        self.home = home
        self.symbol = symbol
        self.path = handings[0].holder_path
        self.node = class_of(files.context(self.path).tree, handings[0].holder)
        self.init = constructor(self.node)

    def move(self) -> None:
        """Note the edits of all files. Raises Unknown."""
        init = self.init
        if init is None or init.args.posonlyargs or self.node.decorator_list or any(
            not (isinstance(b, ast.Name) and b.id == "object") for b in self.node.bases
        ):
            raise Unknown(self.node.name)
        self._refuse_other_makers()
        parameters = {self._parameter(handing) for handing in self.handings}
        if len(parameters) != 1:
            raise Unknown(f"{self.node.name} is given the object in several ways")
        parameter = parameters.pop()
        kept = self._kept(init, parameter)
        made = {self._made(handing) for handing in self.handings}
        if len(made) != 1:
            raise Unknown(f"{self.node.name} is given different objects")
        arguments = made.pop()
        self._edit_holder(init, parameter, kept, arguments)
        for handing in self.handings:
            self._edit_maker(handing)

    def _refuse_other_makers(self) -> None:
        known = {id(h.call) for h in self.handings}
        index = self.files.ctx.index
        for path in dict.fromkeys([self.path, *index.importers(self.path)]):
            other = self.files.context(path)
            for call in calls_in(other.tree):
                found = None if id(call) in known else _class_called(self.files, other, call)
                if found == (self.path, self.node.name):
                    raise Unknown(f"{self.node.name} is made elsewhere")

    def _parameter(self, handing: Handing) -> str:
        assert self.init is not None
        for keyword in handing.call.keywords:
            if keyword.value is handing.given and keyword.arg is not None:
                return keyword.arg
        plain = [a.arg for a in self.init.args.args][1:]
        position = handing.call.args.index(handing.given)
        if position >= len(plain) or any(
            isinstance(a, ast.Starred) for a in handing.call.args[:position]
        ):
            raise Unknown(ast.unparse(handing.call))
        return plain[position]

    def _kept(self, init: ast.FunctionDef, parameter: str) -> ast.Assign:
        """``self.net = net``, the only use of the parameter, or the first one."""
        uses = [n for n in walk(init) if isinstance(n, ast.Name) and n.id == parameter]
        for stmt in straight(init.body):
            if isinstance(stmt, ast.Assign) and stmt.value in uses and len(stmt.targets) == 1 and (
                isinstance(target := stmt.targets[0], ast.Attribute)
                and isinstance(target.value, ast.Name)
                and target.value.id == init.args.args[0].arg
            ):
                if any(not isinstance(n.ctx, ast.Load) or n.lineno < stmt.lineno for n in uses):
                    break
                return stmt
        raise Unknown(f"{self.node.name} does not keep {parameter}")

    def _made(self, handing: Handing) -> tuple[tuple[str, str], ...]:
        """The arguments of the call that makes an object: parameter (of the object's class) and
        text, "" for what the maker has to pass."""
        given = given_to(handing.maker, self._parameters_of_owner())
        if given is None:
            raise Unknown(ast.unparse(handing.maker))
        return tuple(
            (name, ast.unparse(value) if isinstance(value, ast.Constant) else "")
            for name, value in given.items()
        )

    def _parameters_of_owner(self) -> list[str]:
        """What the constructor of the object's class takes, without the object."""
        init = constructor(class_of(self.files.context(self.home).tree, self.owner))
        return [] if init is None else [a.arg for a in init.args.args][1:]

    def _edit_holder(
        self, init: ast.FunctionDef, parameter: str, kept: ast.Assign,
        arguments: tuple[tuple[str, str], ...],
    ) -> None:
        source = self.files.source(self.path)
        taken = {a.arg for a in walk(init.args) if isinstance(a, ast.arg)} - {parameter}
        taken |= {n.id for n in walk(init) if isinstance(n, ast.Name)} - {parameter}
        names = {}
        for name, text in arguments:
            if not text:
                names[name] = name if name not in taken else fresh_name(name, taken)
                taken.add(names[name])
        if parameter in defaults_of(init.args):
            raise Unknown(f"{parameter} has a default")
        start, end = parameter_span(source, init, parameter)
        new = ", ".join(names.values())
        written = ", ".join(
            text if name == plain else f"{name}={text}"
            for (name, text), plain in zip(
                [(n, t or names[n]) for n, t in arguments], self._parameters_of_owner(),
                strict=False)
        )
        self.files.edit(
            self.path, (start, end, new) if new else cut(source, start, end),
            (*source.span(kept.value), f"{self._local()}({written})"),
            *((*source.span(n), source.segment(kept.targets[0])) for n in walk(init)
              if isinstance(n, ast.Name) and n.id == parameter and n is not kept.value),
        )

    def _local(self) -> str:
        """What the holder's file calls the class of the object; it is imported if it has no name."""
        other = self.files.context(self.path)
        if self.path == self.home:
            return self.owner
        for name in other.names.module_scope.bindings:
            if other.names.resolve(name) == self.symbol:
                return name
        maker = self.handings[0]
        for stmt in self.files.context(maker.path).tree.body:
            if isinstance(stmt, ast.ImportFrom) and any(
                a.name == self.owner and not a.asname for a in stmt.names
            ) and (not stmt.level or maker.path.rpartition("/")[0] == self.path.rpartition("/")[0]):
                source = self.files.source(self.path)
                last = [s for s in other.tree.body if isinstance(s, (ast.Import, ast.ImportFrom))]
                if not last or self.owner in other.names.module_scope.bindings:
                    break
                end = source.line_end(last[-1].end_lineno or 0)
                module = "." * stmt.level + (stmt.module or "")
                self.files.edit(self.path, (end, end, f"from {module} import {self.owner}\n"))
                self._drop_import(maker.path, stmt)
                return self.owner
        raise Unknown(f"{self.owner} is not known in {self.path}")

    def _drop_import(self, path: str, stmt: ast.ImportFrom) -> None:
        """A file that only made objects for others does not import their class any more."""
        moved = {id(h.maker.func) for h in self.handings if h.path == path}
        others = [n for n in walk(self.files.context(path).tree) if isinstance(n, ast.Name)
                  and n.id == self.owner and id(n) not in moved]
        if not others and len(stmt.names) == 1:
            self.files.edit(path, self.files.source(path).removal(stmt))

    def _edit_maker(self, handing: Handing) -> None:
        source = self.files.source(handing.path)
        passed = [
            source.segment(value)
            for value in [*handing.maker.args, *(a.value for a in handing.maker.keywords)]
            if not isinstance(value, ast.Constant)
        ]
        written = whole_argument(handing.call, handing.given)
        if isinstance(written, ast.keyword) and passed:
            raise Unknown("an object is handed over by name")
        start, end = source.span(written)
        new = ", ".join(passed)
        self.files.edit(handing.path, (start, end, new) if new else cut(source, start, end))
        if handing.made is not None:
            self.files.edit(handing.path, source.removal(handing.made))

"""Modules that make objects with placeholders: they make the placeholders themselves.

``model = Model(config)`` becomes ``x = tf.placeholder(...)`` and ``model = Model(x, config)``, and
what was ``model.x`` is `x`. See `sessions.objects.inputs` for the class.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.fresh_names import fresh_name
from migrator.analysis.source import Edit, SourceText
from migrator.analysis.tree_walk import calls_in, children, walk
from migrator.analysis.values import argument
from migrator.engine.context import FileContext
from migrator.transforms.sessions.helpers import straight
from migrator.transforms.sessions.objects.held import held
from migrator.transforms.sessions.objects.inputs import GivenInputs
from migrator.transforms.sessions.objects.outside import Unknown
from migrator.transforms.sessions.objects.stand_ins import Group, text_of
from migrator.transforms.sessions.reshaping.gather import repeated
from migrator.transforms.sessions.reshaping.nested import nested

Place = ast.Module | ast.FunctionDef


def given_group(ctx: FileContext, home: str, text: str, owner: str) -> Group | None:
    """The group of a class whose objects are given their inputs; None where nobody makes one."""
    texts = {}
    for path in dict.fromkeys([home, *ctx.index.importers(home)]):
        other_text = text if path == home else text_of(ctx, path)
        if other_text is None:
            raise Unknown(path)
        if owner in other_text or path == home:
            texts[path] = other_text
    moved = held(ctx, owner, home, texts)
    class_context = ctx.anew(moved[home], home)
    given = GivenInputs(class_context, owner)
    group = Group(home, owner)
    for path, other_text in moved.items():
        other = class_context if path == home else ctx.anew(other_text, path)
        users = InputUsers(other, given)
        lines = [call.lineno for call in users.calls]
        if not lines and path != home and other_text == texts.get(path):
            users.edits()  # uses of the class that are no calls
            continue
        if lines:
            group.makers[path] = lines
        group.texts[path] = _given_text(ctx, users, given)
    return group if group.makers else None


def _given_text(ctx: FileContext, users: InputUsers, given: GivenInputs) -> str:
    """A module's text with inputs; helpers that are given an object go where it is made first."""
    own = users.other.path == given.home.path
    try:
        edits = users.edits()
    except Unknown:
        moved = repeated(nested, users.other, users.other.text)
        if moved == users.other.text:
            raise
        other = ctx.anew(moved, users.other.path)
        given = GivenInputs(other, given.node.name) if own else given
        users = InputUsers(other, given)
        edits = users.edits()
    return users.source.splice(
        0, len(users.source.text), [*edits, *(given.edits() if own else [])])


class InputUsers:
    """The objects of one class in one module. Raises Unknown where a use has another form."""

    def __init__(self, other: FileContext, given: GivenInputs) -> None:
        self.other = other
        self.given = given
        self.source = SourceText(other.text, other.tree)
        own = other.path == given.home.path
        self.inside = {id(n) for n in walk(given.node)} if own else set()
        name = given.node.name
        self.maker = name if own else f"{given.home.module_name}.{name}"
        self.local = name if own else ""
        self.taken = {n.id for n in walk(other.tree) if isinstance(n, ast.Name)} | {
            a.arg for a in walk(other.tree) if isinstance(a, ast.arg)}
        self.calls = [c for c in calls_in(other.tree) if self._is_maker(c.func)]

    def edits(self) -> list[Edit]:
        """The edits, none where the module makes no object."""
        calls = self.calls
        self._refuse_other_uses(calls)
        edits: list[Edit] = []
        found = []
        for place in _places(self.other.tree):
            for stmt in straight(place.body):
                if isinstance(stmt, ast.Assign) and stmt.value in calls:
                    found.append(stmt.value)
                    edits += self._made(stmt, place)
        if len(found) != len(calls):
            raise Unknown("an object that is made inside of a statement")
        return edits

    def _is_maker(self, node: ast.expr) -> bool:
        if id(node) in self.inside:
            return False
        if isinstance(node, ast.Name) and node.id == self.local:
            return True
        return (self.other.names.resolve_node(node, values=False) or "") == self.maker

    def _refuse_other_uses(self, calls: list[ast.Call]) -> None:
        called = {id(call.func) for call in calls}
        for node in walk(self.other.tree):
            if isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in called | self.inside:
                if isinstance(node.ctx, ast.Load) and self._is_maker(node):
                    raise Unknown(ast.unparse(node))

    def _made(self, stmt: ast.Assign, place: Place) -> list[Edit]:
        """One object: its placeholders, the call that makes it, the uses of its inputs."""
        target = stmt.targets[0]
        keeper = self._keeper(target, place)
        if len(stmt.targets) != 1 or not isinstance(target, ast.Name) and keeper is None:
            raise Unknown(ast.unparse(stmt))
        call = stmt.value
        assert isinstance(call, ast.Call)
        lines, edits = self._hoisted(call)
        bound = self.given.bound(call, self.source)
        for node, text in edits:
            bound = {p: text if self._gives(call, p) is node else t for p, t in bound.items()}
        taken, prefix, name = self.taken, "", ast.unparse(target)
        if keeper is not None:
            assert isinstance(target, ast.Attribute)
            taken = {n.attr for n in walk(keeper) if isinstance(n, ast.Attribute) and not (
                isinstance(n.value, ast.Attribute) and n.value.attr == target.attr)} | {
                n.name for n in walk(keeper) if isinstance(n, ast.FunctionDef)}
            prefix, name = f"{ast.unparse(target.value)}.", target.attr
        names: dict[str, str] = {}
        passed: list[str] = []
        for given in self.given.inputs:
            if not self.given.made(given, bound):
                passed.append("None")
                continue
            new = given.parameter
            if new in taken:
                new = fresh_name(f"{name}_{new}", taken)
            taken.add(new)
            names[given.attribute] = f"{prefix}{new}"
            passed.append(f"{prefix}{new}")
            lines.append(f"{prefix}{new} = {self.given.written(given, bound, self.other)}")
        indent = self.source.indent(stmt)
        start = self.source.offset(self.source.first_line(stmt), 0)
        return [
            (start, start, "".join(f"{indent}{line}\n" for line in lines)),
            self._passed(call, passed),
            *((*self.source.span(node), text) for node, text in edits),
            *(self._read(name, stmt, place, names) if keeper is None
              else self._read_kept(target, keeper, names)),
        ]

    def _keeper(self, target: ast.expr, place: Place) -> ast.ClassDef | None:
        """The class whose constructor keeps an object in an attribute."""
        if not (isinstance(target, ast.Attribute) and isinstance(place, ast.FunctionDef)
                and isinstance(target.value, ast.Name) and place.name == "__init__"
                and place.args.args and target.value.id == place.args.args[0].arg):
            return None
        return next((n for n in self.other.tree.body
                     if isinstance(n, ast.ClassDef) and place in n.body), None)

    def _read_kept(
        self, target: ast.expr, keeper: ast.ClassDef, inputs: dict[str, str]
    ) -> list[Edit]:
        """The inputs as attributes of the object that keeps what they are the inputs of."""
        assert isinstance(target, ast.Attribute)
        edits: list[Edit] = []
        inside = {id(n) for n in walk(keeper)}
        bases = {id(n.value): n for n in walk(self.other.tree) if isinstance(n, ast.Attribute)}
        for node in walk(self.other.tree):
            if not isinstance(node, ast.Attribute) or node.attr != target.attr or node is target:
                continue
            use = bases.get(id(node))
            if id(node) not in inside or use is None or not isinstance(use.ctx, ast.Load) or (
                ast.unparse(node) != ast.unparse(target) or use.attr not in self.given.attributes
            ):
                raise Unknown(f"{ast.unparse(node)} is used as a whole")
            if use.attr in inputs:
                edits.append((*self.source.span(use), inputs[use.attr]))
        return edits

    def _gives(self, call: ast.Call, parameter: str) -> ast.expr | None:
        plain = [a.arg for a in self.given.init.args.args][1:]
        return argument(call, plain.index(parameter) if parameter in plain else -1, parameter)

    def _hoisted(self, call: ast.Call) -> tuple[list[str], list[tuple[ast.expr, str]]]:
        """Arguments that call something are computed once, ahead of the steps."""
        lines, edits = [], []
        for parameter in self.given.parameters:
            node = self._gives(call, parameter)
            if node is None or all(self._of_builtin(c) for c in calls_in(node)):
                continue
            name = fresh_name(parameter, self.taken)
            self.taken.add(name)
            lines.append(f"{name} = {' '.join(self.source.segment(node).split())}")
            edits.append((node, name))
        return lines, edits

    def _of_builtin(self, call: ast.Call) -> bool:
        symbol = self.other.names.resolve_node(call.func, values=False) or ""
        return symbol.startswith(("builtins.", "tensorflow.")) or (
            isinstance(call.func, ast.Attribute) and call.func.attr in ("split", "get", "format"))

    def _passed(self, call: ast.Call, names: list[str]) -> Edit:
        given = ", ".join(names)
        parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        first = min(parts, key=lambda n: (n.lineno, n.col_offset), default=None)
        if first is None:
            end = self.source.span(call)[1] - 1
            return end, end, given
        start = self.source.offset(first.lineno, first.col_offset)
        line = self.source.lines[first.lineno - 1][: first.col_offset]
        return start, start, f"{given},\n{line}" if not line.strip() else f"{given}, "

    def _read(
        self, name: str, stmt: ast.Assign, place: Place, inputs: dict[str, str]
    ) -> list[Edit]:
        """The inputs under their names wherever the object is seen."""
        edits: list[Edit] = []
        seen = [n for n in _visible(place, name) if isinstance(n, (ast.Name, ast.Attribute))]
        bases = {id(n.value): n for n in seen if isinstance(n, ast.Attribute)}
        for node in seen:
            if not isinstance(node, ast.Name) or node.id != name or node is stmt.targets[0]:
                continue
            use = bases.get(id(node))
            if use is None or not isinstance(use.ctx, ast.Load) or (
                use.attr not in self.given.attributes
            ):
                raise Unknown(f"{name} is used as a whole")
            if use.attr in inputs:
                edits.append((*self.source.span(use), inputs[use.attr]))
        return edits


def _places(tree: ast.Module) -> Iterator[Place]:
    yield tree
    for node in walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node


def _visible(place: Place, name: str) -> Iterator[ast.AST]:
    """The nodes of a place and of the functions in it that do not bind `name` themselves."""
    pending: list[ast.AST] = list(place.body)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) and any(
            isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
            or isinstance(n, ast.arg) and n.arg == name
            for n in walk(node)
        ):
            continue
        yield node
        pending += children(node)

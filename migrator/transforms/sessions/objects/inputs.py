"""Objects that make placeholders: what a constructor needs to be given the inputs instead.

``self.x = tf.placeholder(tf.float32, [None, size])`` becomes ``self.x = x``; whoever makes the object
makes the placeholder, so that the planner sees an object that is built from the inputs of a step.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from migrator.analysis import graph_kinds as k
from migrator.analysis.arguments import defaults_of, given_to
from migrator.analysis.names import NameTable
from migrator.analysis.source import Edit, SourceText
from migrator.analysis.tree_walk import calls_in, children, walk
from migrator.engine.context import FileContext
from migrator.transforms.sessions.helpers import straight
from migrator.transforms.sessions.objects.classes import class_of, class_program, given_by
from migrator.transforms.sessions.objects.outside import Unknown
from migrator.transforms.sessions.objects.stand_ins import parameter_of

#: What an object must not make while it is built: a step would make it again and again.
_LASTING = frozenset({k.SESSION, k.SAVER, k.WRITER, k.OPTIMIZER, k.TRAIN, k.GRADIENTS, k.MERGED,
                      k.ITERATOR, k.ELEMENT, k.INIT, k.EMA, k.COORDINATOR, k.SUPERVISOR})
#: Expressions that may be written where they are used instead of being computed once.
_ATOMS = (ast.Name, ast.Constant, ast.Attribute, ast.Subscript)


@dataclass(frozen=True)
class Input:
    """A placeholder of the object: its attribute, the parameter it becomes, and where it was made:
    under the `tests` of the constructor, each with the outcome that leads there."""

    attribute: str
    parameter: str
    stmt: ast.Assign
    call: ast.Call
    method: ast.FunctionDef
    tests: tuple[tuple[ast.expr, bool], ...] = ()


class GivenInputs:
    """The inputs of one class. Raises Unknown where they cannot be given."""

    def __init__(self, home: FileContext, owner: str) -> None:
        self.home = home
        self.node = class_of(home.tree, owner)
        self.source = SourceText(home.text, home.tree)
        self.methods = {n.name: n for n in self.node.body if isinstance(n, ast.FunctionDef)}
        self.init = self.methods["__init__"]
        self.parameters = [a.arg for a in [*self.init.args.posonlyargs, *self.init.args.args]]
        if not self.parameters or self.init.decorator_list:
            raise Unknown("the constructor")
        self.owner = self.parameters.pop(0)
        self.parameters += [a.arg for a in self.init.args.kwonlyargs]
        self._refuse_lasting()
        self.inputs = self._inputs()
        self.attributes = self._graph_attributes()

    def _graph_attributes(self) -> set[str]:
        """What others may read of the object where a step builds it: attributes and properties that
        are parts of the graph."""
        found = {
            name for name, value in class_program(self.home, self.node).attributes().items()
            if value.traced or value.kind in (k.OP, k.VARIABLE, k.SUMMARY, k.SCHEDULE)
        }
        return found | {
            method.name for method in self.methods.values()
            if given_by(method, self.owner) in found
        }

    def _own(self, node: ast.Attribute) -> bool:
        return isinstance(node.value, ast.Name) and node.value.id == self.owner

    def _symbol(self, call: ast.Call) -> str:
        return self.home.names.resolve_node(call.func, values=False) or ""

    def _refuse_lasting(self) -> None:
        if any(not (isinstance(b, ast.Name) and b.id == "object") for b in self.node.bases):
            raise Unknown("the class has bases")
        if self.node.keywords or self.node.decorator_list:
            raise Unknown("the class is made by another one")
        for inner in walk(self.node):
            if isinstance(inner, (ast.Global, ast.Nonlocal, ast.AsyncFunctionDef)):
                raise Unknown("the object changes what is outside of it")
        for call in calls_in(self.node):
            symbol = self._symbol(call)
            if symbol.startswith("tensorflow."):
                kind = k.call_kind(symbol)
                if kind in _LASTING or symbol in k.QUEUES:
                    raise Unknown(symbol)
            elif isinstance(call.func, ast.Attribute) and call.func.attr in ("run", "eval"):
                raise Unknown("a method runs a session")
        self._refuse_random()

    def _refuse_random(self) -> None:
        """Numbers drawn while the object is built would differ from step to step; variables keep
        the first ones."""
        kept = {
            id(inner) for call in calls_in(self.node)
            if k.kind_of(self._symbol(call)) == k.VARIABLE for inner in walk(call)
        }
        for call in calls_in(self.node):
            if self._symbol(call).startswith(("numpy.random.", "random.")) and id(call) not in kept:
                raise Unknown("random numbers in the graph")

    # -- what the placeholders are

    def _inputs(self) -> list[Input]:
        made = [call for call in calls_in(self.node) if self._placeholder(call)]
        found = []
        for method in self.methods.values():
            for stmt, tests in _with_tests(method.body):
                if not (isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.Call)):
                    continue
                kept = [t.attr for t in stmt.targets
                        if isinstance(t, ast.Attribute) and self._own(t)]
                if tests and method is not self.init:
                    continue
                if self._placeholder(stmt.value) and len(kept) == len(stmt.targets) == 1:
                    found.append(
                        Input(kept[0], parameter_of(kept[0]), stmt, stmt.value, method, tests))
        names = [given.parameter for given in found]
        taken = {n.id for n in walk(self.init) if isinstance(n, ast.Name)} | {
            a.arg for a in walk(self.init) if isinstance(a, ast.arg)}
        if len(found) != len(made) or not found or len(set(names)) < len(names) or (
            set(names) & taken
        ):
            raise Unknown("a placeholder that is no attribute of its own")
        for given in found:
            stores = [n for n in walk(self.node) if isinstance(n, ast.Attribute)
                      and n.attr == given.attribute and isinstance(n.ctx, ast.Store)]
            if len(stores) != 1:
                raise Unknown(f"{given.attribute} is set again")
            if given.method is not self.init:
                self._called_once(given.method)
        return found

    def _placeholder(self, call: ast.Call) -> bool:
        return k.kind_of(self._symbol(call)) == k.PLACEHOLDER

    def _called_once(self, method: ast.FunctionDef) -> ast.Expr:
        """The statement of the constructor that is the only call of a method without arguments."""
        uses = [n for n in walk(self.home.tree)
                if isinstance(n, ast.Attribute) and n.attr == method.name]
        for stmt in straight(self.init.body):
            if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call) and (
                stmt.value.func in uses and len(uses) == 1 and len(method.args.args) == 1
            ):
                return stmt
        raise Unknown(method.name)

    # -- the class's text

    def edits(self) -> list[Edit]:
        """What makes the constructor take its inputs."""
        source = self.source
        names = ", ".join(given.parameter for given in self.inputs)
        first = [*self.init.args.posonlyargs, *self.init.args.args][0]
        end = source.offset(first.end_lineno or 0, first.end_col_offset or 0)
        line = source.lines[first.lineno - 1].rstrip("\n")
        edits: list[Edit] = [(end, end, f", {names}")]
        if len(line) + len(names) > source.width and source.text[end:].startswith(", "):
            edits = [(end, end + 2, f", {names},\n{' ' * first.col_offset}")]
        moved: list[str] = []
        for given in self.inputs:
            if given.method is self.init:
                edits.append((*source.span(given.call), given.parameter))
                continue
            moved.append(f"{self.owner}.{given.attribute} = {given.parameter}")
            if not self._only_inputs(given.method):
                edits.append(source.removal(given.stmt))
        if moved:
            edits += self._moved(moved)
        return edits

    def _only_inputs(self, method: ast.FunctionDef) -> bool:
        """Whether a method does nothing but make placeholders."""
        made = [given.stmt for given in self.inputs if given.method is method]
        return all(stmt in made for stmt in _without_docstring(method))

    def _moved(self, lines: list[str]) -> list[Edit]:
        """Assignments that other methods made; methods that did nothing else go."""
        source = self.source
        body = _without_docstring(self.init)
        start = source.offset(source.first_line(body[0]), 0)
        text = "".join(f"{source.indent(body[0])}{line}\n" for line in lines)
        edits: list[Edit] = [(start, start, text)]
        for method in dict.fromkeys(given.method for given in self.inputs):
            if method is self.init or not self._only_inputs(method):
                continue
            if len(body) > 1:
                edits.append(source.removal(self._called_once(method)))
            else:
                raise Unknown("nothing is left of the constructor")
            edits.append(source.removal(method, blank=True))
        return edits

    # -- the placeholders' text

    def made(self, given: Input, bound: dict[str, str]) -> bool:
        """Whether a constructor whose parameters are given the texts `bound` makes an input."""
        return all(self._outcome(test, bound) is outcome for test, outcome in given.tests)

    def _outcome(self, test: ast.expr, bound: dict[str, str]) -> bool:
        """The truth of a condition on a parameter: itself, its opposite, or what it equals."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return not self._outcome(test.operand, bound)
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and (
            isinstance(test.ops[0], (ast.Eq, ast.NotEq, ast.Is, ast.IsNot))
        ):
            equal = self._literal(test.left, bound) == self._literal(test.comparators[0], bound)
            return equal is isinstance(test.ops[0], (ast.Eq, ast.Is))
        return bool(self._literal(test, bound))

    def _literal(self, node: ast.expr, bound: dict[str, str]) -> object:
        """The value of a parameter or constant; what an attribute of the object was set to once."""
        text = _Writer(self, bound, self.home).text(node, self.init, 0)
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError) as error:
            raise Unknown(text) from error

    def written(self, given: Input, bound: dict[str, str], other: FileContext) -> str:
        """The call that makes the placeholder, for a module where the constructor's parameters are
        given the texts `bound`."""
        text = _Writer(self, bound, other).text(given.call, given.method, 0)
        return " ".join(text.split())

    def bound(self, call: ast.Call, source: SourceText) -> dict[str, str]:
        """Parameter -> text of what a call gives it, or of its default."""
        arguments = self.init.args
        plain = [a.arg for a in [*arguments.posonlyargs, *arguments.args]]
        given = given_to(call, plain[1:])
        if given is None:
            raise Unknown("* in a call or in the constructor")
        found = {
            name: self.source.segment(default) for name, default in defaults_of(arguments).items()
            if isinstance(default, ast.Constant)
        }
        return found | {name: source.segment(node) for name, node in given.items()}


class _Writer:
    """Writes an expression of a constructor as it is outside of the class."""

    def __init__(self, of: GivenInputs, bound: dict[str, str], other: FileContext) -> None:
        self.of = of
        self.bound = bound
        self.other = other

    def text(self, node: ast.expr, method: ast.FunctionDef, depth: int) -> str:
        """The text; Unknown where a part of it is not known outside."""
        if depth > 8:
            raise Unknown(ast.unparse(node))
        edits: list[Edit] = []
        pending: list[ast.AST] = [node]
        while pending:
            inner = pending.pop()
            if isinstance(inner, (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.NamedExpr,
                                  ast.DictComp, ast.SetComp, ast.Starred, ast.Await)):
                raise Unknown(ast.unparse(inner))
            new: str | None = None
            if isinstance(inner, ast.Attribute) and self.of._own(inner):
                new = self._assigned(inner, depth)
            elif isinstance(inner, ast.Name):
                new = self._name(inner, method, depth)
            if new is None:
                pending += children(inner)
            elif isinstance(inner, ast.expr):
                edits.append((*self.of.source.span(inner), new))
        return self.of.source.edited(node, edits)

    def _assigned(self, node: ast.Attribute, depth: int) -> str:
        """What an attribute of the object holds that is set once, in the constructor."""
        stores = [n for n in walk(self.of.node) if isinstance(n, ast.Attribute)
                  and n.attr == node.attr and not isinstance(n.ctx, ast.Load)]
        return self._only(stores, self.of.init, depth, node.attr)

    def _only(
        self, stores: list[ast.Attribute] | list[ast.Name], method: ast.FunctionDef, depth: int,
        name: str,
    ) -> str:
        for stmt in straight(method.body):
            if isinstance(stmt, ast.Assign) and len(stores) == 1 and any(
                target is stores[0] for target in stmt.targets
            ):
                text = self.text(stmt.value, method, depth + 1)
                return text if isinstance(stmt.value, _ATOMS) else f"({text})"
        raise Unknown(name)

    def _name(self, node: ast.Name, method: ast.FunctionDef, depth: int) -> str | None:
        of = self.of
        stores = [n for n in walk(method) if isinstance(n, ast.Name) and n.id == node.id
                  and not isinstance(n.ctx, ast.Load)]
        if node.id in of.parameters and method is of.init:
            if stores or node.id not in self.bound:
                raise Unknown(node.id)
            return self.bound[node.id]
        if stores:
            return self._only(stores, method, depth, node.id)
        symbol = of.home.names.resolve(node.id) or ""
        if symbol.startswith("builtins."):
            return None
        bindings = of.home.names.module_scope.bindings.get(node.id, [])
        if bindings and all(b.kind == "import" for b in bindings):
            return _imported(self.other.names, symbol, node.id)
        if self.other.path == of.home.path and len(bindings) == 1:
            return None
        for stmt in of.home.tree.body:
            if isinstance(stmt, ast.Assign) and len(bindings) == 1 and (
                isinstance(stmt.value, ast.Constant)
                and [ast.unparse(t) for t in stmt.targets] == [node.id]
            ):
                return of.source.segment(stmt.value)
        raise Unknown(node.id)


def _imported(names: NameTable, symbol: str, wanted: str) -> str:
    """What a module calls an import that another one has as `wanted`."""
    for name in [wanted, *sorted(names.module_scope.bindings)]:
        bindings = names.module_scope.bindings.get(name, [])
        if bindings and all(b.kind == "import" for b in bindings) and (
            names.resolve(name) == symbol
        ):
            return name
    raise Unknown(wanted)


def _with_tests(
    body: list[ast.stmt], tests: tuple[tuple[ast.expr, bool], ...] = ()
) -> Iterator[tuple[ast.stmt, tuple[tuple[ast.expr, bool], ...]]]:
    """What a block does once, with the conditions around it."""
    for stmt in straight(body):
        yield stmt, tests
        if isinstance(stmt, ast.If):
            yield from _with_tests(stmt.body, (*tests, (stmt.test, True)))
            yield from _with_tests(stmt.orelse, (*tests, (stmt.test, False)))


def _without_docstring(function: ast.FunctionDef) -> list[ast.stmt]:
    first = function.body[0]
    told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return function.body[told:]

"""Obstacles that another way to write the program removes: the text is amended and tried again."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from migrator.analysis.program_items import Obstacle
from migrator.analysis.source import Edit, SourceText
from migrator.analysis.tree_walk import calls_in, walk
from migrator.transforms.sessions.helpers import parameter_span
from migrator.transforms.sessions.reshaping.collected import without_run
from migrator.transforms.sessions.reshaping.split import split_names, unnested


@dataclass(frozen=True)
class Remark:
    """What a person should know of a program that is native because its text was amended: a finding,
    or what became of a run if there is no advice."""

    code: str
    line: int
    message: str
    advice: str = ""


class Amendable(Obstacle):
    """An obstacle that knows a text without it; `remark` says what that text does without."""

    remark: Remark | None = None

    def amended(self, text: str) -> str | None:
        """`text` without the obstacle, None where it cannot be taken away."""
        raise NotImplementedError


class Rebound(Amendable):
    """A name that a function would read is bound again after the graph has used it."""

    def __init__(self, node: ast.AST, name: str) -> None:
        super().__init__(node, f"{name} is bound again after the graph has used it",
                         "give each of its values a name of its own")
        self.name = name

    def amended(self, text: str) -> str | None:
        return split_names(text, {self.name})


class UnknownFetch(Amendable):
    """What is fetched is not known, perhaps as its name takes the value: ``loss = run(loss)``."""

    run: ast.Call | None = None  # that fetches it

    def __init__(self, node: ast.expr) -> None:
        super().__init__(node, f"what {ast.unparse(node)} is cannot be told from this module",
                         "build the tensor in this function, or return it from a graph function")
        self.name = node.id if isinstance(node, ast.Name) else None

    def amended(self, text: str) -> str | None:
        at_once = None if self.run is None else without_run(text, self.run)
        if at_once is not None and self.run is not None:
            self.remark = Remark("TF303", self.run.lineno, "what it runs happens where it is made")
            return at_once
        return split_names(text, {self.name}) if self.name else None


def _method_of(
    tree: ast.Module, owner: str, name: str
) -> tuple[ast.ClassDef | None, ast.FunctionDef | None]:
    """A class of a module, and a method of it."""
    node = next((n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == owner), None)
    return node, next(
        (n for n in ([] if node is None else node.body)
         if isinstance(n, ast.FunctionDef) and n.name == name), None)


class LooseAttribute(Amendable):
    """A method that helps to build reads a tensor of the graph from the object."""

    def __init__(self, node: ast.AST, owner: str, method: str, attribute: str) -> None:
        super().__init__(node, f"{attribute} is used outside of a run", "compute it in the step")
        self.owner, self.method, self.attribute = owner, method, attribute

    def amended(self, text: str) -> str | None:
        """The method takes the tensor as a parameter, and its callers in the class pass it."""
        tree = ast.parse(text)
        owner, method = _method_of(tree, self.owner, self.method)
        if owner is None or method is None or method.decorator_list or method.args.kwarg or (
            method.args.vararg
        ):
            return None
        source = SourceText(text, tree)
        parameter = self.attribute.partition(".")[2].lstrip("_")
        taken = {n.id for n in walk(method) if isinstance(n, ast.Name)}
        taken |= {a.arg for a in walk(method.args) if isinstance(a, ast.arg)}
        if parameter in taken or method.args.kwonlyargs:
            return None
        edits: list[Edit] = []
        for node in walk(method):
            if isinstance(node, ast.Attribute) and ast.unparse(node) == self.attribute:
                if not isinstance(node.ctx, ast.Load):
                    return None
                edits.append((*source.span(node), parameter))
        calls = {id(call.func): call for call in calls_in(tree)}
        inside = {id(n) for n in walk(owner)}
        for node in walk(tree):
            if not (isinstance(node, ast.Attribute) and node.attr == self.method):
                continue
            call = calls.get(id(node))
            if call is None or id(node) not in inside or any(
                isinstance(a, ast.Starred) for a in call.args
            ):
                return None
            end = source.span(call)[1] - 1
            comma = ", " if call.args or call.keywords else ""
            edits.append((end, end, f"{comma}{parameter}={self.attribute}"))
        end = parameter_span(source, method, method.args.args[-1].arg)[1]
        value = "=None" if method.args.defaults else ""
        edits.append((end, end, f", {parameter}{value}"))
        return source.splice(0, len(text), edits) if len(edits) > 1 else None


class LocalPart(Amendable):
    """A step needs a local name of a method that builds only a part of the graph."""

    def __init__(self, node: ast.AST, owner: str, method: str, name: str) -> None:
        super().__init__(node, f"{name} is local to {method}, which builds only a part of the "
                         "graph", f"make it an attribute: self.{name}")
        self.owner, self.method, self.name = owner, method, name

    def amended(self, text: str) -> str | None:
        """The name becomes a private attribute of the object."""
        tree = ast.parse(text)
        owner, method = _method_of(tree, self.owner, self.method)
        if owner is None or method is None or not method.args.args:
            return None
        short = self.name.lstrip("_")
        inner = [n for n in walk(method) if n is not method and isinstance(
            n, (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.Global, ast.Nonlocal))]
        taken = {n.attr for n in walk(tree) if isinstance(n, ast.Attribute)}
        taken |= {n.name for n in walk(owner) if isinstance(n, ast.FunctionDef)}
        attribute = next(
            (n for n in (f"_{short}", short, f"_built_{short}") if n not in taken), None)
        source = SourceText(text, tree)
        if any(a.arg == self.name for a in walk(method.args) if isinstance(a, ast.arg)):
            return self._kept_argument(text, source, method, None if inner else attribute)
        if attribute is None or inner:
            return None
        edits: list[Edit] = [
            (*source.span(node), f"{method.args.args[0].arg}.{attribute}")
            for node in walk(method) if isinstance(node, ast.Name) and node.id == self.name
        ]
        return source.splice(0, len(text), edits) if edits else None

    def _kept_argument(
        self, text: str, source: SourceText, method: ast.FunctionDef, attribute: str | None
    ) -> str | None:
        """The argument is read from the attribute that the method keeps it in, a new one called
        `attribute` if there is none."""
        uses = [n for n in walk(method) if isinstance(n, ast.Name) and n.id == self.name]
        owner = method.args.args[0].arg
        keeps = next((
            s for s in method.body
            if isinstance(s, ast.Assign) and len(s.targets) == 1 and s.value in uses
            and isinstance(s.targets[0], ast.Attribute)
            and ast.unparse(s.targets[0].value) == owner
        ), None)
        if any(not isinstance(n.ctx, ast.Load) for n in uses):
            return None
        if keeps is None:
            return self._newly_kept(text, source, method, attribute) if attribute else None
        kept = ast.unparse(keeps.targets[0])
        stored = [n for n in walk(ast.parse(text)) if isinstance(n, ast.Attribute)
                  and isinstance(n.ctx, ast.Store) and ast.unparse(n) == kept]
        later = [n for n in uses if n.lineno > keeps.lineno]
        if len(stored) != 1 or not later:
            return None
        return source.splice(0, len(text), [(*source.span(n), kept) for n in later])

    def _newly_kept(
        self, text: str, source: SourceText, method: ast.FunctionDef, attribute: str
    ) -> str | None:
        """The method begins by keeping the argument."""
        told = ast.get_docstring(method) is not None
        if len(method.body) == told:
            return None
        first, kept = method.body[told], f"{method.args.args[0].arg}.{attribute}"
        start = source.offset(source.first_line(first), 0)
        line = f"{source.indent(first)}{kept} = {self.name}\n"
        return source.splice(0, len(text), [(start, start, line), *(
            (*source.span(n), kept) for n in walk(method)
            if isinstance(n, ast.Name) and n.id == self.name)])


class GraphParts(Amendable):
    """A function or method makes inputs or the training op, where no step sees them."""

    def __init__(self, call: ast.Call, trains: bool) -> None:
        name = ast.unparse(call.func)
        if trains:
            super().__init__(call, f"{name} makes the training op",
                             "minimize the loss where the graph is run")
        else:
            super().__init__(call, f"{name} makes placeholders of its own", "pass it the tensors, "
                             "and make the placeholders where they are fed")
        self.called = name

    def amended(self, text: str) -> str | None:
        """A method whose result the object keeps sets the attributes itself."""
        tree = ast.parse(text)
        owner, _, name = self.called.rpartition(".")
        methods = [(c, m) for c in tree.body if isinstance(c, ast.ClassDef) for m in c.body
                   if isinstance(m, ast.FunctionDef) and m.name == name]
        uses = [n for n in walk(tree) if isinstance(n, ast.Attribute) and n.attr == name]
        if len(methods) != 1 or len(uses) != 1 or not methods[0][1].args.args:
            return None
        (kept, method), source = methods[0], SourceText(text, tree)
        stmt = next((n for n in walk(kept) if isinstance(n, ast.Assign) and len(n.targets) == 1
                     and isinstance(n.value, ast.Call) and n.value.func is uses[0]), None)
        last = method.body[-1]
        returns = [n for inner in method.body for n in unnested(inner)
                   if isinstance(n, (ast.Return, ast.Yield))]
        if stmt is None or method.decorator_list or not isinstance(last, ast.Return) or (
            returns != [last] or last.value is None or method.args.args[0].arg != owner
        ):
            return None
        targets, values = _elements(stmt.targets[0]), _elements(last.value)
        if len(targets) != len(values) or not all(
            isinstance(t, ast.Attribute) and ast.unparse(t.value) == owner for t in targets
        ) or any(isinstance(v, ast.Starred) for v in values):
            return None
        indent = source.indent(last)
        lines = f"\n{indent}".join(
            f"{source.segment(t)} = {source.segment(v)}"
            for t, v in zip(targets, values, strict=True))
        return source.splice(0, len(text), [
            (*source.span(stmt), source.segment(stmt.value)), (*source.span(last), lines)])


def _elements(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]


class InlineDependency(Amendable):
    """`with tf.control_dependencies([CALL])`: in a function, CALL is a statement before."""

    def __init__(self, node: ast.expr) -> None:
        super().__init__(node, "what something depends on is made inside of control_dependencies",
                         "give it a name before the with statement")

    def amended(self, text: str) -> str | None:
        tree = ast.parse(text)
        source = SourceText(text, tree)
        used = {n.id for n in walk(tree) if isinstance(n, ast.Name)}
        edits: list[Edit] = []
        for stmt in walk(tree):
            if not isinstance(stmt, ast.With):
                continue
            calls = [call for item in stmt.items for call in inline_dependencies(item.context_expr)]
            if not calls:
                continue
            indent = source.indent(stmt)
            start = source.span(stmt)[0]
            lines = ""
            for call in calls:
                number = sum(name.startswith("control_input") for name in used)
                name = f"control_input_{number}" if number else "control_input"
                used.add(name)
                lines += f"{name} = {source.segment(call)}\n{indent}"
                edits.append((*source.span(call), name))
            edits.append((start, start, lines))
        return source.splice(0, len(text), sorted(edits)) if edits else None


def inline_dependencies(context: ast.expr) -> list[ast.expr]:
    """What makes operations within the arguments of a control_dependencies."""
    if not (isinstance(context, ast.Call)
            and ast.unparse(context.func).endswith("control_dependencies")):
        return []
    found: list[ast.expr] = []
    pending: list[ast.expr] = [*context.args, *(a.value for a in context.keywords)]
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.Call):
            if not ast.unparse(node.func).endswith(("get_collection", "get_collection_ref")):
                found.append(node)
        elif isinstance(node, ast.ListComp):
            found.append(node)
        elif isinstance(node, (ast.List, ast.Tuple)):
            pending[:0] = node.elts
        elif isinstance(node, ast.BinOp):
            pending[:0] = [node.left, node.right]
    return found

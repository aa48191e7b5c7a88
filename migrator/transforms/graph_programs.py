"""Programs that run parts of a graph go on building it; functions of it take the session's place."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from migrator.analysis.facts_graph_code import (
    MAIN,
    MODULE,
    handling,
    in_graph_form,
    is_main,
    is_test_case,
    quiet,
    unit_facts,
    units,
)
from migrator.analysis.facts_loaded_graphs import loaded_parameters
from migrator.analysis.facts_sessions import Carried
from migrator.analysis.graph_code import calls_builders, roots, shares_graph
from migrator.analysis.run_sites import Site, is_plain, savers_session, sites
from migrator.analysis.scopes import Reference
from migrator.analysis.session_carriers import carriers
from migrator.analysis.tree_walk import first_line, last_name, self_attribute, walk
from migrator.analysis.value_kinds import Parents, Values
from migrator.analysis.values import argument
from migrator.engine.context import FileContext
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.imports import call_behind_imports
from migrator.engine.registry import transform
from migrator.model import Rung
from migrator.transforms.graphs.feeds import resolved
from migrator.transforms.graphs.first_values import FirstValues
from migrator.transforms.graphs.functions import GraphFunction, planned
from migrator.transforms.graphs.sessions import SessionRemoval, all_without, cut, unwrapped, without
from migrator.transforms.session import runs_left
from migrator.transforms.sessions.xla import ADVICE, CODE, Reach

_SESSION = re.compile(r"[sS]ession\(")
_WIDTH = 100  # columns of a line that is written anew
_GRAPHS = {
    "tensorflow.Graph": ("graphs.Graph", "a graph whose functions can be called"),
    "tensorflow.keras.backend.clear_session": (
        "graphs.clear_session", "the graph that is being built is a new one, too"),
}
#: What graphs.Graph keeps for itself, beyond what TensorFlow 1's graphs had.
_OF_GRAPHS = frozenset({
    "bound", "built_by", "compute", "effects", "element", "end", "function_of", "late", "ordered", "python",
    "python_operation", "read", "read_first", "reads_of", "resource", "resources", "run", "session", "store",
    "told", "traced", "use", "variable_handles",
})


@transform
class GraphPrograms:
    """What builds a graph and is called from outside of one gets one to build into; runs of it become
    calls of functions of the graph."""

    name = "graph_programs"
    triggers = frozenset({"tensorflow.*"})
    words = frozenset({"sess", "session", "import"})  # of code that runs what it is given, or hands it on
    order = 92  # after all that makes sessions native

    def run(self, ctx: FileContext) -> str | None:
        """Rewrite the runs of a file and give what builds a graph one to build into."""
        tests = [unit_facts(list(walk(n)), ctx.names) for n in ctx.tree.body if is_test_case(n)]
        if not runs_left(ctx) and not shares_graph(ctx.index, ctx.path) and not any(
            facts["direct"] and calls_builders(ctx.index, ctx.path, facts["calls"]) for facts in tests
        ):
            return _without_sessions(ctx) or (_evaluated(ctx) if tests else None)
        loaded = loaded_parameters(ctx.index, ctx.path, ctx.text, ctx.tree, ctx.names)
        every = {
            name: unit_facts(nodes, ctx.names, {p for function, p in loaded if function == name})
            for name, nodes in units(ctx.tree)}
        own = quiet(every) or handling(every)
        direct = any(facts["direct"] for facts in [*own.values(), *tests])
        found = None if direct else roots(ctx.index, ctx.path, own)
        if not direct and not found:
            return _evaluated(ctx) if tests else None
        writer = _Writer(ctx, loaded)
        writer.sites()
        writer.savers()
        writer.graphs()
        writer.extensions()
        writer.sessions()
        if writer.edits or ctx.text != ctx.original or not in_graph_form(ctx.text):
            every_root = roots(ctx.index, ctx.path, own) if found is None else found
            writer.roots(every_root - _of_tests(own, tests))
        return writer.text()


def _own_names(made: ast.ClassDef) -> set[str]:
    """The methods of a class, and the attributes that it gives to its objects."""
    names = {node.name for node in made.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    return names | {node.attr for node in walk(made) if isinstance(node, ast.Attribute)
                    and isinstance(node.ctx, ast.Store) and self_attribute(node) is not None}


def _extends_graph(made: ast.ClassDef, ctx: FileContext, depth: int = 8) -> bool:
    """Whether a class extends tf.Graph, by itself or through a few classes of the project."""
    for base in made.bases if depth else ():
        symbol = ctx.names.resolve_node(base) or ""
        if symbol in ("tensorflow.Graph", "tf1_support.graphs.Graph"):
            return True
        hit = ctx.index.definition(symbol, ctx.path)
        other = ctx if hit is None else ctx.anew(ctx.index.text(hit[0].path) or "", hit[0].path)
        name = last_name(base) if hit is None else hit[1]
        found = next((node for node in other.tree.body if isinstance(node, ast.ClassDef)
                      and node.name == name and node is not made), None)  # fmt: skip
        if found is not None and _extends_graph(found, other, depth - 1):
            return True
    return False


def _of_tests(own: Mapping[str, Mapping[str, Any]], tests: list[dict[str, Any]]) -> set[str]:
    """Functions that only the tests of their own module call: what these need, each has by itself."""
    by_tests = {call for facts in tests for call in facts["calls"]}
    by_others = {call for facts in own.values() for call in facts["calls"]}
    return {unit for unit in own if unit in by_tests - by_others}


def _without_sessions(ctx: FileContext) -> str | None:
    """A module that only hands sessions on, without them."""
    if not carriers(ctx.index).any_spare(ctx.path):
        return None
    writer = _Writer(ctx, set())
    writer.sessions()
    return writer.text()


def _evaluated(ctx: FileContext) -> str | None:
    """Tests that are eager by now, whose helpers still evaluate what they are given in the session that was
    around them."""
    if "eval(" not in ctx.text or not _SESSION.search(ctx.original):
        return None
    writer = _Writer(ctx, set())
    writer.sites()
    return writer.text()


class _Writer:
    """Collects the edits of one file."""

    def __init__(self, ctx: FileContext, loaded: set[tuple[str, str]]) -> None:
        self.ctx, self.tree = ctx, ctx.tree
        self.lines = Lines(ctx.text)
        self.parents = Parents(ctx.tree)
        self.values = Values(ctx.tree, ctx.names, self.parents, loaded)
        self.carried = Carried(ctx.tree, self.values, self.parents)
        self.edits: list[Edit] = []
        self.xla = Reach(ctx) if ctx.options.jit else None

    def text(self) -> str | None:
        """The text with all edits, None where there are none."""
        return unwrapped(apply(self.ctx.text, self.edits)[0]) if self.edits else None

    # -- runs

    def sites(self) -> None:
        """Runs become calls."""
        asked = [site for site in sites(self.tree, self.values) if is_plain(site, self.values)]
        every = [site for site in asked if not self._is_own(site)]
        plain = [site for site in every if not self._apart(site.session)]
        for site in every:
            if self._apart(site.session):
                self._run_apart(site)
        told = resolved(self._without_first_values(plain), self.values, self.parents)
        found = told.sites
        for statement in told.gone:
            self.edits.append(without(statement, self.parents, self.lines))
        taken = set(self.ctx.names.used_names)
        functions = planned(
            (site for site in found if self._has_room(site)), self.values, self.parents, taken,
            self._others)
        made = {id(site.call): function for function in functions for site in function.runs}
        for function in functions:
            self._definition(function)
        for site in found:
            called = made.get(id(site.call))
            if called is not None:
                self._call(site, called.name, [value for _, value in site.feeds])
                reason = f"the run becomes a call of {called.name}"
                rung = Rung.NATIVE
            else:
                self._run(site)
                reason, rung = "the graph is run without a session", Rung.SUPPORT
            self.ctx.change("TF302", site.call, reason, rung, symbol="tensorflow.Session.run")
            if "run_metadata" in site.lost:
                self.ctx.finding("TF306", site.call, "what the run took is not collected",
                                 "trace the program with tf.profiler.experimental",
                                 Rung.MANUAL if self._reads_metadata(site.call) else rung)

    def _without_first_values(self, plain: list[Site]) -> list[Site]:
        """The runs but for those that give variables the values that they have, which go."""
        first = FirstValues(
            self.tree, self.ctx.text, self.values, self.parents, self.ctx.index, self.ctx.path)
        spare = first.spare(plain)
        self.edits += all_without(list(first.statements(spare)), self.parents, self.lines)
        for site in spare:
            self.ctx.change("TF302", site.call, "variables have their first values from the start",
                            Rung.NATIVE, symbol="tensorflow.Session.run")
        return [site for site in plain if site not in spare]

    def _reads_metadata(self, call: ast.Call) -> bool:
        """Whether the program looks into what a run took: a timeline of nothing would be written."""
        given = argument(call, 3, "run_metadata")
        return given is not None and any(
            isinstance(node, ast.Attribute) and ast.unparse(node.value) == ast.unparse(given)
            for node in walk(self.tree))

    def _is_own(self, site: Site) -> bool:
        """Whether ``x.eval(sess)`` may be that of an object of the project's: what runs asks it."""
        func = site.call.func
        assert isinstance(func, ast.Attribute)
        takers = carriers(self.ctx.index).takers(func.attr, 0) if site.own else []
        if takers:
            rest = "" if carriers(self.ctx.index).spare(self.ctx.path, takers[0]) else ", "
            self.edits.append(Edit(self.lines.span(func)[0], self.lines.span(site.call.args[0])[0], (
                f"{self.ctx.support('graphs.evaluate')}(", self.lines.span(func.value), rest)))
        return bool(takers)

    def _apart(self, session: ast.expr | None) -> bool:
        """Whether the runs of a session stay its own."""
        return session in self.carried.expressions and isinstance(
            session, (ast.Name, ast.Attribute)) and carriers(self.ctx.index).apart(
                self.ctx.path, self.carried.carrier(session))

    def _run_apart(self, site: Site) -> None:
        """``x.eval(session=sess)`` of a session whose runs are its own is ``sess.run(x)``."""
        assert site.session is not None
        if site.call.func.value is site.session:  # type: ignore[attr-defined]
            return
        pieces: list[str | tuple[int, int]] = [
            self.lines.span(site.session), ".run(", self.lines.span(site.fetches)]
        fed = self._feed_written(site)
        self.edits.append(Edit(*self.lines.span(site.call), (*pieces, *fed, ")")))

    def _feed_written(self, site: Site) -> list[str | tuple[int, int]]:
        """The feed of a run as its second argument."""
        if site.feed is not None:
            return [", ", self.lines.span(site.feed)]
        pieces: list[str | tuple[int, int]] = []
        for key, value in site.feeds:
            pieces += [", " if pieces else ", {", self.lines.span(key), ": ", self.lines.span(value)]
        return [*pieces, "}"] if pieces else []

    def _others(self) -> list[ast.Module]:
        """The project's modules that this one imports, and those that import it."""
        index, path = self.ctx.index, self.ctx.path
        trees = map(index.tree, dict.fromkeys((*index.imported(path), *index.importers(path))))
        return [tree for tree in trees if tree is not None]

    def _has_room(self, site: Site) -> bool:
        """Whether a statement can stand in front of the run's."""
        statement = self.parents.statement(site.call)
        start = self.lines.offset(statement.lineno, 0)
        return not self.ctx.text[start : self.lines.span(statement)[0]].strip()  # type: ignore[arg-type]

    def _definition(self, function: GraphFunction) -> None:
        start = self.lines.offset(first_line(function.before), 0)
        text = self.ctx.text
        indent = text[start : start + len(text[start:]) - len(text[start:].lstrip(" \t"))]
        site = function.site
        inputs = [self._text(key) for key, _ in site.feeds]
        made = f"{indent}{function.name} = {self.ctx.support('graphs.function')}("
        compiled = ", jit_compile=True" if self._compiles(site) else ""
        line = f"{made}[{', '.join(inputs)}], {self._text(site.fetches)}{compiled})"
        if len(line) > _WIDTH:
            deeper = indent + "    "
            listed = "".join(_filled(inputs, len(deeper) + 1, deeper))
            line = f"{made}\n{deeper}[{listed}],\n{deeper}{self._text(site.fetches)}{compiled})"
        self.edits.append(Edit(start, start, (line + "\n",)))

    def _compiles(self, site: Site) -> bool:
        """Whether XLA is to compile the function of a run; what is in its way is said."""
        if self.xla is None:
            return False
        keys = [key for key, _ in site.feeds]
        behind = self.xla.behind([site.fetches], [ast.unparse(key) for key in keys])
        refusal = self.xla.refused([*self.xla.behind(keys, ()), *behind])
        if refusal is not None:
            self.ctx.finding(CODE, site.call, refusal.message, ADVICE, Rung.NATIVE)
        return refusal is None

    def _text(self, node: ast.expr) -> str:
        """An expression on one line, as it is written if that is one."""
        start, end = self.lines.span(node)
        written = self.ctx.text[start:end]
        return ast.unparse(node) if "\n" in written else written

    def _call(self, site: Site, name: str, values: list[ast.expr]) -> None:
        start, end = self.lines.span(site.call)
        spans = [self.lines.span(value) for value in values]
        column = start - self.lines.offset(site.call.lineno, 0) + len(name) + 1
        texts = _filled([self.ctx.text[a:b] for a, b in spans], column, self.lines.indent(site.call.lineno))
        pieces: list[str | tuple[int, int]] = [f"{name}("]
        for text, span in zip(texts, spans, strict=True):
            pieces += [text[: len(text) - (span[1] - span[0])], span]
        self.edits.append(Edit(start, end, (*pieces, ")")))

    def _run(self, site: Site) -> None:
        """``sess.run(...)`` as ``graphs.run(...)``; the arguments stay as they are written."""
        assert isinstance(site.call.func, ast.Attribute)
        asked = {"eval": "graphs.evaluate", "run": "graphs.perform"}[site.call.func.attr]
        run = self.ctx.support(asked if site.guess else "graphs.run")
        start, end = self.lines.span(site.call)
        func = site.call.func
        fed = {id(node) for node in walk(site.call)}
        if func.value is not site.fetches and not site.lost and all(
                id(key) in fed for key, _ in site.feeds):
            self.edits.append(Edit(*self.lines.span(func), (run,)))
            return
        pieces: list[str | tuple[int, int]] = [f"{run}(", self.lines.span(site.fetches)]
        self.edits.append(Edit(start, end, (*pieces, *self._feed_written(site), ")")))

    def _beside(self, session: ast.expr) -> bool:
        """Whether another session of the graph lives at the same time."""
        return isinstance(session, (ast.Name, ast.Attribute)) and carriers(self.ctx.index).beside(
            self.ctx.path, self.carried.carrier(session))

    # -- what else was given the session

    def savers(self) -> None:
        """Savers need no session."""
        for node in walk(self.tree):
            given = savers_session(node, self.values) if isinstance(node, ast.Call) else None
            if given is None:
                continue
            assert isinstance(node, ast.Call)
            every: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
            number = next(i for i, a in enumerate(every) if a is given or getattr(a, "value", a) is given)
            self.edits.append(cut([self.lines.span(a) for a in every], number, self.ctx.text))
            if self._beside(given) and node.func.attr in ("save", "restore"):  # type: ignore[attr-defined]
                end = self.lines.span(node)[1] - 1
                self.edits.append(Edit(end, end, (", session=", self.lines.span(given))))

    def sessions(self) -> None:
        """What only carried a session goes, where nothing in the project needs it."""
        self.edits += SessionRemoval(self.carried, carriers(self.ctx.index), self.ctx.path, self.ctx.text,
                                     self.lines, self.ctx.support).edits()

    def graphs(self) -> None:
        """Graphs that the program makes itself, and what begins a new one."""
        for reference in self.ctx.names.references:
            if reference.role != "load":
                continue
            target = self.ctx.names.reference_target(reference)
            symbol = "" if target is None else target.name
            if symbol in _GRAPHS and (reference.call is not None or self._is_class(reference)):
                support, reason = _GRAPHS[symbol]
                self.edits.append(
                    Edit(*self.lines.span(reference.node), (self.ctx.support(support),)))
                self.ctx.change("TF391", reference.node, reason, Rung.SUPPORT, symbol=symbol)
            elif symbol == "tensorflow.get_default_graph" and reference.call is not None:
                self._compared(reference.call)

    def _is_class(self, reference: Reference) -> bool:
        """Whether a class is meant: one that the program extends, or asks objects for."""
        held = reference.parent
        return isinstance(held, ast.ClassDef) or (
            isinstance(held, ast.Call) and last_name(held.func) in ("isinstance", "issubclass"))

    def extensions(self) -> None:
        """What graphs and classes that extend them both have."""
        for made in self.tree.body:
            if not isinstance(made, ast.ClassDef) or not _extends_graph(made, self.ctx):
                continue
            for name in sorted(_own_names(made) & _OF_GRAPHS):
                self.ctx.finding(
                    "TF391", made, f"graphs have an attribute {name} of their own here, and so has the class",
                    "Rename the attribute: the support package's graphs.Graph builds and runs with its own.",
                    symbol="tf.Graph",
                )  # fmt: skip

    def _compared(self, graph: ast.Call) -> None:
        """`x.graph is tf.get_default_graph()` asks for equality: a tensor knows what its graph traces."""
        test = self.parents.of(graph)
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            start, end = self.lines.span(test.left)[1], self.lines.span(test.comparators[0])[0]
            for word, sign in (("is not", "!="), ("is", "==")):
                if self.ctx.text[start:end].strip() == word:
                    self.edits.append(Edit(start, end, (f" {sign} ",)))
                    return

    # -- what builds

    def roots(self, found: frozenset[str]) -> None:
        """Decorate the functions and classes that build graphs for others, or begin the script's."""
        if MODULE in found:
            if not any(_begins(node) for node in self.tree.body):
                self._begin_behind_imports()
            return
        for node in self.tree.body:
            if is_main(node) and MAIN in found:
                assert isinstance(node, ast.If)
                if any(_begins(inner) for inner in node.body):
                    continue
                self._before(node.body[0], f"{self.ctx.support('graphs.build')}()")
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in found:
                self._decorate(node)
            elif isinstance(node, ast.ClassDef) and any(
                    unit.startswith(f"{node.name}.") for unit in found):
                if not is_test_case(node):
                    self._decorate(node)

    def _decorate(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        if any("graphs." in ast.unparse(d) for d in node.decorator_list):
            return
        line = f"@{self.ctx.support('graphs.building')}"
        if any(self._of_project(d) for d in node.decorator_list):
            self._before(node, line)  # what is put around the function may build as well
        # a decorator that keeps what it is given (a command, a route) has to be given what builds
        self._before(node, line, node.lineno)

    def _of_project(self, decorator: ast.expr) -> bool:
        made = decorator.func if isinstance(decorator, ast.Call) else decorator
        symbol = self.ctx.names.resolve_node(made)
        return symbol is None or self.ctx.index.definition(symbol, self.ctx.path) is not None

    def _before(self, node: ast.stmt, line: str, number: int | None = None) -> None:
        start = self.lines.offset(first_line(node) if number is None else number, 0)
        self.edits.append(Edit(start, start, (f"{self.lines.indent(node.lineno)}{line}\n",)))
        self._tell(node)

    def _begin_behind_imports(self) -> None:
        self.edits.append(call_behind_imports(self.tree, self.lines, self.ctx.support("graphs.build")))
        self._tell(1)

    def _tell(self, node: ast.AST | int) -> None:
        self.ctx.change("TF391", node, "TensorFlow 2 computes at once: what is built here goes into a graph",
                        Rung.SUPPORT)


def _filled(texts: list[str], column: int, indent: str) -> list[str]:
    """Each element of a list that begins at `column` with the comma before it, and with a line break below
    the first one where the line would be too long."""
    if any("\n" in text for text in texts) or column + len(", ".join(texts)) < _WIDTH:
        return [", " * bool(number) + text for number, text in enumerate(texts)]
    below = indent + " " * (column - len(indent))
    written, at = [], column
    for number, text in enumerate(texts):
        broken = bool(number) and at + len(text) + 2 >= _WIDTH
        written.append((f",\n{below}" if broken else ", " * bool(number)) + text)
        at = column + len(text) if broken else at + 2 * bool(number) + len(text)
    return written


def _begins(node: ast.stmt) -> bool:
    """Whether a statement begins the graph of its script."""
    return isinstance(node, ast.Expr) and ast.unparse(node.value).endswith("graphs.build()")

"""Where the code of a module carries sessions, and what else than running them it does with them.

A *carrier* is what holds a session: a local name, an attribute, a parameter.  Carriers that a session
goes between are linked.  A *need* is a use that wants the session itself, so that its carrier stays.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from migrator.analysis import graph_kinds as k
from migrator.analysis.arguments import unpacks
from migrator.analysis.facts import fact
from migrator.analysis.facts_graph_code import names_session
from migrator.analysis.facts_loaded_graphs import LOADING
from migrator.analysis.names import NameTable
from migrator.analysis.run_sites import is_plain, savers_session, sites
from migrator.analysis.tree_walk import calls_in, last_name, walk
from migrator.analysis.value_kinds import Function, Parents, Values, parameters
from migrator.analysis.values import argument

#: TensorFlow's functions that were given a session first, and need none: what their further arguments
#: are called, where they have to be named then.
TAKERS: dict[str, tuple[str, ...]] = {
    "tensorflow.train.start_queue_runners": ("coord", "daemon", "start", "collection"),
    "tensorflow.train.global_step": (),
}
#: Methods of hooks and listeners, which are called with a session.
_CALLED = frozenset({"after_create_session", "before_save", "after_save", "end"})
_QUEUES = ("FIFOQueue", "RandomShuffleQueue", "PriorityQueue")
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


@fact("sessions", "sess", "Sess", anywhere=True)
def session_facts(tree: ast.Module, names: NameTable, module: str) -> dict[str, Any] | None:
    """{"carriers": all of them, "hooked": those of sessions with hooks, "elsewhere": those of sessions
    whose graph may be another than the default one, "asked": those that are asked for their graph,
    "beside": those of sessions that live at once with another one of their graph,
    "links": pairs of carriers,
    "needs": carriers, "parameters": [(function, parameter, place, how the function is named where it
    is a value: "name", ".name" or both)], "gives": [(function, place or
    keyword, carrier, whether it cannot be a variable's)], "calls": names of functions -> what they mean
    -> most positional arguments,
    "inherited": [(carrier, a base that is imported)] of parameters of methods of classes that have one,
    "values": names, and ``.name`` of attributes, that stand elsewhere than in a call,
    "loads": what loads graphs from files, "closed": carriers that are closed,
    "queues": whether queues are made, for which something may wait until a session is closed}."""
    del module
    parents = Parents(tree)
    carried = Carried(tree, Values(tree, names, parents), parents)
    return carried.facts() if carried.expressions else None


def carrier_of_parameter(function: str, parameter: str) -> str:
    return f"parameter {function} {parameter}"


class Carried:
    """The expressions of one module that are sessions, each with what is done with it."""

    def __init__(self, tree: ast.Module, values: Values, parents: Parents) -> None:
        self.tree, self.values, self.parents = tree, values, parents
        self.expressions: list[ast.Name | ast.Attribute] = [
            node for node in walk(tree)
            if isinstance(node, (ast.Name, ast.Attribute)) and self._is_session(node)
        ]
        self._free, self._perhaps = set[int](), set[int]()  # of methods that may be the project's
        self._restarts = any(_restarts(node, values.names) for node in walk(tree))
        for site in sites(tree, values):
            if site.session is not None and is_plain(site, values):
                (self._perhaps if site.own else self._free).add(id(site.session))
        for call in walk(tree):
            if isinstance(call, ast.Call) and (given := savers_session(call, values)) is not None:
                self._free.add(id(given))

    def _is_session(self, node: ast.AST) -> bool:
        if not isinstance(node, (ast.Name, ast.Attribute)) or self.values.kind(node) != k.SESSION:
            return False
        symbol = self.values.names.resolve_node(node, values=False) or "builtins."
        return symbol.startswith("builtins.")

    def facts(self) -> dict[str, Any]:
        links: list[tuple[str, str]] = []
        needs: set[str] = set()
        gives: list[tuple[str, int | str, str, bool]] = []
        for node in self.expressions:
            carrier = self.carrier(node)
            if carrier.startswith("lambda "):
                needs.add(carrier)
            elif isinstance(node.ctx, ast.Store):
                made = self._assigned(node)
                if made is None:
                    needs.add(carrier)
                elif made:
                    links.append((carrier, made))
            elif self._taken(node):
                pass
            elif (place := self.given(node)) is not None:
                gives.append((*place, carrier, id(node) not in self._perhaps))
            elif not self.is_free(node):
                needs.add(carrier)
        own = list(self.parameters())
        needs |= {carrier_of_parameter(name, parameter) for name, parameter, _, node in own
                  if self._called_by_tensorflow(node)}
        inherited = [(carrier_of_parameter(name, parameter), base) for name, parameter, _, node in own
                     for base in self._imported_bases(node)]
        return {
            "carriers": sorted({self.carrier(node) for node in self.expressions}),
            "hooked": sorted(self._made_by(self._calls_hooks)),
            "beside": sorted(self.beside()),
            "elsewhere": sorted(self._made_by(self._names_graph, entered=False)),
            "asked": self._whose("graph"), "closed": self._whose("close"),
            "queues": any((self.values.names.resolve_node(call.func) or "").endswith(_QUEUES)
                          for call in calls_in(self.tree)),
            "links": links, "needs": sorted(needs), "gives": gives,
            "parameters": [
                (name, parameter, place, self._ways(node)) for name, parameter, place, node in own],
            "inherited": inherited,
            "calls": self._calls(), "values": self._values(),
            "loads": sorted({name for node in walk(self.tree)
                             if isinstance(node, (ast.Name, ast.Attribute))
                             and (name := last_name(node)) in LOADING}),
        }

    def _whose(self, attribute: str) -> list[str]:
        """The carriers of sessions that are asked for an attribute."""
        return sorted({self.carrier(node) for node in self.expressions
                       if getattr(self.parents.of(node), "attr", "") == attribute})

    # -- carriers

    def carrier(self, node: ast.expr) -> str:
        """The carrier that a name or attribute is."""
        if isinstance(node, ast.Attribute):
            return f"attribute {node.attr}"
        assert isinstance(node, ast.Name)
        for scope in self.parents.around(node):
            if isinstance(scope, Function) and node.id in parameters(scope):
                return carrier_of_parameter(self.called(scope), node.id)
            if isinstance(scope, ast.Lambda) and node.id in parameters(scope):
                return f"lambda {node.id}"
        home = self.values.home(node)
        around = [getattr(n, "name", None) or "" for n in (home, *self.parents.around(home))]
        return f"local {'.'.join(reversed(around))} {node.id}"

    def called(self, function: Function) -> str:
        """What calls name a function by: its name, that of its class for a constructor."""
        holder = self.parents.of(function)
        if function.name == "__init__" and isinstance(holder, ast.ClassDef):
            return holder.name
        return function.name

    def is_method(self, function: Function) -> bool:
        """Whether a function is defined in a class."""
        return isinstance(self.parents.of(function), ast.ClassDef)

    def _ways(self, function: Function) -> list[str]:
        """How a function is named where it is a value: as a method's attribute, or a class."""
        name = self.called(function)
        return [name, f".{name}"] if function.name == "__init__" else [
            f".{name}" if self.is_method(function) else name]

    def parameters(self) -> Iterator[tuple[str, str, int, Function]]:
        """(function, parameter, place among positional arguments, node) of parameters for sessions."""
        for node in walk(self.tree):
            if not isinstance(node, Function):
                continue
            every = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
            method = self.is_method(node) and not any(
                ast.unparse(d) == "staticmethod" for d in node.decorator_list)
            for place, name in enumerate(every):
                if names_session(name):
                    yield self.called(node), name, place - method, node

    # -- uses

    def _assigned(self, node: ast.expr) -> str | None:
        """The carrier that a session comes from where it is bound, "" where it is made; None if the
        binding is more than that."""
        holder = self.parents.of(node)
        if isinstance(holder, ast.withitem):
            return self._entered(holder.context_expr)
        if not (isinstance(holder, ast.Assign) and len(holder.targets) == 1):
            return None
        value = holder.value
        if isinstance(value, ast.Constant) and value.value is None:
            return ""
        if isinstance(value, (ast.Name, ast.Attribute)):
            return self.carrier(value)
        return "" if self.makes(value) and not self.starts_again(value) else None

    def _entered(self, context: ast.expr) -> str | None:
        """`_assigned` for what a `with` enters."""
        if isinstance(context, ast.Call) and isinstance(context.func, ast.Attribute) and (
                context.func.attr == "as_default"):
            context = context.func.value
        if context in self.expressions:
            assert isinstance(context, (ast.Name, ast.Attribute))
            return self.carrier(context)
        return "" if self.makes(context) and not self.starts_again(context) else None

    def _made_by(self, wanted: Callable[[ast.Call], bool], entered: bool = True) -> set[str]:
        """The carriers of sessions that `wanted` calls make; with `entered`, those that a `with`
        binds as well."""
        return {
            self.carrier(node) for node in self.expressions
            if isinstance(node.ctx, ast.Store)
            and (entered or not isinstance(self.parents.of(node), ast.withitem))
            and any(isinstance(value, ast.Call) and wanted(value)
                    for value in self.values.assigned(node) or ())}

    def beside(self) -> set[str]:
        """The carriers of sessions that live at once with another one of the same graph: each has
        values of its own."""
        found: set[str] = set()
        made: dict[tuple[int, str], list[ast.Name | ast.Attribute]] = defaultdict(list)
        for node in self.expressions:
            call = self._making(node)
            if call is not None:
                owner = self.parents.owner(node) if isinstance(node, ast.Attribute) else None
                scope = owner or self.parents.function(node)
                made[id(scope), self._graph_named(call)].append(node)
                if isinstance(node, ast.Name) and any(map(self._is_new_graph, walk(scope))):
                    made.pop((id(scope), self._graph_named(call)))
        used = self._last_uses() if any(len(group) > 1 for group in made.values()) else {}
        for group in made.values():
            named = [(self.carrier(node), node) for node in group]
            for number, (one, first) in enumerate(named):
                for other, second in named[number + 1 :]:
                    attributes = isinstance(first, ast.Attribute)
                    if one != other and (attributes or used.get(one, 0) > second.lineno):
                        found |= {one, other}
        return found

    def _making(self, node: ast.Name | ast.Attribute) -> ast.Call | None:
        """The call that makes the session which a target is given."""
        holder = self.parents.of(node)
        value = holder.value if isinstance(holder, ast.Assign) else getattr(holder, "context_expr", None)
        return value if isinstance(node.ctx, ast.Store) and isinstance(value, ast.Call) and (
            self.makes(value) and not self.is_default(value)) else None

    @staticmethod
    def _graph_named(call: ast.Call) -> str:
        """The graph that a session is made for, as it is written."""
        named = next((w.value for w in call.keywords if w.arg == "graph"),
                     call.args[1] if len(call.args) > 1 else None)
        return "" if named is None else ast.unparse(named)

    def _last_uses(self) -> dict[str, int]:
        """The last line where each carrier does more than to end."""
        found: dict[str, int] = {}
        for node in self.expressions:
            if isinstance(node.ctx, ast.Load) and getattr(self.parents.of(node), "attr", "") != "close":
                carrier = self.carrier(node)
                found[carrier] = max(found.get(carrier, 0), node.lineno)
        return found

    def _calls_hooks(self, call: ast.Call) -> bool:
        return k.calls_hooks(self.values.names.resolve_node(call.func) or "")

    def _names_graph(self, call: ast.Call) -> bool:
        """Whether a session is made for a graph that is named: it need not be the default one where
        the session is used."""
        return not self.makes(call) or len(call.args) > 1 or any(w.arg == "graph" for w in call.keywords)

    def _called_by_tensorflow(self, function: Function) -> bool:
        """Whether TensorFlow calls a method by its name: that of a hook, a listener, ..."""
        holder = self.parents.of(function)
        return isinstance(holder, ast.ClassDef) and bool(holder.bases) and function.name in _CALLED

    def _imported_bases(self, function: Function) -> list[str]:
        """What the class of a method takes from other modules: code there may call the method."""
        holder = self.parents.of(function)
        bases = holder.bases if isinstance(holder, ast.ClassDef) and function.name != "__init__" else ()
        found = (self.values.names.resolve_node(base, values=False) or "" for base in bases)
        return [base for base in found if "." in base and not base.startswith("builtins.")]

    def starts_again(self, value: ast.expr) -> bool:
        """Whether a session is made that starts again what another one of the same graph had: its
        queues, iterators and seeded draws."""
        if not (self.makes(value) and self._restarts):
            return False
        function = self.parents.function(value)
        others = [node for node in walk(function) if isinstance(node, ast.Call) and node is not value
                  and self.parents.function(node) is function]
        graphs = [_position(node) for node in others if self._is_new_graph(node)]
        if sessions := [node for node in others if self.makes(node)]:
            return any(
                not graphs or _graph(node) == _graph(value) and not any(
                    min(_position(node), _position(value)) < at < max(_position(node), _position(value))
                    for at in graphs)
                for node in sessions)
        loop = next((n for n in self.parents.around(value) if isinstance(n, _LOOPS)), None)
        return loop is not None and loop in walk(function) and not any(
            self._is_new_graph(node) for node in walk(loop))

    def _is_new_graph(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and self.values.names.resolve_node(node.func) in (
            "tensorflow.Graph", "tensorflow.reset_default_graph")

    def makes(self, value: ast.expr) -> bool:
        """Whether an expression makes a session of TensorFlow's that is nothing but one."""
        symbol = isinstance(value, ast.Call) and self.values.names.resolve_node(value.func) or ""
        return symbol in ("tensorflow.Session", "tensorflow.InteractiveSession") or (
            self.is_default(value))

    def is_default(self, value: ast.expr) -> bool:
        """Whether an expression asks for the default session."""
        return isinstance(value, ast.Call) and (
            self.values.names.resolve_node(value.func) == "tensorflow.get_default_session")

    def is_free(self, node: ast.expr) -> bool:
        """Whether a use does without the session once runs are calls of functions."""
        if id(node) in self._free:
            return True
        holder = self.parents.of(node)
        if isinstance(holder, ast.Assign):
            return holder.value is node and len(holder.targets) == 1 and self._is_session(holder.targets[0])
        if isinstance(holder, ast.withitem):
            return holder.optional_vars is None or self._is_session(holder.optional_vars)
        if not isinstance(holder, ast.Attribute):
            return False
        if holder.attr == "graph":
            return isinstance(holder.ctx, ast.Load)
        call = self.parents.of(holder)
        if not isinstance(call, ast.Call) or call.func is not holder:
            return False
        if holder.attr == "close":
            return isinstance(self.parents.of(call), ast.Expr)
        return holder.attr == "as_default" and isinstance(self.parents.of(call), ast.withitem)

    def _taken(self, node: ast.expr) -> bool:
        """Whether a session is given to a function of TensorFlow's that needs none."""
        holder = self.parents.of(node)
        call = self.parents.of(holder) if isinstance(holder, ast.keyword) else holder
        return isinstance(call, ast.Call) and (
            self.values.names.resolve_node(call.func, values=False) in TAKERS)

    def given(self, node: ast.expr) -> tuple[str, int | str] | None:
        """(function, place or keyword) where a session is an argument of one of the project's."""
        holder = self.parents.of(node)
        word = ""
        if isinstance(holder, ast.keyword):
            word, holder = holder.arg or "", self.parents.of(holder)
        if not isinstance(holder, ast.Call) or id(node) in self._free or holder.func is node:
            return None
        name = self.callee(holder)
        if not name or not word and node not in holder.args:
            return None
        place = holder.args.index(node) - self.explicit_self(holder) if not word else word
        return name, place

    def callee(self, call: ast.Call) -> str:
        """What a call names its function by, the class for ``super().__init__``; "" if by nothing."""
        func = call.func
        if isinstance(func, ast.Attribute):
            if func.attr != "__init__":
                return func.attr
            owner = self.parents.owner(call)
            if isinstance(func.value, ast.Call) and owner is not None and owner.bases:
                return ast.unparse(owner.bases[0]).rpartition(".")[2]
            return ast.unparse(func.value).rpartition(".")[2]
        return func.id if isinstance(func, ast.Name) else ""

    @staticmethod
    def explicit_self(call: ast.Call) -> int:
        """1 for ``Base.__init__(self, ...)``."""
        func = call.func
        return int(isinstance(func, ast.Attribute) and func.attr == "__init__"
                   and not isinstance(func.value, ast.Call))

    def _calls(self) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {}
        for node in walk(self.tree):
            if isinstance(node, ast.Call) and (name := self.callee(node)):
                count = 1000 if unpacks(node) else len(node.args) - self.explicit_self(node)
                meant = self.values.names.resolve_node(node.func, values=False) or ""
                known = found.setdefault(name, {})
                known[meant] = max(known.get(meant, 0), count)
        return found

    def _values(self) -> list[str]:
        functions = {id(n.func) for n in walk(self.tree) if isinstance(n, ast.Call)}
        found = set()
        for node in walk(self.tree):
            if id(node) in functions or not isinstance(getattr(node, "ctx", None), ast.Load):
                continue
            if isinstance(node, ast.Name):
                found.add(node.id)
            elif isinstance(node, ast.Attribute):
                found.add(f".{node.attr}")
        return sorted(found)


def _position(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _graph(session: ast.expr) -> str:
    """How the graph of a session is written that is made; "" for the default one."""
    assert isinstance(session, ast.Call)
    given = argument(session, 1, "graph")
    return ast.unparse(given) if given is not None else ""


def _restarts(node: ast.AST, names: NameTable) -> bool:
    """Whether each session starts anew what a call makes or asks for: queues, iterators, draws with a
    seed, which variables have a value."""
    if not isinstance(node, ast.Call):
        return False
    symbol = names.resolve_node(node.func, values=False) or ""
    if isinstance(node.func, ast.Attribute) and node.func.attr in (
            "make_one_shot_iterator", "start_queue_runners"):
        return True
    return symbol.startswith("tensorflow.") and (
        symbol.endswith((".set_random_seed", ".random.set_seed", ".is_variable_initialized",
                         ".report_uninitialized_variables"))
        or any(word.arg == "seed" and not (isinstance(word.value, ast.Constant)
                                           and word.value.value is None) for word in node.keywords))

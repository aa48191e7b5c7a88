"""Plans the migration of session programs: which functions to make and what each statement becomes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from migrator.analysis import graph_kinds as k
from migrator.analysis.class_program import ClassProgram
from migrator.analysis.dataflow import RESOURCES, backward_slice, statement_flow
from migrator.analysis.facts_functions import named_layer
from migrator.analysis.graph_values import Value, argument, collection_key
from migrator.analysis.program import (
    DROP,
    KEEP,
    LAZY,
    RUN,
    TRACE,
    Item,
    Obstacle,
    Program,
    RunSite,
    WithPart,
)
from migrator.analysis.source import SourceText
from migrator.transforms._session_functions import (
    FunctionWriter,
    Parameter,
    StepFunction,
    Style,
    Summaries,
)
from migrator.transforms._session_render import Decisions


@dataclass(eq=False)
class Leaf:
    """One fetched value: its expression, what it is, and the name it is assigned to (if one)."""

    expr: ast.expr
    value: Value
    target: str | None = None
    used: bool = True
    key: str = ""

    @property
    def has_value(self) -> bool:
        return self.value.kind not in k.WITHOUT_VALUE


@dataclass(eq=False)
class Site:
    """A run site on its way to a call of a function."""

    run: RunSite
    program: Program
    leaves: list[Leaf]
    form: str  # "single", "list", "dict"
    unpacked: bool = False
    function: StepFunction | None = None
    arguments: dict[str, str] = field(default_factory=dict)
    summaries: Summaries | None = None
    whole: ast.expr | None = None  # the expression to replace, if more than the call


@dataclass
class Note:
    """A change to report: code, statement, reason."""

    code: str
    node: ast.AST
    reason: str
    symbol: str = ""


class Names:
    """Hands out identifiers that nothing in the file uses."""

    def __init__(self, used: frozenset[str]) -> None:
        self.used = set(used)

    def fresh(self, *candidates: str) -> str:
        for name in candidates:
            if name.isidentifier() and name not in self.used:
                self.used.add(name)
                return name
        number = 2
        while f"{candidates[0]}_{number}" in self.used:
            number += 1
        name = f"{candidates[0]}_{number}"
        self.used.add(name)
        return name


class ScopePlan:
    """The plan for the run sites of one scope (and the module's graph that they use)."""

    def __init__(
        self, program: Program, source: SourceText, names: Names, decisions: Decisions,
        style: Style, support: SupportNames, shared: Shared,
    ) -> None:
        self.program = program
        self.source = source
        self.names = names
        self.decisions = decisions
        self.style = style
        self.support = support
        self.shared = shared
        self.functions: list[StepFunction] = []
        self.sites: list[Site] = []
        self.notes: list[Note] = []
        self.renames: dict[str, str] = {}
        self.items = program.all_items()
        self._summary_uses: dict[str, list[tuple[Item, ast.Call]]] = {}
        self._store_needed = False

    # -- the whole

    def plan(self) -> None:
        """Fill `functions`, `decisions` and `notes`. Raises Obstacle if any part has no proof."""
        self._refuse()
        self._find_summary_writes()
        for run in self.program.run_sites():
            if run.obstacle is not None:
                raise run.obstacle
            site = self._site(run)
            if site is not None:
                self.sites.append(site)
        for site in self.sites:
            self._assign_function(site)
        self._prepare_style()
        self._decide_statements()
        self._hoist_inline_optimizers()
        for site in self.sites:
            self._rewrite_site(site)
        self._place_functions()

    def _refuse(self) -> None:
        borrowed = next(
            (run for run in self.program.run_sites() if run.style != "run"
             and not argument(run.call, -1, "session")), None
        )
        if borrowed is not None and not any(
            p.default_session or any(v.kind == k.SESSION for v in p.env.values())
            for p in _chain(self.program)
        ):
            raise Obstacle(
                borrowed.call, "this runs in a session that its caller has opened",
                "compute it in a tf.function that the caller passes in",
            )
        for item in self.program.items:
            for call in _calls_of(item):
                fact = self.program.expressions.call_fact(call)
                if fact is not None and "default session" in fact.flags:
                    raise Obstacle(
                        call, f"{ast.unparse(call.func)} runs in the session that is open here",
                        "pass it a function that computes what it runs",
                    )
                for argument_ in [*call.args, *(a.value for a in call.keywords)]:
                    if self.program.expressions.value(argument_).kind != k.SESSION:
                        continue
                    if not self._takes_session(call):
                        raise Obstacle(
                            call, f"the session is passed to {ast.unparse(call.func)}",
                            "make the function take what it computes instead of a session",
                        )
            if isinstance(item.stmt, (ast.Return, ast.Expr)) and isinstance(
                getattr(item.stmt, "value", None), (ast.Yield, ast.YieldFrom)
            ):
                continue
            if isinstance(item.stmt, ast.Return) and item.stmt.value is not None and not item.runs:
                value = self.program.expressions.value(item.stmt.value)
                if value.traced or value.kind in (k.SESSION, k.GRAPH):
                    raise Obstacle(
                        item.stmt, f"the function returns a {value.kind} of its graph",
                        "return arrays, or a function that computes the tensor",
                    )

    def _takes_session(self, call: ast.Call) -> bool:
        if isinstance(call.func, ast.Attribute):
            base = self.program.expressions.value(call.func.value)
            if base.kind in (k.SAVER, k.COORDINATOR, k.WRITER) or base.kind in k.TRACED:
                return True
            if call.func.attr in ("eval", "run"):
                return True
        symbol = self.program.expressions.tf_symbol(call.func) or ""
        return symbol in ("tensorflow.train.start_queue_runners",)

    # -- run sites

    def _site(self, run: RunSite) -> Site | None:
        leaves, form = self._leaves(run.fetch)
        kinds = {leaf.value.kind for leaf in leaves}
        assert run.item is not None
        stmt = run.item.stmt
        whole = isinstance(stmt, ast.Expr) and stmt.value is run.call
        if kinds <= {k.INIT}:
            if not whole:
                raise Obstacle(run.call, "the result of an initializer is used", "do not use it")
            self.decisions.dropped.add(id(stmt))
            self.notes.append(Note("TF301", stmt, "variables are initialised when they are made"))
            return None
        if kinds <= {k.ITERATOR_INIT, k.INIT}:
            return self._initialise_iterator(run, leaves, whole)
        site = Site(run, self.program, leaves, form)
        self._match_targets(site, stmt)
        self._pick(site, stmt)
        return site

    def _initialise_iterator(
        self, run: RunSite, leaves: list[Leaf], whole: bool
    ) -> Site | None:
        leaf = next(leaf for leaf in leaves if leaf.value.kind == k.ITERATOR_INIT)
        base = leaf.value.base
        if not whole or run.feeds or run.feed_name or base is None or base.call is None:
            raise Obstacle(run.call, "an iterator is initialised with fed values",
                           "make the data set from the arrays, then iterate over it")
        dataset = self._iterated(base)
        if dataset is None or not base.source:
            raise Obstacle(run.call, "the data set behind an iterator is not known",
                           "loop over the data set")
        assert run.item is not None
        self.decisions.replaced[id(run.item.stmt)] = [f"{base.source} = iter({dataset})"]
        self.notes.append(Note("TF501", run.item.stmt, "data sets are iterated over directly"))
        return None

    def _iterated(self, value: Value) -> str | None:
        """The text of the data set that an iterator value iterates over."""
        call = value.call
        if call is None:
            return None
        symbol = self.program.expressions.tf_symbol(call.func) or ""
        if isinstance(call.func, ast.Attribute) and call.func.attr in (
            "make_one_shot_iterator", "make_initializable_iterator",
        ) and not symbol.startswith(("tensorflow.data.make", "tensorflow.contrib.data.make")):
            return self.source.segment(call.func.value)
        if symbol.rpartition(".")[2] in ("make_one_shot_iterator", "make_initializable_iterator"):
            return self.source.segment(call.args[0]) if call.args else None
        return None

    def _leaves(self, fetch: ast.expr) -> tuple[list[Leaf], str]:
        expressions = self.program.expressions
        literal: ast.expr = fetch
        if isinstance(fetch, ast.Name):
            value = expressions.value(fetch)
            if value.kind == k.VARIABLE:
                return [Leaf(fetch, value)], "single"
            if isinstance(value.literal, (ast.List, ast.Tuple)) and value.parts is not None:
                literal = value.literal
            elif isinstance(value.literal, ast.Dict) and value.parts is not None:
                literal = value.literal
        if isinstance(literal, (ast.List, ast.Tuple)):
            leaves = []
            for element in literal.elts:
                if isinstance(element, ast.Starred):
                    raise Obstacle(fetch, "a fetch list is made with *", "list the fetches")
                leaves.append(Leaf(element, self._fetched(element)))
            return leaves, "list"
        if isinstance(literal, ast.Dict):
            leaves = []
            for key, element in zip(literal.keys, literal.values, strict=True):
                if key is None:
                    raise Obstacle(fetch, "a fetch dict is made with **", "list the fetches")
                leaf = Leaf(element, self._fetched(element))
                leaf.key = self.source.segment(key)
                leaves.append(leaf)
            return leaves, "dict"
        return [Leaf(fetch, self._fetched(fetch))], "single"

    def _fetched(self, node: ast.expr) -> Value:
        value = self.program.expressions.value(node)
        if value.kind == k.PY:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                raise Obstacle(node, f"{node.value!r} is fetched by its name in the graph",
                               "fetch the Python variable that holds the tensor")
            raise Obstacle(
                node, f"what {ast.unparse(node)} is cannot be told from this module",
                "build the tensor in this function, or return it from a graph function",
            )
        return value

    def _match_targets(self, site: Site, stmt: ast.stmt) -> None:
        if not (isinstance(stmt, ast.Assign) and len(stmt.targets) == 1):
            if isinstance(stmt, ast.Expr) and stmt.value is site.run.call:
                for leaf in site.leaves:
                    leaf.used = False
            return
        target = stmt.targets[0]
        if stmt.value is not site.run.call:
            return
        if isinstance(target, (ast.Tuple, ast.List)) and site.form == "list":
            if len(target.elts) != len(site.leaves):
                raise Obstacle(stmt, "the run fetches another number of values than it assigns",
                               "assign every fetched value to one name")
            site.unpacked = True
            for leaf, name in zip(site.leaves, target.elts, strict=True):
                leaf.target = self.source.segment(name)
                if isinstance(name, ast.Name):
                    leaf.used = self._is_read(name.id)
        elif isinstance(target, ast.Name):
            used = self._is_read(target.id)
            for leaf in site.leaves:
                leaf.used = used

    def _pick(self, site: Site, stmt: ast.stmt) -> None:
        """``sess.run([loss, train_op])[0]`` fetches the first value and runs the others."""
        for node in ast.walk(stmt):
            if (
                isinstance(node, ast.Subscript) and node.value is site.run.call
                and site.form == "list" and isinstance(node.slice, ast.Constant)
                and isinstance(node.slice.value, int) and node.slice.value < len(site.leaves)
            ):
                for leaf in site.leaves:
                    leaf.used = False
                site.leaves[node.slice.value].used = True
                site.form, site.whole = "single", node

    def _is_read(self, name: str) -> bool:
        writes = self._summary_uses.get(name, ())
        inside = {id(node) for _, call in writes for node in ast.walk(call)}
        for stmt in self.program.body:
            for node in ast.walk(stmt):
                if isinstance(node, ast.Name) and node.id == name and id(node) not in inside:
                    if isinstance(node.ctx, ast.Load):
                        return True
                if isinstance(node, ast.Global) and name in node.names:
                    return True
        if self.program.parent is None:  # other modules may read it
            return name != "_" and not writes
        return False

    # -- summaries

    def _find_summary_writes(self) -> None:
        for item in self.program.items:
            for call in _calls_of(item):
                func = call.func
                if not (isinstance(func, ast.Attribute) and func.attr == "add_summary"):
                    continue
                base = self.program.expressions.value(func.value)
                if base.kind != k.WRITER or not call.args:
                    continue
                summary = argument(call, 0, "summary")
                if isinstance(summary, ast.Name):
                    self._summary_uses.setdefault(summary.id, []).append((item, call))

    def _summaries(self, site: Site, leaf: Leaf) -> Summaries | None:
        """Where a fetched summary goes; the statement that writes it is dropped."""
        if leaf.target is None and isinstance(site.run.item.stmt, ast.Assign):  # type: ignore[union-attr]
            target = site.run.item.stmt.targets[0]  # type: ignore[union-attr]
            name = target.id if isinstance(target, ast.Name) else None
        else:
            name = leaf.target
        if name is None or name not in self._summary_uses:
            if not leaf.used:
                return None
            raise Obstacle(site.run.call, "a fetched summary is not written by add_summary",
                           "write the summaries inside the step with a default writer")
        assert site.run.item is not None
        run_path = list(site.run.item.parents)
        later = [
            (item, call) for item, call in self._summary_uses[name]
            if item.stmt.lineno > site.run.item.stmt.lineno
            and list(item.parents[: len(run_path)]) == run_path
        ]
        if not later:
            raise Obstacle(site.run.call, "a summary is written elsewhere than it is fetched",
                           "write the summaries inside the step with a default writer")
        item, call = later[0]
        assert isinstance(call.func, ast.Attribute)
        step = argument(call, 1, "global_step")
        if step is None:
            raise Obstacle(call, "a summary is written without a step", "pass the step")
        own = {n for leaf_ in site.leaves for n in [leaf_.target] if n and leaf_.target != name}
        stepped = statement_flow(step).uses
        condition = ""
        extra = list(item.parents)[len(run_path) :]
        if not all(isinstance(p, ast.If) for p in extra):
            raise Obstacle(call, "a summary is written elsewhere than it is fetched",
                           "write the summaries inside the step with a default writer")
        for parent in extra:
            assert isinstance(parent, ast.If)
            if not _contains(parent.body, item.stmt) or statement_flow(parent.test).uses & own:
                raise Obstacle(call, "whether a summary is written depends on the step's result",
                               "use tf.summary.record_if inside the step")
            test = self.source.segment(parent.test)
            condition = f"{condition} and {test}" if condition else test
        if stepped & own:
            raise Obstacle(call, "the step of a summary is fetched together with it",
                           "count the steps in Python, or use optimizer.iterations")
        self.decisions.dropped.add(id(item.stmt))
        self.notes.append(Note("TF601", item.stmt, "the step writes its summaries itself",
                               "tensorflow.summary.FileWriter.add_summary"))
        step_text = self.source.segment(step)
        return Summaries(
            self.source.segment(call.func.value), step_text, condition,
            "step", "write_summaries",
        )

    # -- functions

    def _assign_function(self, site: Site) -> None:
        summaries = None
        for leaf in site.leaves:
            if leaf.value.kind in (k.MERGED, k.SUMMARY):
                summaries = self._summaries(site, leaf) or summaries
                leaf.used = False
        site.summaries = summaries
        if self._direct(site):
            return
        feeds = self._fed(site)
        wanted: set[str] = set()
        for leaf in site.leaves:
            wanted |= statement_flow(
                leaf.expr, self.program.owner, self.program.expressions.resources
            ).uses
        fed = {name for name, _ in feeds}
        items = [
            item for item in self.items
            if item.role in (TRACE, LAZY) and not (item.flow.defines & fed)
        ]
        chosen, missing = backward_slice(items, wanted - fed)
        self._check_missing(site, missing | wanted, chosen)
        chosen = self._with_makers(site, items, chosen)
        chosen = self._with_riders(items, chosen)
        constants = self._constants(site, feeds, chosen)
        key = self._key(site, feeds, constants)
        function = next((f for f in self.shared.functions if f.key == key), None)
        if function is None:
            function = self._make_function(site, chosen, feeds, constants)
            function.key = key
            self.functions.append(function)
            self.shared.functions.append(function)
        site.function = function
        for name, expr in feeds:
            if name not in constants:
                site.arguments[name] = self.source.segment(expr)

    def _key(
        self, site: Site, feeds: list[tuple[str, ast.expr]], constants: dict[str, str]
    ) -> tuple[object, ...]:
        fetched = tuple(ast.unparse(leaf.expr) for leaf in site.leaves if leaf.used)
        effects = tuple(ast.unparse(leaf.expr) for leaf in site.leaves if not leaf.has_value)
        if not any(leaf.used and leaf.has_value for leaf in site.leaves):
            fetched = tuple(ast.unparse(leaf.expr) for leaf in site.leaves)
        writer = (site.summaries.writer, bool(site.summaries.condition)) if site.summaries else ()
        return (
            fetched, effects, tuple(sorted(name for name, _ in feeds)),
            tuple(sorted(constants.items())), writer, site.form == "dict",
        )

    def _direct(self, site: Site) -> bool:
        """Values that need no function: variables, and ops without inputs that run once."""
        if site.run.feeds or site.run.feed_name:
            return False
        direct = all(
            leaf.value.kind == k.VARIABLE
            or (
                leaf.value.kind == k.EFFECT
                and not isinstance(leaf.expr, (ast.Name, ast.Attribute))
                and not self._depends_on_graph(leaf.expr)
            )
            for leaf in site.leaves
        )
        if direct:
            return True
        if any(leaf.value.traced for leaf in site.leaves):
            return False
        assert site.run.item is not None
        wanted = set().union(*(statement_flow(leaf.expr).uses for leaf in site.leaves))
        own = [i for i in self.items if i.role in (TRACE, LAZY)]
        chosen, _ = backward_slice(own, wanted)
        if any(item.role == TRACE for item in chosen) or site.run.item.in_loop:
            return False
        if any(item not in self.program.items for item in chosen):
            return False
        for item in chosen:
            item.role = KEEP
        return True

    def _depends_on_graph(self, node: ast.expr) -> bool:
        for name in statement_flow(node, self.program.owner).uses:
            found = self.program._lookup(name)
            if found is not None and found.kind not in (k.VARIABLE, k.PY):
                return True
        return False

    def _fed(self, site: Site) -> list[tuple[str, ast.expr]]:
        run = site.run
        if not run.feed_name:
            return run.feeds
        return self._feed_variable(site)

    def _feed_variable(self, site: Site) -> list[tuple[str, ast.expr]]:
        """The feed of a dict variable: its single literal, plus single-key additions to it."""
        name = site.run.feed_name
        binding: Item | None = None
        pairs: dict[str, ast.expr] = {}
        assert site.run.item is not None
        for item in self.program.items:
            stmt = item.stmt
            if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
                if name in item.flow.mutates and item.flow.mutates:
                    raise Obstacle(stmt, f"the feed {name} is changed in a way that is not known",
                                   "assign the keys of the feed one by one")
                continue
            target = stmt.targets[0]
            if isinstance(target, ast.Name) and target.id == name:
                if binding is not None:
                    raise Obstacle(stmt, f"the feed {name} is assigned more than once",
                                   "use one name for each feed")
                if not isinstance(stmt.value, ast.Dict):
                    raise Obstacle(stmt, f"the feed {name} is not a dict literal",
                                   "feed a dict literal whose keys are placeholders")
                binding = item
                for key, value in zip(stmt.value.keys, stmt.value.values, strict=True):
                    key_name = None if key is None else self.program._name(key)
                    if key_name is None:
                        raise Obstacle(stmt, "a key of the feed is not a name",
                                       "feed placeholders by their names")
                    pairs[key_name] = value
            elif isinstance(target, ast.Subscript) and self.program._name(target.value) == name:
                key_name = self.program._name(target.slice)
                if key_name is None or item.parents != site.run.item.parents[: len(item.parents)]:
                    raise Obstacle(stmt, f"a key of the feed {name} is set on some ways only",
                                   "feed the same placeholders on every way")
                pairs[key_name] = stmt.value
        if binding is None:
            raise Obstacle(site.run.call, f"the feed {name} comes from elsewhere",
                           "feed a dict literal whose keys are placeholders")
        if binding.parents != site.run.item.parents[: len(binding.parents)]:
            raise Obstacle(site.run.call, f"the feed {name} is made on some ways only",
                           "make the feed where it is used")
        self._inline_feed(name, binding, site)
        return list(pairs.items())

    def _inline_feed(self, name: str, binding: Item, site: Site) -> None:
        """A feed dict becomes the dict of the function's arguments: its keys become strings."""
        self.shared.feed_dicts.add(name)
        for item in self.program.items:
            stmt = item.stmt
            if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
                continue
            target = stmt.targets[0]
            keys: list[ast.expr] = []
            if isinstance(target, ast.Name) and target.id == name:
                assert isinstance(stmt.value, ast.Dict)
                keys = [key for key in stmt.value.keys if key is not None]
            elif isinstance(target, ast.Subscript) and self.program._name(target.value) == name:
                keys = [target.slice]
            for key in keys:
                self.decisions.edits.append(
                    (*self.source.span(key), repr(_parameter_name(ast.unparse(key))))
                )
                item.role = KEEP
        del binding, site

    def _check_missing(self, site: Site, missing: set[str], chosen: list[Item]) -> None:
        for item in chosen:
            if item.kind != k.PLACEHOLDER:
                continue
            call = item.value.call
            symbol = self.program.expressions.tf_symbol(call.func) if call is not None else None
            if symbol != "tensorflow.placeholder_with_default":
                raise Obstacle(
                    site.run.call,
                    f"the run depends on the placeholder {item.target or '?'}, which it "
                    "does not feed", "feed every placeholder that the fetched values need",
                )
        del missing

    def _with_makers(self, site: Site, items: list[Item], chosen: list[Item]) -> list[Item]:
        """Default names count what was built before: earlier makers of variables come along."""
        makers = [item for item in items if self._uses_store(item)]
        own = [item for item in chosen if self._uses_store(item)]
        if not own:
            return chosen
        last = max(items.index(item) for item in own)
        missing = [m for m in makers if m not in own and items.index(m) < last]
        if not missing or not any(self._default_names(m) for m in makers):
            return chosen
        wanted: set[str] = set().union(*(i.flow.defines for i in [*missing, *chosen]))
        fuller, _ = backward_slice(items, wanted)
        for item in fuller:
            if item not in chosen and item.kind in (k.PLACEHOLDER, k.ELEMENT) and not (
                item.kind == k.PLACEHOLDER and self._has_default(item)
            ):
                raise Obstacle(
                    site.run.call,
                    "this run leaves out layers that others count on for their default names",
                    "give every layer a name",
                )
        return fuller

    def _has_default(self, item: Item) -> bool:
        call = item.value.call
        symbol = self.program.expressions.tf_symbol(call.func) if call is not None else ""
        return symbol == "tensorflow.placeholder_with_default"

    def _default_names(self, item: Item) -> bool:
        expressions = self.program.expressions
        for inner in ast.walk(item.stmt):
            if not isinstance(inner, ast.Call):
                continue
            symbol = expressions.tf_symbol(inner.func)
            if symbol is not None:
                short = symbol.rpartition(".")[2]
                if symbol == "tensorflow.Variable" or (
                    k.is_layer(symbol) and not short[0].isupper()
                    and short not in k.LAYERS_WITHOUT_VARIABLES and not named_layer(inner)
                ):
                    return True
                continue
            fact = expressions.call_fact(inner)
            if fact is not None and "default names" in fact.flags:
                return True
            if fact is None and self._uses_store_expr(inner):
                return True
        return False

    def _with_riders(self, items: list[Item], chosen: list[Item]) -> list[Item]:
        """Statements without a result (prints, shape assertions) ride along with what they read."""
        kept = set(map(id, chosen))
        defined = set().union(*(item.flow.defines for item in chosen)) if chosen else set()
        traced_names = {n for item in items for n in item.flow.defines}
        result = []
        for item in items:
            if id(item) in kept:
                result.append(item)
            elif (
                isinstance(item.stmt, ast.Expr)
                and item.kind in (k.TENSOR, k.OP)
                and not item.flow.mutates & RESOURCES
                and item.flow.uses & traced_names
                and item.flow.uses & traced_names <= defined
            ):
                result.append(item)
        return result

    def _constants(
        self, site: Site, feeds: list[tuple[str, ast.expr]], chosen: list[Item]
    ) -> dict[str, str]:
        """Python values for boolean placeholders fed with a constant."""
        found: dict[str, str] = {}
        for name, expr in feeds:
            value = self.program._lookup(name)
            call = value.call if value is not None else None
            if call is None or not isinstance(expr, ast.Constant):
                continue
            if isinstance(expr.value, bool) and self._dtype_text(call).endswith("bool"):
                found[name] = repr(expr.value)
        del site, chosen
        return found

    def _dtype_text(self, call: ast.Call) -> str:
        symbol = self.program.expressions.tf_symbol(call.func) or ""
        if symbol.endswith("placeholder_with_default"):
            default = argument(call, 0, "input")
            if isinstance(default, ast.Constant) and isinstance(default.value, bool):
                return "tf.bool"
            if isinstance(default, ast.Constant) and isinstance(default.value, float):
                return f"{self.style.tf}.float32"
            return ""
        dtype = argument(call, 0, "dtype")
        if dtype is None:
            return ""
        if isinstance(dtype, ast.Constant) and isinstance(dtype.value, str):
            return f"{self.style.tf}.{dtype.value}"
        text = self.source.segment(dtype)
        return {"float": f"{self.style.tf}.float32", "int": f"{self.style.tf}.int32",
                "bool": f"{self.style.tf}.bool"}.get(text, text)

    def _make_function(
        self, site: Site, chosen: list[Item], feeds: list[tuple[str, ast.expr]],
        constants: dict[str, str],
    ) -> StepFunction:
        trains = any(item.kind == k.TRAIN for item in chosen)
        outputs = [leaf for leaf in site.leaves if leaf.used and leaf.has_value]
        function = StepFunction(
            self._function_name(site, trains, outputs), chosen, trains=trains,
            program=self.program, constants=constants,
        )
        order = {name: i for i, item in enumerate(self.items) for name in item.flow.defines}
        for name, _ in sorted(feeds, key=lambda feed: order.get(feed[0], 0)):
            if name not in constants:
                function.parameters.append(self._parameter(name))
        self._elements(function)
        if site.summaries is not None:
            self._summary_parameters(function, site)
        function.output_form = "dict" if site.form == "dict" else "tuple"
        function.effects = [
            ast.unparse(leaf.expr) for leaf in site.leaves if not leaf.has_value or not leaf.used
            if leaf.value.kind not in (k.TRAIN, k.MERGED, k.SUMMARY)
        ]
        function.keys = [leaf.key for leaf in outputs] if site.form == "dict" else []
        function.outputs = [self._output(leaf, function) for leaf in outputs]
        function.layers = any(self._uses_store(item) for item in chosen) or any(
            self._uses_store_expr(leaf.expr) for leaf in site.leaves
        )
        return function

    def _output(self, leaf: Leaf, function: StepFunction) -> str:
        writer = FunctionWriter(
            self.source, self.style, self.renames, self.decisions.edits
        )
        return " ".join(writer._edited(leaf.expr, function).split())

    def _summary_parameters(self, function: StepFunction, site: Site) -> None:
        s = site.summaries
        assert s is not None
        taken = {p.name for p in function.parameters} | {
            n for item in function.items for n in item.flow.defines | item.flow.uses
        }
        s.step_name = "step" if "step" not in taken else "summary_step"
        tf = self.style.tf
        function.parameters.append(
            Parameter(s.step_name, f"{tf}.TensorSpec([], {tf}.int64)", "the summaries' step")
        )
        if s.condition:
            function.parameters.append(
                Parameter(s.condition_name, f"{tf}.TensorSpec([], {tf}.bool)",
                          "whether to write summaries")
            )
        function.summaries = Summaries(
            s.writer, s.step, s.condition, s.step_name, s.condition_name
        )

    def _parameter(self, name: str) -> Parameter:
        value = self.program._lookup(name)
        parameter = _parameter_name(name)
        call = value.call if value is not None and value.kind == k.PLACEHOLDER else None
        if call is None:
            return Parameter(parameter)
        symbol = self.program.expressions.tf_symbol(call.func) or ""
        if symbol.endswith("sparse_placeholder"):
            raise Obstacle(call, "a sparse placeholder is fed", "pass a tf.sparse.SparseTensor")
        dtype = self._dtype_text(call)
        shape = argument(call, 1, "shape")
        if dtype == "" or any(isinstance(a, ast.Starred) for a in call.args):
            return Parameter(parameter)
        shape_text = "None" if shape is None else " ".join(self.source.segment(shape).split())
        spec = f"{self.style.tf}.TensorSpec({shape_text}, {dtype})"
        short = dtype.rpartition(".")[2]
        if shape is None or shape_text == "None":
            doc = f"{short} of any shape"
        elif shape_text in ("[]", "()"):
            doc = f"{short} scalar"
        else:
            doc = f"{short} {shape_text}"
        return Parameter(parameter, spec, doc)

    def _elements(self, function: StepFunction) -> None:
        """Iterator elements of the slice become parameters."""
        elements = [item for item in function.items if item.kind == k.ELEMENT]
        if not elements:
            return
        if len(elements) > 1:
            raise Obstacle(elements[1].stmt, "one run reads from several iterators",
                           "zip the data sets")
        item = elements[0]
        stmt = item.stmt
        assert isinstance(stmt, ast.Assign)
        target = stmt.targets[0]
        if isinstance(target, ast.Name):
            names = [target.id]
        elif isinstance(target, (ast.Tuple, ast.List)) and all(
            isinstance(e, ast.Name) for e in target.elts
        ):
            names = [e.id for e in target.elts if isinstance(e, ast.Name)]
        else:
            raise Obstacle(stmt, "an iterator's element is taken apart in a nested way",
                           "unpack one level at a time")
        if item.in_loop:
            raise Obstacle(stmt, "get_next() is called in a loop", "call it once, before the loop")
        source = self.shared.iterators.get(id(item.stmt))
        if source is None:
            source = self._iterator_of(item)
            self.shared.iterators[id(item.stmt)] = source
        function.element = item
        function.dataset, function.iterator = source
        function.items.remove(item)
        function.parameters = [Parameter(name) for name in names] + function.parameters

    def _iterator_of(self, item: Item) -> tuple[str, str]:
        """(data set, iterator) names behind a `get_next()`; the statement is rewritten."""
        value = item.value
        call = value.call
        assert call is not None
        base = value.base
        d = self.decisions
        if base is not None and base.kind == k.ITERATOR:
            dataset = self._iterated(base)
            if dataset is None:
                raise Obstacle(item.stmt, "the data set behind an iterator is not known",
                               "loop over the data set")
            if not dataset.isidentifier():
                raise Obstacle(item.stmt, "the data set behind an iterator has no name",
                               "give the data set a name")
            if base.source:
                d.dropped.add(id(item.stmt))
                return dataset, base.source
            name = self.names.fresh("batches", f"{dataset}_iterator")
            d.replaced[id(item.stmt)] = [f"{name} = iter({dataset})"]
            return dataset, name
        dataset = self.names.fresh("dataset", "train_dataset", "input_dataset")
        name = self.names.fresh("batches", f"{dataset}_iterator")
        segment = self.source.statement(item.stmt, [], "")
        text = "".join(segment).rstrip("\n")
        assert isinstance(item.stmt, ast.Assign)
        start = self.source.span(item.stmt)[0]
        offset = self.source.span(call)[0] - start
        body = text.split("\n") if offset == 0 else (dataset + " = " + text[offset:]).split("\n")
        if len(body) > 1:
            shift = offset - len(dataset) - 3
            body = [body[0]] + [
                line[shift:] if shift > 0 and line[:shift].strip() == "" else line
                for line in body[1:]
            ]
        d.replaced[id(item.stmt)] = [*body, f"{name} = iter({dataset})"]
        return dataset, name

    def _uses_store(self, item: Item) -> bool:
        return self._uses_store_expr(item.stmt)

    def _uses_store_expr(self, node: ast.AST) -> bool:
        return any(
            self.program.expressions.may_make_variables(inner)
            or (self.program.expressions.tf_symbol(inner.func) or "").startswith(
                "tensorflow.losses")
            for inner in ast.walk(node) if isinstance(inner, ast.Call)
        )

    def _function_name(self, site: Site, trains: bool, outputs: list[Leaf]) -> str:
        effects = [leaf for leaf in site.leaves if not leaf.has_value]
        if trains:
            label = _train_label(effects)
            return self.names.fresh(*([f"train_{label}", "train_step"] if label
                                      else ["train_step", "training_step"]))
        if outputs:
            texts = [ast.unparse(leaf.expr) for leaf in outputs]
            if len(texts) == 1:
                last = texts[0].rpartition(".")[2].lstrip("_")
                if _is_action(last):
                    return self.names.fresh(last, f"run_{last}")
                if _is_prediction(last) or not last.isidentifier():
                    return self.names.fresh("predict", f"compute_{last}")
                return self.names.fresh(f"compute_{last}", "evaluate_step")
            if any(_is_prediction(t) for t in texts) and not any("loss" in t for t in texts):
                return self.names.fresh("predict", "infer")
            return self.names.fresh("evaluate_step", "eval_step")
        if site.summaries is not None:
            return self.names.fresh("write_summaries_step", "summarize")
        label = ast.unparse(site.leaves[0].expr).rpartition(".")[2]
        label = label.removesuffix("_ops").removesuffix("_op")
        if not label.isidentifier():
            label = "ops"
        return self.names.fresh(
            *([label] if label != ast.unparse(site.leaves[0].expr) else []), f"run_{label}"
        )

    # -- style

    def _prepare_style(self) -> None:
        self._store_needed = any(f.layers for f in self.functions) or self._by_name()
        if self._store_needed:
            self._refuse_mixed_names()
            self._store_variables()
            self.style.in_store = True
        else:
            self.style.explicit_variables = [
                text for item in self.items for text in self._explicit(item)
            ]
        if self._store_needed and not self.style.store:
            self.style.store = self.shared.store or self._new_store()
            self.shared.store = self.style.store
        self.style.store = self.shared.store

    def _by_name(self) -> bool:
        """Whether the program asks for variables by name or as a collection."""
        expressions = self.program.expressions
        for item in self.items:
            for call in _calls_of(item):
                symbol = expressions.tf_symbol(call.func) or ""
                if "()" not in symbol and k.call_kind(symbol) in (k.VARIABLES, k.SAVER):
                    return True
                if symbol == "tensorflow.get_collection" and (
                    k.COLLECTION_KEYS.get(collection_key(call) or "") == k.VARIABLES
                ):
                    return True
        return False

    def _new_store(self) -> str:
        """The name of the store; an object keeps its own in an attribute."""
        if not self.shared.owner:
            return self.names.fresh("store", "variables_store")
        name = f"{self.shared.owner}._store"
        own = [item for item in self.items if item.role in (KEEP, TRACE, DROP, LAZY)]
        graph = next((i for i in own if i.kind == k.GRAPH and i.target), None)
        module = next(p for p in _chain(self.program) if p.parent is None)
        outside = set(map(id, module.items))
        if graph is not None and id(graph) not in outside:
            self.decisions.replaced[id(graph.stmt)] = [f"{name} = {self.support.store_class()}()"]
            self.renames[graph.target] = name
        else:
            program = next(p for p in _chain(self.program) if isinstance(p, ClassProgram))
            first = next(
                s for s in program.builders[0].body
                if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
            )
            explicit = any(p.kind == "graph" for ps in program.with_parts.values() for p in ps)
            maker = self.support.store_class() if explicit else self.support.current_store()
            self.decisions.before.setdefault(id(first), []).append(f"{name} = {maker}()")
        self.shared.store_made = True
        return name

    def _refuse_mixed_names(self) -> None:
        """Default names of variables made in steps would begin anew beside the hoisted ones."""
        def makes(item: Item) -> bool:
            return any(
                isinstance(node, ast.Call) and (
                    self.program.expressions.tf_symbol(node.func) == "tensorflow.Variable"
                    or ((fact := self.program.expressions.call_fact(node)) is not None
                        and "tf variables" in fact.flags)
                )
                for node in ast.walk(item.stmt)
            )

        plain = [i for i in self.items if not isinstance(i.stmt, (ast.FunctionDef, ast.ClassDef))]
        traced = next((i for i in plain if i.role in (TRACE, LAZY) and makes(i)), None)
        hoisted = next((i for i in plain if i.role == KEEP and makes(i)), None)
        if traced is not None and hoisted is not None:
            raise Obstacle(
                traced.stmt, "variables are made both inside and outside of what a step computes",
                "make all variables before the graph is used",
            )

    def _store_variables(self) -> None:
        """`tf.Variable` becomes the store's, which keeps TF1's names and collections."""
        makers: list[ast.AST] = [
            item.stmt for item in self.items if item.role in (KEEP, LAZY, TRACE)
        ]
        module = next(p for p in _chain(self.program) if p.parent is None)
        called = {
            node.func.id for maker in makers for node in ast.walk(maker)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        makers += [
            stmt for stmt in module.body
            if isinstance(stmt, ast.FunctionDef) and stmt.name in called
        ]
        for maker in makers:
            for node in ast.walk(maker):
                if isinstance(node, ast.Call) and (
                    self.program.expressions.tf_symbol(node.func) == "tensorflow.Variable"
                ):
                    edit = (*self.source.span(node.func), self.support.variable())
                    if edit not in self.decisions.edits:
                        self.decisions.edits.append(edit)

    def _explicit(self, item: Item) -> Iterator[str]:
        value = item.value
        if value.kind != k.VARIABLE or item.role != KEEP or not item.target:
            return
        calls = [value.call] if value.parts is None else [p.call for p in value.parts]
        trainable = [call for call in calls if call is not None and self._trainable(call)]
        if not trainable:
            return
        if value.parts is None:
            yield item.target
        elif isinstance(value.literal, ast.Dict):
            yield f"*{item.target}.values()"
        else:
            yield f"*{item.target}"

    def _trainable(self, call: ast.Call) -> bool:
        symbol = self.program.expressions.tf_symbol(call.func) or ""
        if "global_step" in symbol:
            return False
        if symbol == "tensorflow.Variable":
            flag = argument(call, 1, "trainable")
            if isinstance(flag, ast.Constant) and flag.value is False:
                return False
        return True

    # -- statements

    def _decide_statements(self) -> None:
        d = self.decisions
        needed_lazy = self._hoisted_lazy()
        uses_parent = self.program.parent is not None and any(
            item.role == TRACE for item in self.program.parent.all_items()
        )
        for item in self.items if uses_parent else self.program.items:
            if id(item.stmt) in d.replaced or id(item.stmt) in d.dropped:
                continue
            if item.role == KEEP and item.value.needs_graph and item.kind == k.OPTIMIZER:
                self._dynamic_rate(item)
            elif item.role == DROP:
                d.dropped.add(id(item.stmt))
            elif item.role == TRACE:
                if item.in_loop and not item.kind == k.SUMMARY:
                    if isinstance(item.stmt, ast.Expr) and not item.value.traced:
                        continue
                    raise Obstacle(item.stmt, "the graph grows inside a loop that runs it",
                                   "build the graph before the loop")
                d.dropped.add(id(item.stmt))
            elif item.role == LAZY and id(item) not in needed_lazy:
                if any(item in f.items for f in self.functions):
                    d.dropped.add(id(item.stmt))
            elif item.role == KEEP:
                self._kept(item)
            if item.role == RUN:
                self._kept(item)
        for program in _chain(self.program):
            if program is self.program or uses_parent:
                self._withs(program)

    def _hoisted_lazy(self) -> set[int]:
        wanted: set[str] = set()
        for item in self.items:
            if item.role in (KEEP, RUN):
                uses = set(item.flow.uses)
                for site in item.runs:
                    uses -= statement_flow(site.fetch, self.program.owner).uses
                wanted |= uses
        lazy = [i for i in self.items if i.role == LAZY]
        chosen, _ = backward_slice(lazy, wanted)
        return {id(item) for item in chosen}

    def _dynamic_rate(self, item: Item) -> None:
        """An optimizer whose learning rate is computed in the graph gets it in every step."""
        call = item.value.call
        assert call is not None
        rate = argument(call, 0, "learning_rate")
        others = [*call.args[1:], *(w.value for w in call.keywords
                                               if w.arg != "learning_rate")]
        if rate is None or any(self.program.expressions.value(o).traced for o in others):
            raise Obstacle(call, "an optimizer's setting is computed in the graph",
                           "set the optimizer's attribute in the training step")
        d = self.decisions
        d.edits.append((*self.source.span(rate), "0.0"))
        names = statement_flow(rate, self.program.owner, self.program.expressions.resources).uses
        for function in self.functions:
            trains = [i for i in function.items if i.kind == k.TRAIN and self._applies(i, item)]
            if not trains:
                continue
            for train in trains:
                function.rates[id(train.stmt)] = (item.target, rate)
            earlier = [i for i in self.items if i.role in (TRACE, LAZY)]
            chosen, _ = backward_slice(earlier, names)
            present = set(map(id, function.items))
            fed = {p.name for p in function.parameters}
            missing = [i for i in chosen if id(i) not in present and not i.flow.defines & fed
                       and i.kind not in (k.PLACEHOLDER, k.ELEMENT)]
            if any(i.kind == k.PLACEHOLDER and not i.flow.defines & fed for i in chosen):
                raise Obstacle(item.stmt, "the learning rate is a placeholder that is not fed",
                               "feed it wherever the training op runs")
            if missing:
                order = {id(i): n for n, i in enumerate(self.items)}
                function.items = sorted([*function.items, *missing], key=lambda i: order[id(i)])

    def _applies(self, train: Item, optimizer: Item) -> bool:
        call = train.value.call
        if call is None:
            return False
        base = argument(call, 1, "optimizer") if not isinstance(call.func, ast.Attribute) else (
            call.func.value)
        return base is not None and self.program._name(base) == optimizer.target

    def _hoist_inline_optimizers(self) -> None:
        """``tf.train.AdamOptimizer(1e-3).minimize(loss)`` needs the optimizer before the step."""
        for item in self.items:
            call = item.value.call
            if item.kind not in (k.TRAIN, k.GRADIENTS) or call is None:
                continue
            if not (isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call)):
                continue
            maker = call.func.value
            if self.program.expressions.value(maker).kind != k.OPTIMIZER:
                continue
            key = f"<optimizer {id(item.stmt)}>"
            if key in self.shared.inline_optimizers:
                self.renames[key] = self.shared.inline_optimizers[key]
                continue
            label = _train_label([Leaf(ast.Name(item.target or "train_op"), item.value)])
            made = ast.unparse(maker.func).rpartition(".")[2].removesuffix("Optimizer").lower()
            name = self.names.fresh(
                *([f"{label}_optimizer"] if label else ["optimizer"]), f"{made}_optimizer"
            )
            self.renames[key] = self.shared.inline_optimizers[key] = name
            edits = []
            rate = argument(maker, 0, "learning_rate")
            arguments = [*maker.args, *(a.value for a in maker.keywords)]
            for value in arguments:
                if self.program.expressions.value(value).traced:
                    if value is not rate:
                        raise Obstacle(maker, "an optimizer's setting is computed in the graph",
                                       "set the optimizer's attribute in the training step")
                    edits.append((*self.source.span(value), "0.0"))
                    for function in self.functions:
                        if item in function.items:
                            function.rates[id(item.stmt)] = (name, value)
            text = self.source.edited(maker, edits)
            self.decisions.dropped.discard(id(item.stmt))
            self.decisions.replaced[id(item.stmt)] = f"{name} = {text}".split("\n")

    def _kept(self, item: Item) -> None:
        """Edits of statements that stay: writers, savers, iterators, session leftovers."""
        d = self.decisions
        stmt = item.stmt
        for call in _calls_of(item):
            func = call.func
            symbol = self.program.expressions.tf_symbol(func) or ""
            kind = k.call_kind(symbol) if symbol and "()" not in symbol else ""
            if kind == k.WRITER:
                self._writer(call)
            elif isinstance(func, ast.Attribute):
                base = self.program.expressions.value(func.value)
                if base.kind == k.SAVER and func.attr in ("save", "restore"):
                    self._without_session(call)
                    self.shared.uses_saver = True
                elif base.kind == k.SESSION and func.attr == "close":
                    d.dropped.add(id(stmt))
                elif base.kind == k.COORDINATOR:
                    self._coordinator(call, func, stmt)
                elif base.kind == k.WRITER and func.attr == "add_summary":
                    self._manual_summary(call, func, stmt)
                elif base.kind == k.WRITER and func.attr == "add_graph":
                    d.dropped.add(id(stmt))
        if item.kind == k.ITERATOR and item.value.call is not None and not item.value.needs_graph:
            dataset = self._iterated(item.value)
            if dataset is None:
                raise Obstacle(stmt, "the data set behind an iterator is not known",
                               "loop over the data set")
            initializable = "initializable" in ast.unparse(item.value.call.func)
            if initializable:
                d.dropped.add(id(stmt))
            else:
                d.edits.append((*self.source.span(item.value.call), f"iter({dataset})"))
            self.notes.append(Note("TF501", stmt, "data sets are iterated over directly"))
        if item.kind == k.ITERATOR and item.value.needs_graph:
            raise Obstacle(stmt, "a data set is made from placeholders",
                           "make the data set from the arrays themselves")

    def _coordinator(self, call: ast.Call, func: ast.Attribute, stmt: ast.stmt) -> None:
        d = self.decisions
        if isinstance(stmt, ast.Expr) and stmt.value is call:
            d.dropped.add(id(stmt))
        elif func.attr == "should_stop":
            d.edits.append((*self.source.span(call), "False"))

    def _writer(self, call: ast.Call) -> None:
        logdir = argument(call, 0, "logdir")
        if logdir is None:
            raise Obstacle(call, "a FileWriter without a directory", "pass logdir")
        tf = self.style.tf
        self.decisions.edits.append(
            (*self.source.span(call),
             f"{tf}.summary.create_file_writer({self.source.segment(logdir)})")
        )
        self.notes.append(Note("TF602", call, "TF2 writers take the directory only",
                               "tensorflow.summary.FileWriter"))

    def _manual_summary(self, call: ast.Call, func: ast.Attribute, stmt: ast.stmt) -> None:
        if id(stmt) in self.decisions.dropped:
            return
        raise Obstacle(call, "a summary made by hand is written",
                       "write it with tf.summary.scalar(name, value, step=...)")

    def _without_session(self, call: ast.Call) -> None:
        session = argument(call, 0, "sess")
        if session is None or self.program.expressions.value(session).kind != k.SESSION:
            return
        keyword = next((a for a in call.keywords if a.value is session), None)
        node = keyword or session
        start, end = self.source.span(node)
        text = self.source.text
        while end < len(text) and text[end] in " \t":
            end += 1
        if end < len(text) and text[end] == ",":
            end += 1
            while end < len(text) and text[end] in " \t\n":
                end += 1
        self.decisions.edits.append((start, end, ""))

    def _withs(self, program: Program) -> None:
        d = self.decisions
        for stmt in (stmt for block in program.blocks() for stmt in _withs_of(block)):
            parts = program.with_parts.get(id(stmt))
            if parts is None:
                continue
            kinds = [part.kind for part in parts]
            gone = [kind in ("session", "deps") for kind in kinds]
            if "graph" in kinds or "session" in kinds:
                header = self._store_header(program, stmt, parts)
                if header is not None:
                    others = [
                        self.source.segment(p.item.context_expr)
                        for p in parts if p.kind not in ("session", "deps", "graph")
                    ]
                    d.headers[id(stmt)] = f"with {', '.join([header, *others])}:"
                    continue
                gone = [g or kind == "graph" for g, kind in zip(gone, kinds, strict=True)]
            if all(gone):
                d.opened.add(id(stmt))
            elif any(gone):
                texts = [
                    self.source.segment(p.item.context_expr)
                    + (f" as {ast.unparse(p.item.optional_vars)}"
                       if p.item.optional_vars is not None else "")
                    for p, g in zip(parts, gone, strict=True) if not g
                ]
                d.headers[id(stmt)] = f"with {', '.join(texts)}:"

    def _store_header(
        self, program: Program, stmt: ast.With, parts: list[WithPart]
    ) -> str | None:
        """What replaces entering a graph (or a session of it): the store of its variables."""
        if not (self._store_needed or self.shared.store):
            return None
        store = self.style.store
        if any(part.kind == "graph" for part in parts):
            if self.shared.owner or self.shared.store_entered:
                return f"{store}.as_default()"
            if self.shared.store_made:
                return None
            self.shared.store_made = self.shared.store_entered = True
            return f"{self.support.store_class()}().as_default() as {store}"
        inside = {id(node) for inner in stmt.body for node in ast.walk(inner)}
        around = {id(p) for item in program.items if item.stmt is stmt for p in item.parents}
        del around
        outer_graph = any(
            any(stmt is node for node in ast.walk(other)) and other is not stmt
            and any(p.kind == "graph" for p in program.with_parts.get(id(other), ()))
            for block in program.blocks() for other in _withs_of(block)
        )
        uses_store = any(
            id(item.stmt) in inside and item.role == KEEP
            and item.kind in (k.SAVER, k.VARIABLE, k.VARIABLES, k.PY)
            and any(
                program.expressions.value(call).kind in (k.SAVER, k.VARIABLE, k.VARIABLES)
                for call in _calls_of(item)
            )
            for item in program.items
        )
        entered = self.shared.owner or self.shared.store_entered
        return f"{store}.as_default()" if entered and uses_store and not outer_graph else None

    # -- run sites, rewritten

    def _rewrite_site(self, site: Site) -> None:
        run = site.run
        assert run.item is not None
        stmt = run.item.stmt
        outputs = [leaf for leaf in site.leaves if leaf.used and leaf.has_value]
        if site.function is None:
            self._rewrite_direct(site, stmt, outputs)
            return
        function = site.function
        called = f"{self.shared.owner}._{function.name}" if self.shared.owner else function.name
        call = f"{called}({', '.join(self._call_arguments(site, function))})"
        self.notes.append(Note("TF302", run.call, f"the run becomes a call of {function.name}",
                               "tensorflow.Session.run"))
        if function.element is not None:
            self._stop_iteration(run.item)
        whole = isinstance(stmt, ast.Expr) and stmt.value is run.call
        if whole or (isinstance(stmt, ast.Assign) and stmt.value is run.call and not outputs):
            if isinstance(stmt, ast.Assign) and any(leaf.used for leaf in site.leaves):
                raise Obstacle(stmt, "the result of an op without value is used",
                               "do not assign it")
            self._replace_statement(site, stmt, call)
            return
        if site.unpacked:
            targets = [leaf.target or "_" for leaf in outputs]
            self._replace_statement(
                site, stmt, f"{', '.join(targets)} = {self._converted(call, site, outputs)}"
            )
            return
        text = self._converted(call, site, outputs, positions=True)
        start, end = self.source.span(site.whole or run.call)
        before = start - self.source.offset(run.call.lineno, 0)
        last = run.call.end_lineno or run.call.lineno
        behind = len(self.source.lines[last - 1].rstrip()) + self.source.offset(last, 0) - end
        width = before + len(text) + behind
        if width > self.source.width and self._movable(run):
            name = self.names.fresh("outputs", "fetched")
            text = self._converted(name, site, outputs, positions=True)
            indent = len(self.source.indent(stmt))
            self.decisions.before.setdefault(id(stmt), []).extend(
                _wrapped(f"{name} = {call}", self.source.width - indent, self.source.unit)
            )
        self.decisions.edits.append((start, end, text))

    def _movable(self, run: RunSite) -> bool:
        """Whether the run may as well happen in a statement of its own before this one."""
        assert run.item is not None
        stmt = run.item.stmt
        if not isinstance(stmt, (ast.Expr, ast.Assign, ast.Return, ast.AugAssign)):
            return False
        conditional = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.ListComp, ast.GeneratorExp,
                       ast.DictComp, ast.SetComp)
        return not any(
            isinstance(node, conditional) and any(run.call is inner for inner in ast.walk(node))
            for node in ast.walk(stmt)
        )

    def _replace_statement(self, site: Site, stmt: ast.stmt, text: str) -> None:
        del site
        indent = len(self.source.indent(stmt))
        self.decisions.replaced[id(stmt)] = _wrapped(
            text, self.source.width - indent, self.source.unit
        )

    def _converted(
        self, call: str, site: Site, outputs: list[Leaf], positions: bool = False
    ) -> str:
        """The call with its tensors turned into NumPy values, in the form of the fetch."""
        if site.form == "dict":
            if any(self._structured(leaf) for leaf in outputs):
                return self._nest(call)
            return f"{{name: value.numpy() for name, value in {call}.items()}}"
        if site.form == "single" or (site.unpacked and len(outputs) == 1):
            form = self._form(outputs[0])
            if form == "tuple":
                if isinstance(site.run.item.stmt, ast.Assign) and isinstance(  # type: ignore[union-attr]
                    site.run.item.stmt.targets[0], ast.Tuple  # type: ignore[union-attr]
                ):
                    return f"(value.numpy() for value in {call})"
                return f"tuple(value.numpy() for value in {call})"
            if form == "dict":
                return f"{{name: value.numpy() for name, value in {call}.items()}}"
            if self._structured(outputs[0]):
                return self._nest(call)
            return f"{call}.numpy()"
        structured = any(self._structured(leaf) for leaf in outputs)
        if positions and len(outputs) < len(site.leaves):
            slots = [leaf in outputs for leaf in site.leaves]
            if len(outputs) == 1 and not structured:
                return "[" + ", ".join(
                    f"{call}.numpy()" if slot else "None" for slot in slots) + "]"
            first = slots.index(True)
            if slots[first:] == [True] * len(outputs) and not structured:
                nones = "None, " * first
                return f"[{nones}*(value.numpy() for value in {call})]"
            raise Obstacle(site.run.call, "ops without value stand between fetched values",
                           "fetch the training op first and assign each value to a name")
        if structured:
            return self._nest(call)
        if positions:
            if len(outputs) == 1:
                return f"[{call}.numpy()]"
            return f"[value.numpy() for value in {call}]"
        return f"(value.numpy() for value in {call})"

    def _nest(self, call: str) -> str:
        return f"{self.style.tf}.nest.map_structure(lambda t: t.numpy(), {call})"

    def _form(self, leaf: Leaf) -> str:
        """"tuple" or "dict" where a fetched value is known to be a flat one of tensors."""
        value = leaf.value
        flat = {k.TENSOR, k.OP, k.PLACEHOLDER}
        if value.parts is not None and isinstance(value.literal, (ast.Tuple, ast.Dict)):
            if all(p.kind in flat and p.parts is None and p.call is not None
                   and self.program.expressions.tf_symbol(p.call.func) for p in value.parts):
                return "dict" if isinstance(value.literal, ast.Dict) else "tuple"
            return ""
        fact = self.program.expressions.call_fact(value.call) if value.call is not None else None
        if fact is not None and value.base is None:
            return next((form for form in ("tuple", "dict") if form in fact.flags), "")
        return ""

    def _losses(self) -> set[str]:
        """Names that an optimizer minimizes: each is one tensor."""
        found = set()
        for item in self.items:
            if item.kind in (k.TRAIN, k.GRADIENTS) and item.value.call is not None:
                loss = argument(item.value.call, 0, "loss")
                name = None if loss is None else self.program._name(loss)
                if name:
                    found.add(name)
        return found

    def _structured(self, leaf: Leaf) -> bool:
        """Whether a fetched value may be a list or dict of tensors."""
        value = leaf.value
        if value.parts is not None:
            return True
        if value.single or self.program._name(leaf.expr) in self._losses():
            return False
        if isinstance(leaf.expr, (ast.BinOp, ast.Compare, ast.UnaryOp)):
            return False
        if value.call is not None:
            symbol = self.program.expressions.tf_symbol(value.call.func)
            if symbol is not None:
                return symbol in ("tensorflow.split", "tensorflow.unstack", "tensorflow.gradients",
                                  "tensorflow.nn.moments", "tensorflow.meshgrid")
            fact = self.program.expressions.call_fact(value.call)
            if fact is not None and "single" in fact.flags:
                return False
            if isinstance(value.call.func, ast.Attribute):
                base = self.program.expressions.value(value.call.func.value)
                return not (base.traced or base.kind in (k.OP, k.VARIABLE))
            return True
        return value.kind == k.TENSOR and value.base is not None and value.base.parts is None and (
            value.base.call is not None
        )

    def _rewrite_direct(self, site: Site, stmt: ast.stmt, outputs: list[Leaf]) -> None:
        texts = []
        for leaf in site.leaves:
            text = self.source.segment(leaf.expr)
            if leaf.value.kind in k.WITHOUT_VALUE and leaf.used is False:
                texts.append(text)
            elif leaf.value.parts is not None and isinstance(leaf.value.literal, ast.Dict):
                texts.append(f"{{name: value.numpy() for name, value in {text}.items()}}")
            elif leaf.value.parts is not None:
                texts.append(f"[value.numpy() for value in {text}]")
            elif self._structured(leaf):
                texts.append(self._nest(text))
            else:
                if not isinstance(leaf.expr, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
                    text = f"({text})"
                texts.append(f"{text}.numpy()")
        self.notes.append(Note("TF303", site.run.call, "TF2 computes eagerly",
                               "tensorflow.Session.run"))
        whole = isinstance(stmt, ast.Expr) and stmt.value is site.run.call
        if whole and site.form == "single":
            if isinstance(site.leaves[0].expr, ast.Call):
                self.decisions.edits.append((*self.source.span(site.run.call), self.source.segment(
                    site.leaves[0].expr)))
            else:
                self.decisions.dropped.add(id(stmt))
                self._unname(site.leaves[0], stmt)
            return
        if site.form == "single":
            text = texts[0]
        elif site.form == "dict":
            text = "{" + ", ".join(
                f"{leaf.key}: {t}" for leaf, t in zip(site.leaves, texts, strict=True)) + "}"
        else:
            text = ", ".join(texts) if site.unpacked else f"[{', '.join(texts)}]"
        del outputs
        self.decisions.edits.append((*self.source.span(site.whole or site.run.call), text))

    def _unname(self, leaf: Leaf, run: ast.stmt) -> None:
        """``write = op(...)`` whose name only the dropped run used is just ``op(...)``."""
        name = self.program._name(leaf.expr)
        inside = {id(node) for node in ast.walk(run)}
        for item in self.program.items:
            if item.target != name or not isinstance(item.stmt, ast.Assign):
                continue
            reads = [
                node for stmt in self.program.body for node in ast.walk(stmt)
                if isinstance(node, ast.Name) and node.id == name
                and isinstance(node.ctx, ast.Load) and id(node) not in inside
            ]
            if not reads:
                lines = self.source.edited(item.stmt.value, self.decisions.edits).split("\n")
                self.decisions.replaced[id(item.stmt)] = lines

    def _call_arguments(self, site: Site, function: StepFunction) -> list[str]:
        result: list[str] = []
        if function.element is not None:
            target = function.element.stmt.targets[0]  # type: ignore[attr-defined]
            star = "" if isinstance(target, ast.Name) else "*"
            result.append(f"{star}next({function.iterator})")
        if site.run.feed_name:
            result.append(f"**{site.run.feed_name}")
        else:
            by_name = {_parameter_name(n): text for n, text in site.arguments.items()}
            for parameter in function.parameters:
                if parameter.name in by_name:
                    result.append(by_name[parameter.name])
        if site.summaries is not None and function.summaries is not None:
            pairs = [(function.summaries.step_name, site.summaries.step)]
            if function.summaries.condition:
                pairs.append((function.summaries.condition_name, site.summaries.condition))
            for name, text in pairs:
                result.append(f"{name}={text}" if site.run.feed_name or "=" in text else text)
        return [" ".join(text.split()) if "#" not in text else text for text in result]

    def _stop_iteration(self, item: Item) -> None:
        """The end of the data is Python's StopIteration."""
        for parent in item.parents:
            if not isinstance(parent, ast.Try):
                continue
            for handler in parent.handlers:
                for node in ast.walk(handler.type) if handler.type is not None else ():
                    if isinstance(node, ast.Attribute) and node.attr == "OutOfRangeError":
                        self.decisions.edits.append((*self.source.span(node), "StopIteration"))

    # -- placing functions

    def _place_functions(self) -> None:
        if not self.functions:
            return
        d = self.decisions
        own = set(map(id, self.program.items))
        if self.shared.owner:
            own = set(map(id, self.items))
        blocks: list[tuple[ast.stmt, list[str]]] = []
        for function in self.functions:
            function.around = self._shared_path(function)
            writer = FunctionWriter(
                self.source, self.style, self.renames, self.decisions.edits
            )
            lines = writer.write(function)
            anchor = self._anchor(function, own)
            blocks.append((anchor, lines))
            self._check_captured(function, anchor)
            self._check_locals(function, anchor)
        blocks = self._gathered(blocks)
        first_anchor = blocks[0][0]
        self._move_writers(first_anchor)
        mentions = re.compile(rf"\b{re.escape(self.style.store)}\b") if self.style.store else None
        if self._store_needed and not self.shared.store_made and mentions is not None and any(
            mentions.search(line) for _, lines in blocks for line in lines
        ):
            self.shared.store_made = True
            d.after.setdefault(id(first_anchor), []).extend(
                [f"{self.style.store} = {self.support.current_store()}()"]
            )
        for anchor, lines in blocks:
            blank = [""] if self._nested(anchor) else ["", ""]
            d.after.setdefault(id(anchor), []).extend([*blank, *lines])
            if self.shared.owner:
                name = lines[[line.startswith("def ") for line in lines].index(True)]
                name = name.partition("(")[0].removeprefix("def ")
                d.after[id(anchor)].extend(["", f"{self.shared.owner}._{name} = {name}"])
        if self._store_needed and self._needs_build():
            last = blocks[-1][0]
            blank = ["", ""] if not self._nested(last) else [""]
            self._refuse_early_restore(last)
            lines = self._build_lines()
            d.after[id(last)].extend([*blank, *lines] if lines else [])
        for anchor in {id(a): a for a, _ in blocks}.values():
            d.after[id(anchor)].extend([""] if self._nested(anchor) else ["", ""])

    def _shared_path(self, function: StepFunction) -> tuple[ast.stmt, ...]:
        """The compound statements around all of a function's items and all of its calls."""
        own = {id(item) for item in self.program.items}
        places = [i for i in function.items if i.kind not in (k.PLACEHOLDER, k.ELEMENT)]
        places += [s.run.item for s in self.sites if s.function is function and s.run.item]
        if not all(id(item) in own for item in places):
            return ()
        path = places[0].parents
        for item in places[1:]:
            size = 0
            while size < min(len(path), len(item.parents)) and path[size] is item.parents[size]:
                size += 1
            path = path[:size]
        loops = [i for i, p in enumerate(path) if isinstance(p, (ast.For, ast.While))]
        return path[: loops[0]] if loops else path

    def _gathered(
        self, blocks: list[tuple[ast.stmt, list[str]]]
    ) -> list[tuple[ast.stmt, list[str]]]:
        """All functions behind the last of their anchors where these are in one block."""
        if len({self.source.indent(anchor) for anchor, _ in blocks}) > 1:
            return blocks
        last = max((anchor for anchor, _ in blocks), key=lambda stmt: stmt.lineno)
        return [(last, lines) for _, lines in blocks]

    def _move_writers(self, anchor: ast.stmt) -> None:
        """A writer made later than the functions that write with it is made before them."""
        wanted = {f.summaries.writer for f in self.functions if f.summaries is not None}
        for item in self.program.items:
            if item.kind != k.WRITER or item.target not in wanted:
                continue
            if item.stmt.lineno <= anchor.lineno:
                continue
            if item.parents_matter:
                raise Obstacle(item.stmt, "the summary writer is made on some ways only",
                               "make the writer before the training step")
            between = [
                other for other in self.program.items
                if anchor.lineno < other.stmt.lineno < item.stmt.lineno
                and other.role in (KEEP, RUN)
            ]
            if any(other.flow.defines & item.flow.uses for other in between):
                raise Obstacle(item.stmt, "the summary writer needs values made after the step",
                               "make the writer before the training step")
            lines = self.source.statement(item.stmt, self.decisions.edits, "")
            self.decisions.dropped.add(id(item.stmt))
            self.decisions.after.setdefault(id(anchor), []).extend(
                line.rstrip("\n") for line in lines
            )

    def _needs_build(self) -> bool:
        for item in self.items if self.shared.owner else self.program.items:
            if item.role in (KEEP, RUN) and (
                item.kind in (k.SAVER, k.VARIABLES)
                or any(
                    self.program.expressions.value(call).kind in (k.SAVER, k.VARIABLES)
                    for call in _calls_of(item)
                )
            ):
                return True
        return False

    def _refuse_early_restore(self, anchor: ast.stmt) -> None:
        """What restores variables must come after the functions that make them."""
        inside = {id(node) for node in ast.walk(anchor)}
        position = max(
            (i for i, item in enumerate(self.items) if id(item.stmt) in inside), default=-1
        )
        for item in self.items[: position + 1]:
            for call in _calls_of(item):
                if item.role in (KEEP, RUN) and isinstance(call.func, ast.Attribute) and (
                    self.program.expressions.value(call.func.value).kind == k.SAVER
                ):
                    raise Obstacle(call, "a checkpoint is used before the graph is complete",
                                   "build the whole graph first, then restore")

    def _build_lines(self) -> list[str]:
        makers = [f for f in self.functions if f.layers and f.trains] or [
            f for f in self.functions if f.layers
        ][:1]
        if self.shared.built and not any(f.trains for f in makers):
            return []
        self.shared.built = True
        lines = ["# Tracing makes the variables, which the checkpoint needs."]
        for function in makers:
            if function.element is None and not all(p.spec for p in function.parameters):
                raise Obstacle(
                    function.items[0].stmt,
                    "the variables are needed before the first step, but its inputs' shapes are "
                    "not known", "give the placeholders shapes and dtypes",
                )
            prefix = f"{self.shared.owner}._" if self.shared.owner else ""
            lines.append(f"{prefix}{function.name}.get_concrete_function()")
        return lines

    def _anchor(self, function: StepFunction, own: set[int]) -> ast.stmt:
        """The statement behind which a function goes: the last that its graph came from."""
        candidates = [item for item in function.items if id(item) in own]
        if function.element is not None and id(function.element) in own:
            candidates.append(function.element)
        if not candidates:
            parent = self.program.parent
            if parent is None:
                return self._before_runs()
            candidates = list(function.items) or parent.items[-1:]
        if self.shared.owner:
            candidates = [item for item in self.items if item.role == TRACE
                          and not isinstance(item.stmt, (ast.FunctionDef, ast.ClassDef))]
            return self._outermost(candidates[-1])
        last = max(candidates, key=lambda item: item.stmt.lineno)
        writers = self._late_captures(function, last)
        if writers:
            last = max([last, *writers], key=lambda item: item.stmt.lineno)
        return self._outermost(last, function.around)

    def _before_runs(self) -> ast.stmt:
        earlier = [
            item for item in self.program.items
            if item.role in (KEEP, DROP) and item.stmt.lineno < self.sites[0].run.call.lineno
        ]
        if not earlier:
            raise Obstacle(self.sites[0].run.call, "there is no place for the function", "")
        return self._outermost(earlier[-1])

    def _late_captures(self, function: StepFunction, last: Item) -> list[Item]:
        """Statements that make what the function captures when it is traced early."""
        del function, last
        return []

    def _outermost(self, item: Item, around: tuple[ast.stmt, ...] = ()) -> ast.stmt:
        """The statement of the graph region's own block that holds `item`."""
        program: Program | None = self.program
        while program is not None:
            for position, parent in enumerate(item.parents):
                if any(parent is outer for outer in around):
                    continue
                parts = program.with_parts.get(id(parent))
                if parts is None or not all(
                    part.kind in ("graph", "session") for part in parts
                ):
                    if id(parent) in program.with_parts or isinstance(
                        parent, (ast.If, ast.For, ast.While, ast.Try)
                    ):
                        return item.parents[position]
            program = program.parent
        return item.stmt

    def _nested(self, stmt: ast.stmt) -> bool:
        """Whether a statement ends up indented."""
        module = next(p for p in _chain(self.program) if p.parent is None)
        if stmt in module.body:
            return False
        found = next((item for item in module.items if item.stmt is stmt), None)
        parents = found.parents if found is not None else None
        if parents is None:
            for item in module.items:
                if stmt in item.parents:
                    parents = item.parents[: item.parents.index(stmt)]
                    break
        return parents is None or any(id(p) not in self.decisions.opened for p in parents)

    def _check_locals(self, function: StepFunction, anchor: ast.stmt) -> None:
        """A function in one method cannot see the local names of another."""
        program = next((p for p in _chain(self.program) if isinstance(p, ClassProgram)), None)
        if program is None:
            return
        home = next(
            (m for m in program.builders if any(anchor is node for node in ast.walk(m))), None
        )
        defined = set().union(*(i.flow.defines for i in function.items)) if function.items else set()
        for item in function.items:
            method = program.method_of.get(id(item.stmt))
            if method is None or method is home:
                continue
            local = {a.arg for a in method.args.args} | {
                node.id for node in ast.walk(method)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
            lost = (item.flow.uses & local) - defined - {program.owner or ""}
            lost -= {p.name for p in function.parameters}
            if lost:
                raise Obstacle(
                    item.stmt, f"{sorted(lost)[0]} is local to {method.name}, which builds only "
                    "a part of the graph", f"make it an attribute: self.{sorted(lost)[0]}",
                )

    def _check_captured(self, function: StepFunction, anchor: ast.stmt) -> None:
        """Python values that a function reads must not change after it was traced."""
        defined = set().union(*(i.flow.defines for i in function.items)) if function.items else set()
        used = set().union(*(i.flow.uses for i in function.items)) if function.items else set()
        read = used - defined - RESOURCES - {p.name for p in function.parameters}
        for item in self.items if self.shared.owner else self.program.items:
            changed = (item.flow.defines | (item.flow.mutates - RESOURCES)) & read
            if not changed or item.stmt.lineno <= anchor.lineno:
                continue
            if item.role in (KEEP, RUN) and item.kind in (k.PY, k.OP):
                raise Obstacle(
                    item.stmt,
                    f"{sorted(changed)[0]} changes after the graph was built with it",
                    "use another name for the later value",
                )


@dataclass
class Shared:
    """What the plans of one file share."""

    store: str = ""
    store_made: bool = False
    store_entered: bool = False
    built: bool = False
    functions: list[StepFunction] = field(default_factory=list)
    owner: str = ""  # the object's name in methods, where the graph is an object's
    uses_saver: bool = False
    iterators: dict[int, tuple[str, str]] = field(default_factory=dict)
    feed_dicts: set[str] = field(default_factory=set)
    inline_optimizers: dict[str, str] = field(default_factory=dict)


class SupportNames:
    """Local names of support symbols, asked for only when a plan is carried out."""

    def __init__(self, support: object) -> None:
        self._support = support

    def store_class(self) -> str:
        return str(self._support("scopes.VariableStore"))  # type: ignore[operator]

    def variable(self) -> str:
        return str(self._support("scopes.Variable"))  # type: ignore[operator]

    def current_store(self) -> str:
        return str(self._support("scopes.current_store"))  # type: ignore[operator]


def _calls_of(item: Item) -> Iterator[ast.Call]:
    stmt = item.stmt
    nodes: list[ast.AST] = [stmt]
    if isinstance(stmt, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        nodes = []
    elif isinstance(stmt, (ast.If, ast.While)) and item.role in (RUN, KEEP):
        nodes = [stmt.test]
    elif isinstance(stmt, ast.For) and item.role in (RUN, KEEP):
        nodes = [stmt.iter]
    for node in nodes:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call):
                yield inner


def _blocks_of(stmt: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(stmt, name, None)
        if isinstance(block, list):
            yield block
    for handler in getattr(stmt, "handlers", []):
        yield handler.body


def _withs_of(statements: list[ast.stmt]) -> Iterator[ast.With]:
    for stmt in statements:
        if isinstance(stmt, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(stmt, ast.With):
            yield stmt
        for name in ("body", "orelse", "finalbody"):
            yield from _withs_of(getattr(stmt, name, []))
        for handler in getattr(stmt, "handlers", []):
            yield from _withs_of(handler.body)


def _chain(program: Program) -> Iterator[Program]:
    current: Program | None = program
    while current is not None:
        yield current
        current = current.parent


def _contains(block: list[ast.stmt], stmt: ast.stmt) -> bool:
    return any(stmt is node for inner in block for node in ast.walk(inner))


def _parameter_name(name: str) -> str:
    return name.rpartition(".")[2].lstrip("_")


def _is_action(name: str) -> bool:
    """Whether a name says what is done rather than what results."""
    verbs = ("decode", "encode", "read", "write", "make", "get", "compute", "parse", "convert",
             "crop", "resize", "flip", "apply", "reset", "update", "sample")
    words = name.split("_")
    return "to" in words[1:-1] or (len(words) > 1 and words[0] in verbs)


def _is_prediction(name: str) -> bool:
    lowered = name.lower()
    words = ("pred", "logit", "prob", "output", "box", "score", "class", "detect", "result",
             "softmax", "y_hat", "hypothesis", "generated", "sample")
    return any(word in lowered for word in words)


def _train_label(effects: list[Leaf]) -> str:
    """``d_train_op`` -> ``d``: what tells one training op from the others."""
    words = []
    for leaf in effects:
        text = ast.unparse(leaf.expr).rpartition(".")[2]
        parts = [
            part for part in text.split("_")
            if part and part not in ("train", "op", "optimizer", "opt", "step", "ops", "training",
                                     "solver", "update", "apply", "gradients", "optim", "minimize")
        ]
        words += parts
    return "_".join(words) if words and all(w.isidentifier() for w in words) else ""


def _wrapped(text: str, width: int, unit: str) -> list[str]:
    """A statement's text on several lines if it is longer than `width`."""
    if len(text) <= width or "\n" in text:
        return text.split("\n")
    try:
        statement = ast.parse(text).body[0]
    except SyntaxError:
        return [text]
    calls = [
        node for node in ast.walk(statement)
        if isinstance(node, ast.Call) and (node.args or node.keywords)
        and isinstance(node.func, ast.Name)
    ]
    if not calls:
        return [text]
    call = max(calls, key=lambda node: (node.end_col_offset or 0) - node.col_offset)
    parts = [*call.args, *(a for a in call.keywords)]
    parts.sort(key=lambda node: node.col_offset)
    start = parts[0].col_offset
    end = parts[-1].end_col_offset or 0
    if isinstance(parts[-1], ast.Starred):
        end = parts[-1].end_col_offset or end
    inner = unit if len(unit) == 4 else unit * 2
    pieces = [text[start:end]]
    if len(pieces[0]) + len(inner) > width:
        pieces = [
            text[p.col_offset : p.end_col_offset] + ("," if p is not parts[-1] else "")
            for p in parts
        ]
    return [text[:start].rstrip(), *(inner + piece for piece in pieces[:-1]),
            inner + pieces[-1] + text[end:].lstrip()]

"""Makes functions of run sites: the slice behind the fetches, parameters, outputs."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from functools import cached_property

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import RESOURCES, SUMMARIES, backward_slice, statement_flow
from migrator.analysis.program_items import KEEP, LAZY, TRACE, Item, Obstacle
from migrator.transforms.sessions.planning.function_names import name_candidates
from migrator.transforms.sessions.reading.default_names import DefaultNames
from migrator.transforms.sessions.reading.fetches import FetchReader
from migrator.transforms.sessions.reading.summary_steps import counted_by
from migrator.transforms.sessions.reading.unfed import reaches_fetches
from migrator.transforms.sessions.records import Leaf, Note, Site
from migrator.transforms.sessions.step import Parameter, StepFunction
from migrator.transforms.sessions.writing.functions import FunctionWriter
from migrator.transforms.sessions.writing.reports import is_print
from migrator.transforms.sessions.xla import ADVICE, CODE


class Slicer(FetchReader):
    """Finds or makes the function for each site."""

    def _assign_function(self, site: Site) -> None:
        summaries = None
        for leaf in site.leaves:
            if leaf.value.kind in (k.MERGED, k.SUMMARY):
                summaries = self._summaries(site, leaf) or summaries
                leaf.used = False
        site.summaries = summaries
        if self._direct(site):
            return
        self._refuse_lost_effects(site)
        feeds = self._read_from(site, self._fed(site))
        self._mark_idle(site)
        wanted: set[str] = set()
        for leaf in site.leaves:
            if not leaf.idle:
                wanted |= self._read_by(leaf)
        if (self.monitor or self.looped) and any(leaf.value.kind == k.TRAIN for leaf in site.leaves):
            wanted.add(SUMMARIES)  # the loop writes the summaries of its steps
        if site.run.style == "evaluate":
            wanted.add(SUMMARIES)
        fed = {name for name, _ in feeds}
        self._refuse_made_elsewhere(site, fed)
        self._refuse_made_anew(site, wanted - fed)
        self._refuse_bound_again(site, fed)
        items = [
            item for item in self.items
            if item.role in (TRACE, LAZY) and not (item.flow.defines & fed)
        ]
        chosen, _ = backward_slice(items, wanted - fed)
        unfed = self._unfed(site, wanted, chosen)
        chosen = self._with_makers(site, items, chosen)
        chosen = self._with_riders(items, chosen)
        self._refuse_keras([*(item.stmt for item in chosen), *(leaf.expr for leaf in site.leaves)])
        constants = self._constants(feeds)
        if constants and self._conditional(chosen):  # tf.cond refuses Python bools
            constants = {
                name: f"{self.style.tf}.constant({text})" for name, text in constants.items()
            }
        if site.run.passes_feed:
            self._inline_feed(site, constants)
        key = self._key(site, feeds, constants)
        function = next((f for f in self.shared.functions if f.key == key), None)
        if function is None:
            function = self._make_function(site, chosen, feeds, constants)
            function.key = key
            for item in unfed:
                self._without_value(item, function)
            self._compile(site, function)
            self.functions.append(function)
            self.shared.functions.append(function)
        site.function = function
        if function.element is not None:
            self._refuse_unfed_handle(site, function.element)
        for name, expr in feeds:
            if name not in constants:
                site.arguments[name] = self.source.edited(expr, self._fed_edits(name, expr))

    def _refuse_made_elsewhere(self, site: Site, fed: set[str]) -> None:
        """``{net.x: a}`` feeds a tensor that an object was given or made: what the step builds of the object
        does not read the step's parameter."""
        made = set().union(*(item.flow.defines for item in self.items)) if fed else set()
        for name in sorted(fed - made):
            raise Obstacle(site.run.call, f"the fed {name} is not made here",
                           "feed a placeholder by the name that it was given where it was made")

    def _refuse_made_anew(self, site: Site, wanted: set[str]) -> None:
        """``for n in range(3): sess.run(f(n))`` fetches another tensor in each round: a step that reads the
        number is traced with the first one."""
        assert site.run.item is not None
        loops = [loop for loop in site.run.item.parents if isinstance(loop, (ast.For, ast.AsyncFor))]
        turning = {node.id for loop in loops for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
        calls = [leaf for leaf in site.leaves if isinstance(leaf.expr, ast.Call)]
        made = set().union(*map(self._read_by, calls))
        for name in sorted(turning & wanted & made):
            raise Obstacle(site.run.call, f"what is fetched is made of {name}, which the loop changes",
                           "make a placeholder of it, ahead of the loop")

    def _refuse_bound_again(self, site: Site, fed: set[str]) -> None:
        """What is fed is the tensor that its name stands for where it is run, not all that it stood for."""
        for name in fed:
            bound = [item for item in self.items if name in item.flow.defines and not (
                isinstance(item.stmt, ast.Assign) and isinstance(item.stmt.value, ast.Constant))]
            if len(bound) > 1:
                raise Obstacle(site.run.call, f"the fed {name} is bound more than once",
                               "use one name for each tensor")

    def _key(
        self, site: Site, feeds: list[tuple[str, ast.expr]], constants: dict[str, str]
    ) -> tuple[object, ...]:
        fetched = tuple(ast.unparse(leaf.expr) for leaf in site.leaves if leaf.used)
        effects = tuple(ast.unparse(leaf.expr) for leaf in site.leaves if not leaf.has_value)
        if not any(leaf.used and leaf.has_value for leaf in site.leaves):
            fetched = tuple(ast.unparse(leaf.expr) for leaf in site.leaves)
        s = site.summaries
        writer: tuple[object, ...] = () if s is None else (
            s.writer, s.condition if s.tested else bool(s.condition))
        return (
            fetched, effects, tuple(sorted(name for name, _ in feeds)),
            tuple(sorted(constants.items())), writer, site.form == "dict",
        )

    def _direct(self, site: Site) -> bool:
        """Values that need no function: variables, rates, and ops without inputs that run once."""
        if site.run.feeds or site.run.passes_feed:
            return False
        direct = all(
            leaf.value.kind in (k.VARIABLE, k.SCHEDULE)
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
        fed = {name for other in self.program.run_sites() for name, _ in other.feeds}
        if any(item.flow.defines & fed for item in chosen):
            return False  # another run gives it another value
        for item in chosen:
            item.role = KEEP
        return True

    def _depends_on_graph(self, node: ast.expr) -> bool:
        for name in statement_flow(node, self.program.owner).uses:
            found = self.program._lookup(name)
            if found is not None and found.kind not in (k.VARIABLE, k.PY):
                return True
        return False

    def _unfed(self, site: Site, wanted: set[str], chosen: list[Item]) -> list[Item]:
        """The placeholders of a slice that the run does not feed and does not need."""
        found = [
            item for item in chosen if item.kind == k.PLACEHOLDER and not self._has_default(item)
        ]
        for item in found:
            if self.style.xla or reaches_fetches(item, chosen, wanted, self.program.expressions):
                raise Obstacle(
                    site.run.call,
                    f"the run depends on the placeholder {item.target or '?'}, which it "
                    "does not feed", "feed every placeholder that the fetched values need",
                )
        return found

    def _without_value(self, item: Item, function: StepFunction) -> None:
        """Give what a step builds a tensor that has no value for a placeholder."""
        parameter = self._parameter(item.target or "")
        if not parameter.spec or "Sparse" in parameter.spec:
            raise Obstacle(item.stmt, f"the dtype of {item.target} is not known", "give it one")
        function.unfed[id(item)] = f"{self.support.unfed()}({parameter.spec})"

    def _with_makers(self, site: Site, items: list[Item], chosen: list[Item]) -> list[Item]:
        """Default names count what was built before: earlier makers of variables come along."""
        own = [item for item in chosen if self._uses_store(item)]
        if not own:
            return chosen
        makers = [item for item in items if self._uses_store(item)]
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

    @cached_property
    def _by_default(self) -> DefaultNames:
        program = self.program
        return DefaultNames(program.names, program.expressions.function, self._uses_store_expr)

    def _default_names(self, item: Item) -> bool:
        owner = None if self.whole is None else self.whole.node
        return self._by_default.among(item.stmt, owner)

    def _with_riders(self, items: list[Item], chosen: list[Item]) -> list[Item]:
        """Statements without a result (prints, shape assertions) ride along with what they read; what is
        printed while a graph is built stays with the first function, or it would be printed for each."""
        kept = set(map(id, chosen))
        defined = set().union(*(item.flow.defines for item in chosen)) if chosen else set()
        traced_names = {n for item in items for n in item.flow.defines}
        told = {id(item) for other in self.shared.functions for item in other.items}
        result = []
        for item in items:
            prints = is_print(item.stmt, self.program)
            if id(item) in kept:
                result.append(item)
            elif prints and id(item) in told:
                continue
            elif prints and not isinstance(item.stmt, ast.Expr) or (
                isinstance(item.stmt, ast.Expr)
                and item.kind in (k.TENSOR, k.OP)
                and not item.flow.mutates & RESOURCES
            ):
                read = item.flow.uses & traced_names - item.flow.defines
                if read and read <= defined:
                    result.append(item)
        return result

    def _make_function(
        self, site: Site, chosen: list[Item], feeds: list[tuple[str, ast.expr]],
        constants: dict[str, str],
    ) -> StepFunction:
        trains = any(item.kind == k.TRAIN for item in chosen)
        outputs = [leaf for leaf in site.leaves if leaf.used and leaf.has_value]
        function = StepFunction(
            self.names.fresh(*name_candidates(site, trains, outputs)), chosen, trains=trains,
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
            ast.unparse(leaf.expr) for leaf in site.leaves
            if (not leaf.has_value or not leaf.used) and not leaf.idle
            if leaf.value.kind not in (k.TRAIN, k.MERGED, k.SUMMARY)
        ]
        if site.run.style == "evaluate":  # what it reads has been computed; nothing else happens
            function.effects = []
        function.keys = [leaf.key for leaf in outputs] if site.form == "dict" else []
        function.outputs = [self._output(leaf, function) for leaf in outputs]
        function.layers = any(self._uses_store(item) for item in chosen) or any(
            self._uses_store_expr(leaf.expr) for leaf in site.leaves
        )
        for parameter in function.parameters if function.layers else ():
            if parameter.computed:  # layers must see the shape that it is given
                parameter.spec = ""
        return function

    def _compile(self, site: Site, function: StepFunction) -> None:
        """Have XLA compile a step, if that is wanted and it can; else say what is in the way."""
        if self.style.xla is None:
            return
        tensors = [item.stmt for item in self.items if item.kind == k.PLACEHOLDER and (
            item.target in {p.name for p in function.parameters})]
        refusal = self.style.xla.refused(
            [*tensors, *(item.stmt for item in function.items), *(leaf.expr for leaf in site.leaves)],
            writes=function.summaries is not None or self.looped)
        function.compiled = refusal is None
        if refusal is not None:
            self.notes.append(Note(CODE, site.run.call, refusal.message, advice=ADVICE))

    def _function_writer(self) -> FunctionWriter:
        return FunctionWriter(self.source, self.style, self.renames, self.decisions.edits)

    def _output(self, leaf: Leaf, function: StepFunction) -> str:
        text = " ".join(self._function_writer()._edited(leaf.expr, function).split())
        if leaf.value.kind != k.SCHEDULE or not function.trains:
            return text
        name = f"current_{text.rpartition('.')[2].strip('_()')}"  # the rate of this update
        if not name.isidentifier():
            raise Obstacle(leaf.expr, "a schedule is fetched that has no name", "give it a name")
        function.early.append(f"{name} = {self.style.tf}.convert_to_tensor({text})")
        return name

    def _summary_parameters(self, function: StepFunction, site: Site) -> None:
        s = site.summaries
        assert s is not None
        taken = {p.name for p in function.parameters} | {
            n for item in function.items for n in item.flow.defines | item.flow.uses
        }
        s.step_name = "step" if "step" not in taken else "summary_step"
        tf = self.style.tf
        if s.counted is not None:
            ahead = counted_by(function.items, ast.unparse(s.counted))
            text = self._function_writer()._edited(s.counted, function)
            read = f"{tf}.cast({text}, {tf}.int64)"
            function.summaries = replace(
                s, step=f"{read} + {ahead}" if ahead else read,
                condition=re.sub(rf"\b{re.escape(s.step)}\b", s.step_name, s.condition)
                if s.tested else s.condition,
            )
        else:
            function.parameters.append(
                Parameter(s.step_name, f"{tf}.TensorSpec([], {tf}.int64)", "the summaries' step")
            )
            function.summaries = replace(s)
        if s.condition and not s.tested:
            function.parameters.append(
                Parameter(s.condition_name, f"{tf}.TensorSpec([], {tf}.bool)",
                          "whether to write summaries")
            )

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
            structure = self._structure(base)
            if structure is not None or base.source in self.fed_iterators:
                d.dropped.add(id(item.stmt))
                return structure or "", base.source
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
        kind = "eval" if self.evaluates else "train"
        dataset = self.names.fresh("dataset", f"{kind}_dataset", "input_dataset")
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

"""What is run with several feeds, with none, or only works in a graph becomes a local function."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import libcst as cst

from migrator.engine.cst_walk import exchanged, only, own_calls
from migrator.transforms import _flow as flow
from migrator.transforms.eager.feeds import FeedPlanner
from migrator.transforms.eager.units import Placeholder, Run, Unit, Unsupported

# Graph functions that eager TensorFlow refuses; inside tf.function they work.
_TRACED_ONLY = frozenset({"tensorflow.gradients", "tensorflow.hessians"})
VARIABLES = frozenset({"tensorflow.Variable", "tensorflow.get_variable"})


class FunctionPlanner(FeedPlanner):
    """Writes local functions of placeholders."""

    def _local_functions(
        self,
        runs: list[Run],
        keys: set[str],
        fed: dict[str, list[tuple[Run, cst.BaseExpression]]],
    ) -> None:
        by_fetch: dict[str, list[Run]] = {}
        for run in runs:
            by_fetch.setdefault("".join(flow.code_of(run.fetches).split()), []).append(run)
        used: set[int] = set()
        for group in by_fetch.values():
            used |= self._local_function(group, keys, fed)
        gone = {name for unit in self.body.units if id(unit.node) in used for name in unit.writes}
        for unit in self._dependents(keys, len(self.body.units)):
            if id(unit.node) not in used and unit.reads & gone:
                raise Unsupported(
                    unit.node,
                    "the graph is used outside of its runs",
                    "build the graph in a function and call it with the fed values",
                )
        self.plan.dropped |= used

    def _local_function(
        self,
        runs: list[Run],
        keys: set[str],
        fed: dict[str, list[tuple[Run, cst.BaseExpression]]],
    ) -> set[int]:
        first = runs[0]
        units = self._dependents(keys, first.unit.order)
        needed = self._backward(first.fetches, units)
        asserted = [u for u in units if u not in needed and "assert" in flow.code_of(u.node)]
        chosen = self._ordered([*needed, *asserted])
        parameters = [
            self.body.placeholders[key]
            for key in sorted(keys, key=lambda k: self.body.placeholders[k].unit.order)
            if self.body.placeholders[key].unit in needed
            or any(key in u.reads for u in chosen)
            or key in flow.reads(first.fetches)
        ]
        holders = {id(holder.unit.node) for holder in parameters}
        inner = [self._rendered(u) for u in chosen if id(u.node) not in holders]
        if any(not key.isidentifier() for key in (p.key for p in parameters)):
            raise Unsupported(
                first.call,
                "a placeholder kept in an attribute is fed differently by several runs",
                "build the graph in a method that takes the fed values",
            )
        name = self._function_name(first.fetches)
        written = {name for unit in chosen for name in unit.writes}
        last = max((u.order for u in units), default=-1)
        between = [
            u
            for u in self.body.units
            if min((x.order for x in chosen), default=last) < u.order < first.unit.order
            and u not in units
            and id(u.node) not in self.plan.dropped
            and u.reads & (written | keys)
        ]
        if between:
            raise Unsupported(
                between[0].node,
                "the graph is used outside of its runs",
                "build the graph in a function and call it with the fed values",
            )
        start = min((u.order for u in chosen if self._makes_tensors(u)), default=first.unit.order)
        for unit in self.body.units:
            if start < unit.order < first.unit.order and unit not in chosen:
                self._refuse_graph_state(unit.node)
        self._refuse_later_uses(first, chosen, units, written - keys)
        fetches = exchanged(first.fetches, self._inner)
        if not all(run.is_statement and not run.expects_error for run in runs):
            inner.append(cst.SimpleStatementLine([cst.Return(fetches)]))  # type: ignore
        elif not inner or flow.key_of(first.fetches) is None:  # it may be no tensor but an operation
            inner.append(cst.SimpleStatementLine([cst.Expr(fetches)]))  # type: ignore
        function = self._function(name, parameters, inner)
        at = max(
            (u for u in [*chosen, *(p.unit for p in parameters)]), key=lambda u: u.order
        )
        self.plan.functions.setdefault(id(self._anchor(at).node), []).append(function)
        for run in runs:
            values = []
            for holder in parameters:
                value = next((v for r, v in fed.get(holder.key, []) if r is run), None)
                if value is None:
                    if holder.default is None:
                        raise Unsupported(
                            run.call,
                            f"{holder.key} is fed in one run and not in another",
                            "build one function for each kind of run",
                        )
                    value = holder.default
                values.append(self._tensor(holder, value))
            self.plan.expressions[id(run.fetches)] = flow.call(cst.Name(name), *values)
        return {id(u.node) for u in [*chosen, *(p.unit for p in parameters)]}

    def _refuse_later_uses(
        self, run: Run, chosen: list[Unit], units: list[Unit], names: set[str]
    ) -> None:
        """What moves into a function is not there any more for the statements after the run."""
        runs = {id(r.unit.node) for r in self.body.runs if r.feeds}
        again: set[str] = set()
        for unit in self.body.units:
            if unit.order <= run.unit.order or unit in units or id(unit.node) in self.plan.dropped:
                continue
            if id(unit.node) not in runs and unit.reads & (names - again):
                raise Unsupported(
                    unit.node,
                    "the graph is used outside of its runs",
                    "build the graph in a function and call it with the fed values",
                )
            again |= unit.writes

    def _function(
        self, name: str, parameters: list[Placeholder], statements: Sequence[cst.BaseStatement]
    ) -> cst.FunctionDef:
        """A tf.function with the placeholders' signature."""
        specs = ", ".join(self._spec(holder) for holder in parameters)
        decorator = f"@{self._tf_name(parameters[0])}.function(input_signature=[{specs}])"
        return flow.function(decorator, name, [p.key for p in parameters], statements)

    def _unfed(self, fed: dict[str, list[tuple[Run, cst.BaseExpression]]]) -> None:
        unfed = {key for key in self.body.placeholders if key not in fed}
        unknown = set()
        for key in unfed:
            holder = self.body.placeholders[key]
            if holder.default is not None:
                self.plan.expressions[id(holder.call)] = flow.call(
                    self._tf(holder, "convert_to_tensor"), holder.default
                )
            elif holder.static and holder.dtype is not None and holder.shape is not None:
                self.plan.expressions[id(holder.call)] = flow.call(
                    self._tf(holder, "zeros"), holder.shape, holder.dtype
                )
            else:
                unknown.add(key)
        if unknown:
            self._trace(unknown)

    def _trace(self, keys: set[str]) -> None:
        """What no run computes is traced once, for its static shapes and errors."""
        units = self._dependents(keys, len(self.body.units) + 1)
        run_units = {id(run.unit.node) for run in self.body.runs}
        wanted = {name for unit in units for name in unit.writes}
        holders = {id(self.body.placeholders[key].unit.node) for key in keys}
        for run in self.body.runs:
            if flow.reads(run.unit.node) & (wanted | keys):
                raise Unsupported(
                    run.call,
                    "a run needs a placeholder that it does not feed",
                    "pass its value as an argument",
                )
        chosen = self._ordered(units)
        inner = [u for u in chosen if id(u.node) not in holders]
        if not inner:
            for unit in chosen:
                self.plan.dropped.add(id(unit.node))
            return
        if any(id(u.node) in run_units for u in inner):
            raise Unsupported(inner[0].node, "a traced part runs", "run it apart")
        path = inner[0].path
        if any(u.path != path for u in inner):
            path = min((u.path for u in chosen), key=len)
            if any(u.path != path for u in inner):
                raise Unsupported(
                    inner[0].node,
                    "a placeholder without value is used in several blocks",
                    "trace the part with tf.function",
                )
        for unit in inner:
            self._check_movable(unit, inner[-1], chosen)
        parameters = [
            self.body.placeholders[key]
            for key in sorted(keys, key=lambda k: self.body.placeholders[k].unit.order)
        ]
        if any(not p.key.isidentifier() for p in parameters):
            raise Unsupported(
                parameters[0].call,
                "a placeholder kept in an attribute is never fed here",
                "build the graph in a method that takes the fed values",
            )
        name = self._fresh("build")
        self._used_functions.add(name)
        function = self._function(name, parameters, [self._rendered(u) for u in inner])
        call = flow.line(f"{name}.get_concrete_function()")
        anchor = self._anchor(inner[-1])
        self.plan.functions.setdefault(id(anchor.node), []).extend([function, call])
        for unit in chosen:
            self.plan.dropped.add(id(unit.node))

    def _trace_gradients(self, runs: list[Run]) -> None:
        """Symbolic gradients without any feed: the run's part of the graph is traced."""
        for unit in self._traced_only():
            if id(unit.node) in self.plan.dropped:
                continue
            users = [r for r in runs if flow.reads(r.fetches) & unit.writes]
            if len(users) != 1 or users[0].feeds:
                raise Unsupported(
                    unit.node,
                    "tf.gradients is not computed by exactly one run",
                    "compute the gradients with tf.GradientTape",
                )
            run = users[0]
            chosen = self._graph_of_gradients(unit, run)
            later = {name for u in self.body.units if u not in chosen and u is not run.unit
                     and u.order > chosen[0].order for name in u.reads}
            chosen_names = {name for u in chosen for name in u.writes}
            if chosen_names & later:
                raise Unsupported(
                    unit.node,
                    "what tf.gradients was computed from is used elsewhere too",
                    "compute the gradients with tf.GradientTape",
                )
            name = self._function_name(run.fetches)
            tf = self.body.ctx.require_import("tensorflow", None, "tf")
            result = cst.SimpleStatementLine([cst.Return(run.fetches)])
            statements = [*(self._rendered(u) for u in chosen), result]
            function = flow.function(f"@{tf}.function", name, [], statements)
            self.plan.functions.setdefault(id(chosen[-1].node), []).append(function)
            self.plan.dropped |= {id(u.node) for u in chosen}
            self.plan.expressions[id(run.fetches)] = flow.call(cst.Name(name))

    def _graph_of_gradients(self, unit: Unit, run: Run) -> list[Unit]:
        """What a run of symbolic gradients computes, in order; all of it has to be in one trace.

        Blocks of sessions do not count, they go. Variables stay outside: made in a function, they
        would be made anew by its second trace.
        """
        place = self._without_sessions(unit)
        wanted = flow.reads(run.fetches)
        chosen: list[Unit] = []
        for other in reversed(self.body.units[: run.unit.order]):
            for block in unit.path:
                # What a loop's head binds comes from what the head reads.
                if isinstance(block, cst.For) and not wanted.isdisjoint(
                    key for name in flow.bound_names(block.target) if (key := flow.key_of(name))
                ):
                    wanted |= flow.reads(block.iter)
            if id(other.node) in self.plan.dropped or not other.writes & wanted:
                continue
            if self._makes_variables(other):
                continue
            if self._without_sessions(other) == place:
                chosen.append(other)
                wanted |= other.reads
            elif self._makes_tensors(other):
                raise Unsupported(
                    unit.node,
                    "tf.gradients is of something that another block computes",
                    "compute both under one tf.GradientTape",
                )
        return self._ordered(chosen)

    def _without_sessions(self, unit: Unit) -> list[cst.BaseStatement]:
        return [block for block in unit.path if id(block) not in self.body.session_withs]

    def _makes_variables(self, unit: Unit) -> bool:
        return any(
            self.body.resolve(node.func) in VARIABLES for node in own_calls(unit.node)
        )

    def _asserts_unknown_shape(self) -> list[Unit]:
        """Units that check a static shape with unknown dimensions."""
        if self._without_shape_checks:
            return []
        found = []
        for unit in self.body.units:
            if not any(name.value == "None" for name in only(flow.walk(unit.node), cst.Name)):
                continue
            if _checks_unknown_shape(flow.code_of(unit.node)):
                found.append(unit)
        return found

    @cached_property
    def _without_shape_checks(self) -> bool:
        """Whether the function's text rules out that it checks an unknown shape."""
        return not _checks_unknown_shape(self.body.text)

    def _traced_only(self) -> list[Unit]:
        """Units with a graph function that eager TensorFlow refuses."""
        return [
            unit
            for unit in self.body.units
            if any(
                self.body.resolve(node.func) in _TRACED_ONLY for node in own_calls(unit.node)
            )
        ]


def _checks_unknown_shape(text: str) -> bool:
    return "assert" in text and "None" in text and "shape" in text.lower()

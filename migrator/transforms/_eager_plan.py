"""Decides, statement by statement, how a function with sessions becomes eager code.

TF1 computed the part of the graph behind a fetch at each run.  So what depends on a placeholder
moves to the run that feeds it; what is run once with values known earlier takes them where the
placeholder was; what is run with several feeds becomes a local function of the placeholders.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import libcst as cst

from migrator.engine.cst_walk import only, own_calls
from migrator.engine.function_context import FunctionContext
from migrator.transforms import _flow as flow
from migrator.transforms._eager_refusals import refuse_questions, refuse_repeated
from migrator.transforms._session_body import (
    EFFECTS,
    Placeholder,
    Run,
    SessionBody,
    Unit,
    Unsupported,
    own_nodes,
)

_GRAPH_STATE = frozenset(
    "tensorflow." + name
    for name in (
        "global_variables trainable_variables local_variables model_variables get_collection "
        "get_default_graph moving_average_variables losses.get_losses losses.get_total_loss "
        "contrib.slim.get_model_variables contrib.slim.get_variables"
    ).split()
)
# Graph functions that eager TensorFlow refuses; inside tf.function they work.
_TRACED_ONLY = frozenset({"tensorflow.gradients", "tensorflow.hessians"})
_NUMPY = ("numpy.", "builtins.", "math.", "six.", "collections.")


@dataclass
class EagerPlan:
    """`dropped` statements, statements put `before` others, and `replaced` expressions, by id."""

    dropped: set[int] = field(default_factory=set)
    before: dict[int, list[cst.BaseStatement]] = field(default_factory=dict)
    expressions: dict[int, cst.CSTNode] = field(default_factory=dict)
    functions: dict[int, list[cst.BaseStatement]] = field(default_factory=dict)

    def put_before(self, unit: Unit, statements: list[cst.BaseStatement]) -> None:
        self.before.setdefault(id(unit.node), []).extend(statements)


class Planner:
    """Fills an EagerPlan for one SessionBody; raises Unsupported."""

    def __init__(self, body: SessionBody) -> None:
        self.body = body
        self.plan = EagerPlan()
        self.names = {name for unit in body.units for name in unit.reads | unit.writes}
        self._used_functions: set[str] = set()
        self._inner: dict[int, cst.CSTNode] = {}

    def make(self) -> EagerPlan:
        body = self.body
        self._name_nested()
        self._drop_initializers()
        real = [run for run in body.runs if not body.is_initializer(run.fetches)]
        fed: dict[str, list[tuple[Run, cst.BaseExpression]]] = {}
        for run in real:
            for key, value in self._feeds_of(run):
                fed.setdefault(key, []).append((run, value))
            for unit in run.feed_units:
                self.plan.dropped.add(id(unit.node))
        for run in real:
            self._other_feed_reads(run)
        self._zipped(real)
        self._early_values(fed)
        groups = self._groups(real, fed)
        for runs in groups:
            self._place(runs, fed)
        self._unfed(fed)
        self._trace_gradients(real)
        for run in real:
            self._effects_and_errors(run, real)
        refuse_questions(self.body, self.plan.dropped)
        return self.plan

    # -- placeholders inside larger expressions

    def _name_nested(self) -> None:
        """Gives placeholders that are written inside an expression a statement of their own."""
        for key, holder in list(self.body.placeholders.items()):
            if not key.startswith("<"):
                continue
            name = self._fresh(_nested_name(holder, self.body))
            self.names.add(name)
            unit = Unit(
                flow.assign(cst.Name(name), holder.call), holder.unit.path, holder.unit.order
            )
            unit.reads, unit.writes = flow.reads(unit.node), {name}
            index = next(i for i, u in enumerate(self.body.units) if u is holder.unit)
            self.body.units.insert(index, unit)
            holder.unit.reads.add(name)
            self._inner[id(holder.call)] = cst.Name(name)
            self.plan.expressions[id(holder.call)] = cst.Name(name)
            del self.body.placeholders[key]
            holder.key, old = name, holder.unit
            holder.unit = unit
            self.body.placeholders[name] = holder
            self._nested_units = getattr(self, "_nested_units", {})
            self._nested_units[id(unit.node)] = old
        for number, unit in enumerate(self.body.units):
            unit.order = number

    def _fresh(self, wanted: str) -> str:
        name, count = wanted, 1
        while name in self.names or name in self._used_functions:
            count += 1
            name = f"{wanted}_{count}"
        return name

    def _anchor(self, unit: Unit) -> Unit:
        """The unit of the source at whose place a named nested placeholder stands."""
        return getattr(self, "_nested_units", {}).get(id(unit.node), unit)

    # -- initializers

    def _drop_initializers(self) -> None:
        body = self.body
        for unit in body.units:
            pair = flow.assigned(unit.node)
            if pair is not None and flow.key_of(pair[0]) in body._init_names() - {""}:
                self.plan.dropped.add(id(unit.node))
        for run in body.runs:
            if body.is_initializer(run.fetches):
                small = flow.simple(run.unit.node)
                if isinstance(small, cst.Expr) and small.value is run.call:
                    self.plan.dropped.add(id(run.unit.node))
                else:
                    raise Unsupported(
                        run.call,
                        "the result of running initializers is used",
                        "drop the run: variables are initialised when they are made",
                    )
            elif isinstance(run.fetches, (cst.List, cst.Tuple)):
                kept = [e for e in run.fetches.elements if not body.is_initializer(e.value)]
                if len(kept) != len(run.fetches.elements):
                    small = flow.simple(run.unit.node)
                    if not isinstance(small, cst.Expr):
                        raise Unsupported(
                            run.call,
                            "initializers are fetched together with values that are used",
                            "fetch them apart",
                        )

    # -- feeds

    def _feeds_of(self, run: Run) -> list[tuple[str, cst.BaseExpression]]:
        found = []
        for key_node, value in run.feeds:
            key = flow.key_of(key_node)
            if key is None or key not in self.body.placeholders:
                inner = self._by_expression(key_node)
                if inner is None:
                    raise Unsupported(
                        key_node,
                        "something that is no placeholder of this function is fed",
                        "make it a parameter of the function that builds the graph",
                    )
                key = inner
            found.append((key, value))
        return found

    def _other_feed_reads(self, run: Run) -> None:
        """``feed[x]`` outside of the run is the value that the placeholder `x` stands for now."""
        keys = {name for unit in run.feed_units for name in unit.writes}
        run_units = {id(r.unit.node) for r in self.body.runs}
        for unit in self.body.units:
            if id(unit.node) in self.plan.dropped or not unit.reads & keys:
                continue
            looked_up: set[int] = set()
            for node in own_nodes(unit.node):
                if (
                    isinstance(node, cst.Subscript)
                    and flow.key_of(node.value) in keys
                    and len(node.slice) == 1
                    and isinstance(node.slice[0].slice, cst.Index)
                    and flow.key_of(node.slice[0].slice.value) in self.body.placeholders
                ):
                    name = node.slice[0].slice.value
                    self._inner[id(node)] = self.plan.expressions[id(node)] = name
                    looked_up.add(id(node.value))
            for node in own_nodes(unit.node):
                if not isinstance(node, (cst.Name, cst.Attribute)) or id(node) in looked_up:
                    continue
                if flow.key_of(node) in keys and id(unit.node) not in run_units:
                    raise Unsupported(
                        node,
                        "the feed is used for more than feeding",
                        "pass the fed values as arguments of a function",
                    )

    def _by_expression(self, node: cst.BaseExpression) -> str | None:
        """The nested placeholder that ``container[key]`` stands for."""
        if not (
            isinstance(node, cst.Subscript)
            and len(node.slice) == 1
            and isinstance(node.slice[0].slice, cst.Index)
        ):
            return None
        wanted = node.slice[0].slice.value
        container = flow.key_of(node.value)
        for unit in self.body.units:
            pair = flow.assigned(unit.node)
            if pair is None:
                continue
            if flow.key_of(pair[0]) == container and isinstance(pair[1], cst.Dict):
                for element in pair[1].elements:
                    if isinstance(element, cst.DictElement) and flow.equal(element.key, wanted):
                        name = self._inner.get(id(element.value))
                        if isinstance(name, cst.Name):
                            return name.value
            elif isinstance(pair[0], cst.Subscript) and flow.equal(pair[0], node):
                name = self._inner.get(id(pair[1]))
                if isinstance(name, cst.Name):
                    return name.value
        return None

    def _zipped(self, runs: list[Run]) -> None:
        """``placeholders = [placeholder(...) for v in inputs]`` fed by ``zip(placeholders, inputs)``
        becomes the list of the values as tensors."""
        for run in runs:
            if run.zipped is None:
                continue
            names, values = run.zipped
            for key, holder in list(self.body.placeholders.items()):
                pair = flow.assigned(self._anchor(holder.unit).node)
                if pair is None or flow.key_of(pair[0]) != names:
                    continue
                comp = pair[1]
                if not (isinstance(comp, cst.ListComp) and comp.elt is holder.call):
                    continue
                source, item = flow.key_of(comp.for_in.iter), comp.for_in.target
                if source != values or comp.for_in.ifs or not isinstance(item, cst.Name):
                    continue
                self.plan.expressions[id(holder.call)] = self._tensor(holder, item)
                self.body.units = [u for u in self.body.units if u is not holder.unit]
                del self.body.placeholders[key]
                self._trace_handed(names)
                break
            else:
                raise Unsupported(
                    run.call,
                    f"the placeholders in {names} are not made from {values}",
                    "call the graph function with the values themselves",
                )

    def _trace_handed(self, names: str) -> None:
        """A function that was handed in and is called with all the placeholders builds a graph:
        it is traced, so that it sees the static shapes and the names that it saw in TF 1."""
        parameters = {
            node.name.value
            for node in flow.walk(self.body.function.params)
            if isinstance(node, cst.Param)
        }
        for node in flow.walk(self.body.function.body):
            if not (isinstance(node, cst.Call) and isinstance(node.func, cst.Name)):
                continue
            if node.func.value in parameters and any(
                arg.star == "*" and flow.key_of(arg.value) == names for arg in node.args
            ):
                self.plan.expressions[id(node.func)] = flow.call(
                    self.body.ctx.support_expr("testing.traced"), node.func
                )

    def _tensor(self, holder: Placeholder, value: cst.BaseExpression) -> cst.BaseExpression:
        value = value.deep_clone()
        if holder.dtype is None:
            return flow.call(self._tf(holder, "convert_to_tensor"), value)
        return flow.call(self._tf(holder, "constant"), value, holder.dtype.deep_clone())

    def _tf(self, holder: Placeholder, name: str) -> cst.BaseExpression:
        func = holder.call.func
        if isinstance(func, cst.Attribute):
            return cst.Attribute(func.value.deep_clone(), cst.Name(name))  # type: ignore[arg-type]
        return cst.parse_expression(f"{self.body.ctx.require_import('tensorflow', None, 'tf')}.{name}")

    # -- a placeholder with one value that is known where it stands

    def _early_values(self, fed: dict[str, list[tuple[Run, cst.BaseExpression]]]) -> None:
        self.early: set[str] = set()
        if any(self._asserts_unknown_shape()) or self._traced_only():
            return
        for key, uses in fed.items():
            holder = self.body.placeholders[key]
            value = uses[0][1]
            if any(not flow.equal(value, other) for _, other in uses[1:]):
                continue
            if any(run.expects_error for run, _ in uses):
                continue
            if not self._available(value, holder.unit):
                continue
            if self._anchor(holder.unit).path != holder.unit.path:
                continue
            self.early.add(key)
        # Either all placeholders of a run take their values early or none does.
        changed = True
        while changed:
            changed = False
            for uses in fed.values():
                for run, _ in uses:
                    keys = {key for key, us in fed.items() if any(r is run for r, _ in us)}
                    if keys & self.early and not keys <= self.early:
                        self.early -= keys
                        changed = True
        for key in self.early:
            holder = self.body.placeholders[key]
            tensor = self._tensor(holder, fed[key][0][1])
            anchor = self._anchor(holder.unit)
            if anchor is holder.unit:
                self.plan.expressions[id(holder.call)] = tensor
            else:
                self.plan.expressions[id(holder.call)] = tensor

    def _available(self, value: cst.BaseExpression, at: Unit) -> bool:
        """Whether `value` can be computed at the unit `at` with the same result."""
        wanted = flow.reads(value)
        for unit in self.body.units:
            if unit.order >= at.order and unit.writes & wanted:
                return False
            if unit.order < at.order and unit.writes & wanted and not unit.encloses(at):
                return False
        parameters = {
            node.name.value
            for node in flow.walk(self.body.function.params)
            if isinstance(node, cst.Param)
        }
        local = {name for unit in self.body.units for name in unit.writes}
        before = {
            name for unit in self.body.units if unit.order < at.order for name in unit.writes
        }
        for name in wanted:
            if name in local and name not in before and name not in parameters:
                return False
            if not name.startswith(("self.", "cls.")) and name not in local | parameters:
                if self._bound_in_block(name, at):
                    continue
        return not any(
            self.body.run_parts(node) for node in only(flow.walk(value), cst.Call)
        )

    def _bound_in_block(self, name: str, at: Unit) -> bool:
        return True

    def _asserts_unknown_shape(self) -> list[Unit]:
        """Units that check a static shape with unknown dimensions."""
        if self._without_shape_checks:
            return []
        found = []
        for unit in self.body.units:
            if not any(name.value == "None" for name in only(flow.walk(unit.node), cst.Name)):
                continue
            text = flow.code_of(unit.node)
            if "assert" in text and "None" in text and "shape" in text.lower():
                found.append(unit)
        return found

    @cached_property
    def _without_shape_checks(self) -> bool:
        """Whether the function's text rules out that it checks an unknown shape."""
        ctx = self.body.ctx
        if isinstance(ctx, FunctionContext):
            text = ctx.source
        else:
            text = flow.code_of(self.body.function)
        return not ("assert" in text and "None" in text and "shape" in text.lower())

    def _traced_only(self) -> list[Unit]:
        """Units with a graph function that eager TensorFlow refuses."""
        return [
            unit
            for unit in self.body.units
            if any(
                self.body.resolve(node.func) in _TRACED_ONLY for node in own_calls(unit.node)
            )
        ]

    # -- moving what depends on placeholders to the run

    def _groups(
        self, runs: list[Run], fed: dict[str, list[tuple[Run, cst.BaseExpression]]]
    ) -> list[list[Run]]:
        """Runs that share placeholders which still need a place."""
        groups: list[tuple[set[str], list[Run]]] = []
        for run in runs:
            keys = {
                key
                for key, uses in fed.items()
                if key not in self.early and any(r is run for r, _ in uses)
            }
            if not keys:
                continue
            joined = [group for group in groups if group[0] & keys]
            merged = (keys.union(*(g[0] for g in joined)), [r for g in joined for r in g[1]] + [run])
            groups = [g for g in groups if g not in joined] + [merged]
        return [group[1] for group in groups]

    def _dependents(self, keys: set[str], last: int) -> list[Unit]:
        """Units that depend on `keys` before unit number `last`, in order."""
        tainted = set(keys)
        holders = {id(self.body.placeholders[key].unit.node) for key in keys}
        run_units = {id(run.unit.node) for run in self.body.runs}
        found = []
        for unit in self.body.units:
            if id(unit.node) in holders:
                found.append(unit)
                continue
            if id(unit.node) in self.plan.dropped or unit.order >= last:
                continue
            if unit.reads & tainted and id(unit.node) not in run_units:
                found.append(unit)
                tainted |= unit.writes
        return found

    def _place(self, runs: list[Run], fed: dict[str, list[tuple[Run, cst.BaseExpression]]]) -> None:
        keys = {
            key
            for key, uses in fed.items()
            if key not in self.early and any(r in runs for r, _ in uses)
        }
        first = runs[0]
        same = all(
            all(flow.equal(value, uses[0][1]) for _, value in uses)
            and len(uses) == len(runs)
            for key, uses in fed.items()
            if key in keys
        )
        unknown = list(self._asserts_unknown_shape())
        moved = self._dependents(keys, first.unit.order)
        traced = any(unit in moved for unit in [*unknown, *self._traced_only()])
        all_inside = all(first.unit.encloses(run.unit) for run in runs)
        if same and all_inside and not traced:
            self._sink(moved, first, keys, fed)
            return
        self._local_functions(runs, keys, fed)

    def _sink(
        self,
        moved: list[Unit],
        run: Run,
        keys: set[str],
        fed: dict[str, list[tuple[Run, cst.BaseExpression]]],
    ) -> None:
        statements: list[cst.BaseStatement] = []
        holders = {id(self.body.placeholders[key].unit.node): key for key in keys}
        for unit in self._ordered(moved):
            self._check_movable(unit, run.unit, moved)
            key = holders.get(id(unit.node))
            if key is not None:
                holder = self.body.placeholders[key]
                value = next(value for r, value in fed[key] if r is run)
                target = flow.assigned(unit.node)
                assert target is not None
                made = flow.assign(target[0], self._tensor(holder, value))
                if isinstance(unit.node, cst.SimpleStatementLine):
                    made = made.with_changes(
                        leading_lines=_comments(unit.node),
                        trailing_whitespace=unit.node.trailing_whitespace,
                    )
                statements.append(made)
            else:
                statements.append(self._rendered(unit))
            self.plan.dropped.add(id(unit.node))
        self.plan.put_before(run.unit, statements)

    def _ordered(self, moved: list[Unit]) -> list[Unit]:
        return sorted(moved, key=lambda unit: unit.order)

    def _rendered(self, unit: Unit) -> cst.BaseStatement:
        node = unit.node.visit(flow.Replacer(dict(self._inner)))
        assert isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
        return node.with_changes(leading_lines=_comments(unit.node))

    def _check_movable(self, unit: Unit, to: Unit, moved: list[Unit]) -> None:
        """Nothing between a moved statement and its new place may disturb it."""
        if not unit.encloses(to):
            raise Unsupported(
                unit.node,
                "a placeholder is used in a block that the run is not in",
                "build the graph in a function and call it with the fed values",
            )
        for other in self.body.units:
            if not unit.order < other.order < to.order or other in moved:
                continue
            if id(other.node) in self.plan.dropped:
                continue
            if self._reads_graph_state(other) and self._makes_tensors(unit):
                raise Unsupported(
                    other.node,
                    "collections or variables of the graph are read before the graph is run",
                    "call the graph function on the fed values first, then look at the variables",
                )
            clash = other.writes & (unit.reads | unit.writes)
            if clash:
                raise Unsupported(
                    other.node,
                    f"{sorted(clash)[0]} changes between the graph and its run",
                    "build the graph in a function and call it with the fed values",
                )

    def _reads_graph_state(self, unit: Unit) -> bool:
        return any(
            self.body.resolve(node.func) in _GRAPH_STATE for node in own_calls(unit.node)
        )

    # -- several feeds: a local function of the placeholders

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
        self._refuse_later_uses(first, chosen, units, written - keys)
        specs = ", ".join(self._spec(holder) for holder in parameters)
        tf = self._tf_name(parameters[0])
        function = cst.parse_statement(
            f"@{tf}.function(input_signature=[{specs}])\n"
            f"def {name}({', '.join(p.key for p in parameters)}):\n    pass\n"
        )
        assert isinstance(function, cst.FunctionDef)
        fetches = first.fetches.visit(flow.Replacer(dict(self._inner)))
        if not all(map(_discarded, runs)):
            inner.append(cst.SimpleStatementLine([cst.Return(fetches)]))  # type: ignore
        elif not inner or flow.key_of(first.fetches) is None:  # it may be no tensor but an operation
            inner.append(cst.SimpleStatementLine([cst.Expr(fetches)]))  # type: ignore
        function = function.with_changes(body=cst.IndentedBlock(inner))
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
                values.append(self._cast_value(holder, value))
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

    def _cast_value(self, holder: Placeholder, value: cst.BaseExpression) -> cst.BaseExpression:
        """A value as an argument: the input signature casts lists, arrays need their dtype."""
        return self._tensor(holder, value)

    def _spec(self, holder: Placeholder) -> str:
        tf = self._tf_name(holder)
        shape = flow.code_of(holder.shape) if holder.shape is not None else "None"
        dtype = flow.code_of(holder.dtype) if holder.dtype is not None else None
        if dtype is None:
            assert holder.default is not None
            dtype = f"{tf}.convert_to_tensor({flow.code_of(holder.default)}).dtype"
        return f"{tf}.TensorSpec({shape}, {dtype})"

    def _tf_name(self, holder: Placeholder) -> str:
        func = holder.call.func
        if isinstance(func, cst.Attribute):
            return flow.code_of(func.value)
        return self.body.ctx.require_import("tensorflow", None, "tf")

    def _function_name(self, fetches: cst.BaseExpression) -> str:
        stem = _stem(fetches)
        name = self._fresh(f"compute_{stem}" if stem else "compute")
        self._used_functions.add(name)
        return name

    def _backward(self, fetches: cst.BaseExpression, units: list[Unit]) -> list[Unit]:
        wanted = flow.reads(fetches)
        found: list[Unit] = []
        for unit in sorted(units, key=lambda u: -u.order):
            if unit.writes & wanted:
                found.append(unit)
                wanted |= unit.reads
        return found

    # -- placeholders that no run feeds

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
        tf = self._tf_name(parameters[0])
        specs = ", ".join(self._spec(p) for p in parameters)
        function = cst.parse_statement(
            f"@{tf}.function(input_signature=[{specs}])\n"
            f"def {name}({', '.join(p.key for p in parameters)}):\n    pass\n"
        )
        assert isinstance(function, cst.FunctionDef)
        function = function.with_changes(
            body=cst.IndentedBlock([self._rendered(u) for u in inner])
        )
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
            units = [u for u in self.body.units if u.order < run.unit.order
                     and id(u.node) not in self.plan.dropped]
            chosen = self._ordered(
                [u for u in self._backward(run.fetches, units) if u.path == unit.path]
            )
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
            function = cst.parse_statement(f"@{tf}.function\ndef {name}():\n    pass\n")
            assert isinstance(function, cst.FunctionDef)
            result = cst.SimpleStatementLine([cst.Return(run.fetches)])
            function = function.with_changes(
                body=cst.IndentedBlock([*(self._rendered(u) for u in chosen), result])
            )
            self.plan.functions.setdefault(id(chosen[-1].node), []).append(function)
            self.plan.dropped |= {id(u.node) for u in chosen}
            self.plan.expressions[id(run.fetches)] = flow.call(cst.Name(name))

    # -- updates, iterators, and errors that appear only when something runs

    def _effects_and_errors(self, run: Run, runs: list[Run]) -> None:
        effect = self._effect_units(run)
        for unit in effect:
            sharing = [r for r in runs if r.unit is not run.unit and unit in self._effect_units(r)]
            pair = flow.assigned(unit.node)
            if sharing or run.in_loop:
                if pair is None or not isinstance(pair[0], cst.Name):
                    raise Unsupported(
                        unit.node,
                        "an update that several runs repeat",
                        "make the update a function and call it at each run",
                    )
                if flow.key_of(run.fetches) == pair[0].value:
                    self.plan.expressions[id(run.fetches)] = pair[1]
                    self.plan.dropped.add(id(unit.node))
                    continue
                raise Unsupported(
                    unit.node,
                    "an update that several runs repeat together with other fetches",
                    "make the update a function and call it at each run",
                )
            if id(unit.node) not in self.plan.dropped and unit.encloses(run.unit):
                later = [
                    u
                    for u in self.body.units
                    if unit.order < u.order < run.unit.order and u.reads & unit.writes
                ]
                if not later:
                    self.plan.dropped.add(id(unit.node))
                    self.plan.put_before(run.unit, [self._rendered(unit)])
        if run.expects_error is not None:
            self._move_into_assert(run)
        elif run.in_loop and not run.feeds and not self._repeat(run):
            refuse_repeated(self.body, run, self._backward(run.fetches, self.body.units))

    def _repeat(self, run: Run) -> bool:
        """A run in a loop computed its fetch anew each time: random values, next elements."""
        key = flow.key_of(run.fetches)
        made = [
            u
            for u in self.body.units
            if key in u.writes and u.order < run.unit.order
            and id(u.node) not in self.plan.dropped
        ]
        if key is None or len(made) != 1:
            return False
        unit = made[0]
        pair = flow.assigned(unit.node)
        if pair is None or flow.key_of(pair[0]) != key or not isinstance(pair[1], cst.Call):
            return False
        name = self.body.resolve(pair[1].func) or ""
        if name.startswith(_NUMPY) or name in ("tensorflow.Variable", "tensorflow.get_variable"):
            return False
        if unit.path == run.unit.path or any(
            u.reads & {key} for u in self.body.units if u not in (unit, run.unit)
        ):
            return False
        self._check_movable(unit, run.unit, [unit])
        self.plan.expressions[id(run.fetches)] = pair[1]
        self.plan.dropped.add(id(unit.node))
        return True

    def _effect_units(self, run: Run) -> list[Unit]:
        wanted = flow.reads(run.fetches)
        found = []
        for unit in self.body.units:
            if unit.order >= run.unit.order or not unit.writes & wanted:
                continue
            pair = flow.assigned(unit.node)
            if pair is None or not isinstance(pair[1], cst.Call):
                continue
            func = pair[1].func
            if isinstance(func, cst.Attribute) and func.attr.value in EFFECTS:
                found.append(unit)
        return found

    def _move_into_assert(self, run: Run) -> None:
        """An error of the run is raised where the graph is built now: build it there."""
        units = [
            u
            for u in self.body.units
            if u.order < run.unit.order
            and run.expects_error not in u.path
            and id(u.node) not in self.plan.dropped
            and flow.assigned(u.node) is not None
        ]
        moved: list[Unit] = []
        for unit in sorted(self._backward(run.fetches, units), key=lambda u: -u.order):
            if not self._makes_tensors(unit) or not unit.encloses(run.unit):
                continue
            readers = [
                u
                for u in self.body.units
                if u.reads & unit.writes
                and u is not unit
                and u not in moved
                and u is not run.unit
                and id(u.node) not in self.plan.dropped
            ]
            if readers:
                continue
            moved.append(unit)
        for unit in self._ordered(moved):
            self._check_movable(unit, run.unit, moved)
        if moved:
            rendered = [self._rendered(u) for u in self._ordered(moved)]
            for unit in moved:
                self.plan.dropped.add(id(unit.node))
            present = self.plan.before.get(id(run.unit.node), [])
            self.plan.before[id(run.unit.node)] = rendered + present

    def _makes_tensors(self, unit: Unit) -> bool:
        for node in own_calls(unit.node):
            name = self.body.resolve(node.func)
            if name is None or not name.startswith(_NUMPY):
                return True
        return False


def _comments(node: cst.BaseStatement) -> list[cst.EmptyLine]:
    """The comment lines in front of a statement, blank lines left out."""
    return [line for line in getattr(node, "leading_lines", ()) if line.comment is not None]


def _discarded(run: Run) -> bool:
    """Whether a run is a statement of its own, which happens for the effects of its operations."""
    small = flow.simple(run.unit.node)
    return isinstance(small, cst.Expr) and small.value is run.call and not run.expects_error


def _stem(node: cst.BaseExpression) -> str:
    """An identifier that says what an expression gives."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        return node.attr.value.lstrip("_")
    if isinstance(node, cst.Call):
        return _stem(node.func)
    if isinstance(node, (cst.List, cst.Tuple)) and len(node.elements) == 1:
        return _stem(node.elements[0].value)
    return ""


def _nested_name(holder: Placeholder, body: SessionBody) -> str:
    """A name for a placeholder written inside an expression: its dict key or its `name`."""
    for node in flow.walk(holder.unit.node):
        if isinstance(node, cst.DictElement) and node.value is holder.call:
            name = _key_name(node.key)
            if name:
                return name
        if isinstance(node, cst.Arg) and node.value is holder.call and node.keyword:
            return node.keyword.value
    pair = flow.assigned(holder.unit.node)
    if pair and pair[1] is holder.call and isinstance(pair[0], cst.Subscript):
        index = pair[0].slice[0].slice
        if isinstance(index, cst.Index):
            name = _key_name(index.value)
            if name:
                return name
    written = flow.argument(holder.call, "name", 2)
    if isinstance(written, cst.SimpleString):
        text = str(written.evaluated_value)
        if text.isidentifier():
            return text
    return "value"


def _key_name(key: cst.BaseExpression) -> str:
    if isinstance(key, cst.SimpleString):
        text = str(key.evaluated_value).replace("/", "_").replace("-", "_")
        return text if text.isidentifier() else ""
    if isinstance(key, cst.Attribute):
        return key.attr.value.lower()
    if isinstance(key, cst.Name):
        return key.value.lower()
    return ""

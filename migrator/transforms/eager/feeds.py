"""Which placeholder each feed is, and what runs of initializers come to: nothing."""

from __future__ import annotations

import libcst as cst

from migrator.engine.cst_walk import own
from migrator.transforms import _flow as flow
from migrator.transforms.eager.base import PlannerBase
from migrator.transforms.eager.body import SessionBody
from migrator.transforms.eager.units import Placeholder, Run, Unit, Unsupported


class FeedPlanner(PlannerBase):
    """Gives every placeholder a name of its own and finds what runs feed to it."""

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
            self._nested_units[id(unit.node)] = old
        for number, unit in enumerate(self.body.units):
            unit.order = number

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
            for node in own(unit.node):
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
            for node in own(unit.node):
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
        parameters = flow.parameters(self.body.function)
        for node in flow.walk(self.body.function.body):
            if not (isinstance(node, cst.Call) and isinstance(node.func, cst.Name)):
                continue
            if node.func.value in parameters and any(
                arg.star == "*" and flow.key_of(arg.value) == names for arg in node.args
            ):
                self.plan.expressions[id(node.func)] = flow.call(
                    self.body.ctx.support_expr("testing.traced"), node.func
                )


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

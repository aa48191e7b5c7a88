"""A placeholder takes its value where it stands, or what depends on it moves to the run that feeds it."""

from __future__ import annotations

import libcst as cst

from migrator.engine.cst_walk import only, own_calls
from migrator.transforms import _flow as flow
from migrator.transforms.eager.called import keeps_state
from migrator.transforms.eager.functions import VARIABLES, FunctionPlanner
from migrator.transforms.eager.units import Run, Unit

_LAYERS = ("tensorflow.layers.", "tensorflow.contrib.layers.", "tensorflow.contrib.slim.")


class ValuePlanner(FunctionPlanner):
    """Places the values that runs feed."""

    def _early_values(self, fed: dict[str, list[tuple[Run, cst.BaseExpression]]]) -> None:
        if any(self._asserts_unknown_shape()) or self._traced_only():
            return
        for key, uses in fed.items():
            holder = self.body.placeholders[key]
            value = uses[0][1]
            if any(not flow.equal(value, other) for _, other in uses[1:]):
                continue
            if len(uses) > 1 and self._drawn(value):
                continue
            if any(run.expects_error for run, _ in uses):
                continue
            if not self._available(value, holder.unit):
                continue
            if flow.reads(value) & _looped(uses[0][0].unit, holder.unit):
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
            self.plan.expressions[id(holder.call)] = tensor

    def _available(self, value: cst.BaseExpression, at: Unit) -> bool:
        """Whether `value` can be computed at the unit `at` with the same result."""
        wanted = flow.reads(value)
        for unit in self.body.units:
            if unit.order >= at.order and unit.writes & wanted:
                return False
            if unit.order < at.order and unit.writes & wanted and not unit.encloses(at):
                return False
        parameters = flow.parameters(self.body.function)
        local = {name for unit in self.body.units for name in unit.writes}
        before = {
            name for unit in self.body.units if unit.order < at.order for name in unit.writes
        }
        for name in wanted:
            if name in local and name not in before and name not in parameters:
                return False
        return not any(
            self.body.run_parts(node) for node in only(flow.walk(value), cst.Call)
        )

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
            and (len(uses) == 1 or not self._drawn(uses[0][1]))
            for key, uses in fed.items()
            if key in keys
        )
        unknown = list(self._asserts_unknown_shape())
        moved = self._dependents(keys, first.unit.order)
        traced = any(unit in moved for unit in [*unknown, *self._traced_only()])
        all_inside = all(first.unit.encloses(run.unit) for run in runs)
        anew = first.in_loop and self._make_variables(moved, first)
        if same and all_inside and not traced and not anew:
            self._sink(moved, first, keys, fed)
            return
        apart = None if traced or anew else self._apart(runs, keys, fed)
        if apart is not None:
            for run, units, own in apart:
                self._sink(units, run, own, fed)
            return
        self._local_functions(runs, keys, fed)

    def _make_variables(self, moved: list[Unit], run: Run) -> bool:
        """Whether what would move into the loop around a run makes variables, or may: TF 1 made
        them once, ahead of the loop."""
        ctx = self.body.ctx
        for unit in moved:
            if [block for block in run.unit.path if _is_loop(block) and block not in unit.path]:
                for node in own_calls(unit.node):
                    name = self.body.resolve(node.func) or ""
                    if name.startswith(_LAYERS) or name in VARIABLES or keeps_state(ctx, name):
                        return True
        return False

    def _drawn(self, value: cst.BaseExpression) -> bool:
        """Whether a fed value is drawn anew at each run."""
        calls = only(flow.walk(value), cst.Call)
        return any("random" in (self.body.resolve(call.func) or "") for call in calls)

    def _apart(
        self, runs: list[Run], keys: set[str], fed: dict[str, list[tuple[Run, cst.BaseExpression]]]
    ) -> list[tuple[Run, list[Unit], set[str]]] | None:
        """Each run with the statements that only it computes and its placeholders, where the
        values of runs are drawn and runs share nothing else: placeholders are bound anew."""
        if not any(self._drawn(value) for key in keys for _, value in fed[key]):
            return None
        holders = {id(self.body.placeholders[key].unit.node) for key in keys}
        found: list[tuple[Run, list[Unit], set[str]]] = []
        placed: set[int] = set()
        for run in runs:
            own = {key for key in keys if any(r is run for r, _ in fed[key])}
            units = self._dependents(own, run.unit.order)
            needed = [u for u in self._backward(run.fetches, units) if id(u.node) not in holders]
            if run.in_loop or placed & {id(u.node) for u in needed}:
                return None
            placed |= {id(u.node) for u in needed}
            made = [u for u in units if id(u.node) in holders]
            if any(u.reads & (keys - own) for u in needed):
                return None
            found.append((run, [*made, *needed], own))
        left = self._dependents(keys, runs[-1].unit.order)
        return found if all(id(u.node) in placed | holders for u in left) else None

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
                        leading_lines=self._moved_comments(unit),
                        trailing_whitespace=unit.node.trailing_whitespace,
                    )
                statements.append(made)
            else:
                statements.append(self._rendered(unit))
            self.plan.dropped.add(id(unit.node))
        self.plan.put_before(run.unit, statements)


def _looped(unit: Unit, at: Unit) -> set[str]:
    """What the loops around `unit` bind that are not around `at`."""
    loops = [b for b in unit.path if isinstance(b, cst.For) and b not in at.path]
    names = [name for loop in loops for name in flow.bound_names(loop.target)]
    return {key for name in names if (key := flow.key_of(name)) is not None}


def _is_loop(block: cst.BaseStatement) -> bool:
    return isinstance(block, (cst.For, cst.While))

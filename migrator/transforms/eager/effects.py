"""Updates, iterators and errors that appear only when something runs."""

from __future__ import annotations

import libcst as cst

from migrator.transforms import _flow as flow
from migrator.transforms.eager.base import NUMPY
from migrator.transforms.eager.body import EFFECTS
from migrator.transforms.eager.refusals import refuse_repeated
from migrator.transforms.eager.stale import StalePlanner
from migrator.transforms.eager.units import Run, Unit, Unsupported
from migrator.transforms.eager.values import ValuePlanner


class EffectPlanner(StalePlanner, ValuePlanner):
    """Keeps the order and the number of effects that the runs had."""

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
        if name.startswith(NUMPY) or name in ("tensorflow.Variable", "tensorflow.get_variable"):
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

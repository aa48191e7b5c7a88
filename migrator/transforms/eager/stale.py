"""Tensors that a test asks for again after it changed a variable under them: eagerly they would
still hold what they held before."""

from __future__ import annotations

import libcst as cst

from migrator.engine.cst_walk import only
from migrator.transforms import _flow as flow
from migrator.transforms.eager.base import NUMPY, PlannerBase
from migrator.transforms.eager.body import EFFECTS
from migrator.transforms.eager.units import Run, Unit, Unsupported

_CHANGES = EFFECTS - {"get_next", "apply"}
_VARIABLES = frozenset({"tensorflow.Variable", "tensorflow.get_variable"})


class StalePlanner(PlannerBase):
    """Refuses what would be computed too early, and only once."""

    def _refuse_stale(self, runs: list[Run]) -> None:
        """Raises Unsupported for a fetch that was built ahead of a change which an earlier run
        made to a variable that the fetch depends on."""
        changes = [(run, changed) for run in runs if (changed := self._changed(run))]
        for run in runs:
            if any(True for _ in only(flow.walk(run.fetches), cst.Call)):
                continue  # built where it is run
            for other, changed in changes:
                if other is not run and other.unit.order < run.unit.order:
                    self._refuse_built_before(run, other, changed)

    def _refuse_built_before(self, run: Run, other: Run, changed: set[str]) -> None:
        stale: dict[str, Unit] = {}
        built = [u for u in self.body.units if u.order < other.unit.order]
        for unit in self._ordered(self._backward(run.fetches, built)):
            if id(unit.node) in self.plan.dropped or not unit.reads & (changed | stale.keys()):
                continue
            if self._computes(unit):
                stale.update(dict.fromkeys(unit.writes - changed, unit))
        for name in sorted(flow.reads(run.fetches) & stale.keys()):
            raise Unsupported(
                stale[name].node,
                f"{name} is built before a variable under it is changed, and run afterwards",
                "make it a function and call it at each run",
            )

    def _computes(self, unit: Unit) -> bool:
        """Whether a statement gives a name to what was computed, not to a variable or an update."""
        pair = flow.assigned(unit.node)
        if pair is None or isinstance(pair[1], (cst.Name, cst.Attribute)):
            return False
        if not isinstance(pair[1], cst.Call):
            return True
        name = self.body.resolve(pair[1].func) or ""
        return not (
            name in _VARIABLES or name.startswith(NUMPY) or _last(pair[1].func) in _CHANGES
        )

    def _changed(self, run: Run) -> set[str]:
        """The names of the variables that a run assigns to, as far as the text says."""
        before = [u for u in self.body.units if u.order < run.unit.order]
        nodes: list[cst.CSTNode] = [run.fetches]
        nodes += [unit.node for unit in before if unit.writes & flow.reads(run.fetches)]
        calls = [call for node in nodes for call in only(flow.walk(node), cst.Call)]
        return {key for call in calls if (key := self._assigned_variable(call)) is not None}

    def _assigned_variable(self, call: cst.Call) -> str | None:
        """``tf.assign(x, 1)`` and ``x.assign(1)`` name x."""
        if _last(call.func) not in _CHANGES:
            return None
        if (self.body.resolve(call.func) or "").startswith("tensorflow."):
            return flow.key_of(call.args[0].value) if call.args else None
        return flow.key_of(call.func.value) if isinstance(call.func, cst.Attribute) else None


def _last(func: cst.BaseExpression) -> str:
    return flow.code_of(func).rpartition(".")[2]

"""Decides, statement by statement, how a function with sessions becomes eager code.

TF1 computed the part of the graph behind a fetch at each run.  So what depends on a placeholder
moves to the run that feeds it; what is run once with values known earlier takes them where the
placeholder was; what is run with several feeds becomes a local function of the placeholders.
"""

from __future__ import annotations

import libcst as cst

from migrator.transforms.eager.base import EagerPlan
from migrator.transforms.eager.effects import EffectPlanner
from migrator.transforms.eager.refusals import refuse_questions
from migrator.transforms.eager.units import Run


class Planner(EffectPlanner):
    """Fills an EagerPlan for one SessionBody; raises Unsupported."""

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
        self._refuse_stale(real)
        refuse_questions(self.body, self.plan.dropped)
        return self.plan

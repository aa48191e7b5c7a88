"""Writes the module in which loaded graphs are callables: functions from the inside out."""

from __future__ import annotations

from types import SimpleNamespace

import libcst as cst

from migrator.transforms import _flow as flow
from migrator.transforms.eager.base import EagerPlan
from migrator.transforms.eager.rewrite import EagerRewriter
from migrator.transforms.frozen.model import FrozenModel


def write(
    model: FrozenModel, plan: EagerPlan, withs: dict[int, list[cst.WithItem]],
    items: dict[int, cst.WithItem],
) -> cst.Module:
    """The module of `model` after `plan`.

    `withs` holds the items that go out of each ``with``, `items` what takes their place.
    """
    writer = _Writer(model, plan, withs, items)
    module = model.ctx.module
    module.visit(writer)
    rewriter = writer.of(None)
    if writer.written:
        rewriter.nested = writer.written
    statements, rest = rewriter._block(list(module.body))
    return module.with_changes(body=statements, footer=[*rest, *module.footer])


class _Writer(cst.CSTTransformer):
    """Rewrites functions; classes are rebuilt around them."""

    def __init__(
        self, model: FrozenModel, plan: EagerPlan, withs: dict[int, list[cst.WithItem]],
        items: dict[int, cst.WithItem],
    ) -> None:
        super().__init__()
        self.model = model
        self.plan = plan
        self.withs = withs
        self.items = items
        self.touched = self._touched()
        self.written: dict[int, cst.BaseStatement] = {}

    def _touched(self) -> set[int]:
        """Ids of the nodes that something below changes in."""
        plan = self.plan
        ids = {*plan.dropped, *plan.before, *plan.expressions, *plan.functions, *self.withs}
        touched: set[int] = set()
        for node in self.model.nodes:
            if id(node) not in ids:
                continue
            current: cst.CSTNode | None = node
            while current is not None and id(current) not in touched:
                touched.add(id(current))
                current = self.model.parents.get(id(current))
        return touched

    def of(self, function: cst.FunctionDef | None) -> EagerRewriter:
        """What rewrites one function, or the module's own statements."""
        body = SimpleNamespace(
            runs=[],
            session_withs=self.withs,
            session_statements=set(),
            graphs=set(),
            function=function,
            resolve=lambda node: None,
        )
        return EagerRewriter(
            body,  # type: ignore[arg-type]
            self.plan,
            lambda fetches, run: fetches,
            lambda block: None,
            items=self.items,
        )

    def on_visit(self, node: cst.CSTNode) -> bool:
        return id(node) in self.touched

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        if id(original_node) not in self.touched:
            return updated_node
        writer = self.of(original_node)
        writer.nested = self.written
        made = updated_node.with_changes(body=writer.function().body)
        if flow.code_of(made) == flow.code_of(original_node):
            return original_node if updated_node is original_node else updated_node
        self.written[id(original_node)] = made
        return made

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef:
        if updated_node is not original_node:
            self.written[id(original_node)] = updated_node
        return updated_node

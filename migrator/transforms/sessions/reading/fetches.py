"""What fetched values read, and which of them need not be computed."""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import backward_slice, statement_flow
from migrator.analysis.program_items import LAZY, TRACE, Item, Obstacle
from migrator.analysis.tree_walk import calls_in
from migrator.transforms.sessions.helpers import LOOKS_ONLY
from migrator.transforms.sessions.reading.feeds import FeedReader
from migrator.transforms.sessions.records import Leaf, Site

#: In the names of operations that do more than compute a value.
_WITH_EFFECTS = ("py_func", "print", "assert", "queue", "write", "random", "update", "scatter")


class FetchReader(FeedReader):
    """Looks behind the fetches of a site."""

    def _read_by(self, leaf: Leaf) -> set[str]:
        owner, resources = self.program.owner, self.program.expressions.resources
        return statement_flow(leaf.expr, owner, resources).uses

    def _mark_idle(self, site: Site) -> None:
        """Fetched tensors that nobody reads are not computed, where that changes nothing else."""
        unread = [leaf for leaf in site.leaves if not leaf.used
                  and leaf.value.kind in (k.TENSOR, k.OP, k.PLACEHOLDER)]
        others = [leaf for leaf in site.leaves if leaf not in unread]
        if not others or self.monitor or self.looped or site.run.style != "run":
            return
        items = [item for item in self.items if item.role in (TRACE, LAZY)]
        needed, _ = backward_slice(items, set().union(*map(self._read_by, others)))
        for leaf in unread:
            chosen, _ = backward_slice(items, self._read_by(leaf))
            leaf.idle = self._plain(leaf.expr) and all(
                item.kind == k.PLACEHOLDER or not item.flow.mutates and self._plain(item.stmt)
                for item in chosen if item not in needed
            )

    def _plain(self, node: ast.AST) -> bool:
        """Whether a node calls nothing but TensorFlow's operations without state."""
        return all(map(self._plain_call, calls_in(node)))

    def _plain_call(self, call: ast.Call) -> bool:
        symbol = self.program.expressions.tf_symbol(call.func) or ""
        name = symbol.rpartition(".")[2].lower()
        return not (
            k.kind_of(symbol) != k.OP or any(word in name for word in _WITH_EFFECTS)
            or self._uses_store_expr(call)
        )

    def _refuse_lost_effects(self, site: Site) -> None:
        """An operation made where it is run, whose value nobody reads, is run for its effect."""
        if site.run.style == "evaluate":  # what it reads has been computed
            return
        for leaf in site.leaves:
            if leaf.used and leaf.has_value or leaf.value.kind not in (k.TENSOR, k.OP, k.EFFECT):
                continue
            for call in calls_in(leaf.expr):
                symbol = self.program.expressions.symbol(call.func) or ""
                if not (
                    self._plain_call(call) or symbol.startswith("builtins.")
                    or isinstance(call.func, ast.Attribute) and call.func.attr in LOOKS_ONLY
                ):
                    raise Obstacle(
                        leaf.expr, f"what {ast.unparse(call)} does is made where it is run",
                        "call it there: what it does happens at once in TensorFlow 2",
                    )

    def _refuse_keras(self, nodes: list[ast.stmt | ast.expr]) -> None:
        """A function would make Keras layers anew at each trace, unknown to savers and optimizers;
        a graph of TF 1 knows them."""
        for node in nodes:
            for call in calls_in(node):
                symbol = self.program.expressions.tf_symbol(call.func) or ""
                fact = self.program.expressions.call_fact(call)
                if "()" not in symbol and k.makes_keras_variables(symbol) or (
                    fact is not None and "keras" in fact.flags
                ):
                    raise Obstacle(
                        node, "its graph makes Keras layers",
                        "make the layers or the model before the step, call them in it and train "
                        "their trainable_variables",
                    )

    def _uses_store(self, item: Item) -> bool:
        return self._uses_store_expr(item.stmt)

    def _uses_store_expr(self, node: ast.AST) -> bool:
        return any(
            self.program.expressions.may_make_variables(inner)
            or (self.program.expressions.tf_symbol(inner.func) or "").startswith(
                "tensorflow.losses")
            for inner in calls_in(node)
        )

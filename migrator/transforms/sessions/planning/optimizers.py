"""Optimizers are made before the steps that train with them; their rates may come from the graph."""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import backward_slice, statement_flow
from migrator.analysis.program_items import LAZY, TRACE, Item, Obstacle
from migrator.analysis.values import argument
from migrator.transforms.sessions.helpers import contains, parameter_name
from migrator.transforms.sessions.planning.function_names import train_label
from migrator.transforms.sessions.planning.store import StorePlanner
from migrator.transforms.sessions.records import Note


class OptimizerPlanner(StorePlanner):
    """Hoists optimizers, and sets in the step what the graph computes for them."""

    def _dynamic_rate(self, item: Item) -> None:
        """An optimizer whose learning rate is computed in the graph gets it in every step."""
        call = item.value.call
        assert call is not None
        rate = argument(call, 0, "learning_rate")
        others = [*call.args[1:], *(w.value for w in call.keywords if w.arg != "learning_rate")]
        if rate is None or any(self.program.expressions.value(o).traced for o in others):
            raise Obstacle(call, "an optimizer's setting is computed in the graph",
                           "set the optimizer's attribute in the training step")
        d = self.decisions
        d.edits.append((*self.source.span(rate), "0.0"))
        names = statement_flow(rate, self.program.owner, self.program.expressions.resources).uses
        for function in self.functions:
            trains = [i for i in function.items if i.kind == k.TRAIN and self._applies(i, item)]
            if not trains:
                continue
            for train in trains:
                function.rates[id(train.stmt)] = (item.target, rate)
            earlier = [i for i in self.items if i.role in (TRACE, LAZY)]
            chosen, _ = backward_slice(earlier, names)
            present = set(map(id, function.items))
            fed = {p.name for p in function.parameters}
            unfed = [i for i in chosen if not {parameter_name(n) for n in i.flow.defines} & fed]
            missing = [i for i in unfed if id(i) not in present
                       and i.kind not in (k.PLACEHOLDER, k.ELEMENT)]
            if any(i.kind == k.PLACEHOLDER for i in unfed):
                raise Obstacle(item.stmt, "the learning rate is a placeholder that is not fed",
                               "feed it wherever the training op runs")
            if missing:
                order = {id(i): n for n, i in enumerate(self.items)}
                function.items = sorted([*function.items, *missing], key=lambda i: order[id(i)])

    def _applies(self, train: Item, optimizer: Item) -> bool:
        call = train.value.call
        if call is None:
            return False
        base = argument(call, 1, "optimizer") if not isinstance(call.func, ast.Attribute) else (
            call.func.value)
        return base is not None and self.program._name(base) == optimizer.target

    def _last_traced(self) -> Item:
        """The last tensor work of a class, behind which the functions of its graph are made."""
        return [item for item in self.items if item.role == TRACE
                and not isinstance(item.stmt, (ast.FunctionDef, ast.ClassDef))][-1]

    def _method(self, item: Item) -> ast.FunctionDef | None:
        """The building method of a class that a statement belongs to."""
        return None if self.whole is None else self.whole.method_of.get(id(item.stmt))

    def _beside_functions(self, item: Item) -> bool:
        """Whether the functions are made in the method of a statement, and not behind a scope in
        which another one calls it."""
        method, last, whole = self._method(item), self._last_traced(), self.whole
        assert whole is not None
        return method is self._method(last) and all(
            method is None or contains(method.body, parent) for parent in last.parents
            if any(part.kind not in ("graph", "session")
                   for part in whole.with_parts.get(id(parent), ()))
        )

    def _hoist_inline_optimizers(self) -> None:
        """``tf.train.AdamOptimizer(1e-3).minimize(loss)`` needs the optimizer before the step."""
        for item in self.items:
            call = item.value.call
            if item.kind not in (k.TRAIN, k.GRADIENTS) or call is None:
                continue
            if not (isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call)):
                continue
            maker = call.func.value
            if self.program.expressions.value(maker).kind != k.OPTIMIZER:
                continue
            key = f"<optimizer {id(item.stmt)}>"
            if key in self.shared.inline_optimizers:
                self.renames[key] = self.shared.inline_optimizers[key]
                continue
            label = train_label([ast.Name(item.target or "train_op")])
            made = ast.unparse(maker.func).rpartition(".")[2].removesuffix("Optimizer").lower()
            name = self.names.fresh(
                *([f"{label}_optimizer"] if label else ["optimizer"]), f"{made}_optimizer"
            )
            if self.shared.owner and not self._beside_functions(item):
                name = f"{self.shared.owner}.{name}"
            self.renames[key] = self.shared.inline_optimizers[key] = name
            edits = []
            rate = argument(maker, 0, "learning_rate")
            arguments = [*maker.args, *(a.value for a in maker.keywords)]
            for value in arguments:
                if self.program.expressions.value(value).traced:
                    if value is not rate:
                        raise Obstacle(maker, "an optimizer's setting is computed in the graph",
                                       "set the optimizer's attribute in the training step")
                    edits.append((*self.source.span(value), "0.0"))
                    for function in self.functions:
                        if item in function.items:
                            function.rates[id(item.stmt)] = (name, value)
            text = self.source.edited(maker, edits)
            if self.style.loss_scale:
                text = f"{self.support.loss_scaled()}({text})"
            self.decisions.dropped.discard(id(item.stmt))
            self.decisions.replaced[id(item.stmt)] = f"{name} = {text}".split("\n")

    def _scale_losses(self, item: Item) -> None:
        """In float16, small gradients vanish unless the loss is scaled."""
        call = item.value.call
        trains = any(i.kind in (k.TRAIN, k.GRADIENTS) for f in self.functions for i in f.items)
        if not (self.style.loss_scale and item.kind == k.OPTIMIZER and trains) or call is None:
            return
        start, end = self.source.span(call)
        self.decisions.edits += [(start, start, f"{self.support.loss_scaled()}("), (end, end, ")")]
        self.notes.append(Note("TF411", item.stmt, "float16 gradients need a scaled loss"))

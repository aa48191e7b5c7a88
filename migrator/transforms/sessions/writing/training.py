"""Writes what trains inside of a generated step: gradients, the optimizer, its learning rate."""

from __future__ import annotations

import ast

from migrator.analysis.program_items import Item, Obstacle
from migrator.analysis.values import argument
from migrator.transforms.sessions.step import ExpressionWriter, StepFunction, target_of


class TrainingWriter(ExpressionWriter):
    """Writes training ops; the rest of a function is `FunctionWriter`'s."""

    def _train(self, item: Item, call: ast.Call, function: StepFunction) -> list[str]:
        assert isinstance(call.func, ast.Attribute) or isinstance(call.func, ast.Name)
        name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
        if name == "apply_gradients":
            return self._apply(item, call, function)
        if name == "optimize_loss":
            raise Obstacle(call, "optimize_loss makes the optimizer where a step would",
                           "make the optimizer before, and minimize the loss with it")
        if name == "create_train_op":
            loss = argument(call, 0, "total_loss")
            optimizer = argument(call, 1, "optimizer")
            unknown = {a.arg for a in call.keywords} - {
                "total_loss", "optimizer", "global_step", "summarize_gradients"}
            if loss is None or optimizer is None or unknown or len(call.args) > 3:
                raise Obstacle(call, f"create_train_op is called with {sorted(map(str, unknown))}",
                               "write the step with tf.GradientTape")
            optimizer_text = self._edited(optimizer, function)
            variables = self._variables(None, function)
        else:
            assert isinstance(call.func, ast.Attribute)
            loss = argument(call, 0, "loss")
            variables = self._variables(argument(call, 2, "var_list"), function)
            optimizer_text = self._optimizer(item, call.func.value, function)
        if loss is None:
            raise Obstacle(call, "minimize is called without a loss", "pass the loss by name")
        step = argument(call, 1 if name == "minimize" else 2, "global_step")
        step_text = ""
        if step is not None and not (isinstance(step, ast.Constant) and step.value is None):
            step_text = f", global_step={self._edited(step, function)}"
        elif name == "create_train_op":
            step_text = f", global_step={self.style.tf}.train.get_or_create_global_step()"
        lines = []
        if len(variables) > 24 and not variables.isidentifier():
            lines.append(f"variables = {variables}")
            variables = "variables"
        if self.style.loss_scale:  # the optimizer scales the loss and unscales the gradients
            loss_text = self._loss(loss, function)
            return [
                *lines, *self._rate(item, function),
                f"{optimizer_text}.minimize({loss_text}, var_list={variables}, tape=tape"
                f"{step_text})",
            ]
        lines += [
            f"gradients = tape.gradient({self._loss(loss, function)}, {variables})",
            *self._rate(item, function),
            f"{optimizer_text}.apply_gradients(zip(gradients, {variables}){step_text})",
        ]
        return lines

    def _loss(self, loss: ast.expr, function: StepFunction) -> str:
        return self.losses.get(id(loss)) or self._edited(loss, function)

    def _optimizer(self, item: Item, node: ast.expr, function: StepFunction) -> str:
        return self.renames.get(f"<optimizer {id(item.stmt)}>") or self._edited(node, function)

    def _apply(self, item: Item, call: ast.Call, function: StepFunction) -> list[str]:
        assert isinstance(call.func, ast.Attribute)
        optimizer = self._optimizer(item, call.func.value, function)
        arguments = [self._edited(a, function) for a in call.args]
        arguments += [
            f"{a.arg}={self._edited(a.value, function)}" for a in call.keywords if a.arg != "name"
        ]
        return [
            *self._rate(item, function), f"{optimizer}.apply_gradients({', '.join(arguments)})"
        ]

    def _rate(self, item: Item, function: StepFunction) -> list[str]:
        if id(item.stmt) not in function.rates:
            return []
        optimizer, rate = function.rates[id(item.stmt)]
        own = self.source.span(rate)
        edits = [e for e in self._edits(rate, function) if e[:2] != own or e[2] != "0.0"]
        return [f"{optimizer}.learning_rate = {self.source.edited(rate, edits)}"]

    def _gradients(self, item: Item, call: ast.Call, function: StepFunction) -> list[str]:
        target = target_of(item)
        if not isinstance(target, (ast.Name, ast.Attribute)):
            raise Obstacle(item.stmt, "the gradients are taken apart at once",
                           "bind compute_gradients' result to one name first")
        loss = argument(call, 0, "loss")
        if loss is None:
            raise Obstacle(call, "compute_gradients is called without a loss", "pass the loss")
        variables = self._variables(argument(call, 1, "var_list"), function)
        if self.style.loss_scale:
            assert isinstance(call.func, ast.Attribute)
            optimizer = self._optimizer(item, call.func.value, function)
            return [
                f"{self._edited(target, function)} = {optimizer}.compute_gradients("
                f"{self._loss(loss, function)}, {variables}, tape=tape)"
            ]
        return [
            f"gradients = tape.gradient({self._loss(loss, function)}, {variables})",
            f"{self._edited(target, function)} = list(zip(gradients, {variables}))",
        ]

    def _variables(self, node: ast.expr | None, function: StepFunction) -> str:
        if node is not None and not (isinstance(node, ast.Constant) and node.value is None):
            return self._edited(node, function)
        explicit = self.style.explicit_variables
        in_store = function.layers or self.style.in_store
        if not explicit and not in_store:
            return "tape.watched_variables()"
        if not in_store:
            return f"[{', '.join(explicit)}]"
        own = f"{self.style.store}.trainable_variables"
        if not explicit:
            return own
        return f"[*{own}, {', '.join(explicit)}]"

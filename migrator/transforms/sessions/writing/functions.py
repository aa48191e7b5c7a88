"""The `tf.function`s that replace run sites: their body, and the whole text."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import statement_flow
from migrator.analysis.fresh_names import fresh_name
from migrator.analysis.program_items import Item, Obstacle
from migrator.analysis.tree_walk import calls_in
from migrator.analysis.values import argument
from migrator.transforms.sessions.helpers import chain, contains
from migrator.transforms.sessions.reading.summary_steps import listed_summaries
from migrator.transforms.sessions.step import StepFunction, target_of
from migrator.transforms.sessions.writing.heads import HeadWriter
from migrator.transforms.sessions.writing.training import TrainingWriter

_NAME_SCOPE, _VARIABLE_SCOPE = "tensorflow.name_scope", "tensorflow.variable_scope"


class FunctionWriter(HeadWriter, TrainingWriter):
    """Writes a `StepFunction` as lines without indentation."""

    def write(self, function: StepFunction) -> list[str]:
        """The function's lines. Raises Obstacle where the slice cannot be ordered."""
        body = self._once(lambda: self.body(function))
        names = [p.name for p in function.parameters]
        lines = [*self._decorator(function), f"def {function.name}({', '.join(names)}):"]
        lines += [self.step + line if line else "" for line in self._docstring(function)]
        lines += [self.step + line if line.strip() else "" for line in body]
        return lines

    def stretch(self, items: list[Item], function: StepFunction) -> list[str]:
        """The lines of items that stand in a function of their own."""
        return self._once(lambda: self._item_lines(items, function))

    def _once(self, write: Callable[[], list[str]]) -> list[str]:
        """What `write` gives. A scope that is left and entered again goes on, as it was one in TF 1: by
        what it was called."""
        self._entered: Counter[int] = Counter()
        self._named: dict[int, str] = {}
        lines = write()
        self._named = {scope: "" for scope, times in self._entered.items() if times > 1}
        return write() if self._named else lines

    def forward_items(self, function: StepFunction) -> list[Item]:
        """The items of a function that come before it trains: what the tape records, if there is one."""
        return self._split_items(function)[0]

    def later(self, function: StepFunction, end: int) -> list[str]:
        """The lines of a function behind those of its first `end` items."""
        rest = replace(function, early=[], shared=[(end, [], "pass")])
        return self._once(lambda: self.body(rest))

    def body(self, function: StepFunction) -> list[str]:
        """The lines of a function below its docstring."""
        forward, rest = self._split_items(function)
        gradients = [item for item in rest if self._takes_gradients(item)]
        managers = []
        body: list[str] = []
        updates = any(
            item.kind == k.UPDATE_OPS or self._under_updates(item, function)
            for item in function.items
        ) or any(
            "create_train_op" in ast.unparse(item.stmt) for item in rest
        )
        if function.layers:
            flag = "apply_updates=True" if updates else ""
            managers.append(f"{self.style.store}.run({flag})")
        elif updates and not function.layers:
            updates = False
        if gradients:
            persistent = "persistent=True" if len(gradients) > 1 else ""
            managers.append(f"{self.style.tf}.GradientTape({persistent}) as tape")
        start = function.shared[-1][0] if function.shared else 0
        inner = [*function.early, *(line for *_, call in function.shared for line in call.split("\n")),
                 *self._item_lines(forward[start:], function),
                 *self._inline_losses(gradients, function)]
        if managers:
            inner = inner or ["pass"]
            body.append(f"with {', '.join(managers)}:")
            body += [self.step + line if line.strip() else "" for line in inner]
        else:
            body += inner
        body += self._item_lines(rest, function)
        body += self._returned(function)
        if not managers:
            body = _returned_directly(body, function, self.renames)
        if function.summaries is not None:
            s = function.summaries
            written = f"({s.writer} or {self.style.tf}.summary.create_noop_writer())" if (
                s.optional) else s.writer
            managers = [f"{written}.as_default(step={s.step_name})"]
            if s.condition:
                condition = s.condition if s.tested else s.condition_name
                managers.append(f"{self.style.tf}.summary.record_if({condition})")
            body = [f"with {', '.join(managers)}:"] + [
                self.step + line if line.strip() else "" for line in body
            ]
            if s.counted is not None:
                body.insert(0, f"{s.step_name} = {s.step}")
        return body or ["pass"]

    def _under_updates(self, item: Item, function: StepFunction) -> bool:
        """Whether a statement is under ``with tf.control_dependencies(tf.get_collection(...))``."""
        assert function.program is not None
        return any(
            part.kind == "deps" and any(
                program.expressions.value(call).kind == k.UPDATE_OPS
                for call in calls_in(part.item.context_expr)
            )
            for program in chain(function.program) for parent in item.parents
            for part in program.with_parts.get(id(parent), ())
        )

    def _inline_losses(self, gradients: list[Item], function: StepFunction) -> list[str]:
        """Losses that are written where they are minimized are computed while the tape records."""
        self.losses = {}
        lines: list[str] = []
        taken = {p.name for p in function.parameters} | {
            name for item in function.items for name in item.flow.defines | item.flow.uses}
        for item in gradients:
            call = item.value.call
            loss = None if call is None else (
                argument(call, 0, "loss") or argument(call, 0, "total_loss"))
            if loss is None or isinstance(loss, (ast.Name, ast.Attribute)):
                continue
            name = next(n for n in ("loss", "total_loss", "minimized", "minimized_loss",
                                    f"loss_{len(lines)}") if n not in taken)
            taken.add(name)
            lines += f"{name} = {self._edited(loss, function)}".split("\n")
            self.losses[id(loss)] = name
        return lines

    def _returned(self, function: StepFunction) -> list[str]:
        outputs = function.outputs
        if function.output_form == "dict":
            pairs = ", ".join(f"{key}: {o}" for key, o in zip(function.keys, outputs, strict=True))
            line = f"return {{{pairs}}}"
            if len(line) > 92:
                return ["return {", *(
                    f"{self.step}{key}: {o}," for key, o in zip(function.keys, outputs, strict=True)
                ), "}"]
            return [line]
        if not outputs:
            return []
        return [f"return {', '.join(outputs)}"]

    def _split_items(self, function: StepFunction) -> tuple[list[Item], list[Item]]:
        """(what the tape records, what comes after): by dependence on gradients."""
        late_names: set[str] = set()
        forward, rest = [], []
        gradient_at = max(
            (i for i, item in enumerate(function.items) if self._takes_gradients(item)), default=-1
        )
        for position, item in enumerate(function.items):
            late = (
                item.kind in (k.TRAIN, k.GRADIENTS)
                or self._takes_gradients(item)
                or bool(item.flow.uses & late_names)
                or (gradient_at >= 0 and position > gradient_at)
                or (gradient_at >= 0 and item.kind in (k.EFFECT, k.SUMMARY))
            )
            if item.kind == k.UPDATE_OPS:
                continue
            if late:
                rest.append(item)
                late_names |= {n for n in item.flow.defines if n not in function.constants}
            else:
                forward.append(item)
        return forward, rest

    def _takes_gradients(self, item: Item) -> bool:
        call = item.value.call
        if call is None:
            return False
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if item.kind == k.GRADIENTS:
            return True
        return item.kind == k.TRAIN and name in ("minimize", "create_train_op")

    # -- items

    def _item_lines(self, items: list[Item], function: StepFunction) -> list[str]:
        """Lines of items in order, with the scopes around them opened once per stretch."""
        lines: list[str] = []
        open_path: list[tuple[ast.stmt, str]] = []
        for item in items:
            text = self._one(item, function)
            if not text:
                continue
            path = self.scopes_around(item, function)
            common = 0
            while (
                common < min(len(open_path), len(path))
                and open_path[common][0] is path[common][0]
            ):
                common += 1
            open_path = open_path[:common]
            for parent, header in path[common:]:
                self._entered[id(parent)] += 1
                above = self.source.comments_above(parent)
                lines += [self.step * len(open_path) + line
                          for line in (*above, *self._again(parent, header, function).split("\n"))]
                open_path.append((parent, header))
            indent = self.step * len(open_path)
            lines += [indent + line if line.strip() else "" for line in text]
        return lines

    def _again(self, parent: ast.stmt, header: str, function: StepFunction) -> str:
        """The header of a scope: what it is called is kept where it is entered again later."""
        if id(parent) not in self._named or not isinstance(parent, ast.With) or len(parent.items) > 1:
            return header
        item = parent.items[0]
        context = item.context_expr
        symbol = self._symbol(context, function) if isinstance(context, ast.Call) else ""
        if symbol not in (_NAME_SCOPE, _VARIABLE_SCOPE):
            return header
        name = self._named[id(parent)]
        if not name:
            own = "" if item.optional_vars is None else ast.unparse(item.optional_vars)
            bound = _bound(function)
            if bound[own] == 1:
                kept = own
            else:  # what others are called too says nothing later
                uses = {n for other in function.items for n in other.flow.uses}
                taken = uses | {*bound} | {p.name for p in function.parameters} | set(self._named.values())
                kept = fresh_name("scope", taken)
                header = f"{header[:-1].removesuffix(f' as {own}')} as {kept}:"
                if own in uses:
                    header += f"\n{self.step}{own} = {kept}"
            self._named[id(parent)] = kept
            return header
        call = header[len("with ") :].partition("(")[0]
        if symbol == _NAME_SCOPE:
            return f"with {call}({name}):"
        return (f"with {call}({name}, auxiliary_name_scope=False), "
                f"{self.style.tf}.name_scope({name}.original_name_scope):")

    def scopes_around(self, item: Item, function: StepFunction) -> list[tuple[ast.stmt, str]]:
        """The scopes to open around an item: name, variable and device scopes, Python ifs."""
        path: list[tuple[ast.stmt, str]] = []
        if item.kind in (k.TRAIN, k.GRADIENTS):
            return path
        for program in () if function.program is None else chain(function.program):
            for parent in item.parents:
                texts = [
                    self._edited(part.item.context_expr, function)
                    + (f" as {ast.unparse(part.item.optional_vars)}"
                       if part.item.optional_vars is not None else "")
                    for part in program.with_parts.get(id(parent), ())
                    if part.kind == "scope"
                ]
                if texts:
                    path.append((parent, f"with {', '.join(texts)}:"))
        path = [entry for entry in path if not any(entry[0] is p for p in function.around)]
        for parent in item.parents:
            if any(parent is outer for outer in function.around):
                continue
            if isinstance(parent, ast.If):
                if item.stmt in parent.orelse or not contains(parent.body, item.stmt):
                    raise Obstacle(
                        item.stmt, "the graph is built differently in the branches of an `if`",
                        "give the branches one graph-building function",
                    )
                path.append((parent, f"if {self._edited(parent.test, function)}:"))
            elif isinstance(parent, (ast.For, ast.While)):
                raise Obstacle(
                    item.stmt, "the graph grows inside a loop that runs it",
                    "build the graph before the loop",
                )
        return path

    def _one(self, item: Item, function: StepFunction) -> list[str]:
        """The lines of one statement inside the function."""
        call = item.value.call
        if item.kind == k.MERGED:
            return [line for summary in listed_summaries(call, lambda c: self._symbol(c, function))
                    for line in self._edited(summary, function).split("\n")]
        if item.kind == k.UPDATE_OPS:
            return []
        if item.kind == k.PLACEHOLDER and call is not None:
            default = argument(call, 0, "input")
            target = target_of(item)
            assert target is not None
            if (unfed := function.unfed.get(id(item))) is not None:
                return [f"{self._edited(target, function)} = {unfed}"]
            assert default is not None
            value = self._edited(default, function)
            if isinstance(default, ast.Constant) and isinstance(default.value, float):
                value = f"{self.style.tf}.constant({value})"
            return [f"{self._edited(target, function)} = {value}"]
        if item.kind == k.TRAIN and call is not None:
            return self._comments(item, function) + self._train(item, call, function)
        if item.kind == k.GRADIENTS and call is not None:
            return self._comments(item, function) + self._gradients(item, call, function)
        if item.kind == k.EFFECT and isinstance(item.stmt, ast.Assign) and isinstance(
            item.stmt.value, (ast.Name, ast.Attribute)
        ):  # another name for what has happened
            if any(name in function.outputs for name in item.flow.defines):
                raise Obstacle(item.stmt, "what an assignment gives is fetched by another name",
                               "fetch it by its first name")
            return []
        if item.kind == k.EFFECT and call is not None:
            return self._effect(item, call, function)
        return self._statement(item, function)

    def _comments(self, item: Item, function: StepFunction) -> list[str]:
        """The comments above a statement, or above the placeholders that it directly follows."""
        stmt = item.stmt
        inputs = {i.stmt.end_lineno: i.stmt for i in function.program.all_items()
                  if i.kind == k.PLACEHOLDER} if function.program is not None else {}
        while not (found := self.source.comments_above(stmt)):
            above = inputs.get(self.source.first_line(stmt) - 1)
            if above is None:
                break
            stmt = above
        return found

    def _statement(self, item: Item, function: StepFunction) -> list[str]:
        edits = self._edits(item.stmt, function)
        lines = self.source.statement(item.stmt, edits, "")
        text = [line.rstrip("\n\r") for line in lines]
        left, _, right = text[0].partition(" = ")
        if len(text) == 1 and left == right and left.isidentifier():
            return []  # it gave a local value to an attribute
        return self._comments(item, function) + text

    def _effect(self, item: Item, call: ast.Call, function: StepFunction) -> list[str]:
        """An op run for its effect: the calls it groups, or itself, without a useless name."""
        used = any(
            other is not item and other.kind not in (k.EFFECT, k.TRAIN)
            and item.flow.defines & statement_flow(other.stmt).uses
            for other in function.items
        ) or any(name in output for name in item.flow.defines for output in function.outputs)
        if isinstance(item.stmt, (ast.If, ast.For, ast.While, ast.Try)):
            return self._statement(item, function)
        symbol = self._symbol(call, function)
        if symbol in ("tensorflow.group", "tensorflow.no_op"):
            lines = []
            for argument_ in call.args:
                if isinstance(argument_, ast.Call):
                    lines.append(self._edited(argument_, function))
                elif isinstance(argument_, ast.Starred) and not isinstance(
                    argument_.value, ast.Name
                ):
                    raise Obstacle(call, "a group of ops made on the fly",
                                   "name the grouped ops")
            return lines
        if used:
            return self._statement(item, function)
        return self._comments(item, function) + self._edited(call, function).splitlines()

    def _symbol(self, call: ast.Call, function: StepFunction) -> str:
        assert function.program is not None
        return function.program.expressions.tf_symbol(call.func) or ""


def _bound(function: StepFunction) -> Counter[str]:
    """The names that the statements of a function and the scopes around them bind, and how often."""
    scopes = {id(p): p for item in function.items for p in item.parents if isinstance(p, ast.With)}
    return Counter([name for item in function.items for name in item.flow.defines] + [
        ast.unparse(part.optional_vars) for scope in scopes.values() for part in scope.items
        if part.optional_vars is not None
    ])  # fmt: skip


def _returned_directly(
    body: list[str], function: StepFunction, renames: dict[str, str]
) -> list[str]:
    """``loss = f(x)`` and ``return loss`` at the end of a body as one statement."""
    if len(function.outputs) != 1 or function.output_form == "dict" or not function.items:
        return body
    last = function.items[-1]
    target = target_of(last)
    name = function.outputs[0]
    if target is None or last.parents_matter:
        return body
    text = ast.unparse(target)
    if not name.isidentifier() or renames.get(text, text) != name:
        return body
    size = (last.stmt.end_lineno or 0) - last.stmt.lineno + 1
    head = f"{name} = "
    position = len(body) - 1 - size
    if position < 0 or not body[position].startswith(head) or body[-1] != f"return {name}":
        return body
    first = "return " + body[position][len(head) :]
    shift = len(head) - len("return ")
    rest = [
        line[shift:] if shift > 0 and not line[: len(head)].strip() else line
        for line in body[position + 1 : -1]
    ]
    return [*body[:position], first, *rest]

"""`switch` and `merge` around cases that a selector chooses from become `tf.switch_case`.

TF1 code passed its real tensors to one of several branches with `control_flow_ops.switch`, built
all of them, and took the live result with `merge`. Nothing is dead in eager TensorFlow. Two shapes
of that idiom are read, the second one for several tensors at once:

    merge([func(switch(x, tf.equal(sel, case))[1], case) for case in range(n)])[0]

    for case in range(n):
        output = func([switch(t, tf.equal(sel, case))[1] for t in x], case)
        for j in range(m):
            results[j].append(output[j])
    for i in range(m):
        results[i] = merge(results[i])[0]
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

from migrator.analysis.fresh_names import fresh_name
from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.lines import lines_of

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF132"
_OPS = "tensorflow.python.ops.control_flow_ops."
_REASON = "only the branch that the selector names runs"


@dataclass
class _Switches:
    """The data of each `switch(data, tf.equal(selector, case))[1]` below one node."""

    selector: ast.expr | None
    data: list[tuple[ast.Subscript, ast.expr]]


class _Reader:
    """Finds both shapes in one file and gives their edits."""

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self.lines = Lines(ctx.text)
        self.edits: list[Edit] = []

    def read(self) -> list[Edit]:
        for node in walk(self.ctx.tree):
            if isinstance(node, ast.Subscript):
                self._expression(node)
            for _, block in ast.iter_fields(node):
                if isinstance(block, list) and len(block) > 1 and isinstance(block[0], ast.stmt):
                    self._statements(block)
        return self.edits

    # -- merge([... for case in range(n)])[0]

    def _expression(self, node: ast.Subscript) -> None:
        inputs = self._merged(node)
        if not (isinstance(inputs, ast.ListComp) and len(inputs.generators) == 1):
            return
        loop = inputs.generators[0]
        if not (isinstance(loop.target, ast.Name) and _is_range(loop.iter)) or loop.ifs:
            return
        switches = self._switches(inputs.elt, loop.target.id)
        if switches is None or switches.selector is None or self.ctx.suppressed(CODE, node):
            return
        start, end = self.lines.span(node)
        element = self.lines.span(inputs.elt)
        case = loop.target.id
        head = f"{self._tf()}.switch_case({self._text(switches.selector)}, [lambda {case}={case}: "
        span = (self._end(inputs.elt), self._end(loop.iter))
        self.edits.append(Edit(start, end, (head, element, span, "])")))
        self._without_switches(switches)
        self.ctx.change(CODE, node, _REASON)

    # -- the loop over cases, then the loop over results

    def _statements(self, block: list[ast.stmt]) -> None:
        for place, (cases, merges) in enumerate(zip(block, block[1:], strict=False)):
            if not (isinstance(cases, ast.For) and isinstance(merges, ast.For)):
                continue
            results = self._merge_loop(merges)
            if results is None or not isinstance(cases.target, ast.Name) or cases.orelse:
                continue
            collected = self._append_loop(cases.body[-1], results)
            if collected is None or len(cases.body) < 2 or not _is_range(cases.iter):
                continue
            switches = self._switches(cases, cases.target.id)
            if switches is None or switches.selector is None or self.ctx.suppressed(CODE, cases):
                continue
            before = block[place - 1] if place else None
            self._loops(cases, merges, results, collected, switches, before)

    def _loops(
        self,
        cases: ast.For,
        merges: ast.For,
        results: str,
        collected: str,
        switches: _Switches,
        before: ast.stmt | None,
    ) -> None:
        assert isinstance(cases.target, ast.Name)
        text, case = self.ctx.text, cases.target.id
        if isinstance(before, ast.Assign) and _is_empty_lists(before, results):
            start, end = self.lines.span(before)
            if text[start - before.col_offset : start].isspace() or not before.col_offset:
                following = text.find("\n", end)
                self.edits.append(Edit(start - before.col_offset, following + 1, ()))
        name = fresh_name("compute_case", self.ctx.names.used_names)
        start, _ = self.lines.span(cases)
        colon = text.index(":", self._end(cases.iter))
        self.edits.append(Edit(start, colon, (f"def {name}({case})",)))
        self.edits.append(Edit(*self.lines.span(cases.body[-1]), (f"return {collected}",)))
        many = self._text(cases.iter)
        self.edits.append(
            Edit(
                *self.lines.span(merges),
                (
                    f"{results} = list({self._tf()}.switch_case({self._text(switches.selector)}, ["
                    f"lambda {case}={case}: {name}({case}) for {case} in {many}]))",
                ),
            )
        )
        self._without_switches(switches)
        self.ctx.change(CODE, cases, _REASON)

    def _merge_loop(self, loop: ast.For) -> str | None:
        """`results` of ``for i in range(m): results[i] = merge(results[i])[0]``."""
        if len(loop.body) != 1 or loop.orelse or not isinstance(loop.target, ast.Name):
            return None
        only = loop.body[0]
        if not (isinstance(only, ast.Assign) and len(only.targets) == 1):
            return None
        inputs, target = self._merged(only.value), only.targets[0]
        if not (
            isinstance(target, ast.Subscript)
            and isinstance(target.value, ast.Name)
            and isinstance(target.slice, ast.Name)
            and target.slice.id == loop.target.id
            and inputs is not None
            and ast.unparse(inputs) == ast.unparse(target)
            and _is_range(loop.iter)
        ):
            return None
        return target.value.id

    def _append_loop(self, loop: ast.stmt, results: str) -> str | None:
        """``[output[j] for j in range(m)]`` of the loop that appends each `output[j]`."""
        if not (
            isinstance(loop, ast.For)
            and isinstance(loop.target, ast.Name)
            and len(loop.body) == 1
            and not loop.orelse
            and isinstance(loop.body[0], ast.Expr)
        ):
            return None
        call, index = loop.body[0].value, loop.target.id
        if not (
            isinstance(call, ast.Call)
            and len(call.args) == 1
            and not call.keywords
            and ast.unparse(call.func) == f"{results}[{index}].append"
        ):
            return None
        return f"[{self._text(call.args[0])} for {index} in {self._text(loop.iter)}]"

    # -- parts

    def _merged(self, node: ast.expr) -> ast.expr | None:
        """The inputs of ``merge(inputs)[0]``."""
        if not (_is_item(node, 0) and self._calls(node.value, "merge")):
            return None
        call = node.value
        return call.args[0] if isinstance(call, ast.Call) and len(call.args) == 1 else None

    def _switches(self, node: ast.AST, case: str) -> _Switches | None:
        """The switches below `node`; None if one is of another form or has another selector."""
        found = _Switches(None, [])
        known: set[int] = set()
        for part in walk(node):
            if isinstance(part, ast.expr) and _is_item(part, 1):
                call = part.value
                if not (isinstance(call, ast.Call) and self._calls(call, "switch")):
                    continue
                selector = self._selector(call.args[1], case) if len(call.args) == 2 else None
                if selector is None:
                    return None
                if found.selector is not None and ast.dump(found.selector) != ast.dump(selector):
                    return None
                found.selector = selector
                found.data.append((part, call.args[0]))
                known.add(id(call))
            elif isinstance(part, ast.Call) and self._calls(part, "switch"):
                if id(part) not in known:
                    return None
        return found

    def _selector(self, node: ast.expr, case: str) -> ast.expr | None:
        """`selector` of ``tf.equal(selector, case)``."""
        if not (isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords):
            return None
        if self.ctx.names.resolve_node(node.func) not in ("tensorflow.equal", "tensorflow.math.equal"):
            return None
        for one, other in (node.args, node.args[::-1]):
            if isinstance(other, ast.Name) and other.id == case:
                inside = {n.id for n in walk(one) if isinstance(n, ast.Name)}
                return None if case in inside else one
        return None

    def _calls(self, node: ast.expr, name: str) -> bool:
        return isinstance(node, ast.Call) and self.ctx.names.resolve_node(node.func) == _OPS + name

    def _without_switches(self, switches: _Switches) -> None:
        for whole, data in switches.data:
            self.edits.append(Edit(*self.lines.span(whole), (self.lines.span(data),)))

    def _tf(self) -> str:
        return self.ctx.require_import("tensorflow", None, "tf")

    def _text(self, node: ast.expr | None) -> str:
        assert node is not None
        start, end = self.lines.span(node)
        return self.lines.text[start:end]

    def _end(self, node: ast.expr) -> int:
        return self.lines.span(node)[1]


def _is_item(node: ast.expr, index: int) -> TypeGuard[ast.Subscript]:
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and node.slice.value == index
    )


def _is_range(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("range", "xrange")
        and len(node.args) == 1
    )


def _is_empty_lists(node: ast.Assign, name: str) -> bool:
    """Whether a statement is ``name = [[] for ...]`` or ``name = [list() for ...]``."""
    target = node.targets[0]
    return (
        len(node.targets) == 1
        and isinstance(target, ast.Name)
        and target.id == name
        and isinstance(node.value, ast.ListComp)
        and ast.unparse(node.value.elt) in ("[]", "list()")
    )


@transform
class SwitchMerge:
    """TF132: branches that a selector chooses from."""

    name = "switch_merge"
    triggers = frozenset({_OPS + "merge"})
    order = 65

    def run(self, ctx: FileContext) -> str | None:
        edits = _Reader(ctx).read()
        return _without_import(apply(ctx.text, edits)[0]) if edits else None


def _without_import(text: str) -> str:
    """`text` without an import of the module of these operations that nothing uses any more."""
    tree = ast.parse(text)
    used = {node.id for node in walk(tree) if isinstance(node, ast.Name)}
    lines = lines_of(text, keepends=True)
    for node in reversed(tree.body):
        if (
            isinstance(node, ast.ImportFrom)
            and f"{node.module}." + ".".join(a.name for a in node.names) == _OPS[:-1]
            and (node.names[0].asname or node.names[0].name) not in used
        ):
            del lines[node.lineno - 1 : node.end_lineno]
    return "".join(lines)

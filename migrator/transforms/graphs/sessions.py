"""Takes the sessions out of a file that nothing needs any more."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from migrator.analysis.facts_sessions import TAKERS, Carried, carrier_of_parameter
from migrator.analysis.session_carriers import Carriers
from migrator.analysis.tree_walk import walk
from migrator.analysis.value_kinds import Parents
from migrator.engine.edits import Edit, Lines
from migrator.lines import lines_of

#: What a condition may ask that does nothing by itself.
_PLAIN = (ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.boolop,
          ast.unaryop, ast.cmpop, ast.expr_context)
_GONE = "_without_session"  # what a `with` enters that is to be taken away


class SessionRemoval:
    """The edits that take away sessions, their parameters and arguments."""

    def __init__(self, carried: Carried, carriers: Carriers, path: str, text: str, lines: Lines,
                 support: Callable[[str], str]) -> None:
        self.carried, self.carriers, self.path = carried, carriers, path
        self.text, self.lines, self.support = text, lines, support
        #: what the text needs as it is by now, which other transforms have changed
        self._needs = set(carried.facts()["needs"])

    def edits(self) -> Iterator[Edit]:
        yield from self._parameters()
        yield from self._arguments()
        for node in walk(self.carried.tree):
            if isinstance(node, ast.Assign):
                yield from self._assignment(node)
            elif isinstance(node, (ast.With, ast.AsyncWith)):
                yield from self._block(node)
        for node in self.carried.expressions:
            if self._spare(node) and isinstance(node.ctx, ast.Load):
                yield from self._use(node)

    def _spare(self, node: ast.expr) -> bool:
        carrier = self.carried.carrier(node)
        return carrier not in self._needs and self.carriers.spare(self.path, carrier)

    # -- parameters and arguments

    def _parameters(self) -> Iterator[Edit]:
        for name, parameter, _, function in self.carried.parameters():
            if not self.carriers.spare(self.path, carrier_of_parameter(name, parameter)):
                continue
            arguments = function.args
            every = [*arguments.posonlyargs, *arguments.args]
            defaults = [None] * (len(every) - len(arguments.defaults)) + [*arguments.defaults]
            rest = [a for a in (arguments.vararg, *arguments.kwonlyargs, arguments.kwarg) if a]
            spans = [self._joined(arg, default) for arg, default in zip(every, defaults, strict=True)]
            number = next(i for i, arg in enumerate(every) if arg.arg == parameter)
            yield cut([*spans, *(self.lines.span(arg) for arg in rest)], number, self.text)  # type: ignore[arg-type]

    def _joined(self, arg: ast.arg, default: ast.expr | None) -> tuple[int, int]:
        start, end = self.lines.span(arg)  # type: ignore[arg-type]
        return start, end if default is None else self.lines.span(default)[1]

    def _arguments(self) -> Iterator[Edit]:
        for node in self.carried.expressions:
            place = self.carried.given(node)
            call = self._call_of(node)
            if call is None:
                continue
            symbol = self.carried.values.names.resolve_node(call.func, values=False) or ""
            if symbol in TAKERS:
                if self._spare(node):
                    yield from self._first_taken(call, node, TAKERS[symbol])
            elif place is not None and (takers := self.carriers.takers(*place)):
                if self.carriers.spare(self.path, takers[0]):
                    yield self._without(call, node)

    def _call_of(self, node: ast.expr) -> ast.Call | None:
        holder = self.carried.parents.of(node)
        if isinstance(holder, ast.keyword):
            holder = self.carried.parents.of(holder)
        return holder if isinstance(holder, ast.Call) and holder.func is not node else None

    def _without(self, call: ast.Call, node: ast.expr) -> Edit:
        every: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        number = next(i for i, a in enumerate(every) if getattr(a, "value", a) is node or a is node)
        return cut([self.lines.span(a) for a in every], number, self.text)

    def _first_taken(self, call: ast.Call, node: ast.expr, names: tuple[str, ...]) -> Iterator[Edit]:
        """Takes a call's first argument away; those behind it are named."""
        edit = self._without(call, node)
        behind = [(name, argument) for name, argument in zip(names, call.args[1:], strict=False)
                  ] if call.args[:1] == [node] else []
        if not behind:
            yield edit
            return
        yield Edit(edit.start, edit.end, (f"{behind[0][0]}=",))
        for name, argument in behind[1:]:
            start = self.lines.span(argument)[0]
            yield Edit(start, start, (f"{name}=",))

    # -- statements and blocks

    def _assignment(self, node: ast.Assign) -> Iterator[Edit]:
        target = node.targets[0]
        if len(node.targets) == 1 and target in self.carried.expressions and self._spare(target):
            yield without(node, self.carried.parents, self.lines)

    def _block(self, node: ast.With | ast.AsyncWith) -> Iterator[Edit]:
        gone = [number for number, item in enumerate(node.items) if self._enters(item)]
        for number in gone:
            item = node.items[number]
            graph = self._graph_of(item.context_expr)
            start = self.lines.span(item.context_expr)[0]
            end = self.lines.span(item.optional_vars or item.context_expr)[1]
            if graph is not None:
                yield Edit(start, end, (self.lines.span(graph), ".as_default()"))
            elif len(gone) == len(node.items) and number == 0:
                yield Edit(start, end, (_GONE,))
            else:
                spans = [(self.lines.span(i.context_expr)[0],
                          self.lines.span(i.optional_vars or i.context_expr)[1]) for i in node.items]
                yield cut(spans, number, self.text)

    def _enters(self, item: ast.withitem) -> bool:
        """Whether a `with` enters a session that can go."""
        context, bound = item.context_expr, item.optional_vars
        if self.carriers.queues and self.carried.makes(context) and not self.carried.is_default(context):
            return False  # at its end threads stop waiting
        if bound is not None:
            return bound in self.carried.expressions and self._spare(bound)
        if isinstance(context, ast.Call) and isinstance(context.func, ast.Attribute) and (
                context.func.attr == "as_default"):
            context = context.func.value
        if context in self.carried.expressions:
            return self._spare(context)
        return self.carried.makes(context) and not self.carried.starts_again(context)

    def _graph_of(self, context: ast.expr) -> ast.expr | None:
        """The graph that a session is made for."""
        if not (isinstance(context, ast.Call) and self.carried.makes(context)):
            return None
        return next((w.value for w in context.keywords if w.arg == "graph"),
                    context.args[1] if len(context.args) > 1 else None)

    def _use(self, node: ast.expr) -> Iterator[Edit]:
        holder = self.carried.parents.of(node)
        if not isinstance(holder, ast.Attribute):
            return
        if holder.attr == "graph":
            yield Edit(*self.lines.span(holder), (f"{self.support('graphs.default_graph')}()",))
        elif holder.attr == "close":
            yield without(self.carried.parents.statement(node), self.carried.parents, self.lines)


def without(node: ast.stmt, parents: Parents, lines: Lines) -> Edit:
    """Takes a statement away with its lines, and a condition that only it stood under; what is left of any
    other block that it was alone in is `pass`."""
    return next(all_without([node], parents, lines))


def all_without(nodes: Sequence[ast.stmt], parents: Parents, lines: Lines) -> Iterator[Edit]:
    """Takes statements away as `without` does, of which several may make up a block."""
    gone = {id(node) for node in nodes}
    for node in nodes:
        block = parents.block(node)
        if not gone.issuperset(map(id, block)):
            yield _taken(node, lines)
        elif node is block[-1]:  # for all of them
            emptied = _emptied(block, parents, lines)
            if emptied is None:
                yield from (_taken(other, lines) for other in block[:-1])
                emptied = Edit(*lines.span(node), ("pass",))
            yield emptied


def _taken(node: ast.stmt, lines: Lines) -> Edit:
    """Takes a statement away with its lines; a comment behind it stays."""
    text = lines.text
    start, end = lines.span(node)
    line = lines.offset(node.lineno, 0)
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop + 1
    behind = text[end:stop].strip()
    if text[line:start].strip() or behind.startswith(";"):
        return Edit(start, end, ("pass",))
    if behind:
        return Edit(start, stop - len(text[end:stop].lstrip()), ("",))
    return Edit(line, stop, ("",))


def _emptied(block: Sequence[ast.stmt], parents: Parents, lines: Lines) -> Edit | None:
    """Takes away all of an `else`, or of an `if` that asks names and constants alone, with it; None where
    comments stand there, or more depends on it."""
    holder = parents.of(block[0])
    if not isinstance(holder, ast.If):
        return None
    end = lines.span(block[-1])[1]
    other = block[0] in holder.orelse
    start = lines.span(holder.body[-1])[1] if other else lines.span(holder)[0]
    if "#" in lines.text[start:end] + lines.text[end:].partition("\n")[0]:
        return None
    if other:
        return None if isinstance(block[0], ast.If) else Edit(start, end, ("",))
    if not holder.orelse and all(isinstance(part, _PLAIN) for part in walk(holder.test)):
        around = parents.of(holder)
        if not (isinstance(around, ast.If) and holder in around.orelse):
            return without(holder, parents, lines)
    return None


def cut(spans: list[tuple[int, int]], number: int, text: str) -> Edit:
    """Takes one of a list's elements away, with a comma."""
    start, end = spans[number]
    if number + 1 < len(spans):
        return Edit(start, spans[number + 1][0], ("",))
    if number:
        return Edit(spans[number - 1][1], end, ("",))
    behind = text[end:]
    comma = behind.lstrip().startswith(",")
    return Edit(start, end + (behind.index(",") + 1 if comma else 0), ("",))


def unwrapped(text: str) -> str:
    """`text` without the blocks that are to be taken away: what was in them stands where they stood."""
    if _GONE not in text:
        return text
    tree = ast.parse(text)
    rows = lines_of(text, keepends=True)
    inside = {  # lines that begin within a string
        number for node in walk(tree) if isinstance(node, (ast.Constant, ast.JoinedStr))
        and (isinstance(node, ast.JoinedStr) or isinstance(node.value, (str, bytes)))
        for number in range(node.lineno + 1, (node.end_lineno or node.lineno) + 1)
    }
    shift = dict.fromkeys(range(1, len(rows) + 1), 0)
    dropped: set[int] = set()
    for node in walk(tree):
        if not (isinstance(node, ast.With) and ast.unparse(node.items[0].context_expr) == _GONE):
            continue
        first = node.body[0]
        if first.lineno == node.lineno:  # all on one line
            row = rows[node.lineno - 1]
            rows[node.lineno - 1] = row[: node.col_offset] + row[first.col_offset :]
            continue
        header = node.items[0].context_expr.end_lineno or node.lineno
        dropped |= set(range(node.lineno, header + 1))
        for number in range(header + 1, (node.end_lineno or header) + 1):
            shift[number] += first.col_offset - node.col_offset
        comment = rows[header - 1].partition("#")[2]
        if comment:
            dropped.discard(header)
            rows[header - 1] = rows[node.lineno - 1][: node.col_offset] + "#" + comment
    return "".join(
        row if number in inside else _moved(row, shift[number])
        for number, row in enumerate(rows, 1) if number not in dropped
    )


def _moved(row: str, by: int) -> str:
    """A line moved to the left, as far as there is white space."""
    return row[min(by, len(row) - len(row.lstrip(" \t"))) :]

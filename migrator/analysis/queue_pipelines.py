"""Input queues read as what they are: a data set of files or slices, decoded, shuffled, batched.

``string_input_producer -> reader.read -> decode -> tf.train.batch`` in one block of statements (the
decoding perhaps in a function of its own) is written as a `tf.data` pipeline, still in TF1's way
(`make_one_shot_iterator().get_next()`), so that everything after it sees a data set.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from migrator.analysis.dataflow import statement_flow
from migrator.analysis.names import NameTable
from migrator.analysis.queue_joins import unjoined
from migrator.analysis.queue_parts import (
    BATCHES,
    PRODUCER,
    PROVIDED,
    READERS,
    SLICES,
    PartWriter,
    Reader,
    Unclear,
    argument_of,
)
from migrator.analysis.source import Edit, SourceText
from migrator.analysis.tree_walk import walk


@dataclass
class Pipelines:
    """The text with data sets for queues, and the lines (1-based) of the batches that changed, in
    the text `base`: the old one, or one with fewer queues. `queued`: those lines that queues ended at."""

    text: str
    lines: list[int] = field(default_factory=list)
    base: str = ""
    queued: list[int] = field(default_factory=list)


def pipelines(text: str, tree: ast.Module, names: NameTable) -> Pipelines | None:
    """The file with its input queues as data sets; None if there is none that is understood."""
    alone = unjoined(text, tree, names)
    if alone != text:
        text, tree = alone, ast.parse(alone)
        names = NameTable.of(tree)
    writer = _Writer(text, tree, names)
    found: list[int] = []
    edits: list[Edit] = []
    for scope in walk(tree):
        if isinstance(scope, ast.Call):
            edits += writer.reader_class(scope)
        if not isinstance(scope, (ast.Module, ast.FunctionDef)):
            continue
        for block in _blocks(scope):
            try:
                own = writer.block(block, scope)
            except Unclear:
                continue
            if own:
                edits += own[1]
                found.append(own[0])
    if not edits:
        return None
    unique = list(dict.fromkeys(edits))
    return Pipelines(writer.source.splice(0, len(text), unique), found, text, writer.queued)


def _blocks(scope: ast.Module | ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    """The statement lists that run once in a scope: its body, and those of its `with`s."""
    stack = [scope.body]
    while stack:
        block = stack.pop()
        yield block
        stack += [stmt.body for stmt in block if isinstance(stmt, ast.With)]


class _Writer(PartWriter):
    def __init__(self, text: str, tree: ast.Module, names: NameTable) -> None:
        self.source = SourceText(text, tree)
        self.tree = tree
        self.names = names
        self.functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
        self.used = set(names.used_names)
        self.queued: list[int] = []

    def reader_class(self, call: ast.Call) -> list[Edit]:
        """``reader=tf.TFRecordReader`` of a slim data set names the data set of its records."""
        given = next((a.value for a in call.keywords if a.arg == "reader"), None)
        if not isinstance(given, ast.Attribute) or self.symbol(call) not in PROVIDED:
            return []
        made = READERS.get(self.names.resolve_node(given, values=False) or "")
        tf = self.source.segment(given).partition(".")[0]
        return [(*self.source.span(given), f"{tf}.data.{made}")] if made else []

    # -- one block

    def block(
        self, block: list[ast.stmt], scope: ast.Module | ast.FunctionDef
    ) -> tuple[int, list[Edit]] | None:
        """(line of the batch, edits) of the pipeline in a block. Raises Unclear."""
        values = [getattr(stmt, "value", None) for stmt in block]
        starts = [i for i, v in enumerate(values) if self.symbol(v) in (PRODUCER, SLICES)
                  or self._provider(block[i], block)]
        ends = [i for i, v in enumerate(values) if self.symbol(v) in BATCHES]
        if not starts and not ends and isinstance(scope, ast.FunctionDef):
            return self._elements(block, scope)
        if len(starts) != 1 or len(ends) != 1 or ends[0] < starts[0]:
            return None
        start, end = starts[0], ends[0]
        producer, batch = values[start], values[end]
        assert isinstance(producer, ast.Call) and isinstance(batch, ast.Call)
        first, last = block[start], block[end]
        if not isinstance(first, ast.Assign) or not isinstance(last, ast.Assign):
            raise Unclear("a queue without a name")
        tf = ast.unparse(producer.func).split(".")[0]
        provider = self._provider(first, block)
        dataset = self._fresh("examples" if provider else "dataset")
        lines: list[str] = []
        edits: list[Edit] = []
        gone: list[ast.stmt] = [first]
        parameters: list[str] = []  # of the function of one record, where they are not its names
        if provider:
            tainted = _names(first.targets[0])
            lines += self._provided(first, provider, dataset)
            arguments = list(tainted)
        elif self.symbol(producer) == SLICES:
            tainted = _names(first.targets[0])
            lines += self._slices(producer, dataset, tf)
            arguments = list(tainted)
            if isinstance(first.targets[0], ast.Name):  # the list of them
                parameters = [f"*{first.targets[0].id}"]
        else:
            queue = _single(first.targets[0])
            read, call, reader = self._read(block[start + 1 : end], queue)
            gone += [s for s in (read, reader.made, reader.stmt) if s is not None and s in block]
            gone = list(dict.fromkeys(gone))
            lines += self._files(producer, reader, dataset, tf)
            if call is not None:  # a function reads and decodes
                edits += self._decoder(reader, queue)
                assert isinstance(read, ast.Assign)
                lines += self._mapped(call, queue, reader.value, dataset)
                tainted = _names(read.targets[0])
            else:
                tainted = [reader.value]
            arguments = list(tainted)
        between = [s for s in block[start + 1 : end] if s not in gone]
        work = self._tainted(between, tainted)
        wanted = self._tensors(batch)
        if work or wanted != arguments or isinstance(argument_of(batch, 0, "tensors", "tensor_list"),
                                                     ast.Dict):
            name = self._fresh("parse" if arguments == ["serialized_example"] else "prepare")
            returned = self.source.segment(self._tensor_node(batch))
            if isinstance(self._tensor_node(batch), ast.List):
                returned = returned[1:-1].strip().rstrip(",")
            lines += self._function(name, parameters or arguments, work, returned)
            lines.append(f"{dataset} = {dataset}.map({name})")
            gone += work
        lines += self._batched(batch, dataset)
        edits += self._ending(block, end, scope, gone, lines, dataset)
        self.queued.append(last.lineno)
        return last.lineno, edits

    def _elements(
        self, block: list[ast.stmt], scope: ast.FunctionDef
    ) -> tuple[int, list[Edit]] | None:
        """What an input function makes of its iterator's element becomes a part of the data set."""
        taken = [i for i, s in enumerate(block) if _method(s, "get_next") is not None]
        if len(taken) != 1 or not isinstance(block[taken[0]], ast.Assign):
            return None
        last = block[taken[0]]
        assert isinstance(last, ast.Assign)
        gone: list[ast.stmt] = []
        iterator = _method(last, "get_next")
        if isinstance(iterator, ast.Name):
            made = [s for s in block[: taken[0]] if isinstance(s, ast.Assign)
                    and ast.unparse(s.targets[0]) == iterator.id]
            uses = [n for n in walk(scope) if isinstance(n, ast.Name) and n.id == iterator.id]
            if len(made) != 1 or len(uses) != 2:
                return None
            gone, iterator = list(made), made[0].value
        call = iterator if isinstance(iterator, ast.Call) else None
        if call is None or not isinstance(call.func, ast.Attribute) or call.args or (
            call.func.attr != "make_one_shot_iterator"
        ):
            return None
        rest = block[taken[0] + 1 :]
        if not rest or not isinstance(rest[-1], ast.Return) or rest[-1].value is None or (
            len(rest) == 1 and _flat(rest[-1].value) == _names(last.targets[0])
        ):
            return None
        source = self.source.segment(call.func.value)
        lines = []
        dataset = source
        if not source.isidentifier():
            dataset = self._fresh("dataset")
            lines.append(f"{dataset} = {source}")
        edits = self._ending(block, taken[0], scope, gone, lines, dataset)
        return last.lineno, edits

    def _ending(
        self, block: list[ast.stmt], end: int, scope: ast.Module | ast.FunctionDef,
        gone: list[ast.stmt], lines: list[str], dataset: str,
    ) -> list[Edit]:
        """Edits that put the pipeline where the batch was; what follows in an input function
        becomes a part of it."""
        last = block[end]
        assert isinstance(last, ast.Assign)
        source = self.source
        rest = block[end + 1 :]
        element = f"{dataset}.make_one_shot_iterator().get_next()"
        returned = rest[-1] if rest else None
        finishing = rest[:-1]
        if isinstance(scope, ast.FunctionDef) and isinstance(returned, ast.Return) and (
            returned.value is not None
        ):
            targets = _names(last.targets[0])
            if [s for s in finishing if not isinstance(s, ast.Assign)] or any(
                "summary" in ast.unparse(s) for s in finishing
            ):
                raise Unclear("more than tensors is made of a batch")
            if not _all_of_batch(targets, finishing, returned.value):
                raise Unclear("a part of what is returned is not made of the batch: to ask for it takes none")
            plain = source.segment(returned.value)
            if finishing or _flat(returned.value) != targets:
                name = self._fresh("finish")
                lines += self._function(name, targets, finishing, plain)
                lines.append(f"{dataset} = {dataset}.map({name})")
            lines.append(f"return {element}")
            gone += [*finishing, returned]
        else:
            lines.append(f"{source.segment(last.targets[0])} = {element}")
        indent = source.indent(last)
        text = "\n".join(indent + line if line else "" for line in lines)
        begin, finish = source.span(last)
        edits: list[Edit] = [(begin - len(indent), finish, text)]
        for stmt in gone:
            line = source.first_line(stmt)
            while line > 1 and source.lines[line - 2].lstrip().startswith("#"):
                line -= 1
            begin = source.offset(line, 0)
            finish = source.offset(stmt.end_lineno or stmt.lineno, 0) + len(
                source.lines[(stmt.end_lineno or stmt.lineno) - 1])
            edits.append((begin, finish, ""))
        return edits

    # -- parts

    def _read(
        self, block: list[ast.stmt], queue: str
    ) -> tuple[ast.stmt, ast.Call | None, Reader]:
        """(the statement that uses the queue, the call of the function it does it by, reader)."""
        users = [s for s in block if queue in statement_flow(s).uses]
        if len(users) != 1 or not isinstance(users[0], ast.Assign):
            raise Unclear("a queue with several readers")
        call = users[0].value
        if not isinstance(call, ast.Call):
            raise Unclear("a queue that no call reads")
        if isinstance(call.func, ast.Name) and call.func.id in self.functions:
            function = self.functions[call.func.id]
            parameters = [a.arg for a in function.args.args]
            given = [a.id if isinstance(a, ast.Name) else "" for a in call.args]
            if queue not in given or call.keywords or given.index(queue) != 0:
                raise Unclear("a queue that is not the first argument")
            uses = [n for n in walk(self.tree) if isinstance(n, ast.Name)
                    and n.id == function.name]
            if len(uses) != 1:
                raise Unclear("a function that reads several queues")
            inner = self._reader(function.body, parameters[0])
            inner.function = function
            return users[0], call, inner
        return users[0], None, self._reader(block, queue)

    def _reader(self, block: list[ast.stmt], queue: str) -> Reader:
        """The reader of a queue in a block."""
        for stmt in block:
            if not isinstance(stmt, ast.Assign) or not isinstance(stmt.value, ast.Call):
                continue
            func = stmt.value.func
            if not (isinstance(func, ast.Attribute) and func.attr == "read"):
                continue
            given = stmt.value.args
            if len(given) != 1 or not isinstance(given[0], ast.Name) or given[0].id != queue:
                continue
            target = stmt.targets[0]
            if not isinstance(target, (ast.Tuple, ast.List)) or len(target.elts) != 2:
                raise Unclear("a record without a name")
            key, value = target.elts
            if not isinstance(value, ast.Name) or not isinstance(key, ast.Name):
                raise Unclear("a record that is kept in an object")
            if key.id != "_" and any(
                isinstance(n, ast.Name) and n.id == key.id and isinstance(n.ctx, ast.Load)
                for n in walk(self.tree)
            ):
                raise Unclear("the keys of the records are used")
            if isinstance(func.value, ast.Call):
                return Reader(func.value, None, stmt, value.id)
            for made in block:
                if isinstance(made, ast.Assign) and ast.unparse(made.targets[0]) == ast.unparse(
                    func.value
                ) and self.symbol(made.value) in READERS:
                    assert isinstance(made.value, ast.Call)
                    return Reader(made.value, made, stmt, value.id)
        raise Unclear("a queue without a known reader")

    def _decoder(self, reader: Reader, queue: str) -> list[Edit]:
        """The decoding function takes a record instead of the queue."""
        function = reader.function
        assert function is not None
        del queue
        parameter = function.args.args[0]
        source = self.source
        uses = sum(isinstance(n, ast.Name) and n.id == parameter.arg for n in walk(function))
        if uses != 1:
            raise Unclear("a queue with several readers")
        start = source.offset(parameter.lineno, parameter.col_offset)
        edits: list[Edit] = [(start, start + len(parameter.arg), reader.value)]
        for stmt in (reader.made, reader.stmt):
            if stmt is not None:
                begin = source.offset(source.first_line(stmt), 0)
                finish = source.offset(stmt.end_lineno or stmt.lineno, 0) + len(
                    source.lines[(stmt.end_lineno or stmt.lineno) - 1])
                edits.append((begin, finish, ""))
        return edits

    def _mapped(self, call: ast.Call, queue: str, record: str, dataset: str) -> list[str]:
        assert isinstance(call.func, ast.Name)
        if len(call.args) == 1:
            return [f"{dataset} = {dataset}.map({call.func.id})"]
        rest = ", ".join(self.source.segment(a) for a in call.args[1:])
        del queue
        return [f"{dataset} = {dataset}.map(lambda {record}: {call.func.id}({record}, {rest}))"]


def _method(stmt: ast.stmt, name: str) -> ast.expr | None:
    """The object whose method `name` an assignment calls."""
    value = getattr(stmt, "value", None)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.value if value.func.attr == name and not value.args else None
    return None


def _names(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, (ast.Tuple, ast.List)) and all(
        isinstance(e, ast.Name) for e in target.elts
    ):
        return [e.id for e in target.elts if isinstance(e, ast.Name)]
    raise Unclear("parts of a batch without names")


def _single(target: ast.expr) -> str:
    if not isinstance(target, ast.Name):
        raise Unclear("a queue without a name")
    return target.id


def _all_of_batch(batch: list[str], finishing: list[ast.stmt], returned: ast.expr) -> bool:
    """Whether all parts of what is returned follow from the names of a batch."""
    known = set(batch)
    for statement in finishing:
        flow = statement_flow(statement)
        if flow.uses & known:
            known |= flow.defines
    parts = (returned.values if isinstance(returned, ast.Dict)
             else returned.elts if isinstance(returned, (ast.Tuple, ast.List)) else [returned])
    return all(any(isinstance(n, ast.Name) and n.id in known for n in walk(part)) for part in parts)


def _flat(node: ast.expr) -> list[str]:
    elements = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
    return [e.id if isinstance(e, ast.Name) else "" for e in elements]

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
from migrator.analysis.source import Edit, SourceText

_READERS = {
    "tensorflow.TFRecordReader": "TFRecordDataset",
    "tensorflow.TextLineReader": "TextLineDataset",
    "tensorflow.FixedLengthRecordReader": "FixedLengthRecordDataset",
    "tensorflow.WholeFileReader": "",
}
_PRODUCER = "tensorflow.train.string_input_producer"
_SLICES = "tensorflow.train.slice_input_producer"
_BATCHES = ("tensorflow.train.batch", "tensorflow.train.shuffle_batch")


class Unclear(Exception):
    """A pipeline in a form that is not understood; it stays as it is."""


@dataclass
class Pipelines:
    """The text with data sets for queues, and the lines (1-based) of the batches that changed."""

    text: str
    lines: list[int] = field(default_factory=list)


def pipelines(text: str, tree: ast.Module, names: NameTable) -> Pipelines | None:
    """The file with its input queues as data sets; None if there is none that is understood."""
    writer = _Writer(text, tree, names)
    found: list[int] = []
    edits: list[Edit] = []
    for scope in ast.walk(tree):
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
    return Pipelines(writer.source.splice(0, len(text), unique), found)


def _blocks(scope: ast.Module | ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    """The statement lists that run once in a scope: its body, and those of its `with`s."""
    stack = [scope.body]
    while stack:
        block = stack.pop()
        yield block
        stack += [stmt.body for stmt in block if isinstance(stmt, ast.With)]


class _Writer:
    def __init__(self, text: str, tree: ast.Module, names: NameTable) -> None:
        self.source = SourceText(text, tree)
        self.tree = tree
        self.names = names
        self.functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
        self.used = set(names.used_names)

    def symbol(self, node: ast.AST | None) -> str:
        if not isinstance(node, ast.Call):
            return ""
        return self.names.resolve_node(node.func, values=False) or ""

    # -- one block

    def block(
        self, block: list[ast.stmt], scope: ast.Module | ast.FunctionDef
    ) -> tuple[int, list[Edit]] | None:
        """(line of the batch, edits) of the pipeline in a block. Raises Unclear."""
        values = [getattr(stmt, "value", None) for stmt in block]
        starts = [i for i, v in enumerate(values) if self.symbol(v) in (_PRODUCER, _SLICES)]
        ends = [i for i, v in enumerate(values) if self.symbol(v) in _BATCHES]
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
        dataset = self._fresh("dataset")
        lines: list[str] = []
        edits: list[Edit] = []
        gone: list[ast.stmt] = [first]
        if self.symbol(producer) == _SLICES:
            tainted = _names(first.targets[0])
            lines += self._slices(producer, dataset, tf)
            arguments = list(tainted)
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
        if work or wanted != arguments or isinstance(_argument(batch, 0, "tensors", "tensor_list"),
                                                     ast.Dict):
            name = self._fresh("parse" if arguments == ["serialized_example"] else "prepare")
            returned = self.source.segment(self._tensor_node(batch))
            if isinstance(self._tensor_node(batch), ast.List):
                returned = returned[1:-1].strip().rstrip(",")
            lines += self._function(name, arguments, work, returned)
            lines.append(f"{dataset} = {dataset}.map({name})")
            gone += work
        lines += self._batched(batch, dataset)
        edits += self._ending(block, end, scope, gone, lines, dataset)
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
            uses = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == iterator.id]
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

    def _fresh(self, name: str) -> str:
        candidate, number = name, 1
        while candidate in self.used:
            number += 1
            candidate = f"{name}_{number}"
        self.used.add(candidate)
        return candidate

    def _read(
        self, block: list[ast.stmt], queue: str
    ) -> tuple[ast.stmt, ast.Call | None, _Reader]:
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
            uses = [n for n in ast.walk(self.tree) if isinstance(n, ast.Name)
                    and n.id == function.name]
            if len(uses) != 1:
                raise Unclear("a function that reads several queues")
            inner = self._reader(function.body, parameters[0])
            inner.function = function
            return users[0], call, inner
        return users[0], None, self._reader(block, queue)

    def _reader(self, block: list[ast.stmt], queue: str) -> _Reader:
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
                for n in ast.walk(self.tree)
            ):
                raise Unclear("the keys of the records are used")
            if isinstance(func.value, ast.Call):
                return _Reader(func.value, None, stmt, value.id)
            for made in block:
                if isinstance(made, ast.Assign) and ast.unparse(made.targets[0]) == ast.unparse(
                    func.value
                ) and self.symbol(made.value) in _READERS:
                    assert isinstance(made.value, ast.Call)
                    return _Reader(made.value, made, stmt, value.id)
        raise Unclear("a queue without a known reader")

    def _decoder(self, reader: _Reader, queue: str) -> list[Edit]:
        """The decoding function takes a record instead of the queue."""
        function = reader.function
        assert function is not None
        del queue
        parameter = function.args.args[0]
        source = self.source
        uses = sum(isinstance(n, ast.Name) and n.id == parameter.arg for n in ast.walk(function))
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

    def _files(
        self, producer: ast.Call, reader: _Reader, dataset: str, tf: str
    ) -> list[str]:
        """The data set of the records of all files."""
        given = self._given(producer, (
            "string_tensor", "num_epochs", "shuffle", "seed", "capacity", "shared_name", "name"))
        files = given["string_tensor"]
        maker = f"{tf}.data.{_READERS[self.symbol(reader.call)]}"
        options = {a.arg: self.source.segment(a.value) for a in reader.call.keywords
                   if a.arg != "name"}
        one = f"{maker}(path)"
        plain = maker
        if self.symbol(reader.call) == "tensorflow.WholeFileReader":
            plain = ""
        elif "skip_header_lines" in options:
            one, plain = f"{maker}(path).skip({options.pop('skip_header_lines')})", "?"
        elif "record_bytes" in options:
            one, plain = f"{maker}(path, {options.pop('record_bytes')})", "?"
        if options or reader.call.args:
            raise Unclear("options of a reader")
        seed = f", seed={given['seed']}" if "seed" in given else ""
        lines = []
        whole = given.get("shuffle", "True")
        if whole not in ("True", "False"):
            raise Unclear("whether files are shuffled is not known")
        if whole == "True" and not files.isidentifier():
            name = self._fresh("filenames")
            lines.append(f"{name} = {files}")
            files = name
        text = f"{tf}.data.Dataset.from_tensor_slices({files})"
        if whole == "True":
            text += f".shuffle(len({files}){seed})"
        if not plain:
            text += f".map({tf}.read_file)"
        elif plain == "?":
            text += f".flat_map(lambda path: {one})"
        elif whole == "True":
            text += f".flat_map({plain})"
        else:
            text = f"{plain}({files})"
        epochs = given.get("num_epochs", "")
        lines += [f"{dataset} = {text}",
                  f"{dataset} = {dataset}.repeat({'' if epochs == 'None' else epochs})"]
        return lines

    def _slices(self, producer: ast.Call, dataset: str, tf: str) -> list[str]:
        given = self._given(producer, (
            "tensor_list", "num_epochs", "shuffle", "seed", "capacity", "shared_name", "name"))
        tensors = _argument(producer, 0, "tensor_list")
        if not isinstance(tensors, (ast.List, ast.Tuple)):
            raise Unclear("slices of an unknown number of tensors")
        parts = [self.source.segment(e) for e in tensors.elts]
        seed = f", seed={given['seed']}" if "seed" in given else ""
        text = f"{tf}.data.Dataset.from_tensor_slices(({', '.join(parts)}))"
        if given.get("shuffle", "True") == "True":
            text += f".shuffle(len({parts[0]}){seed})"
        elif given["shuffle"] != "False":
            raise Unclear("whether slices are shuffled is not known")
        epochs = given.get("num_epochs", "")
        return [f"{dataset} = {text}",
                f"{dataset} = {dataset}.repeat({'' if epochs == 'None' else epochs})"]

    def _batched(self, batch: ast.Call, dataset: str) -> list[str]:
        shuffled = self.symbol(batch).endswith("shuffle_batch")
        order = ("tensors", "batch_size", "capacity", "min_after_dequeue", "num_threads", "seed",
                 "enqueue_many", "shapes", "allow_smaller_final_batch") if shuffled else (
            "tensors", "batch_size", "num_threads", "capacity", "enqueue_many", "shapes",
            "dynamic_pad", "allow_smaller_final_batch")
        given = self._given(batch, order)
        lines = []
        flags = {name: given.get(name, "False") for name in (
            "enqueue_many", "dynamic_pad", "allow_smaller_final_batch")}
        if not set(flags.values()) <= {"True", "False"} or "shapes" in given or (
            "batch_size" not in given
        ):
            raise Unclear("how a batch is made is not known")
        if flags["enqueue_many"] == "True":
            lines.append(f"{dataset} = {dataset}.unbatch()")
        if shuffled:
            seed = f", seed={given['seed']}" if "seed" in given else ""
            lines.append(f"{dataset} = {dataset}.shuffle({given['capacity']}{seed})")
        method = "padded_batch" if flags["dynamic_pad"] == "True" else "batch"
        drop = "" if flags["allow_smaller_final_batch"] == "True" else ", drop_remainder=True"
        lines.append(f"{dataset} = {dataset}.{method}({given['batch_size']}{drop}).prefetch(1)")
        return lines

    def _given(self, call: ast.Call, order: tuple[str, ...]) -> dict[str, str]:
        """The texts of a call's arguments by name."""
        if any(isinstance(a, ast.Starred) for a in call.args):
            raise Unclear("arguments are passed on")
        pairs = [*zip(order, call.args, strict=False),
                 *((a.arg or "", a.value) for a in call.keywords)]
        if any(name not in (*order, "name", "shared_name", "tensor_list") for name, _ in pairs):
            raise Unclear("an argument that is not known")
        return {name: " ".join(self.source.segment(node).split()) for name, node in pairs}

    def _tensor_node(self, batch: ast.Call) -> ast.expr:
        node = _argument(batch, 0, "tensors", "tensor_list")
        if node is None:
            raise Unclear("a batch of nothing")
        return node

    def _tensors(self, batch: ast.Call) -> list[str]:
        node = self._tensor_node(batch)
        if isinstance(node, ast.Name):
            return [node.id]
        if isinstance(node, (ast.List, ast.Tuple)):
            if len(node.elts) < 2:
                raise Unclear("a batch of one tensor in a list")
            return [e.id if isinstance(e, ast.Name) else "" for e in node.elts]
        if isinstance(node, ast.Dict):
            return []
        raise Unclear("what is batched is not known")

    def _tainted(self, block: list[ast.stmt], names: list[str]) -> list[ast.stmt]:
        """Statements that work on one record."""
        known = set(names)
        found = []
        for stmt in block:
            flow = statement_flow(stmt)
            if not flow.uses & known:
                continue
            if "summary" in ast.unparse(stmt):
                raise Unclear("a record is summarized")
            found.append(stmt)
            known |= flow.defines
        return found

    def _function(
        self, name: str, parameters: list[str], work: list[ast.stmt], returned: str
    ) -> list[str]:
        lines = ["", f"def {name}({', '.join(parameters)}):"]
        previous = 0
        for stmt in work:
            if not previous:
                previous = self.source.first_line(stmt) - 1
                while self.source.lines[previous - 1].lstrip().startswith("#"):
                    previous -= 1
            text = self.source.statement(stmt, [], "")
            comments = [c.strip() for c in self.source.trivia(previous, stmt) if c.strip()]
            lines += [self.source.unit + c for c in comments]
            lines += [self.source.unit + t.rstrip("\n") if t.strip() else "" for t in text]
            previous = stmt.end_lineno or previous
        return [*lines, f"{self.source.unit}return {returned}", ""]


@dataclass
class _Reader:
    """How records are read: the reader's call, the statements that make it and read, the record's
    name, and the function they are in (if another one)."""

    call: ast.Call
    made: ast.stmt | None
    stmt: ast.stmt
    value: str
    function: ast.FunctionDef | None = None


def _argument(call: ast.Call, position: int, *names: str) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg in names:
            return keyword.value
    return call.args[position] if len(call.args) > position else None


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


def _flat(node: ast.expr) -> list[str]:
    elements = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
    return [e.id if isinstance(e, ast.Name) else "" for e in elements]

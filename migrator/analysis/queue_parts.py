"""The parts of an input queue as statements that build a data set."""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass

from migrator.analysis.dataflow import statement_flow
from migrator.analysis.fresh_names import fresh_name
from migrator.analysis.names import NameTable
from migrator.analysis.source import SourceText
from migrator.analysis.tree_walk import walk
from migrator.analysis.value_kinds import parameters

READERS = {
    "tensorflow.TFRecordReader": "TFRecordDataset",
    "tensorflow.TextLineReader": "TextLineDataset",
    "tensorflow.FixedLengthRecordReader": "FixedLengthRecordDataset",
    "tensorflow.WholeFileReader": "",
}


PRODUCER = "tensorflow.train.string_input_producer"


SLICES = "tensorflow.train.slice_input_producer"


PROVIDERS = (
    "tensorflow.contrib.slim.dataset_data_provider.DatasetDataProvider",
    "tensorflow.contrib.slim.data.dataset_data_provider.DatasetDataProvider",
)
#: Which of slim's data sets are told what reads their files.
PROVIDED = ("tensorflow.contrib.slim.dataset.Dataset", "tensorflow.contrib.slim.data.dataset.Dataset")


BATCHES = ("tensorflow.train.batch", "tensorflow.train.shuffle_batch")

# What asks for all summaries of a graph: those of its queues, and of what prepares a record.
_MERGED = re.compile(r"\bmerge_all|\bSupervisor\(|\bMonitoredTrainingSession\(|\blearning\.train\(|"
                     r"\bEstimator\(|\bGraphKeys\.SUMMAR")

#: What is said and advised where they are asked for, and a data set reads.
NO_FULLNESS = (
    "the summaries of how full its queues were (fraction_of_..._full) are gone",
    "a data set has no queue: tf.profiler.experimental shows what waits for input",
)


def merges_summaries(*texts: str | None) -> bool:
    """Whether one of some modules (None: it cannot be read) asks for all summaries of its graph."""
    return any(_MERGED.search(text) for text in texts if text)


class Unclear(Exception):
    """A pipeline in a form that is not understood; it stays as it is."""


@dataclass
class Reader:
    """How records are read: the reader's call, the statements that make it and read, the record's
    name, and the function they are in (if another one)."""

    call: ast.Call
    made: ast.stmt | None
    stmt: ast.stmt
    value: str
    function: ast.FunctionDef | None = None


def argument_of(call: ast.Call, position: int, *names: str) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg in names:
            return keyword.value
    return call.args[position] if len(call.args) > position else None


class PartWriter:
    """Writes the lines of one pipeline."""

    source: SourceText
    names: NameTable
    functions: dict[str, ast.FunctionDef]  # of the module, by name
    used: set[str]

    def symbol(self, node: ast.AST | None) -> str:
        if not isinstance(node, ast.Call):
            return ""
        return self.names.resolve_node(node.func, values=False) or ""

    def _count(self, given: list[ast.expr], text: str) -> str:
        """How many elements what `given` holds has, where `text` stands for it: len() of a tensor is not
        known where a graph is built."""
        made = [self._assigned_last(node) for node in given]
        tensor = any((self.names.resolve_node(node) or "").startswith("tensorflow.") for node in made)
        return f"{text}.shape[0]" if tensor else f"len({text})"

    def _assigned_last(self, node: ast.expr) -> ast.expr:
        """What the function around a name, which may stand for several things in it, gave it last."""
        if not isinstance(node, ast.Name):
            return node
        around = max(
            (f for f in walk(self.names.tree) if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef))
             and f.lineno <= node.lineno <= (f.end_lineno or 0)),
            key=lambda f: f.lineno, default=self.names.tree)
        above = [a for a in walk(around) if isinstance(a, ast.Assign) and a.lineno < node.lineno and any(
            isinstance(t, ast.Name) and t.id == node.id for t in a.targets)]
        return max(above, key=lambda a: a.lineno).value if above else node

    def _fresh(self, name: str) -> str:
        candidate = fresh_name(name, self.used)
        self.used.add(candidate)
        return candidate

    def _files(
        self, producer: ast.Call, reader: Reader, dataset: str, tf: str
    ) -> list[str]:
        """The data set of the records of all files."""
        given = self._given(producer, (
            "string_tensor", "num_epochs", "shuffle", "seed", "capacity", "shared_name", "name"))
        files = given["string_tensor"]
        maker = f"{tf}.data.{READERS[self.symbol(reader.call)]}"
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
            text += f".shuffle({self._count(producer.args[:1], files)}{seed})"
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

    def _provider(self, stmt: ast.stmt, block: list[ast.stmt]) -> str:
        """The name of the slim provider whose `get` a statement calls, "" for any other one."""
        call = getattr(stmt, "value", None)
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
                and call.func.attr == "get" and isinstance(call.func.value, ast.Name)):
            return ""
        name = call.func.value.id
        made = [s for s in block if isinstance(s, ast.Assign) and len(s.targets) == 1
                and ast.unparse(s.targets[0]) == name]
        return name if len(made) == 1 and self.symbol(made[0].value) in PROVIDERS else ""

    def _provided(self, stmt: ast.stmt, provider: str, dataset: str) -> list[str]:
        """The data set of what a slim provider gives."""
        call = getattr(stmt, "value", None)
        items = argument_of(call, 0, "items") if isinstance(call, ast.Call) else None
        if not isinstance(items, (ast.List, ast.Tuple)) or not items.elts:
            raise Unclear("what a provider gives is not known")
        keys = [f"example[{self.source.segment(e)}]" for e in items.elts]
        given = f"({', '.join(keys)})" if len(keys) > 1 else keys[0]
        return [f"{dataset} = {provider}.examples.map(lambda example: {given})"]

    def _slices(self, producer: ast.Call, dataset: str, tf: str) -> list[str]:
        given = self._given(producer, (
            "tensor_list", "num_epochs", "shuffle", "seed", "capacity", "shared_name", "name"))
        tensors = argument_of(producer, 0, "tensor_list")
        if not isinstance(tensors, (ast.List, ast.Tuple)):
            raise Unclear("slices of an unknown number of tensors")
        parts = [self.source.segment(e) for e in tensors.elts]
        seed = f", seed={given['seed']}" if "seed" in given else ""
        text = f"{tf}.data.Dataset.from_tensor_slices(({', '.join(parts)}))"
        if given.get("shuffle", "True") == "True":
            text += f".shuffle({self._count(tensors.elts[:1], parts[0])}{seed})"
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
        node = argument_of(batch, 0, "tensors", "tensor_list")
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
        merged = merges_summaries(self.source.text)
        known = set(names)
        used: set[str] = set()
        found = []
        for stmt in block:
            flow = statement_flow(stmt)
            if not flow.uses & known:
                if used & (flow.defines | flow.mutates):  # the work would see what comes after it
                    raise Unclear("what a record is prepared with is another value afterwards")
                continue
            if "summary" in ast.unparse(stmt):
                raise Unclear("a record is summarized")
            if merged and self._may_summarize(stmt, known, frozenset()):
                raise Unclear("what prepares a record is elsewhere, and all summaries are asked for")
            found.append(stmt)
            known |= flow.defines
            used |= flow.uses
        return found

    def _may_summarize(self, code: ast.AST, known: set[str], seen: frozenset[str]) -> bool:
        """Whether code calls what is not seen here, and may make summaries: neither TensorFlow's, nor
        Python's, nor a method of one of the values `known`, nor a function of the module that calls
        nothing else."""
        for call in (node for node in walk(code) if isinstance(node, ast.Call)):
            symbol, root = self.names.resolve_node(call.func), call.func
            while isinstance(root, (ast.Attribute, ast.Subscript)):
                root = root.value
            if (symbol or "").startswith(("tensorflow.", "numpy.")) or not isinstance(root, ast.Name):
                continue
            if root.id in known or hasattr(builtins, root.id) or root.id in seen:
                continue
            own = self.functions.get(root.id) if root is call.func else None
            if own is None or "summary" in ast.unparse(own):
                return True
            if self._may_summarize(own, set(parameters(own)), seen | {root.id}):
                return True
        return False

    def _function(
        self, name: str, parameters: list[str], work: list[ast.stmt], returned: str
    ) -> list[str]:
        lines = ["", f"def {name}({', '.join(parameters)}):"]
        for stmt in work:  # with the comments right above it: what else stands between them stays where it is
            above = self.source.first_line(stmt) - 1
            while above and self.source.lines[above - 1].lstrip().startswith("#"):
                above -= 1
            comments = [c.strip() for c in self.source.trivia(above, stmt) if c.strip()]
            text = self.source.statement(stmt, [], "")
            lines += [self.source.unit + c for c in comments]
            lines += [self.source.unit + t.rstrip("\n") if t.strip() else "" for t in text]
        return [*lines, f"{self.source.unit}return {returned}", ""]

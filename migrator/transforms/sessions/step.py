"""What a generated function is: its record, its style, and how expressions of the program go into it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from migrator.analysis.program import Program
from migrator.analysis.program_items import Item
from migrator.analysis.source import Edit, SourceText
from migrator.analysis.tree_walk import walk
from migrator.transforms.sessions.xla import Reach


@dataclass
class Parameter:
    """One argument of a generated function; `spec` is its TensorSpec's text, "" if unknown."""

    name: str
    spec: str = ""
    doc: str = ""
    computed: bool = False  # elsewhere by the graph, so that its static shape is not written


@dataclass
class Summaries:
    """Where a function writes its summaries: the writer, and the two arguments it adds.

    `counted` is the variable that says the step, where it is fetched together with the summaries;
    the function computes its step (`step`, once it is made) from that, and its condition, too, if
    that is `tested` inside. An `optional` writer may be None.
    """

    writer: str
    step: str
    condition: str = ""
    step_name: str = "step"
    condition_name: str = "write_summaries"
    counted: ast.expr | None = None
    tested: bool = False
    optional: bool = False


@dataclass
class StepFunction:
    """One generated function.

    `items` is the slice that computes `outputs` (expressions as texts); `element` the item that
    got the batch from an iterator whose data set is called `dataset`.
    """

    name: str
    items: list[Item]
    parameters: list[Parameter] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    output_form: str = "tuple"  # "tuple", "list" or "dict"
    keys: list[str] = field(default_factory=list)
    element: Item | None = None
    dataset: str = ""
    iterator: str = ""
    summaries: Summaries | None = None
    constants: dict[str, str] = field(default_factory=dict)
    rates: dict[int, tuple[str, ast.expr]] = field(default_factory=dict)  # by id of train statement
    effects: list[str] = field(default_factory=list)
    early: list[str] = field(default_factory=list)  # what is read before anything is updated
    key: tuple[object, ...] = ()
    around: tuple[ast.stmt, ...] = ()  # compound statements around the function itself
    trains: bool = False
    layers: bool = False
    program: Program | None = None
    purpose: str = ""  # what its docstring says, where neither outputs nor effects do
    unfed: dict[int, str] = field(default_factory=dict)  # by id of placeholders: what has no value
    compiled: bool = False  # by XLA
    # Calls of what the steps share: up to which item, what names it gives, and the call's text.
    shared: list[tuple[int, list[str], str]] = field(default_factory=list)


@dataclass
class Style:
    """What the options and the support package say about generated code."""

    tf: str = "tf"
    xla: Reach | None = None  # that compiles the steps, if it does
    loss_scale: bool = False
    store: str = ""
    in_store: bool = False  # whether all variables of the program are the store's
    explicit_variables: list[str] = field(default_factory=list)


def target_of(item: Item) -> ast.expr | None:
    if isinstance(item.stmt, ast.Assign) and len(item.stmt.targets) == 1:
        return item.stmt.targets[0]
    return None


class ExpressionWriter:
    """Writes expressions and statements of the program as they are inside of a function."""

    def __init__(
        self, source: SourceText, style: Style, renames: dict[str, str], edits: list[Edit]
    ) -> None:
        self.shared_edits = edits
        self.source = source
        self.style = style
        self.renames = renames
        self.step = source.unit
        self.losses: dict[int, str] = {}  # names of losses that had none, by id

    def _edits(self, node: ast.AST, function: StepFunction) -> list[Edit]:
        edits: list[Edit] = list(self.shared_edits)
        for inner in walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
                constant = function.constants.get(inner.id)
                if constant is not None:
                    edits.append((*self.source.span(inner), constant))
            elif isinstance(inner, ast.Attribute):
                text = ast.unparse(inner)
                new = function.constants.get(text) or self.renames.get(text)
                if new is not None:
                    edits.append((*self.source.span(inner), new))
        return edits

    def _edited(self, node: ast.expr, function: StepFunction) -> str:
        if isinstance(node, ast.Name) and not hasattr(node, "lineno"):  # named by no run: a hook
            return function.constants.get(node.id, node.id)
        text = self.source.edited(node, self._edits(node, function))
        lines = text.split("\n")
        if len(lines) > 1:
            indent = self.source.lines[node.lineno - 1]
            width = len(indent) - len(indent.lstrip())
            lines = [lines[0]] + [
                line[width:] if line[:width].strip() == "" else line for line in lines[1:]
            ]
        return "\n".join(lines)

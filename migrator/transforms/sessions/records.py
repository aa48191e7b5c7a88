"""What the plan of a session program is made of: run sites, their values, notes, names."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from migrator.analysis import graph_kinds as k
from migrator.analysis.fresh_names import fresh_name
from migrator.analysis.program import Program
from migrator.analysis.program_items import RunSite
from migrator.analysis.values import Value
from migrator.transforms.sessions.step import StepFunction, Summaries


@dataclass(eq=False)
class Leaf:
    """One fetched value: its expression, what it is, and the name it is assigned to (if one)."""

    expr: ast.expr
    value: Value
    target: str | None = None
    used: bool = True
    key: str = ""
    idle: bool = False  # nobody reads it, and computing it changes nothing

    @property
    def has_value(self) -> bool:
        if self.value.kind == k.EFFECT and self.value.single:  # an assignment's new value
            return self.used
        return self.value.kind not in k.WITHOUT_VALUE


@dataclass(eq=False)
class Site:
    """A run site on its way to a call of a function."""

    run: RunSite
    program: Program
    leaves: list[Leaf]
    form: str  # "single", "list", "dict"
    unpacked: bool = False
    function: StepFunction | None = None
    arguments: dict[str, str] = field(default_factory=dict)
    feed_entries: list[tuple[ast.stmt, ast.expr, ast.expr]] = field(default_factory=list)
    summaries: Summaries | None = None
    iterator: str = ""  # that the run reads from, where it is fed the handle of one
    whole: ast.expr | None = None  # the expression to replace, if more than the call
    shown: bool = False  # a notebook's cell ends with it, and shows its value


@dataclass
class Note:
    """A change to report: code, statement, reason; with an advice, it is one to look at."""

    code: str
    node: ast.AST
    reason: str
    symbol: str = ""
    advice: str = ""


class Names:
    """Hands out identifiers that nothing in the file uses."""

    def __init__(self, used: frozenset[str]) -> None:
        self.used = set(used)

    def fresh(self, *candidates: str) -> str:
        for name in candidates:
            if name.isidentifier() and name not in self.used:
                self.used.add(name)
                return name
        name = fresh_name(candidates[0], self.used)
        self.used.add(name)
        return name


@dataclass
class Shared:
    """What the plans of one file share."""

    store: str = ""
    store_made: bool = False
    store_entered: bool = False
    built: set[int] = field(default_factory=set)  # by id: functions traced where they are made
    functions: list[StepFunction] = field(default_factory=list)
    owner: str = ""  # the object's name in methods, where the graph is an object's
    listed: bool = False  # whether code beside the object lists or restores its variables
    iterators: dict[int, tuple[str, str]] = field(default_factory=dict)
    feed_keys: set[int] = field(default_factory=set)  # by id: feed keys that are strings by now
    inline_optimizers: dict[str, str] = field(default_factory=dict)
    headers: dict[int, str] = field(default_factory=dict)  # by id of `with`: what enters the store


class SupportNames:
    """Local names of support symbols, asked for only when a plan is carried out."""

    def __init__(self, support: object) -> None:
        self._support = support

    def store_class(self) -> str:
        return str(self._support("scopes.VariableStore"))  # type: ignore[operator]

    def variable(self) -> str:
        return str(self._support("scopes.Variable"))  # type: ignore[operator]

    def loss_scaled(self) -> str:
        return str(self._support("precision.loss_scaled"))  # type: ignore[operator]

    def current_store(self) -> str:
        return str(self._support("scopes.current_store"))  # type: ignore[operator]

    def sparse_tensor(self) -> str:
        return str(self._support("feeds.sparse_tensor"))  # type: ignore[operator]

    def fetched(self) -> str:
        return str(self._support("feeds.fetched"))  # type: ignore[operator]

    def unfed(self) -> str:
        return str(self._support("feeds.unfed"))  # type: ignore[operator]

    def training_loop(self) -> str:
        return str(self._support("monitored.TrainingLoop"))  # type: ignore[operator]

    def evaluation(self, name: str) -> str:
        return str(self._support(f"evaluation.{name}"))  # type: ignore[operator]

    def training(self) -> str:
        return str(self._support("contrib_training.train"))  # type: ignore[operator]

"""What a program consists of: its statements with their roles, its run sites, its `with`s."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from migrator.analysis.dataflow import Flow
from migrator.analysis.values import Value

KEEP, TRACE, LAZY, DROP, RUN = "keep", "trace", "lazy", "drop", "run"


class Obstacle(Exception):
    """Why a program cannot be rewritten: the node, the reason, and what to do by hand."""

    def __init__(self, node: ast.AST, reason: str, advice: str) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason
        self.advice = advice


@dataclass(eq=False)
class Item:
    """One statement of a program.

    `role`: KEEP (stays where it is), TRACE (belongs into functions), LAZY (tensor work that needs
    no graph input: goes where it is used), DROP (has no meaning without a graph), RUN (stays and
    holds run sites).  `parents` are the compound statements around it inside the scope.
    """

    stmt: ast.stmt
    role: str
    kind: str
    flow: Flow
    value: Value
    parents: tuple[ast.stmt, ...] = ()
    target: str = ""
    runs: list[RunSite] = field(default_factory=list)

    @property
    def killing(self) -> bool:
        return not any(isinstance(p, (ast.If, ast.For, ast.While, ast.Try)) for p in self.parents)

    @property
    def parents_matter(self) -> bool:
        """Whether a compound statement around it is more than a session's or graph's `with`."""
        return any(isinstance(p, (ast.If, ast.For, ast.While, ast.Try)) for p in self.parents)

    @property
    def in_loop(self) -> bool:
        return any(isinstance(p, (ast.For, ast.While)) for p in self.parents)


@dataclass(eq=False)
class RunSite:
    """One `sess.run(...)`, `tensor.eval(...)` or `op.run(...)`.

    `feeds` pairs names of fed tensors with the fed expressions; where the feed is no literal,
    `feed_name` is the variable that holds it, or `feed_call` the call that makes it. `obstacle`
    says what keeps it from being native.
    """

    call: ast.Call
    style: str  # "run", "eval", "op", "loop"
    fetch: ast.expr
    feeds: list[tuple[str, ast.expr]] = field(default_factory=list)
    feed_name: str = ""
    feed_call: ast.Call | None = None
    metadata: bool = False  # whether it collects RunMetadata
    item: Item | None = None
    obstacle: Obstacle | None = None

    @property
    def passes_feed(self) -> bool:
        """Whether the feed is a dict that is made elsewhere and passed on whole."""
        return bool(self.feed_name) or self.feed_call is not None


@dataclass(eq=False)
class WithPart:
    """What one item of a `with` statement is: "graph", "session", "scope", "deps", "monitor",
    "python"."""

    kind: str
    item: ast.withitem

"""What the model of a function with sessions is made of: units, placeholders and runs."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from migrator.transforms import _flow as flow


class Unsupported(Exception):
    """What keeps a function from becoming eager: the node, the obstacle, the hand change."""

    def __init__(self, node: cst.CSTNode, obstacle: str, advice: str) -> None:
        super().__init__(obstacle)
        self.node = node
        self.obstacle = obstacle
        self.advice = advice


@dataclass
class Unit:
    """One statement that is moved or kept as a whole; `path` holds the blocks around it."""

    node: cst.BaseStatement
    path: tuple[cst.BaseStatement, ...]
    order: int
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)

    def encloses(self, other: Unit) -> bool:
        """Whether the block that holds this unit also holds `other`, directly or deeper."""
        return other.path[: len(self.path)] == self.path


@dataclass
class Placeholder:
    """One placeholder: its name, the unit that makes it, dtype and shape as written."""

    key: str
    unit: Unit
    call: cst.Call
    dtype: cst.BaseExpression | None
    shape: cst.BaseExpression | None
    default: cst.BaseExpression | None = None
    parameters: frozenset[str] = frozenset()  # of the function, and what is made from them

    @property
    def static(self) -> bool:
        """Whether the shape is written and has no unknown dimension; a parameter may hold None."""
        if self.shape is None:
            return False
        return not any(
            isinstance(node, cst.Name) and (node.value == "None" or node.value in self.parameters)
            for node in flow.walk(self.shape)
        )


@dataclass
class Run:
    """One evaluation: ``sess.run(fetches, feed_dict)`` or ``fetch.eval(feed_dict)``."""

    call: cst.Call
    fetches: cst.BaseExpression
    unit: Unit
    feeds: list[tuple[cst.BaseExpression, cst.BaseExpression]]
    feed_units: list[Unit] = field(default_factory=list)
    expects_error: cst.With | None = None
    in_loop: bool = False
    zipped: tuple[str, str] | None = None  # feeds are dict(zip(placeholders, values))

    @property
    def is_statement(self) -> bool:
        """Whether it is a statement of its own, for the effects of its operations."""
        small = flow.simple(self.unit.node)
        return isinstance(small, cst.Expr) and small.value is self.call

"""Finds parts of a `tf.Graph` by the types of their operations (contrib.quantize's graph_matcher)."""
from __future__ import annotations

import abc
import itertools
from collections.abc import Iterable, Iterator, Sequence

import tensorflow as tf

Place = tuple[tf.Operation, tf.Tensor | None]


class Pattern(abc.ABC):
    """What an operation, and the operations that it reads from, may be."""

    name: str | None = None

    @abc.abstractmethod
    def match(self, op: tf.Operation, tensor: tf.Tensor | None) -> MatchResult | None:
        """What each pattern stands for if `op`, read through its output `tensor`, fits."""


class MatchResult:
    """The operation and the tensor that each pattern stands for, also by the pattern's name."""

    def __init__(self) -> None:
        self._places: dict[Pattern, Place] = {}
        self._named: dict[str, Pattern] = {}

    def add(self, pattern: Pattern, op: tf.Operation, tensor: tf.Tensor | None) -> None:
        """Lets `pattern` stand for `op`.

        Raises:
            ValueError: another pattern has its name.
        """
        if pattern.name is not None and self._named.setdefault(pattern.name, pattern) != pattern:
            raise ValueError(f"Name {pattern.name} is already bound to another pattern")
        self._places[pattern] = op, tensor

    def merge_from(self, other: MatchResult) -> None:
        """Takes over everything from `other`."""
        self._places.update(other._places)
        self._named.update(other._named)

    def _place(self, pattern_or_name: Pattern | str) -> Place | tuple[None, None]:
        if not isinstance(pattern_or_name, (Pattern, str)):
            raise ValueError(f"pattern_or_name has type {type(pattern_or_name)}. "
                             "Expect Pattern or str.")
        pattern = (self._named.get(pattern_or_name) if isinstance(pattern_or_name, str)
                   else pattern_or_name)
        return (None, None) if pattern is None else self._places.get(pattern, (None, None))

    def get_op(self, pattern_or_name: Pattern | str) -> tf.Operation | None:
        """The operation that a pattern stands for, None if it was not matched."""
        return self._place(pattern_or_name)[0]

    def get_tensor(self, pattern_or_name: Pattern | str) -> tf.Tensor | None:
        """The output that the operation around it reads, None for the outermost one."""
        return self._place(pattern_or_name)[1]


class OpTypePattern(Pattern):
    """An operation of the type `op_type`: "Relu", one of "Relu|Relu6", or any: "*".

    `inputs` are patterns or types of what it reads; without them it may read anything, with them
    it must read as many, in any order if `ordered_inputs` is False (8 inputs at most).
    """

    def __init__(self, op_type: str, name: str | None = None,
                 inputs: Sequence[Pattern | str] | None = None, ordered_inputs: bool = True) -> None:
        self.name = name
        self._types = None if op_type == "*" else op_type.split("|")
        self._inputs = [item if isinstance(item, Pattern) else OpTypePattern(item)
                        for item in inputs or ()]
        if len(self._inputs) > 8:
            raise ValueError("Only < 8 inputs are allowed when ordered_inputs is False.")
        self._ordered = ordered_inputs

    def match(self, op: tf.Operation, tensor: tf.Tensor | None) -> MatchResult | None:
        if self._types is not None and op.type not in self._types:
            return None
        if self._inputs and len(op.inputs) != len(self._inputs):
            return None
        orders = [self._inputs] if self._ordered else itertools.permutations(self._inputs)
        for patterns in orders:
            found = MatchResult()
            found.add(self, op, tensor)
            for value, pattern in zip(op.inputs if patterns else (), patterns, strict=True):
                inner = pattern.match(value.op, value)
                if inner is None:
                    break
                found.merge_from(inner)
            else:
                return found
        return None


class OneofPattern(Pattern):
    """The first of `sub_patterns` that fits."""

    def __init__(self, sub_patterns: Sequence[Pattern]) -> None:
        self._sub_patterns = sub_patterns

    def match(self, op: tf.Operation, tensor: tf.Tensor | None) -> MatchResult | None:
        results = (pattern.match(op, tensor) for pattern in self._sub_patterns)
        return next((found for found in results if found is not None), None)


class GraphMatcher:
    """Finds the operations that fit `pattern`."""

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern

    def match_op(self, op: tf.Operation) -> MatchResult | None:
        """The match with `op` as the outermost operation, or None."""
        return self._pattern.match(op, None)

    def match_ops(self, ops: Iterable[tf.Operation]) -> Iterator[MatchResult]:
        """The matches with each of `ops` as the outermost operation."""
        return (found for found in map(self.match_op, ops) if found is not None)

    def match_graph(self, graph: tf.Graph) -> Iterator[MatchResult]:
        """The matches anywhere in `graph`."""
        return self.match_ops(graph.get_operations())

"""What a graph test builds: the lines that go into a traced function, and those that cannot."""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from migrator.engine.cst_walk import own, own_calls
from migrator.transforms import _flow as flow
from migrator.transforms.eager.traced_lines import Line, LineReader, makes_iterator

_PYTHON = ("numpy.", "builtins.", "math.", "six.", "collections.", "os.", "tempfile.", "copy.")
# Assertions that look at the Python object, whatever it is.
_OF_OBJECTS = frozenset(
    "assertIsNone assertIsNotNone assertIsInstance assertNotIsInstance assertIs assertIsNot "
    "assertIn assertNotIn assertLen assertTrue assertFalse".split()
)
_STATIC = frozenset({"get_shape", "shape", "dtype", "name", "op"})
_BUILDS_GRAPHS = "the graph is changed after it was asked"


class BuiltLines(LineReader):
    """Decides for each line whether it is built; `first` is the first line that runs or asks,
    `anchor` the line before which the traced function is defined."""

    def decide(self) -> None:
        """Marks the lines that are built, together with what they need."""
        self._find_built()
        self._settle()

    def _find_built(self) -> None:
        """Marks what depends on placeholders, and before the first run or question whatever makes
        tensors."""
        first = next(
            (i for i, line in enumerate(self.lines) if line.runs or line.graphs), len(self.lines)
        )
        self.first = first
        fed = set(self.body.placeholders)
        made: set[str] = set()
        for index, line in enumerate(self.lines):
            if line.runs or line.graphs:
                if line.reads & fed:
                    raise self._refusal(line.node, "the graph is used outside of its runs")
            elif line.built or line.reads & fed:
                if index > first:
                    self._check_late(line, fed)
                line.built = True
                fed |= line.writes - {"self"}
                continue
            elif index < first and self._could_be_built(line, made):
                line.built = line.soft = True
                made |= line.writes - {"self"}
                continue
            fed -= line.writes
            made -= line.writes

    def _check_late(self, line: Line, fed: set[str]) -> None:
        """Assertions after a run are made before it: they may only look at what is static."""
        if not any("assert" in (flow.key_of(c.func) or "") for c in own_calls(line.node)):
            return
        static = {
            id(node.value) for node in own(line.node)
            if isinstance(node, cst.Attribute) and node.attr.value in _STATIC
        }
        for node in own(line.node):
            if isinstance(node, cst.Name) and node.value in fed and id(node) not in static:
                raise self._refusal(line.node, "the graph is looked at after it ran")

    def _could_be_built(self, line: Line, made: set[str]) -> bool:
        """An iterator is made once, outside: what is traced is its next element."""
        if makes_iterator(line.node):
            return False
        return bool(line.reads & made) or self._makes_tensors(line)

    def _makes_tensors(self, line: Line) -> bool:
        if isinstance(line.node, (cst.FunctionDef, cst.ClassDef)):
            return False
        for call in own_calls(line.node):
            if (flow.key_of(call.func) or "").startswith("self.assert"):
                continue
            name = self.body.resolve(call.func)
            if name is None and isinstance(call.func, cst.Attribute):
                owner = flow.root_of(call.func.value)
                if owner is not None and owner not in self._local:
                    continue  # a method of something that is made elsewhere, or of a string
                return True
            if name is None or not name.startswith(_PYTHON):
                return True
        return False

    @cached_property
    def _local(self) -> set[str]:
        return {name for line in self.lines for name in line.writes}

    def _last_writer(self, name: str, before: int) -> int | None:
        for index in range(before - 1, -1, -1):
            if name in self.lines[index].writes:
                return index
        return None

    def _settle(self) -> None:
        """Makes what is built whole: definitions it needs come along, what is needed outside
        stays there."""
        lines = self.lines
        changed = True
        while changed:
            changed = False
            for index, line in enumerate(lines):
                if line.built:
                    for name in line.reads | line.writes:
                        at = self._last_writer(name, index)
                        if at is None or at < self.first or lines[at].built:
                            continue
                        if not lines[at].plain:
                            raise self._refusal(line.node, "values of a run are built upon")
                        lines[at].built = changed = True
                    continue
                for name in line.reads:
                    at = self._last_writer(name, index)
                    if at is None or not lines[at].built:
                        continue
                    if not lines[at].soft:
                        raise self._refusal(line.node, "the graph is used outside of its runs")
                    lines[at].built = lines[at].soft = False
                    changed = True
        built = [i for i, line in enumerate(lines) if line.built]
        if not built:
            raise self._refusal(self.body.function, "nothing is built")
        self.anchor = self.first if self.first < len(lines) else built[-1]
        for index, line in enumerate(lines):
            if line.graphs and built[-1] > index and any(
                i > index and self._makes_tensors(lines[i]) for i in built
            ):
                raise self._refusal(line.node, _BUILDS_GRAPHS)
            if line.built:
                self._check(index, line)
            elif built[0] < index < self.anchor:
                self.planner._refuse_graph_state(line.node)

    def _check(self, index: int, line: Line) -> None:
        """A statement that is moved finds there what it found here, and looks at no values."""
        if makes_iterator(line.node):
            raise self._refusal(line.node, "the iterator is over what is fed")
        low, high = sorted((index, self.anchor))
        between = [
            other for other in self.lines[low:high] if not other.built and other is not line
        ]
        for other in between:
            clash = other.writes & (line.reads | line.writes) - {"_"}
            if clash:
                raise self._refusal(
                    other.node, f"{sorted(clash)[0]} changes between the graph and its run"
                )
        tensors = {n for other in self.lines if other.built for n in other.writes}
        for call in own_calls(line.node):
            key = flow.key_of(call.func) or ""
            if not key.startswith("self."):
                continue
            member = key.removeprefix("self.")
            given = {flow.key_of(arg.value) for arg in call.args} | {
                flow.root_of(arg.value) for arg in call.args
                if isinstance(arg.value, cst.Subscript)
            }
            if member in _OF_OBJECTS or not given & tensors:
                continue
            if member.startswith("assert") or isinstance(flow.simple(line.node), cst.Expr):
                raise self._refusal(call, "tensors are compared before they are run")
        if any(
            isinstance(node, (cst.Return, cst.Yield)) for node in own(line.node)
        ):
            raise self._refusal(line.node, "the test returns what it builds")

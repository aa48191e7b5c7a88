"""`/` between integers, which Python 2 rounded down: PY102 writes `//` where it was that, PY103 asks.

It was an integer division where nothing else could have worked (``range(n / 2)``, a shape, a slice; also by
way of a name: ``steps = n / size`` and ``range(steps)``), and, in a module of Python 2, where both sides are
known to be integers. What is left in such a module may have been one: that is a finding. PY105: what `/` made
of tensors was called "div" in Python 2, by which averages of them are found in checkpoints.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines
from migrator.engine.name_places import Places, assigned
from migrator.model import Change, Confidence, Finding

CODE, UNDECIDED, RENAMED = "PY102", "PY103", "PY105"
Division = ast.BinOp | ast.AugAssign
INT, FLOAT, UNKNOWN = "int", "float", ""

# Function -> places and keywords of arguments that take whole numbers only, or shapes of them.
_WHOLE: dict[str, tuple[int | str, ...]] = {
    "builtins.range": (0, 1, 2), "builtins.xrange": (0, 1, 2),
    **{f"numpy.{name}": (0, "shape") for name in ("zeros", "ones", "empty", "full")},
    "numpy.reshape": (1, "newshape"), "numpy.eye": (0, 1), "numpy.identity": (0,), "numpy.tile": (1, "reps"),
    **{f"tensorflow.{name}": (0, "shape", "dims") for name in (
        "zeros", "ones", "fill", "random_normal", "random_uniform", "truncated_normal", "random.normal",
        "random.uniform", "random.truncated_normal",
    )},
    "tensorflow.reshape": (1, "shape"), "tensorflow.placeholder": (1, "shape"),
    "tensorflow.tile": (1, "multiples"), "tensorflow.get_variable": (1, "shape"),
    "tensorflow.slice": (1, 2, "begin", "size"), "cv2.resize": (1, "dsize"),
}  # fmt: skip
_METHODS = {"reshape": None, "resize": None}  # all arguments, or a shape
_INTS = frozenset({"builtins.len", "builtins.int", "builtins.ord", "builtins.hash"})
_FLOATS = frozenset({
    "builtins.float", "numpy.float32", "numpy.float64", "time.time", "time.clock", "numpy.mean",
    "numpy.std", "numpy.sqrt", "numpy.exp", "numpy.log", "numpy.random.rand", "numpy.random.uniform",
    "numpy.random.randn", "numpy.random.normal", "random.random", "random.uniform", "time.perf_counter",
})  # fmt: skip
_KEEPING = ("min", "max", "abs")  # give one of the kind that they are given
_AVERAGES = "ExponentialMovingAverage"  # whoever imported it: tf may come with a star
_SIZES = frozenset({"size", "ndim"})


@dataclass
class Divided:
    """What was found: edits of the text, what to report of them, and lines that nobody can tell."""

    edits: list[Edit] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def divisions(
    path: str, text: str, names: NameTable, python2: bool,
    wanted: Callable[[int], bool] = bool, original: Callable[[int], int] = int,
) -> Divided:
    """The divisions of a module that round down; `python2` where it was written for Python 2.

    `wanted` says of a line whether it may be changed, `original` which line of the file it was.
    """
    found = Divided()
    if "/" not in text:
        return found
    tree = names.tree
    assert isinstance(tree, ast.Module)
    every: list[Division] = [
        n for n in walk(tree)
        if isinstance(n, (ast.BinOp, ast.AugAssign)) and isinstance(n.op, ast.Div)
    ]  # fmt: skip
    if not every:
        return found
    places = Places(tree, names)
    kinds = _Kinds(tree, places)
    whole = set(_whole(tree, places))
    true_division = any(
        isinstance(s, ast.ImportFrom) and s.module == "__future__"
        and any(alias.name == "division" for alias in s.names)
        for s in tree.body
    )  # fmt: skip
    rounds = python2 and not true_division
    lines = Lines(text)
    undecided: list[int] = []
    for node in sorted(every, key=lambda n: (n.lineno, n.col_offset)):
        one, other = _sides(node)
        if FLOAT in (left := kinds.of(one), right := kinds.of(other)):
            continue
        if id(node) in whole or rounds and left == right == INT:
            place = _operator(text, lines, node)
            if place is not None and wanted(node.lineno):
                found.edits.append(Edit(place, place + 1, ("//",)))
                found.changes.append(Change(
                    CODE, original(node.lineno), original(node.end_lineno or node.lineno),
                    "Python 2 divided integers with / as // does", confidence=Confidence.LIKELY,
                ))  # fmt: skip
        elif rounds:
            undecided.append(original(node.lineno))
    found.findings += (
        Finding(
            UNDECIDED, path, line, 0,
            "the module was written for Python 2, where / rounds down between integers; whether both sides "
            "are is not known",
            "Write // if they are.",
        )
        for line in dict.fromkeys(undecided)
    )  # fmt: skip
    if rounds:
        found.findings += _renamed(path, tree, places, kinds, every, original)
    return found


def _renamed(
    path: str, tree: ast.Module, places: Places, kinds: _Kinds, every: list[Division],
    original: Callable[[int], int],
) -> Iterator[Finding]:  # fmt: skip
    """Averages that are kept of lists of tensors, in a module that may divide tensors."""
    maybe = [n for n in every if any(kinds.of(o) == UNKNOWN for s in _sides(n) for o in _operands(s))]
    keepers = {
        key for key, value in assigned(tree, places)
        if isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] == _AVERAGES
    }  # fmt: skip
    for node in walk(tree) if maybe and keepers else ():
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        if node.func.attr == "apply" and places.key(node.func.value) in keepers:
            if any(isinstance(part, ast.List) for part in walk(node.args[0])):
                yield Finding(
                    RENAMED, path, original(node.lineno), 0,
                    "in Python 2, TensorFlow 1 called what / made of tensors div, and calls it truediv in "
                    "Python 3: averages of such tensors have other names in checkpoints (divided at "
                    f"{_lines(sorted(original(n.lineno) for n in maybe))})",
                    "Where checkpoints of the original have to be read: tf.divide(a, b, name=\"div\") there.",
                )  # fmt: skip
                return


def _operands(value: ast.expr) -> Iterator[ast.expr]:
    """What an expression calculates with: a float and a tensor are a tensor."""
    if isinstance(value, ast.BinOp):
        yield from _operands(value.left)
        yield from _operands(value.right)
    else:
        yield value.operand if isinstance(value, ast.UnaryOp) else value


def _lines(numbers: list[int]) -> str:
    return f"line{'s' * (len(set(numbers)) > 1)} " + ", ".join(map(str, dict.fromkeys(numbers)))


def _sides(node: Division) -> tuple[ast.expr, ast.expr]:
    """What is divided, and by what."""
    return (node.target, node.value) if isinstance(node, ast.AugAssign) else (node.left, node.right)


def _operator(text: str, lines: Lines, node: Division) -> int | None:
    """Where the ``/`` of a division stands; None where comments make that hard to tell."""
    one, other = _sides(node)
    _, start = lines.span(one)
    end, _ = lines.span(other)
    between = text[start:end]
    if "#" in between or between.count("/") != 1:
        return None
    return start + between.index("/")


def _whole(tree: ast.Module, places: Places) -> Iterator[int]:
    """Divisions, by id, whose result must be a whole number for the program to work at all."""
    needed: set[tuple[int, str]] = set()  # (scope, name) and (class scope, self.attribute)
    for node in walk(tree):
        for value in _whole_values(node, places):
            yield from _inside(value, places, needed)
    every = list(assigned(tree, places))
    made = {  # n = int(n)
        key for key, value in every
        if isinstance(value, ast.Call) and ast.unparse(value.func) not in _KEEPING
    }  # fmt: skip
    every = [(key, value) for key, value in every if key not in made]
    done: set[int] = set()
    augmented = [
        (places.key(n.target), n) for n in walk(tree)
        if isinstance(n, ast.AugAssign) and isinstance(n.op, ast.Div)
    ]  # fmt: skip
    while True:
        grown = len(needed)
        for key, value in every:
            if key in needed and id(value) not in done:
                done.add(id(value))
                yield from _inside(value, places, needed)
        if len(needed) == grown:
            break
    yield from (id(node) for key, node in augmented if key in needed and key not in made)


def _whole_values(node: ast.AST, places: Places) -> Iterator[ast.expr]:
    if isinstance(node, ast.Slice):
        yield from (part for part in (node.lower, node.upper, node.step) if part is not None)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):  # [0] * (n / 2)
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(one, ast.List) or isinstance(one, ast.Constant) and isinstance(one.value, str):
                yield other
    elif isinstance(node, ast.Call):
        wanted: tuple[int | str, ...] = ()
        name = places.called(node)
        if name in _WHOLE:
            wanted = _WHOLE[name]
        elif isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
            if name is None or not name.startswith(("tensorflow.", "numpy.", "cv2.")):
                wanted = tuple(range(len(node.args)))
        for place in wanted:
            if isinstance(place, int) and place < len(node.args):
                yield node.args[place]
            elif isinstance(place, str):
                yield from (k.value for k in node.keywords if k.arg == place)


def _inside(value: ast.expr, places: Places, needed: set[tuple[int, str]]) -> Iterator[int]:
    """Divisions in an expression that are whole because it is; the names that are go to `needed`."""
    if isinstance(value, (ast.List, ast.Tuple)):
        for element in value.elts:
            yield from _inside(element, places, needed)
    elif isinstance(value, ast.BinOp) and isinstance(
        value.op, (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
    ):
        if isinstance(value.op, ast.Div):
            yield id(value)
        yield from _inside(value.left, places, needed)
        yield from _inside(value.right, places, needed)
    elif isinstance(value, ast.UnaryOp):
        yield from _inside(value.operand, places, needed)
    elif isinstance(value, ast.IfExp):
        yield from _inside(value.body, places, needed)
        yield from _inside(value.orelse, places, needed)
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        if value.func.id in _KEEPING:
            for argument in value.args:
                yield from _inside(argument, places, needed)
    elif isinstance(value, (ast.Name, ast.Attribute)):
        key = places.key(value)
        if key is not None:
            needed.add(key)


class _Kinds:
    """Whether expressions are integers or floating numbers, as far as the module says."""

    def __init__(self, tree: ast.Module, places: Places) -> None:
        self.places = places
        self._values: dict[tuple[int, str], list[ast.expr | None]] = {}
        self._known: dict[tuple[int, str], str] = {}
        self._flags: dict[str, str] = {}
        for key, value in assigned(tree, places):
            self._values.setdefault(key, []).append(value)
        for node in walk(tree):
            if isinstance(node, (ast.For, ast.comprehension)):
                self._loop(node)
            elif isinstance(node, ast.AugAssign):
                target = places.key(node.target)
                if target is not None:
                    whole = isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv))
                    self._values.setdefault(target, []).append(node.value if whole else None)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                kind = {"DEFINE_integer": INT, "DEFINE_float": FLOAT}.get(node.func.attr)
                if kind and isinstance(node.args[0], ast.Constant):
                    self._flags[str(node.args[0].value)] = kind

    def _loop(self, node: ast.For | ast.comprehension) -> None:
        target, source = node.target, node.iter
        counts = isinstance(source, ast.Call) and isinstance(source.func, ast.Name)
        name = source.func.id if counts else ""  # type: ignore[attr-defined]
        if name == "enumerate" and isinstance(target, ast.Tuple) and target.elts:
            target = target.elts[0]
        elif name not in ("range", "xrange"):
            return
        if isinstance(target, ast.Name):
            key = self.places.key(target)
            if key is not None:
                self._values.setdefault(key, []).append(ast.Constant(0))

    def of(self, node: ast.expr) -> str:
        """``int``, ``float``, or ``""``."""
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bool):
                return UNKNOWN
            return INT if isinstance(node.value, int) else FLOAT if isinstance(node.value, float) else UNKNOWN
        if isinstance(node, ast.UnaryOp):
            return self.of(node.operand)
        if isinstance(node, ast.BinOp):
            both = {self.of(node.left), self.of(node.right)}
            if FLOAT in both and not isinstance(node.op, ast.Mod):
                return FLOAT
            return INT if both == {INT} else UNKNOWN
        if isinstance(node, ast.IfExp):
            both = {self.of(node.body), self.of(node.orelse)}
            return both.pop() if len(both) == 1 else UNKNOWN
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Subscript):
            base = node.value
            shape = isinstance(base, ast.Attribute) and base.attr == "shape"
            return INT if shape and not isinstance(node.slice, ast.Slice) else UNKNOWN
        if isinstance(node, ast.Attribute):
            if node.attr in _SIZES:
                return INT
            if isinstance(node.value, ast.Name) and node.value.id == "FLAGS":
                return self._flags.get(node.attr, UNKNOWN)
        return self._name(node)

    def _call(self, node: ast.Call) -> str:
        name = self.places.called(node)
        if name in _INTS:
            return INT
        if name in _FLOATS or name is not None and name.startswith("math."):
            return FLOAT
        if name in ("builtins.min", "builtins.max", "builtins.abs") and node.args:
            kinds = {self.of(argument) for argument in node.args}
            return kinds.pop() if len(kinds) == 1 else UNKNOWN
        return UNKNOWN

    def _name(self, node: ast.expr) -> str:
        key = self.places.key(node)
        if key is None:
            return UNKNOWN
        if key not in self._known:
            self._known[key] = UNKNOWN  # while it is being asked
            values = self._values.get(key)
            if not values or self._bound_otherwise(key, node):
                return UNKNOWN
            kinds = {self.of(value) if value is not None else UNKNOWN for value in values}
            self._known[key] = kinds.pop() if len(kinds) == 1 else FLOAT if kinds == {FLOAT} else UNKNOWN
        return self._known[key]

    def _bound_otherwise(self, key: tuple[int, str], node: ast.expr) -> bool:
        """Whether a name is bound by more than what is known of it: a parameter, an unpacking."""
        if not isinstance(node, ast.Name):
            return False
        bound = self.places.names.scopes[key[0]].bindings.get(node.id, ())
        return len(bound) > len(self._values[key])

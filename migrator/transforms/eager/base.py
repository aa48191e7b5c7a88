"""What every layer of the eager planner needs: the plan, fresh names, moving a statement."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from migrator.analysis import graph_kinds as k
from migrator.analysis.fresh_names import fresh_name
from migrator.engine.cst_walk import exchanged, own_calls
from migrator.transforms import _flow as flow
from migrator.transforms.eager.body import SessionBody
from migrator.transforms.eager.units import Placeholder, Unit, Unsupported

_GRAPH_STATE = frozenset(
    "tensorflow." + name
    for name in (
        "get_collection get_collection_ref get_default_graph losses.get_losses losses.get_total_loss "
        "losses.get_regularization_loss losses.get_regularization_losses report_uninitialized_variables"
    ).split()
)
# What is computed in Python, not in the graph.
NUMPY = ("numpy.", "builtins.", "math.", "six.", "collections.")


@dataclass
class EagerPlan:
    """`dropped` statements, those of them that stand elsewhere now (`moved`, with their comments),
    statements put `before` others, and replaced `expressions`, by id."""

    dropped: set[int] = field(default_factory=set)
    moved: set[int] = field(default_factory=set)
    before: dict[int, list[cst.BaseStatement]] = field(default_factory=dict)
    expressions: dict[int, cst.CSTNode] = field(default_factory=dict)
    functions: dict[int, list[cst.BaseStatement]] = field(default_factory=dict)

    def put_before(self, unit: Unit, statements: list[cst.BaseStatement]) -> None:
        self.before.setdefault(id(unit.node), []).extend(statements)


class PlannerBase:
    """The plan of one SessionBody and what all layers ask of it."""

    def __init__(self, body: SessionBody) -> None:
        self.body = body
        self.plan = EagerPlan()
        self.names = {name for unit in body.units for name in unit.reads | unit.writes}
        self._used_functions: set[str] = set()
        self._inner: dict[int, cst.CSTNode] = {}
        self.early: set[str] = set()  # placeholders that take their value where they stand
        self._nested_units: dict[int, Unit] = {}

    def _fresh(self, wanted: str) -> str:
        return fresh_name(wanted, self.names | self._used_functions)

    def _function_name(self, fetches: cst.BaseExpression) -> str:
        stem = _stem(fetches)
        name = self._fresh(f"compute_{stem}" if stem else "compute")
        self._used_functions.add(name)
        return name

    def _anchor(self, unit: Unit) -> Unit:
        """The unit of the source at whose place a named nested placeholder stands."""
        return self._nested_units.get(id(unit.node), unit)

    def _evaluated(self, value: cst.BaseExpression) -> cst.BaseExpression:
        """A fed value, with ``x.eval()`` in it as the array that eager `x` holds."""
        table: dict[int, cst.CSTNode | None] = {
            id(run.call): flow.call(cst.Attribute(run.fetches, cst.Name("numpy")))
            for run in self.body.runs
            if isinstance(run.call.func, cst.Attribute) and run.call.func.attr.value == "eval"
            and not run.feeds and any(part is run.call for part in flow.walk(value))
        }
        if not table:
            return value
        made = exchanged(value, table)
        assert isinstance(made, cst.BaseExpression)
        return made

    def _tensor(self, holder: Placeholder, value: cst.BaseExpression) -> cst.BaseExpression:
        value = self._evaluated(value).deep_clone()
        if holder.dtype is None:
            return flow.call(self._tf(holder, "convert_to_tensor"), value)
        return flow.call(self._tf(holder, "constant"), value, holder.dtype.deep_clone())

    def _tf(self, holder: Placeholder, name: str) -> cst.BaseExpression:
        func = holder.call.func
        if isinstance(func, cst.Attribute):
            return cst.Attribute(func.value.deep_clone(), cst.Name(name))  # type: ignore[arg-type]
        return cst.parse_expression(f"{self.body.ctx.require_import('tensorflow', None, 'tf')}.{name}")

    def _tf_name(self, holder: Placeholder) -> str:
        func = holder.call.func
        if isinstance(func, cst.Attribute):
            return flow.code_of(func.value)
        return self.body.ctx.require_import("tensorflow", None, "tf")

    def _spec(self, holder: Placeholder) -> str:
        tf = self._tf_name(holder)
        shape = flow.code_of(holder.shape) if holder.shape is not None else "None"
        dtype = flow.code_of(holder.dtype) if holder.dtype is not None else None
        if dtype is None:
            assert holder.default is not None
            dtype = f"{tf}.convert_to_tensor({flow.code_of(holder.default)}).dtype"
        return f"{tf}.TensorSpec({shape}, {dtype})"

    def _ordered(self, moved: list[Unit]) -> list[Unit]:
        return sorted(moved, key=lambda unit: unit.order)

    def _rendered(self, unit: Unit) -> cst.BaseStatement:
        node = exchanged(unit.node, self._inner)
        assert isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
        return node.with_changes(leading_lines=self._moved_comments(unit))

    def _moved_comments(self, unit: Unit) -> list[cst.EmptyLine]:
        """The comments that go along with a statement, the first time that it is written."""
        if id(unit.node) in self.plan.moved:
            return []
        self.plan.moved.add(id(unit.node))
        return comments(unit.node)

    def _backward(self, fetches: cst.BaseExpression, units: list[Unit]) -> list[Unit]:
        wanted = flow.reads(fetches)
        found: list[Unit] = []
        for unit in sorted(units, key=lambda u: -u.order):
            if unit.writes & wanted:
                found.append(unit)
                wanted |= unit.reads
        return found

    def _dependents(self, keys: set[str], last: int) -> list[Unit]:
        """Units that depend on `keys` before unit number `last`, in order."""
        tainted = set(keys)
        holders = {id(self.body.placeholders[key].unit.node) for key in keys}
        run_units = {id(run.unit.node) for run in self.body.runs}
        found = []
        for unit in self.body.units:
            if id(unit.node) in holders:
                found.append(unit)
                continue
            if id(unit.node) in self.plan.dropped or unit.order >= last:
                continue
            if unit.reads & tainted and id(unit.node) not in run_units:
                found.append(unit)
                tainted |= unit.writes
        return found

    def _check_movable(self, unit: Unit, to: Unit, moved: list[Unit]) -> None:
        """Nothing between a moved statement and its new place may disturb it."""
        if not unit.encloses(to):
            raise Unsupported(
                unit.node,
                "a placeholder is used in a block that the run is not in",
                "build the graph in a function and call it with the fed values",
            )
        for other in self.body.units:
            if not unit.order < other.order < to.order or other in moved:
                continue
            if id(other.node) in self.plan.dropped:
                continue
            if self._makes_tensors(unit):
                self._refuse_graph_state(other.node)
            clash = other.writes & (unit.reads | unit.writes)
            if clash:
                raise Unsupported(
                    other.node,
                    f"{sorted(clash)[0]} changes between the graph and its run",
                    "build the graph in a function and call it with the fed values",
                )

    def _refuse_graph_state(self, statement: cst.BaseStatement) -> None:
        """What stands ahead of a run may not list what the run's function makes."""
        named = [self.body.resolve(call.func) or "" for call in own_calls(statement)]
        if any(name in _GRAPH_STATE or k.kind_of(name) == k.VARIABLES for name in named):
            raise Unsupported(
                statement,
                "collections or variables of the graph are read before the graph is run",
                "call the graph function on the fed values first, then look at the variables",
            )

    def _makes_tensors(self, unit: Unit) -> bool:
        for node in own_calls(unit.node):
            name = self.body.resolve(node.func)
            if name is None or not name.startswith(NUMPY):
                return True
        return False


def comments(node: cst.BaseStatement) -> list[cst.EmptyLine]:
    """The comment lines in front of a statement, blank lines left out."""
    return [line for line in getattr(node, "leading_lines", ()) if line.comment is not None]


def _stem(node: cst.BaseExpression) -> str:
    """An identifier that says what an expression gives."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        return node.attr.value.lstrip("_")
    if isinstance(node, cst.Call):
        return _stem(node.func)
    if isinstance(node, (cst.List, cst.Tuple)) and len(node.elements) == 1:
        return _stem(node.elements[0].value)
    return ""

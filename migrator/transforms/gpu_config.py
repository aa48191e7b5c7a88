"""What sessions were told by their ConfigProto, their devices are told before they are used.

A configuration that one scope makes, fills and hands to its sessions becomes the arguments of
`configure_gpus`. Any other (returned by a function, an attribute, a parameter, made under conditions,
out of a dict) stays what it is, a value, and `configure_from` reads it where a session took it.
"""

from __future__ import annotations

import re
from itertools import dropwhile

import libcst as cst

from migrator.engine.context import FileContext
from migrator.engine.cst_walk import code_children, only
from migrator.engine.registry import transform
from migrator.model import Confidence, Rung
from migrator.transforms import _flow as flow
from migrator.transforms._entry_point import entry_point
from migrator.transforms.session_configs import fields as f
from migrator.transforms.session_configs import places, takers
from migrator.transforms.session_configs.takers import Scope, Taken

_TAKEN_WHERE = "session_config_takers"  # the fact of analysis/facts_session_configs.py
_OF_DEVICES = re.compile(r"(?i)gpu|cuda|device|memory|grow|alloc|config|option|thread|placement|\bcpu")


@transform
class GpuConfig:
    """Turns the session configurations of a file into set-ups of the process's devices."""

    name = "gpu_config"
    triggers = frozenset(
        {f.CONFIG, f.OPTIONS, "tensorflow.Session", "tensorflow.InteractiveSession",
         "tensorflow.train.*", "tensorflow.estimator.*", "tensorflow.contrib.*",
         "tensorflow.enable_eager_execution"}
    )  # fmt: skip
    order = 3  # while the calls that take configurations are still there

    def run(self, ctx: FileContext) -> cst.Module | None:
        if not any(word in ctx.text for word in ("config", "ConfigProto")) or not takers.has_any(ctx):
            return None
        plan = _Plan(ctx)
        plan.read()
        plan.report_others()
        return plan.written()


class _SetUp:
    """One call that sets up devices, and where it may stand."""

    def __init__(self, call: cst.Call, names: set[str], given: Taken,
                 first: cst.SimpleStatementLine | None, below: list[cst.BaseStatement]) -> None:
        self.call, self.names, self.given, self.first, self.below = call, names, given, first, below
        self.leading = () if first is None else tuple(first.leading_lines)

    @property
    def text(self) -> str:
        return flow.code_of(self.call)


class _Plan:
    """What is taken out of a module, and what is put where."""

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self.scopes = [(scope, takers.nodes_of(scope)) for scope in takers.scopes(ctx.module)]
        self.gone: set[int] = set()
        self.set_ups: list[_SetUp] = []
        self.followed: set[int] = set()  # calls that make a configuration of which all is known

    # -- reading

    def read(self) -> None:
        """The set-ups that the calls of every scope ask for."""
        for scope, nodes in self.scopes:
            for given in takers.taken(self.ctx, scope, nodes):
                if self.ctx.suppressed("TF401", given.arg):
                    continue
                self._one(given, nodes)

    def _one(self, given: Taken, nodes: list[cst.CSTNode]) -> None:
        made = takers.made_by(self.ctx, given, nodes)
        arguments = f.arguments(made.fields, self.ctx.options.gpu_memory) if made else None
        first = None
        if made is not None and arguments is not None:
            self.gone |= {id(s) for s in made.statements}
            values = list(arguments.values())
            call = self._configure_gpus(arguments)
            first = made.first
            self.followed |= {id(n) for s in (*made.statements, given.arg) for n in flow.walk(s)}
        else:
            values = [given.value]
            call = self._configure_from(given.value)
            self.followed |= {id(n) for n in flow.walk(given.arg)}
        self.gone.add(id(given.arg))
        names = set().union(*(flow.reads(value) for value in values)) - {"self", "cls"}
        if values:  # else TensorFlow's own defaults were asked for
            below = [] if first is None else takers.behind(first, given.scope, nodes)
            self.set_ups.append(_SetUp(call, names, given, first, below))
        self.ctx.change(
            "TF401", given.arg, "GPUs are set up once, before they are used", Rung.SUPPORT,
            Confidence.LIKELY, "tf.ConfigProto",
        )  # fmt: skip

    def _configure_gpus(self, arguments: f.Fields) -> cst.Call:
        function = self.ctx.support("gpu.configure_gpus")
        memory = [cst.Arg(v) for name, v in arguments.items() if name == "memory"]
        rest = [flow.keyword(name, v) for name, v in arguments.items() if name != "memory"]
        return flow.call(function, *memory, *rest)

    def _configure_from(self, value: cst.BaseExpression) -> cst.Call:
        wanted = self.ctx.options.gpu_memory
        memory = [] if wanted == "keep" else [flow.keyword("memory", repr(wanted))]
        return flow.call(self.ctx.support("gpu.configure_from"), cst.Arg(value), *memory)

    # -- what goes elsewhere

    def report_others(self) -> None:
        """Configurations that no session of the project is seen to take, fields that nothing has."""
        for scope, nodes in self.scopes:
            for node in only(nodes, cst.Call):
                if self.ctx.resolve(node.func) == f.CONFIG:
                    self._unknown_fields(node, nodes)
                    if id(node) not in self.followed and not self._is_taken(node, scope, nodes):
                        self.ctx.finding(
                            "TF402", node,
                            "no session is seen to take this configuration",
                            "hand it to the support package's gpu.configure_from before devices are "
                            "used, or drop it",
                            Rung.MANUAL, "tf.ConfigProto",
                        )  # fmt: skip

    def _unknown_fields(self, made: cst.Call, nodes: list[cst.CSTNode]) -> None:
        paths = [a.keyword.value for a in made.args if a.keyword is not None]
        for node in nodes:
            pair = flow.assigned(node)
            key = flow.key_of(pair[0]) if pair and pair[1] is made else None
            if key is not None:
                paths += [p for n in nodes for p, _ in f.assigned_paths(n, key)]
        for path in dict.fromkeys(paths):
            if not f.known(path):
                self.ctx.finding(
                    "TF402", made, f"ConfigProto.{path} has no counterpart in TensorFlow 2",
                    "see tf.config for the setting, or leave TensorFlow's default",
                    Rung.MANUAL, "tf.ConfigProto",
                )  # fmt: skip

    def _is_taken(self, made: cst.Call, scope: Scope, nodes: list[cst.CSTNode]) -> bool:
        """Whether a call somewhere in the project takes a value by a name that this one goes by."""
        known = self.ctx.index.answers.get(_TAKEN_WHERE)
        if known is None:
            known = self.ctx.index.answers[_TAKEN_WHERE] = {
                name for path in self.ctx.index.modules
                for name in self.ctx.index.fact(path, _TAKEN_WHERE) or ()
            }
        names = ways_out(made, scope, nodes)
        while more := self._assigned(names) - names:
            names |= more
        return bool(known & names)

    def _assigned(self, names: set[str]) -> set[str]:
        """What this module assigns values to that are made with one of these names."""
        pairs = [p for n in flow.walk(self.ctx.module) if (p := flow.assigned(n)) is not None]
        return {
            flow.code_of(target).rpartition(".")[2] for target, value in pairs
            if flow.reads(value) & names
        }

    # -- writing

    def written(self) -> cst.Module | None:
        """The module with its set-ups, None where no session takes a configuration."""
        if not self.gone:
            return None
        module = self.ctx.module
        before: dict[int, list[_SetUp]] = {}
        behind: dict[int, list[_SetUp]] = {}
        staying: dict[int, tuple[cst.EmptyLine, ...]] = {}  # what is said above what goes, of what follows
        for set_up, place in self._placed(module):
            table = behind if place.behind else before
            there = table.setdefault(id(place.statement), [])
            follower = self._told_as_well(set_up)
            if follower is not None and follower is not place.statement:
                staying[id(follower)], set_up.leading = set_up.leading, ()
            elif place.statement is not set_up.first and not getattr(place.statement, "leading_lines", ()):
                set_up.leading = tuple(dropwhile(lambda line: line.comment is None, set_up.leading))
            if all(other.text != set_up.text for other in there):
                there.append(set_up)
        above = _above(module, self.gone | before.keys() | behind.keys() | staying.keys())
        return module.visit(_Writer(above, self.gone, before, behind, staying))

    def _told_as_well(self, set_up: _SetUp) -> cst.BaseStatement | None:
        """The statement below a configuration that goes, if the comment above is about that as well: it
        says nothing of devices, and no line is between them."""
        said = [line.comment.value for line in set_up.leading if line.comment is not None]
        if not said or any(map(_OF_DEVICES.search, said)):
            return None
        follower = next((line for line in set_up.below if id(line) not in self.gone), None)
        told = isinstance(follower, (cst.SimpleStatementLine, cst.With)) and not follower.leading_lines
        return follower if told else None

    def _placed(self, module: cst.Module) -> list[tuple[_SetUp, places.Place]]:
        """Where each set-up stands: at the entry of a script what depends on nothing before its
        session, and there as well where others may call the function."""
        entry = entry_point(module)
        own = [
            (s, places.in_scope(self.ctx, s.given.scope, s.given.arg, s.names, self.gone))
            for s in self.set_ups
        ]
        early = [s for s, place in own if entry is not None and self._may_move(s, place, entry)]
        if len({s.text for s in self.set_ups}) > 1:
            early = []  # which of them holds is only known where a session was made
        imported = bool(self.ctx.index.importers(self.ctx.path))
        found: list[tuple[_SetUp, places.Place]] = []
        for set_up, place in own:
            at_entry = None
            if set_up in early and entry is not None:
                at_entry = places.at_entry(self.ctx, entry, set_up.names)
            if at_entry is not None:
                found.append((set_up, at_entry))
            if at_entry is None or imported:
                if place is None:
                    self._crowded(set_up)
                else:
                    found.append((set_up, place))
        return found

    def _may_move(
        self, set_up: _SetUp, place: places.Place | None, entry: cst.FunctionDef | cst.If
    ) -> bool:
        scope = set_up.given.scope
        if place is None or not place.free or scope is entry or isinstance(scope, cst.Module):
            return False
        local = flow.writes(scope.body) | flow.parameters(scope)
        if {name.split(".")[0] for name in set_up.names} & (local | {"self", "cls"}):
            return False
        others = [n for n in takers.scopes(self.ctx.module) if n is not entry]
        return not any(
            isinstance(n, cst.FunctionDef) and places.sets_environment(n) for n in others
        )

    def _crowded(self, set_up: _SetUp) -> None:
        self.gone.discard(id(set_up.given.arg))
        self.ctx.finding(
            "TF402", set_up.given.arg, "this line has several statements: devices are not set up here",
            "give the session a line of its own, with gpu.configure_from before it",
            Rung.MANUAL, "tf.ConfigProto",
        )  # fmt: skip


def ways_out(made: cst.Call, scope: Scope, nodes: list[cst.CSTNode]) -> set[str]:
    """Names by which a value that a scope makes may be known elsewhere: what it is assigned to, the
    function that returns it, and the functions that it is given to."""
    found: set[str] = set()
    keys: set[str] = set()
    for node in nodes:
        pair = flow.assigned(node)
        if pair and any(n is made for n in flow.walk(pair[1])):
            keys.add(flow.code_of(pair[0]).rpartition(".")[2])
    found |= keys

    def is_it(node: cst.CSTNode) -> bool:
        return any(
            n is made or (isinstance(n, cst.Name) and n.value in keys) for n in flow.walk(node)
        )

    for node in nodes:
        if isinstance(node, cst.Return) and node.value is not None and is_it(node.value):
            found |= {scope.name.value} if isinstance(scope, cst.FunctionDef) else set()
        if isinstance(node, cst.Lambda) and is_it(node.body):
            found |= {"<lambda>"}
        if isinstance(node, cst.Call) and node is not made:
            for arg in node.args:
                if is_it(arg.value):
                    found |= set(flow.code_of(node.func).split("."))  # also `other.MergeFrom(it)`
                    found |= {arg.keyword.value} if arg.keyword is not None else set()
    return found


def _above(node: cst.CSTNode, ids: set[int]) -> set[int]:
    """The nodes that hold one of these: only they are made anew, the others keep their positions."""
    found: set[int] = set()
    for child in code_children(node):
        found |= _above(child, ids)
        if id(child) in ids:
            found.add(id(child))
    return found | {id(node)} if found else found


class _Writer(cst.CSTTransformer):
    """Puts set-ups before and behind statements, and takes statements and arguments out."""

    def __init__(
        self, above: set[int], gone: set[int], before: dict[int, list[_SetUp]],
        behind: dict[int, list[_SetUp]], staying: dict[int, tuple[cst.EmptyLine, ...]],
    ) -> None:  # fmt: skip
        super().__init__()
        self.above, self.gone, self.before, self.behind = above, gone, before, behind
        self.staying = staying

    def on_visit(self, node: cst.CSTNode) -> bool:
        return id(node) in self.above

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode):  # type: ignore
        if isinstance(updated_node, cst.Call) and len(updated_node.args) != len(
            original_node.args  # type: ignore[attr-defined]
        ):
            args = list(updated_node.args)
            if args:
                args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            return updated_node.with_changes(args=args)
        if isinstance(updated_node, cst.IndentedBlock) and not updated_node.body:
            return updated_node.with_changes(body=[cst.SimpleStatementLine([cst.Pass()])])
        if id(original_node) in self.staying:
            updated_node = updated_node.with_changes(leading_lines=self.staying[id(original_node)])
        kept = [] if id(original_node) in self.gone else [updated_node]
        first = [_line(s) for s in self.before.get(id(original_node), ())]
        last = [_line(s) for s in self.behind.get(id(original_node), ())]
        if not first and not last:
            return updated_node if kept else cst.RemoveFromParent()
        return cst.FlattenSentinel([*first, *kept, *last])


def _line(set_up: _SetUp) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([cst.Expr(set_up.call)], leading_lines=set_up.leading)

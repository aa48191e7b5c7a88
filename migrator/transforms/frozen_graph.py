"""Frozen graphs run by tensor name become callables: no GraphDef import, no session."""

from __future__ import annotations

from types import SimpleNamespace

import libcst as cst

from migrator.engine.context import FileContext
from migrator.engine.cst_walk import only
from migrator.engine.registry import transform
from migrator.model import Rung
from migrator.transforms import _flow as flow
from migrator.transforms._eager_base import EagerPlan
from migrator.transforms._eager_rewrite import EagerRewriter
from migrator.transforms._frozen_model import IMPORTS, FrozenModel, Obstacle, text_of

_GRAPH_METHODS = frozenset(
    "get_operations get_operation_by_name get_tensor_by_name as_graph_def".split()
)


@transform
class FrozenGraphs:
    """Rewrites the loads, sessions and runs of a file whose frozen graphs are all understood."""

    name = "frozen_graph"
    triggers = IMPORTS
    order = 5

    def run(self, ctx: FileContext) -> cst.Module | None:
        try:
            model = FrozenModel(ctx)
            if not model.loads:
                return None
            return _Rewrite(ctx, model).module()
        except Obstacle as problem:
            ctx.finding(
                "TF005",
                problem.node,
                f"the frozen graph stays in its session: {problem.message}",
                problem.advice,
                Rung.COMPAT,
                "tf.import_graph_def",
            )
            return None


class _Rewrite:
    def __init__(self, ctx: FileContext, model: FrozenModel) -> None:
        self.ctx = ctx
        self.model = model
        self.plan = EagerPlan()
        self.withs: dict[int, list[cst.WithItem]] = {}
        self.handled: set[int] = set()
        self._attributes = only(model.nodes, cst.Attribute)

    def module(self) -> cst.Module:
        self._loads()
        self._statements()
        self._withs()
        self._tensors()
        self._check()
        for load in self.model.loads:
            self.ctx.change(
                "TF320",
                load.statement,
                "the frozen graph is a callable by tensor names",
                Rung.SUPPORT,
                symbol="tf.import_graph_def",
            )
        return self._written()

    def _loads(self) -> None:
        frozen = self.ctx.support("frozen_graph.FrozenGraph")
        for load in self.model.loads:
            arguments = [cst.Arg(load.source)]
            if load.prefix:
                arguments.append(flow.keyword("prefix", cst.SimpleString(repr(load.prefix))))
            made = flow.assign(
                cst.parse_expression(text_of(load.key)), flow.call(frozen, *arguments)
            )
            self.plan.dropped.add(id(load.statement))
            self.plan.before.setdefault(id(load.statement), []).append(made)
            for statement in load.statements:
                self.plan.dropped.add(id(statement))
                self._mark(statement)
            self._mark(load.statement)
            for node in self.model.nodes:
                if isinstance(node, cst.With) and self.model.file_with(node):
                    if any(self.model.inside(s, node) for s in load.statements):
                        self.withs.setdefault(id(node), []).extend(node.items)

    def _mark(self, node: cst.CSTNode) -> None:
        self.handled.update(id(inner) for inner in flow.walk(node))

    def _statements(self) -> None:
        """Graphs and sessions are no longer made, and sessions not closed."""
        model = self.model
        for node in model.nodes:
            if not isinstance(node, cst.SimpleStatementLine) or id(node) in self.plan.dropped:
                continue
            pair = flow.assigned(node)
            if pair is not None and isinstance(pair[1], cst.Call):
                key = model.key(node, pair[0])
                resolved = self.ctx.resolve(pair[1].func)
                if key in model.graphs and resolved == "tensorflow.Graph":
                    self.plan.dropped.add(id(node))
                    self._mark(node)
                elif key in model.sessions and model.session_graph(pair[1]) is not None:
                    self.plan.dropped.add(id(node))
                    self._mark(node)
            small = flow.simple(node)
            if (
                isinstance(small, cst.Expr)
                and isinstance(small.value, cst.Call)
                and isinstance(small.value.func, cst.Attribute)
                and small.value.func.attr.value == "close"
                and model.key(node, small.value.func.value) in model.sessions
            ):
                self.plan.dropped.add(id(node))
                self._mark(node)

    def _withs(self) -> None:
        model = self.model
        for node in model.nodes:
            if not isinstance(node, cst.With):
                continue
            for item in node.items:
                loaded = any(
                    model.inside(load.statement, node) and model.default_graph(item) == load.key
                    for load in model.loads
                )
                session = (
                    isinstance(item.item, cst.Call)
                    and isinstance(item.item.func, cst.Attribute)
                    and item.item.func.attr.value == "as_default"
                    and model.key(item, item.item.func.value) in model.sessions
                )
                if (
                    loaded
                    or session
                    or model.default_graph(item) in model.graphs
                    or model.session_graph(item.item) is not None
                ):
                    self.withs.setdefault(id(node), []).append(item)
                    self._mark(item)

    def _tensors(self) -> None:
        model = self.model
        for node in model.nodes:
            if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
                continue
            if id(node) in self.handled:
                continue
            owner, method = node.func.value, node.func.attr.value
            graph = self._graph_of(owner)
            if graph is not None and method in _GRAPH_METHODS:
                name = node.args[0].value if node.args else None
                if (
                    method == "get_tensor_by_name"
                    and name is not None
                    and self._only_run(node)
                ):
                    self.plan.expressions[id(node)] = name
                else:
                    self.plan.expressions[id(owner)] = cst.parse_expression(f"{text_of(graph)}.graph")
                self._mark(node.func)
            elif method == "run" and model.key(node, owner) in model.sessions:
                extra = [a for a in node.args if a.keyword and a.keyword.value not in
                         ("fetches", "feed_dict")]
                if extra or len(node.args) > 2:
                    raise Obstacle(
                        node, "the run asks for options or metadata", "profile the call instead"
                    )
                key = model.sessions[model.key(node, owner) or ""]
                self.plan.expressions[id(owner)] = cst.parse_expression(text_of(key))
                self._mark(node.func)
                self.ctx.change(
                    "TF321", node, "the frozen graph is called by tensor names", Rung.SUPPORT,
                    symbol="tf.Session.run",
                )

    def _graph_of(self, owner: cst.BaseExpression) -> str | None:
        """The frozen graph that ``K``, ``S.graph`` or ``tf.get_default_graph()`` is."""
        key = self.model.key(owner, owner)
        if key in self.model.graphs:
            return key
        if isinstance(owner, cst.Attribute) and owner.attr.value == "graph":
            return self.model.sessions.get(self.model.key(owner, owner.value) or "")
        if isinstance(owner, cst.Call):
            if self.ctx.resolve(owner.func) == "tensorflow.get_default_graph":
                return self.model.current_graph(owner)
        return None

    def _only_run(self, call: cst.Call) -> bool:
        """Whether a tensor looked up by name is only fed and fetched, so that its name will do."""
        statement = self.model.enclosing(call, cst.SimpleStatementLine)
        pair = flow.assigned(statement) if statement is not None else None
        if pair is None or pair[1] is not call:
            return True
        key = self.model.key(call, pair[0])
        if key is None:
            return True
        written = flow.key_of(pair[0])
        return not any(
            flow.key_of(node.value) == written and self.model.key(node, node.value) == key
            for node in self._attributes
        )

    def _check(self) -> None:
        """Everything that still mentions a graph or a session must make sense on a FrozenGraph."""
        model = self.model
        for node in model.nodes:
            if not isinstance(node, (cst.Name, cst.Attribute)) or id(node) in self.handled:
                continue
            key = model.key(node, node)
            parent = model.parents.get(id(node))
            if key in model.sessions and key is not None:
                if isinstance(parent, (cst.AsName, cst.AssignTarget, cst.Param)):
                    continue
                if isinstance(parent, cst.Attribute) and parent.attr is node:
                    continue
                if isinstance(parent, cst.Arg) and parent.keyword is not node:
                    called = model.enclosing(parent, cst.Call)
                    if isinstance(called, cst.Call) and not model.is_own(called):
                        raise Obstacle(
                            node,
                            "the session is handed to TensorFlow or to unknown code",
                            "let that code take the FrozenGraph",
                        )
                    self.plan.expressions[id(node)] = cst.parse_expression(text_of(model.sessions[key]))
                    continue
                if isinstance(parent, cst.Attribute) and parent.attr.value == "graph":
                    self.plan.expressions[id(node)] = cst.parse_expression(text_of(model.sessions[key]))
                    continue
                if isinstance(parent, cst.Attribute) and parent.value is node:
                    raise Obstacle(
                        node,
                        f"{parent.attr.value} of its session is used",
                        "ask the FrozenGraph itself",
                    )
        for node in model.nodes:
            if isinstance(node, cst.Call) and id(node) not in self.handled:
                name = self.ctx.resolve(node.func) or ""
                if name.startswith("tensorflow.") and any(
                    isinstance(inner, cst.Call) and id(inner) in self.plan.expressions
                    for arg in node.args
                    for inner in flow.walk(arg.value)
                ):
                    raise Obstacle(
                        node,
                        "TensorFlow operations are added to the frozen graph",
                        "compute them from the arrays that the FrozenGraph returns",
                    )

    # -- writing

    def _written(self) -> cst.Module:
        module = self.ctx.module
        rewriter = self._writer(None)
        nested = _FunctionWriter(self, self._touched())
        changed = module.visit(nested)
        if nested.written:
            rewriter.nested = nested.written
        statements, rest = rewriter._block(list(module.body))
        header = list(changed.header)
        return module.with_changes(
            body=statements, header=header, footer=[*rest, *module.footer]
        )

    def _touched(self) -> set[int]:
        """Ids of the nodes that something below changes in."""
        plan = self.plan
        ids = {*plan.dropped, *plan.before, *plan.expressions, *plan.functions, *self.withs}
        touched: set[int] = set()
        for node in self.model.nodes:
            if id(node) not in ids:
                continue
            current: cst.CSTNode | None = node
            while current is not None and id(current) not in touched:
                touched.add(id(current))
                current = self.model.parents.get(id(current))
        return touched

    def _writer(self, function: cst.FunctionDef | None) -> EagerRewriter:
        body = SimpleNamespace(
            runs=[],
            session_withs=self.withs,
            session_statements=set(),
            graphs=set(),
            function=function,
            resolve=lambda node: None,
        )
        return EagerRewriter(
            body,  # type: ignore[arg-type]
            self.plan,
            lambda fetches, run: fetches,
            lambda block: None,
        )


class _FunctionWriter(cst.CSTTransformer):
    """Rewrites functions from the inside out; classes are rebuilt around them."""

    def __init__(self, rewrite: _Rewrite, touched: set[int]) -> None:
        super().__init__()
        self.rewrite = rewrite
        self.touched = touched
        self.written: dict[int, cst.BaseStatement] = {}

    def on_visit(self, node: cst.CSTNode) -> bool:
        return id(node) in self.touched

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        if id(original_node) not in self.touched:
            return updated_node
        writer = self.rewrite._writer(original_node)
        writer.nested = self.written
        made = updated_node.with_changes(body=writer.function().body)
        if flow.code_of(made) == flow.code_of(original_node):
            return original_node if updated_node is original_node else updated_node
        self.written[id(original_node)] = made
        return made

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef:
        if updated_node is not original_node:
            self.written[id(original_node)] = updated_node
        return updated_node

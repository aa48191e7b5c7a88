"""What becomes of a file's loaded graphs: of the loads, the sessions, the tensors and the Savers."""

from __future__ import annotations

import ast
import symtable

import libcst as cst

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts_loaded_graphs import IMPORTERS
from migrator.analysis.tree_walk import walk
from migrator.model import Rung
from migrator.transforms import _flow as flow
from migrator.transforms._scoped_nodes import text_of
from migrator.transforms.frozen.checks import FrozenChecks
from migrator.transforms.frozen.loads import Load, Obstacle, as_default
from migrator.transforms.frozen.writer import write

_GRAPH_METHODS = frozenset(
    "get_operations get_operation_by_name get_tensor_by_name as_graph_def get_collection".split()
)
_INITIALIZERS = frozenset({"tensorflow.global_variables_initializer",
                           "tensorflow.initialize_all_variables"})


class FrozenRewrite(FrozenChecks):
    """Plans the changes of one file. Raises Obstacle."""

    def module(self) -> cst.Module:
        """The rewritten module; what was changed is told to the context."""
        self._loads()
        self._statements()
        self._withs()
        self._refuse_additions()
        self._savers()
        self._tensors()
        self._check()
        self._refuse_others()
        for load in self.model.loads:
            kind = "meta graph" if load.meta else "frozen graph"
            symbol = "tf.train.import_meta_graph" if load.meta else "tf.import_graph_def"
            self.ctx.change(
                "TF320", load.statement, f"the {kind} is a callable by tensor names",
                Rung.SUPPORT, symbol=symbol,
            )
        return write(self.model, self.plan, self.withs, self.items)

    def _loads(self) -> None:
        for load in self.model.loads:
            self.plan.dropped.add(id(load.statement))
            self.plan.before.setdefault(id(load.statement), []).extend(self._made(load))
            for statement in load.statements:
                self.plan.dropped.add(id(statement))
                self._mark(statement)
            self._mark(load.statement)
            for node in self.model.of(cst.With):
                if self.model.file_with(node):
                    if any(self.model.inside(s, node) for s in load.statements):
                        self.withs.setdefault(id(node), []).extend(node.items)

    def _made(self, load: Load) -> list[cst.BaseStatement]:
        maker = "meta_graph.MetaGraph" if load.meta else "frozen_graph.FrozenGraph"
        arguments = [cst.Arg(load.source)]
        if load.prefix:
            arguments.append(flow.keyword("prefix", cst.SimpleString(repr(load.prefix))))
        clear = flow.argument(load.call, "clear_devices", 1) if load.meta else None
        if clear is not None:
            arguments.append(flow.keyword("clear_devices", clear))
        graph = text_of(load.key)
        made: list[cst.BaseStatement] = [flow.assign(
            cst.parse_expression(graph), flow.call(self.ctx.support(maker), *arguments))]
        if load.restored is not None:
            call = flow.call(f"{graph}.restore", load.restored)
            made.append(cst.SimpleStatementLine([cst.Expr(call)]))
        return made

    def _mark(self, node: cst.CSTNode) -> None:
        self.handled.update(id(inner) for inner in flow.walk(node))

    def _statements(self) -> None:
        """Graphs and sessions are no longer made, and sessions not closed."""
        model = self.model
        for node in model.of(cst.SimpleStatementLine):
            if id(node) in self.plan.dropped:
                continue
            pair = flow.assigned(node)
            if pair is not None and isinstance(pair[1], cst.Call):
                key = model.key(node, pair[0])
                resolved = self.ctx.resolve(pair[1].func)
                if resolved == "tensorflow.Graph" and (
                        key in model.graphs or self._nobody_reads(node, pair[0])):
                    self.plan.dropped.add(id(node))
                    self._mark(node)
                elif id(pair[1]) in model.kept:
                    graph = text_of(model.session_graph(pair[1]) or "")
                    self.plan.expressions[id(pair[1])] = cst.parse_expression(graph)
                    self._mark(node)
                elif key in model.sessions and model.session_graph(pair[1]) is not None:
                    self.plan.dropped.add(id(node))
                    self._mark(node)
                elif resolved == "tensorflow.get_default_graph" and key in model.graphs:
                    self._default_graph(node, pair[1], key or "")
                elif resolved in _INITIALIZERS and self._in_session(pair[1]):
                    self.initializers.add(key or "")
                    self.plan.dropped.add(id(node))
                    self._mark(node)
            small = flow.simple(node)
            if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call) and (
                self.ctx.resolve(small.value.func) == "tensorflow.reset_default_graph"
                and any(load.unnamed for load in model.loads)
            ):
                self.plan.dropped.add(id(node))
                self._mark(node)
            if (
                isinstance(small, cst.Expr)
                and isinstance(small.value, cst.Call)
                and isinstance(small.value.func, cst.Attribute)
                and self._ends_or_enters_nothing(node, small.value.func)
            ):
                self.plan.dropped.add(id(node))
                self._mark(node)

    def _nobody_reads(self, node: cst.CSTNode, target: cst.BaseExpression) -> bool:
        """Whether a name of the module is only assigned to: a graph ahead of the function that loads one."""
        if not isinstance(target, cst.Name) or node not in self.ctx.module.body:
            return False
        name, index = target.value, self.ctx.index
        for tree in filter(None, map(index.tree, index.importers(self.ctx.path))):
            if any(isinstance(part, ast.Attribute) and part.attr == name
                   or isinstance(part, ast.alias) and part.name in (name, "*") for part in walk(tree)):
                return False
        tables = [symtable.symtable(self.ctx.text, self.ctx.path, "exec")]
        for table in tables:  # grows on the way
            tables += table.get_children()
            if name in table.get_identifiers() and (symbol := table.lookup(name)).is_referenced() and (
                    table is tables[0] or symbol.is_global()):
                return False
        return "__all__" not in self.ctx.text

    def _ends_or_enters_nothing(self, node: cst.CSTNode, method: cst.Attribute) -> bool:
        """``session.close()``, and ``graph.as_default()`` without a with."""
        if method.attr.value == "close":
            return self.model.key(node, method.value) in self.model.sessions
        return method.attr.value == "as_default" and self._graph_of(method.value) is not None

    def _default_graph(self, node: cst.CSTNode, call: cst.Call, key: str) -> None:
        """``graph = tf.get_default_graph()`` gives the loaded graph its further name."""
        graph = text_of(self.model.current_graph(call) or "")
        if graph == text_of(key):
            self.plan.dropped.add(id(node))
        else:
            self.plan.expressions[id(call)] = cst.parse_expression(graph)
        self._mark(node)

    def _in_session(self, node: cst.CSTNode) -> bool:
        return self.model.current_graph(node) is not None

    def _adds_operations(self, block: cst.With) -> bool:
        """Whether a block adds operations to the graph that is its default graph."""
        skipped: set[int] = set()
        for node in flow.walk(block.body):
            if isinstance(node, cst.With) and any(
                self.model.session_graph(item.item) is not None
                or self.model.default_graph(item) in self.model.graphs for item in node.items
            ):
                skipped |= {id(inner) for inner in flow.walk(node.body)}
            if not isinstance(node, cst.Call) or id(node) in skipped or id(node) in self.handled:
                continue
            symbol = self.ctx.resolve(node.func) or ""
            if symbol.startswith("tensorflow."):
                if "()" in symbol or symbol in IMPORTERS or symbol in _INITIALIZERS:
                    continue
                if k.call_kind(symbol) not in (k.PY, k.SESSION, k.GRAPH, k.CONFIG):
                    if symbol.rpartition(".")[2] not in ("get_collection", "GraphDef"):
                        return True
                continue
            fact = self.table(symbol) if symbol else None
            if fact is not None and "ops" in fact.flags and not fact.flags & {"session"}:
                return True
        return False

    def _withs(self) -> None:
        model = self.model
        for node in model.of(cst.With):
            for item in node.items:
                loaded = any(
                    model.inside(load.statement, node) and model.default_graph(item) == load.key
                    for load in model.loads
                )
                entered = as_default(item)
                session = entered is not None and model.key(item, entered) in model.sessions
                if (
                    loaded
                    or session
                    or model.default_graph(item) in model.graphs
                    or model.session_graph(item.item) is not None
                ):
                    self.withs.setdefault(id(node), []).append(item)
                    self._mark(item)
            self._reopen(node)

    def _reopen(self, block: cst.With) -> None:
        """A block that adds operations to a graph still makes it the default graph."""
        items = self.withs.get(id(block), [])
        if not items or not self._adds_operations(block):
            return
        model = self.model
        if any(model.inside(load.statement, block) for load in model.loads):
            raise Obstacle(
                block, "TensorFlow operations are added while the graph is loaded",
                "load the graph first, and add them under `with graph.as_default()`",
            )
        item = next((i for i in items if isinstance(i.item, cst.Call)), items[0])
        graph = (model.default_graph(item) if model.default_graph(item) in model.graphs
                 else model.session_graph(item.item)) or model.current_graph(block)
        opened = cst.parse_expression(f"{text_of(graph or '')}.as_default()")
        self.items[id(item)] = cst.WithItem(opened)

    def _savers(self) -> None:
        """What was the Saver of a meta graph is a method of the graph."""
        model = self.model
        for node in model.named:
            if id(node) in self.handled:
                continue
            key = model.key(node, node)
            if key not in model.savers or key is None:
                continue
            method, graph = model.parents.get(id(node)), text_of(model.savers[key])
            call = model.parents.get(id(method)) if method is not None else None
            if isinstance(node, cst.Name) and isinstance(method, cst.Attribute) and (
                method.attr is node
            ):
                continue
            if not (isinstance(method, cst.Attribute) and isinstance(call, cst.Call)
                    and call.func is method and method.attr.value in ("restore", "save")):
                raise Obstacle(node, "the Saver of the meta graph is passed on",
                               "restore and save with the MetaGraph")
            name = {"save": "save_checkpoint"}.get(method.attr.value, "restore")
            given = [a for i, a in enumerate(call.args) if i > 0 and not a.keyword or a.keyword
                     and a.keyword.value in ("save_path", "global_step")]
            if any(a.keyword and a.keyword.value not in ("sess", "save_path", "global_step")
                   for a in call.args) or len(call.args) > 3:
                raise Obstacle(call, "the Saver is told how to save", "save with checkpoint.Saver")
            given = [a.with_changes(keyword=None, equal=cst.MaybeSentinel.DEFAULT)
                     if a.keyword is not None and a.keyword.value == "save_path" else a
                     for a in given]
            self.plan.expressions[id(call)] = flow.call(f"{graph}.{name}", *given)
            self._mark(call.func)
            for argument in call.args[:1]:
                self._mark(argument)

    def _tensors(self) -> None:
        model = self.model
        for node in model.of(cst.Call):
            if not isinstance(node.func, cst.Attribute):
                continue
            if id(node) in self.handled:
                continue
            owner, method = node.func.value, node.func.attr.value
            if self.ctx.resolve(node.func) == "tensorflow.get_collection":
                held = model.current_graph(node)
                if held is not None and any(i.key == held and i.meta for i in model.loads):
                    self.plan.expressions[id(node.func)] = cst.parse_expression(
                        f"{text_of(held)}.get_collection")
                    self._mark(node.func)
                continue
            graph = self._graph_of(owner)
            if graph is not None and method in _GRAPH_METHODS:
                name = node.args[0].value if node.args else None
                if method == "get_tensor_by_name" and name is not None and self._only_run(node):
                    self.plan.expressions[id(node)] = name
                elif method in ("get_operations", "as_graph_def"):
                    self.plan.expressions[id(owner)] = cst.parse_expression(
                        f"{text_of(graph)}.graph")
                else:
                    self.plan.expressions[id(owner)] = cst.parse_expression(text_of(graph))
                self._mark(node.func)
            elif method == "run" and model.key(node, owner) in model.sessions:
                extra = [a for a in node.args if a.keyword and a.keyword.value not in
                         ("fetches", "feed_dict")]
                if extra or len(node.args) > 2:
                    raise Obstacle(
                        node, "the run asks for options or metadata", "profile the call instead"
                    )
                key = model.sessions[model.key(node, owner) or ""]
                fetched = flow.argument(node, "fetches", 0)
                if isinstance(fetched, cst.Call) and self.ctx.resolve(
                    fetched.func) in _INITIALIZERS or (
                    fetched is not None and model.key(node, fetched) in self.initializers
                ):
                    run = self._run_of_nothing(node, key)
                    if run is not None:
                        self.plan.dropped.add(id(run))
                    else:
                        self.plan.expressions[id(node)] = (
                            flow.call(f"{text_of(key)}.initialize") if self._has_meta(key)
                            else cst.Name("None"))
                    self._mark(node)
                    continue
                self.plan.expressions[id(owner)] = cst.parse_expression(text_of(key))
                self._mark(node.func)
                self.ctx.change(
                    "TF321", node, "the frozen graph is called by tensor names", Rung.SUPPORT,
                    symbol="tf.Session.run",
                )

    def _has_meta(self, graph: str) -> bool:
        return any(load.meta for load in self.model.loads if load.key == graph)

    def _run_of_nothing(self, run: cst.Call, graph: str) -> cst.BaseStatement | None:
        """The statement of a run of initializers that had nothing to give a value to: a graph without its
        meta graph has no list of variables, and none has one before it is loaded."""
        model = self.model
        line = model.enclosing(run, cst.SimpleStatementLine)
        home = model.function_of(run)
        if (isinstance(line, cst.SimpleStatementLine) and isinstance(flow.simple(line), cst.Expr)
                and not self._has_meta(graph)):
            return line
        loads = [load.statement for load in model.loads if load.key == graph]
        order = {id(node): number for number, node in enumerate(model.nodes)}
        if (
            isinstance(line, cst.SimpleStatementLine) and isinstance(flow.simple(line), cst.Expr)
            and loads and all(model.function_of(load) is home for load in loads)
            and order[id(line)] < min(order[id(load)] for load in loads)
            and not isinstance(model.enclosing(line, (cst.For, cst.While, cst.FunctionDef)),
                               (cst.For, cst.While))
        ):  # fmt: skip
            return line
        return None

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
        model = self.model
        statement = model.enclosing(call, cst.SimpleStatementLine)
        pair = flow.assigned(statement) if statement is not None else None
        if pair is None or pair[1] is not call:
            return self._in_run(call)
        key = model.key(call, pair[0])
        if key is None:
            return False
        written = flow.key_of(pair[0])
        return all(
            self._in_run(node) for node in model.named
            if flow.key_of(node) == written
            and node is not pair[0] and not model.inside(node, pair[0])
            and model.key(node, node) == key
            and not isinstance(model.parents.get(id(node)), cst.AssignTarget)
        )

    def _in_run(self, node: cst.CSTNode) -> bool:
        """Whether an expression is an argument of a run, in a list, tuple or dict at most."""
        current = self.model.parents.get(id(node))
        while isinstance(current, (cst.List, cst.Tuple, cst.Element, cst.Dict, cst.DictElement)):
            current = self.model.parents.get(id(current))
        call = self.model.parents.get(id(current)) if isinstance(current, cst.Arg) else None
        return (
            isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute)
            and call.func.attr.value == "run"
        )

"""Decides what becomes of the statements that are no run sites."""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import backward_slice, statement_flow
from migrator.analysis.program import Program
from migrator.analysis.program_items import DROP, KEEP, LAZY, RUN, TRACE, Item, Obstacle, WithPart
from migrator.analysis.tree_walk import walk
from migrator.analysis.values import argument
from migrator.transforms.sessions.helpers import (
    calls_of,
    chain,
    cut,
    split_arguments,
    whole_argument,
    withs_of,
)
from migrator.transforms.sessions.planning.optimizers import OptimizerPlanner
from migrator.transforms.sessions.records import Note
from migrator.transforms.sessions.writing.reports import keep_reports

_ALL_VARIABLES = ("tensorflow.global_variables", "tensorflow.all_variables")


class StatementPlanner(OptimizerPlanner):
    """Hoists, drops and edits statements; gives variables to the store."""

    def _decide_statements(self) -> None:
        d = self.decisions
        self.reports = keep_reports(self.items, self.functions, self.program)
        needed_lazy = self._needed(LAZY)
        late = self._needed(TRACE, k.VARIABLES)
        for item in self.items:
            if id(item) in late:
                item.role = KEEP  # what restores or prints them comes after the graph
        uses_parent = self.program.parent is not None and any(
            item.role == TRACE for item in self.program.parent.all_items()
        )
        module, others = self._decided_elsewhere()
        for item in self.items if uses_parent else self.program.items:
            if id(item.stmt) in d.replaced or id(item.stmt) in d.dropped or id(item) in others:
                continue
            if item.role == KEEP and item.value.needs_graph and item.kind == k.OPTIMIZER:
                self._dynamic_rate(item)
            elif item.role == DROP:
                d.dropped.add(id(item.stmt))
            elif item.role == TRACE:
                if item.in_loop and not item.kind == k.SUMMARY and not _only_names(item.stmt):
                    if isinstance(item.stmt, ast.Expr) and not item.value.traced:
                        continue
                    raise Obstacle(item.stmt, "the graph grows inside a loop that runs it",
                                   "build the graph before the loop")
                d.dropped.add(id(item.stmt))
            elif item.role == LAZY and id(item) not in needed_lazy:
                if any(item in f.items for f in self.functions):
                    d.dropped.add(id(item.stmt))
            elif item.role == KEEP:
                self._kept(item)
            if item.role == RUN:
                self._kept(item)
        for program in chain(self.program):
            if program is self.program or uses_parent and program is not module:
                self._withs(program)

    def _decided_elsewhere(self) -> tuple[Program | None, set[int]]:
        """The module, if it runs sessions itself beside the object whose plan this is, and what
        belongs to them there."""
        if not self.shared.owner or not any(self.module.run_sites()):
            return None, set()
        return self.module, {id(item) for item in self.module.items if item.role == DROP}

    def _needed(self, role: str, kind: str = "") -> set[int]:
        """Items of a role (and kind) that statements which stay depend on."""
        wanted: set[str] = set()
        for item in self.items:
            if item.role in (KEEP, RUN):
                uses = set(item.flow.uses)
                for site in item.runs:
                    uses -= statement_flow(site.fetch, self.program.owner).uses
                wanted |= uses
        own = [i for i in self.items if i.role == role and (not kind or i.kind == kind)]
        chosen, _ = backward_slice(own, wanted)
        return {id(item) for item in chosen}

    def _kept(self, item: Item) -> None:
        """Edits of statements that stay: writers, savers, iterators, session leftovers."""
        self._scale_losses(item)
        for call in calls_of(item):
            func = call.func
            self._handed_writer(call)
            symbol = self.program.expressions.tf_symbol(func)
            kind = k.kind_of(symbol)
            if kind == k.WRITER:
                self._writer(call)
            elif kind == k.SAVER:
                self._saver(call)
            elif symbol == "tensorflow.train.global_step":
                self._step_now(call)
            elif isinstance(func, ast.Name) and (
                self.program.expressions.value(func).kind == k.SAVER
            ):
                self._without_session(call)
            elif isinstance(func, ast.Attribute):
                self._kept_method(call, func, item)
        if item.kind == k.ITERATOR:
            self._kept_iterator(item)

    def _kept_method(self, call: ast.Call, func: ast.Attribute, item: Item) -> None:
        """Edits of a call that asks something of a saver, a session, a coordinator or a writer."""
        base = self.program.expressions.value(func.value)
        if base.kind == k.SAVER and func.attr in ("save", "restore"):
            self._without_session(call)
        elif base.kind == k.COORDINATOR:
            self._coordinator(call, func, item)
        elif (base.kind, func.attr) in (
            (k.SESSION, "close"), (k.GRAPH, "finalize"), (k.WRITER, "add_graph")
        ):
            self.decisions.dropped.add(id(item.stmt))
        elif base.kind == k.WRITER and func.attr == "add_summary" and (
            id(item.stmt) not in self.decisions.dropped
        ):
            raise Obstacle(call, "a summary made by hand is written",
                           "write it with tf.summary.scalar(name, value, step=...)")
        elif base.kind == k.WRITER and func.attr not in ("add_summary", "flush", "close"):
            raise Obstacle(call, f"a summary writer is asked for {func.attr}",
                           "writers of TensorFlow 2 do not have it")

    def _handed_writer(self, call: ast.Call) -> None:
        """Who is handed a writer may ask it for what those of TensorFlow 2 do not have."""
        given = [*call.args, *(word.value for word in call.keywords)]
        if not any(self.program.expressions.value(node).kind == k.WRITER for node in given):
            return
        inner = [node for stmt in self.program.body for node in walk(stmt)
                 if isinstance(node, ast.FunctionDef) and node.name == ast.unparse(call.func)]
        if not any(map(self.program.writers_given, inner)):
            raise Obstacle(call, "a summary writer is handed on", "write the summaries in the step")

    def _kept_iterator(self, item: Item) -> None:
        d, call = self.decisions, item.value.call
        if item.target in self.fed_iterators or self._structure(item.value) is not None:
            d.dropped.add(id(item.stmt))  # each run that initialised it makes it
        elif item.value.needs_graph:
            raise Obstacle(item.stmt, "a data set is made from placeholders",
                           "make the data set from the arrays themselves")
        elif call is not None:
            dataset = self._iterated(item.value)
            if dataset is None:
                raise Obstacle(item.stmt, "the data set behind an iterator is not known",
                               "loop over the data set")
            if "initializable" in ast.unparse(call.func):
                d.dropped.add(id(item.stmt))
            else:
                d.edits.append((*self.source.span(call), f"iter({dataset})"))
            self.notes.append(Note("TF501", item.stmt, "data sets are iterated over directly"))

    def _coordinator(self, call: ast.Call, func: ast.Attribute, item: Item) -> None:
        """Nothing runs beside the loop: it ends by itself, and errors are raised where they are."""
        d, stmt = self.decisions, item.stmt
        if isinstance(stmt, ast.Expr) and stmt.value is call:
            if func.attr == "request_stop" and call.args:
                d.replaced[id(stmt)] = ["raise"]
            else:
                d.dropped.add(id(stmt))
        elif func.attr == "should_stop":
            d.edits.append(self._never(call, getattr(stmt, "test", None)))

    def _never(self, call: ast.Call, test: ast.expr | None) -> tuple[int, int, str]:
        """The edit of a test by which the call in it is never true: what it adds nothing to stays."""
        parts = test.values if isinstance(test, ast.BoolOp) else [test] if test is not None else []
        asked = next((part for part in parts if part is call or (
            isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not) and part.operand is call)), call)
        start, end = self.source.span(asked)
        if isinstance(test, ast.BoolOp) and asked in parts and (
                isinstance(test.op, ast.And) is (asked is not call)):
            place = parts.index(asked)
            if place:
                first, last = self.source.span(parts[place - 1])[1], end
                word = self.source.text[first:start]
            else:
                first, last = start, self.source.span(parts[1])[0]
                word = self.source.text[end:last]
            if word.split() in (["and"], ["or"]):  # no bracket stands between them
                return first, last, ""
        return start, end, "False" if asked is call else "True"

    def _writer(self, call: ast.Call) -> None:
        logdir = argument(call, 0, "logdir")
        if logdir is None:
            raise Obstacle(call, "a FileWriter without a directory", "pass logdir")
        graph = argument(call, 1, "graph")
        if graph is not None and not self._writes_summaries():
            raise Obstacle(call, "all that is written is the graph",
                           "write that of a function: tf.summary.graph")
        tf = self.style.tf
        self.decisions.edits.append(
            (*self.source.span(call),
             f"{tf}.summary.create_file_writer({self.source.segment(logdir)})")
        )
        self.notes.append(Note("TF602", call, "TF2 writers take the directory only",
                               "tensorflow.summary.FileWriter"))
        if graph is not None:
            self.notes.append(Note(
                "TF602", call, "the writer does not write the graph any more",
                advice=f"where TensorBoard is to show one: {tf}.summary.graph(f.get_concrete_function("
                       "...).graph) for a tf.function f, with the writer as default"))

    def _writes_summaries(self) -> bool:
        """Whether some writer of the module is asked for more than the graph that it was given."""
        return any(
            isinstance(node, ast.Attribute) and (node.attr.startswith("add_") and "summary" in node.attr
                                                 or node.attr in ("add_event", "add_run_metadata"))
            for stmt in self.program.body for node in walk(stmt)
        )

    def _saver(self, call: ast.Call) -> None:
        """A Saver of all variables needs no list of them, which is complete only after a step."""
        listed = argument(call, 0, "var_list")
        if listed is not None and self._of_everything(listed):
            span = self.source.span(whole_argument(call, listed))
            self.decisions.edits.append(
                cut(self.source, *span) if len(call.args) < 2 else (*span, "None"))

    def _of_everything(self, node: ast.expr) -> bool:
        """Whether an expression lists all variables of the graph."""
        symbol = isinstance(node, ast.Call) and self.program.expressions.tf_symbol(node.func)
        return symbol in _ALL_VARIABLES

    def _step_now(self, call: ast.Call) -> None:
        """`tf.train.global_step(sess, step)`: what the step is, as a Python number."""
        step = argument(call, 1, "global_step_tensor")
        if step is None or self.program.expressions.value(step).kind != k.VARIABLE:
            raise Obstacle(call, "the step that it reads is no variable known here",
                           "read the variable: int(global_step)")
        self.decisions.edits.append(
            (*self.source.span(call), f"int({self.source.segment(step)})"))

    def _without_session(self, call: ast.Call) -> None:
        session = argument(call, 0, "sess")
        if session is None or self.program.expressions.value(session).kind != k.SESSION:
            return
        span = self.source.span(whole_argument(call, session))
        self.decisions.edits.append(cut(self.source, *span))

    def _withs(self, program: Program) -> None:
        d = self.decisions
        for stmt in (stmt for block in program.blocks() for stmt in withs_of(block)):
            parts = program.with_parts.get(id(stmt))
            if parts is None:
                continue
            kinds = [part.kind for part in parts]
            if k.MONITOR in kinds:
                if len(parts) != 1:
                    raise Obstacle(stmt, "a monitored session is entered together with others",
                                   "enter it by a `with` of its own")
                d.headers[id(stmt)] = self._wrapped_header(stmt, self._monitor_header(parts[0]))
                self.notes.append(Note("TF304", stmt, "a loop object saves, restores and calls "
                                       "the hooks", "tensorflow.train.MonitoredTrainingSession"))
                continue
            gone = [kind in ("session", "deps") for kind in kinds]
            if "graph" in kinds or "session" in kinds:
                header = self._store_header(program, stmt, parts)
                if header is not None:
                    others = [
                        self.source.segment(p.item.context_expr)
                        for p in parts if p.kind not in ("session", "deps", "graph")
                    ]
                    d.headers[id(stmt)] = f"with {', '.join([header, *others])}:"
                    continue
                gone = [g or kind == "graph" for g, kind in zip(gone, kinds, strict=True)]
            if all(gone):
                d.opened.add(id(stmt))
            elif any(gone):
                texts = [
                    self.source.segment(p.item.context_expr)
                    + (f" as {ast.unparse(p.item.optional_vars)}"
                       if p.item.optional_vars is not None else "")
                    for p, g in zip(parts, gone, strict=True) if not g
                ]
                d.headers[id(stmt)] = f"with {', '.join(texts)}:"

    def _store_header(
        self, program: Program, stmt: ast.With, parts: list[WithPart]
    ) -> str | None:
        """What replaces entering a graph (or a session of it): the store of its variables.

        Scopes that share a graph ask for the same `with`; the first answer holds for all.
        """
        if id(stmt) not in self.shared.headers:
            header = self._new_store_header(program, stmt, parts)
            if header is None:
                return None
            self.shared.headers[id(stmt)] = header
        return self.shared.headers[id(stmt)]

    def _new_store_header(
        self, program: Program, stmt: ast.With, parts: list[WithPart]
    ) -> str | None:
        if not (self._store_needed or self.shared.store):
            return None
        store = self.style.store
        if any(part.kind == "graph" for part in parts):
            fresh = [w for block in program.blocks() for w in withs_of(block)
                     if self._fresh_graph(program, w)]
            if len(fresh) > 1 and stmt in fresh:
                if self.functions:
                    raise Obstacle(stmt, "a scope makes several graphs",
                                   "give each graph a function of its own")
                return f"{self.support.store_class()}().as_default()"
            if self.shared.owner or self.shared.store_entered:
                return f"{store}.as_default()"
            if self.shared.store_made:
                return None
            self.shared.store_made = self.shared.store_entered = True
            return f"{self.support.store_class()}().as_default() as {store}"
        inside = {id(node) for inner in stmt.body for node in walk(inner)}
        outer_graph = any(
            any(stmt is node for node in walk(other)) and other is not stmt
            and any(p.kind == "graph" for p in program.with_parts.get(id(other), ()))
            for block in program.blocks() for other in withs_of(block)
        )
        uses_store = any(
            id(item.stmt) in inside and item.role == KEEP
            and item.kind in (k.SAVER, k.VARIABLE, k.VARIABLES, k.PY)
            and any(
                program.expressions.value(call).kind in (k.SAVER, k.VARIABLE, k.VARIABLES)
                for call in calls_of(item)
            )
            for item in program.items
        )
        entered = self.shared.owner or self.shared.store_entered
        return f"{store}.as_default()" if entered and uses_store and not outer_graph else None

    @staticmethod
    def _fresh_graph(program: Program, stmt: ast.With) -> bool:
        """Whether a `with` makes the graph that it enters."""
        return any(
            part.kind == "graph" and "Graph()" in ast.unparse(part.item.context_expr)
            for part in program.with_parts.get(id(stmt), ())
        )

    def _wrapped_header(self, stmt: ast.With, context: str) -> str:
        """``with ...:``, the arguments on lines of their own where one is too long."""
        line = f"with {context}:"
        if len(self.source.indent(stmt)) + len(line) <= self.source.width:
            return line
        head, _, rest = context.partition("(")
        inner, _, name = rest.rpartition(")")
        indent = self.source.indent(stmt) + self.source.unit * 2
        parts = f",\n{indent}".join(split_arguments(inner))
        return f"with {head}(\n{indent}{parts}){name}:"


def _only_names(stmt: ast.stmt) -> bool:
    """Whether a statement does nothing but list tensors that have names, to be fetched."""
    value = stmt.value if isinstance(stmt, ast.Assign) else None
    if isinstance(value, ast.Dict):
        parts = [*value.keys, *value.values]
    else:
        parts = list(value.elts) if isinstance(value, (ast.List, ast.Tuple)) else [None]
    return all(isinstance(part, (ast.Name, ast.Attribute, ast.Constant)) for part in parts)

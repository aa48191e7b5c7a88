"""Reads run sites: what they fetch, where it goes, and where summaries are written."""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import statement_flow
from migrator.analysis.program_items import Item, Obstacle, RunSite
from migrator.analysis.tree_walk import walk
from migrator.analysis.values import Value, argument
from migrator.project.notebook import shows
from migrator.transforms.sessions.helpers import calls_of, contains
from migrator.transforms.sessions.reading.iterators import IteratorPlanner
from migrator.transforms.sessions.reading.summary_steps import (
    WrittenLater,
    fetched_step,
    test_in_step,
)
from migrator.transforms.sessions.records import Leaf, Note, Site
from migrator.transforms.sessions.step import Summaries


class SiteReader(IteratorPlanner):
    """Turns the model's run sites into `Site`s."""

    def _site(self, run: RunSite) -> Site | None:
        leaves, form = self._leaves(run.fetch)
        kinds = {leaf.value.kind for leaf in leaves}
        assert run.item is not None
        stmt = run.item.stmt
        whole = isinstance(stmt, ast.Expr) and stmt.value is run.call
        if kinds <= {k.INIT}:
            if not whole:
                raise Obstacle(run.call, "the result of an initializer is used", "do not use it")
            around = self.program.parent
            inner = around is not None and isinstance(around.scope.node, ast.FunctionDef)
            if run.item.in_loop or inner:  # whoever calls the inner function may do so again
                raise Obstacle(run.call, "variables are initialised again in every round",
                               "make the variables anew, or assign their first values")
            self.decisions.dropped.add(id(stmt))
            self.notes.append(Note("TF301", stmt, "variables are initialised when they are made"))
            return None
        if kinds <= {k.ITERATOR_INIT, k.INIT}:
            self._initialise_iterator(run, leaves, whole)
            return None
        if kinds <= {k.HANDLE}:
            if not (isinstance(stmt, ast.Assign) and stmt.value is run.call):
                raise Obstacle(run.call, "the handle of an iterator is used in place",
                               "give the handle a name, or iterate over the data set")
            self.decisions.dropped.add(id(stmt))
            self.notes.append(Note("TF501", stmt, "data sets are iterated over directly"))
            return None
        site = Site(run, self.program, leaves, form)
        self._match_targets(site, stmt)
        self._pick(site, stmt)
        return site

    def _leaves(self, fetch: ast.expr) -> tuple[list[Leaf], str]:
        expressions = self.program.expressions
        literal: ast.expr = fetch
        if isinstance(fetch, ast.Name):
            value = expressions.value(fetch)
            if value.kind == k.VARIABLE:
                return [Leaf(fetch, value)], "single"
            if isinstance(value.literal, (ast.List, ast.Tuple)) and value.parts is not None:
                literal = value.literal
            elif isinstance(value.literal, ast.Dict) and value.parts is not None:
                literal = value.literal
        if isinstance(literal, (ast.List, ast.Tuple)):
            leaves = []
            for element in literal.elts:
                if isinstance(element, ast.Starred):
                    raise Obstacle(fetch, "a fetch list is made with *", "list the fetches")
                leaves.append(Leaf(element, self._fetched(element)))
            return leaves, "list"
        if isinstance(literal, ast.Dict):
            leaves = []
            for key, element in zip(literal.keys, literal.values, strict=True):
                if key is None:
                    raise Obstacle(fetch, "a fetch dict is made with **", "list the fetches")
                leaf = Leaf(element, self._fetched(element))
                leaf.key = self.source.segment(key)
                leaves.append(leaf)
            return leaves, "dict"
        return [Leaf(fetch, self._fetched(fetch))], "single"

    def _fetched(self, node: ast.expr) -> Value:
        value = self.program.expressions.value(node)
        if value.kind == k.PY:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                raise Obstacle(node, f"{node.value!r} is fetched by its name in the graph",
                               "fetch the Python variable that holds the tensor")
            raise Obstacle(node, f"what {ast.unparse(node)} is cannot be told from this module",
                           "build the tensor in this function, or return it from a graph function")
        return value

    def _match_targets(self, site: Site, stmt: ast.stmt) -> None:
        if not (isinstance(stmt, ast.Assign) and len(stmt.targets) == 1):
            if isinstance(stmt, ast.Expr) and stmt.value is site.run.call:
                site.shown = stmt.col_offset == 0 and any(
                    leaf.has_value for leaf in site.leaves
                ) and shows(self.source.text, stmt.end_lineno or stmt.lineno)
                for leaf in site.leaves:
                    leaf.used = site.shown
            return
        target = stmt.targets[0]
        if stmt.value is not site.run.call:
            return
        if isinstance(target, (ast.Tuple, ast.List)) and site.form == "list":
            if len(target.elts) != len(site.leaves):
                raise Obstacle(stmt, "the run fetches another number of values than it assigns",
                               "assign every fetched value to one name")
            site.unpacked = True
            for leaf, name in zip(site.leaves, target.elts, strict=True):
                leaf.target = self.source.segment(name)
                if isinstance(name, ast.Name):
                    leaf.used = self._is_read(name.id)
        elif isinstance(target, ast.Name):
            used = self._is_read(target.id)
            for leaf in site.leaves:
                leaf.used = used

    def _pick(self, site: Site, stmt: ast.stmt) -> None:
        """``sess.run([loss, train_op])[0]`` fetches the first value and runs the others."""
        for node in walk(stmt):
            if (
                isinstance(node, ast.Subscript) and node.value is site.run.call
                and site.form == "list" and isinstance(node.slice, ast.Constant)
                and isinstance(node.slice.value, int) and node.slice.value < len(site.leaves)
            ):
                for leaf in site.leaves:
                    leaf.used = False
                site.leaves[node.slice.value].used = True
                site.form, site.whole = "single", node

    def _is_read(self, name: str) -> bool:
        writes = self._summary_uses.get(name, ())
        inside = {id(node) for _, call in writes for node in walk(call)}
        for stmt in self.program.body:
            for node in walk(stmt):
                if isinstance(node, ast.Name) and node.id == name and id(node) not in inside:
                    if isinstance(node.ctx, ast.Load):
                        return True
                if isinstance(node, ast.Global) and name in node.names:
                    return True
        if self.program.parent is None:  # other modules may read it
            return name != "_" and not writes
        return False

    # -- summaries

    def _find_summary_writes(self) -> None:
        for item in self.program.items:
            for call in calls_of(item):
                func = call.func
                if not (isinstance(func, ast.Attribute) and func.attr == "add_summary"):
                    continue
                base = self.program.expressions.value(func.value)
                if base.kind != k.WRITER or not call.args:
                    continue
                summary = argument(call, 0, "summary")
                if isinstance(summary, ast.Name):
                    self._summary_uses.setdefault(summary.id, []).append((item, call))

    def _summaries(self, site: Site, leaf: Leaf) -> Summaries | None:
        """Where a fetched summary goes; the statement that writes it is dropped."""
        if leaf.target is None and isinstance(site.run.item.stmt, ast.Assign):  # type: ignore[union-attr]
            target = site.run.item.stmt.targets[0]  # type: ignore[union-attr]
            name = target.id if isinstance(target, ast.Name) else None
        else:
            name = leaf.target
        if name is None or name not in self._summary_uses:
            if not leaf.used:
                return None
            raise Obstacle(site.run.call, "a fetched summary is not written by add_summary",
                           "write the summaries inside the step with a default writer")
        assert site.run.item is not None
        run_path = list(site.run.item.parents)
        later = [
            (item, call) for item, call in self._summary_uses[name]
            if item.stmt.lineno > site.run.item.stmt.lineno
            and list(item.parents[: len(run_path)]) == run_path
        ]
        if not later:
            raise WrittenLater(site.run.call)
        item, call = later[0]
        assert isinstance(call.func, ast.Attribute)
        step = argument(call, 1, "global_step")
        if step is None:
            raise Obstacle(call, "a summary is written without a step", "pass the step")
        own = {n for leaf_ in site.leaves for n in [leaf_.target] if n and leaf_.target != name}
        counted = None
        if statement_flow(step).uses & own:
            counted = fetched_step(step, site.leaves, call)
        writer = self.source.segment(call.func.value)
        parents = list(item.parents)[len(run_path) :]
        asked = [p for p in parents if isinstance(p, ast.If) and self._asks_for(p.test, writer)]
        condition, tested = self._condition(
            [p for p in parents if p not in asked], item, call, own,
            ast.unparse(step) if counted is not None else "")
        self.decisions.dropped.add(id(item.stmt))
        self.notes.append(Note("TF601", item.stmt, "the step writes its summaries itself",
                               "tensorflow.summary.FileWriter.add_summary"))
        step_text = self.source.segment(step)
        return Summaries(
            self.program.given_writers.get(writer, writer), step_text, condition,
            "step", "write_summaries", counted, tested, bool(asked),
        )

    def _asks_for(self, test: ast.expr, writer: str) -> bool:
        """Whether a test asks if the object has the writer, as it was decided when it was built."""
        whole = self.whole
        return whole is not None and writer in whole.env and ast.unparse(test) in (
            writer, f"{writer} is not None"
        ) and not any(
            isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
            and ast.unparse(node) == writer for method in whole.methods for node in walk(method)
        )

    def _condition(
        self, parents: list[ast.stmt], item: Item, call: ast.Call, own: set[str], counted: str
    ) -> tuple[str, bool]:
        """The tests around the statement that writes a summary, and whether the step makes them:
        one of its own number, the only one that may read what the run fetches."""
        if not all(isinstance(p, ast.If) for p in parents):
            raise WrittenLater(call)
        tests: list[str] = []
        tested: list[bool] = []
        for parent in parents:
            assert isinstance(parent, ast.If)
            inside = bool(counted) and test_in_step(parent.test, counted)
            if not contains(parent.body, item.stmt) or (
                not inside and statement_flow(parent.test).uses & own
            ):
                raise Obstacle(call, "whether a summary is written depends on the step's result",
                               "use tf.summary.record_if inside the step")
            test = self.source.segment(parent.test)
            if test not in self.program.given_writers and any(
                self.program.expressions.value(node).kind == k.WRITER
                for node in walk(parent.test) if isinstance(node, (ast.Name, ast.Attribute))
            ):
                raise Obstacle(call, "whether there is a summary writer changes between runs",
                               "decide about the writer where the graph is built")
            tested.append(inside)
            tests.append(f"{test} is not None" if test in self.program.given_writers else test)
        if any(tested) and len(tests) > 1:
            raise Obstacle(call, "whether a summary is written depends on the step's result",
                           "use tf.summary.record_if inside the step")
        return " and ".join(tests), any(tested)

"""Finds the calls that run a session, with what they fetch and feed."""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import dotted_self
from migrator.analysis.graph_values import Expressions
from migrator.analysis.program_items import Obstacle, RunSite
from migrator.analysis.tree_walk import children

_PARTIAL = frozenset({"partial_run", "partial_run_setup", "make_callable"})


class RunReader:
    """Reads the run sites of a scope."""

    expressions: Expressions
    owner: str | None

    def _name(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name):
            return node.id
        return dotted_self(node, self.owner)

    def _run_sites(self, node: ast.AST) -> list[RunSite]:
        found = []
        for call in _calls(node):
            site = self._run_site(call)
            if site is not None:
                found.append(site)
        return found

    def _run_site(self, call: ast.Call) -> RunSite | None:
        func = call.func
        if not isinstance(func, ast.Attribute):
            return None
        if self.expressions.tf_symbol(func) in k.LOOPS and call.args:
            return RunSite(call, "loop", call.args[0])
        if self.expressions.tf_symbol(func) in k.EVALUATIONS:
            return _evaluation(call)
        if func.attr == "run":
            base = self.expressions.value(func.value)
            if base.kind == k.SESSION:
                return self._session_run(call)
            if base.kind in (k.TRAIN, k.EFFECT, k.INIT, k.ITERATOR_INIT):
                return self._feeds(RunSite(call, "op", func.value), call, 0)
        if func.attr in _PARTIAL and self.expressions.value(func.value).kind == k.SESSION:
            return RunSite(call, "run", call, obstacle=Obstacle(
                call, f"the graph is run in parts ({func.attr})",
                "make a function of each part, and give the later ones what the first computed"))
        if func.attr == "eval":
            base = self.expressions.value(func.value)
            if base.traced or base.kind in (k.OP, k.VARIABLE, k.SCHEDULE):
                return self._feeds(RunSite(call, "eval", func.value), call, 0)
        return None

    def _session_run(self, call: ast.Call) -> RunSite:
        fetch = call.args[0] if call.args else None
        for keyword in call.keywords:
            if keyword.arg == "fetches":
                fetch = keyword.value
        if fetch is None:
            site = RunSite(call, "run", call)
            site.obstacle = Obstacle(
                call, "what this run fetches is passed on as *args", "name the fetches"
            )
            return site
        return self._feeds(RunSite(call, "run", fetch), call, 1)

    def _feeds(self, site: RunSite, call: ast.Call, position: int) -> RunSite:
        feed: ast.expr | None = call.args[position] if len(call.args) > position else None
        for keyword in call.keywords:
            if keyword.arg == "feed_dict":
                feed = keyword.value
            elif keyword.arg in ("options", "run_metadata"):
                if isinstance(keyword.value, ast.Constant) and keyword.value.value is None:
                    continue
                if keyword.arg == "run_metadata":
                    site.metadata = True
        if feed is None or (isinstance(feed, ast.Constant) and feed.value is None):
            return site
        if isinstance(feed, ast.Name):
            site.feed_name = feed.id
            return site
        if isinstance(feed, ast.Call) and (
            isinstance(feed.func, ast.Name) or dotted_self(feed.func, self.owner) is not None
        ):
            site.feed_call = feed
            return site
        if not isinstance(feed, ast.Dict):
            site.obstacle = Obstacle(
                call, "the feed is not a dict literal, so what it feeds is not known",
                "feed a dict literal whose keys are placeholders",
            )
            return site
        for key, value in zip(feed.keys, feed.values, strict=True):
            name = None if key is None else self._name(key)
            if name is None and isinstance(key, ast.Attribute):
                name = ast.unparse(key)
            if name is None:
                site.obstacle = Obstacle(
                    call, "a key of the feed is not a name", "feed placeholders by their names"
                )
                return site
            fed = self.expressions.value(key)
            if fed.kind == k.PLACEHOLDER and fed.source:
                name = fed.source  # not another name of it
            site.feeds.append((name, value))
        return site


def _evaluation(call: ast.Call) -> RunSite:
    """What slim's evaluation computes: the final values, else what each batch gives."""
    given = {a.arg: a.value for a in call.keywords if a.arg is not None}
    fetch = given.get("final_op") or given.get("eval_op")
    site = RunSite(call, "evaluate", call if fetch is None else fetch)
    unknown = set(given) - {
        "master", "checkpoint_path", "checkpoint_dir", "logdir", "num_evals", "eval_op", "final_op",
        "variables_to_restore", "session_config", "eval_interval_secs",
        "max_number_of_evaluations", "timeout", "timeout_fn",
    }
    if fetch is None or unknown or len(call.args) > 4 or any(a.arg is None for a in call.keywords):
        site.obstacle = Obstacle(
            call, f"the evaluation is given {', '.join(sorted(unknown)) or 'what is not known'}",
            "evaluate in a loop over batches with a tf.function",
        )
    return site


def _calls(node: ast.AST) -> list[ast.Call]:
    """Calls inside a simple statement or expression, outermost first, not into functions."""
    found: list[ast.Call] = []
    stack = [node]
    while stack:
        current = stack.pop()
        cls = current.__class__
        if cls is ast.Call:
            found.append(current)  # type: ignore[arg-type]
        elif cls is ast.FunctionDef or cls is ast.ClassDef:
            continue
        below = children(current)
        below.reverse()
        stack += below
    return found

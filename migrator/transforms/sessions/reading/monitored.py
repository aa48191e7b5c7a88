"""Monitored sessions and supervisors become a loop object that calls hooks around each step."""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.program_items import Obstacle, WithPart
from migrator.analysis.tree_walk import calls_in, walk
from migrator.analysis.values import argument
from migrator.transforms.sessions.helpers import cut
from migrator.transforms.sessions.reading.sites import SiteReader
from migrator.transforms.sessions.records import Leaf, Note, Site

#: Arguments of TF1 -> those of the loop; what is missing has no meaning without a session.
_ARGUMENTS = {
    "MonitoredTrainingSession": (
        "is_chief", "checkpoint_dir", "scaffold", "hooks", "chief_only_hooks",
        "save_checkpoint_secs", "save_summaries_steps", "save_summaries_secs",
        "log_step_count_steps", "save_checkpoint_steps", "summary_dir",
    ),
    "SingularMonitoredSession": ("hooks", "scaffold", "checkpoint_dir"),
}
_POSITIONS = {
    "MonitoredTrainingSession": (
        "master", "is_chief", "checkpoint_dir", "scaffold", "hooks", "chief_only_hooks",
        "save_checkpoint_secs", "save_summaries_steps", "save_summaries_secs", "config",
    ),
    "SingularMonitoredSession": ("hooks", "scaffold", "master", "config", "checkpoint_dir"),
    "Supervisor": ("graph", "ready_op", "ready_for_local_init_op", "is_chief", "init_op"),
}
_SUPERVISOR = {
    "logdir": "checkpoint_dir", "is_chief": "is_chief", "saver": "saver",
    "save_model_secs": "save_checkpoint_secs", "save_summaries_secs": "save_summaries_secs",
}
_ENTERED = ("managed_session",)
_HARMLESS = frozenset(
    {"config", "master", "stop_grace_period_secs", "max_wait_secs", "global_step", "init_op",
     "local_init_op", "ready_op", "summary_op", "summary_writer", "graph", "recovery_wait_secs",
     "checkpoint_basename"}
)


class MonitorReader(SiteReader):
    """Finds the scope's monitored session, what its hooks watch, and what takes its place."""

    def _find_monitor(self) -> None:
        """Fill `monitor` (the loop's name) and `watched`."""
        parts = [
            part for ps in self.program.with_parts.values() for part in ps if part.kind == k.MONITOR
        ]
        for item in self.program.items:
            if item.value.call is not None and self._monitor_symbol(item.value.call):
                if item.kind == k.SESSION:
                    raise Obstacle(item.stmt, "a monitored session is not entered by a `with`",
                                   "enter it: with ... as session")
        if not parts:
            return
        if len(parts) > 1:
            raise Obstacle(parts[1].item.context_expr, "a scope has several monitored sessions",
                           "give each a function of its own")
        part = parts[0]
        self.monitor = self.names.fresh("loop", "training_loop")
        for item in self.program.items:
            if isinstance(item.stmt, ast.ClassDef):
                self._watch(item.stmt)
            elif item.role not in ("trace", "lazy", "drop"):
                self._watch_calls(item.stmt)
        self._watch_calls(part.item.context_expr)

    def _monitor_symbol(self, call: ast.Call) -> str:
        symbol = self.program.expressions.tf_symbol(call.func) or ""
        return symbol.rpartition(".")[2] if symbol in k.MONITORED else ""

    def _watch_calls(self, node: ast.AST) -> None:
        """Tensors given to hooks become names of the values that the step returns."""
        for call in calls_in(node):
            symbol = self.program.expressions.tf_symbol(call.func) or ""
            if symbol.startswith("tensorflow.train.") and symbol.endswith("Hook"):
                self._watch(call)

    def _watch(self, node: ast.AST) -> None:
        for inner in walk(node):
            if not isinstance(inner, ast.expr) or isinstance(inner, (ast.Call, ast.Dict, ast.List)):
                continue
            value = self.program.expressions.value(inner)
            if not value.traced or value.parts is not None:
                continue
            if not isinstance(inner, ast.Name):
                raise Obstacle(inner, f"a hook asks for {ast.unparse(inner)}",
                               "give the value a name before the hook")
            self.decisions.edits.append((*self.source.span(inner), repr(inner.id)))
            self.watched.setdefault(inner.id, value)

    def _with_watched(self, site: Site) -> None:
        """A run returns what the hooks ask for as well."""
        stmt = site.run.item.stmt if site.run.item is not None else None
        known = {ast.unparse(leaf.expr) for leaf in site.leaves if leaf.has_value}
        extra = [name for name in self.watched if name not in known]
        for leaf in site.leaves:
            leaf.used = leaf.used or ast.unparse(leaf.expr) in self.watched
            if ast.unparse(leaf.expr) in self.watched and leaf.target is None and site.unpacked:
                leaf.target = "_"
        if not extra or not isinstance(stmt, (ast.Expr, ast.Assign)) or stmt.value is not site.run.call:
            if extra:
                raise Obstacle(site.run.call, "hooks ask for values beside those of an expression",
                               "assign what the run returns to names")
            return
        if isinstance(stmt, ast.Assign) and not site.unpacked:
            if site.form != "single":
                raise Obstacle(site.run.call, "hooks ask for values beside those of a list",
                               "assign what the run returns to names")
            site.leaves[0].target = self.source.segment(stmt.targets[0])
        site.form, site.unpacked = "list", isinstance(stmt, ast.Assign)
        site.leaves += [
            Leaf(ast.Name(name, ast.Load()), self.watched[name], target="_") for name in extra
        ]

    def _monitored_call(self, function: str, arguments: list[str], outputs: list[Leaf]) -> str:
        """The call of a step through the loop."""
        if self.watched and outputs:
            names = [repr(ast.unparse(leaf.expr)) for leaf in outputs]
            comma = "," if len(names) == 1 else ""
            arguments = [*arguments, f"outputs=({', '.join(names)}{comma})"]
        return f"{self.monitor}.run({', '.join([function, *arguments])})"

    # -- the loop

    def _monitor_header(self, part: WithPart) -> str:
        """``monitored.TrainingLoop(...) as loop`` for what the `with` entered."""
        context = part.item.context_expr
        assert isinstance(context, ast.Call)
        name = self._monitor_symbol(context)
        if name:
            arguments = self._loop_arguments(context, name)
        else:
            assert isinstance(context.func, ast.Attribute)
            maker = self.program.expressions.value(context.func.value).call
            assert maker is not None
            arguments = self._loop_arguments(maker, "Supervisor")
        if self._built():
            arguments.append(f"build=[{', '.join(self._built())}]")
        if isinstance(part.item.optional_vars, ast.Name):
            self._rename(part.item.optional_vars.id)
        return f"{self.support.training_loop()}({', '.join(arguments)}) as {self.monitor}"

    def _loop_arguments(self, call: ast.Call, name: str) -> list[str]:
        given: list[tuple[str, ast.expr]] = [
            *zip(_POSITIONS[name], call.args, strict=False),
            *((a.arg or "**", a.value) for a in call.keywords),
        ]
        taken = _SUPERVISOR if name == "Supervisor" else {a: a for a in _ARGUMENTS[name]}
        result = []
        for name_, node in given:
            if name_ in taken:
                if self.program.expressions.value(node).kind == k.INIT:
                    continue
                text = self.source.edited(node, self.decisions.edits)
                result.append(f"{taken[name_]}={' '.join(text.split())}")
            elif name_ not in _HARMLESS:
                raise Obstacle(call, f"{name} is given {name_}",
                               "do what it stands for in the training loop")
        return result

    def _rename(self, session: str) -> None:
        """What is asked of the session or the supervisor is asked of the loop."""
        for item in self.program.items:
            for node in walk(item.stmt):
                if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
                    continue
                value = self.program.expressions.value(node.value)
                if value.kind == k.SUPERVISOR or node.value.id == session:
                    if node.attr in ("should_stop", "request_stop"):
                        edit = (*self.source.span(node.value), self.monitor)
                        if edit not in self.decisions.edits:
                            self.decisions.edits.append(edit)
                    elif value.kind == k.SUPERVISOR and node.attr not in _ENTERED:
                        raise Obstacle(node, f"the supervisor's {node.attr} is used",
                                       "use the training loop's parts by themselves")

    # -- slim's loop

    def _built(self) -> list[str]:
        """Functions that make variables: the loop traces them before it restores."""
        prefix = f"{self.shared.owner}._" if self.shared.owner else ""
        return [f"{prefix}{f.name}" for f in self.functions if f.layers and f.trains]

    def _with_loss(self, site: Site) -> None:
        """The step of slim's loop returns the loss, which the training op did in TF1."""
        name = self.program._name(site.run.fetch)
        made = next((item for item in self.items if item.target and item.target == name), None)
        call = None if made is None else made.value.call
        loss = None if call is None else argument(call, 0, "total_loss")
        if made is None or made.kind != k.TRAIN or loss is None:
            raise Obstacle(site.run.call, "what the training loop runs is not known",
                           "give it the op that create_train_op returned")
        site.leaves.append(Leaf(loss, self.program.expressions.value(loss)))
        self.looped = True

    # -- slim's evaluation

    def _with_updates(self, site: Site) -> None:
        """The step of slim's evaluation gives the final values; what updates them runs in it."""
        updates = argument(site.run.call, -1, "eval_op")
        if updates is not None and updates is not site.run.fetch:
            leaf = Leaf(updates, self.program.expressions.value(updates))
            leaf.used = False
            site.leaves.append(leaf)
        for leaf in site.leaves:
            leaf.used = leaf.expr is not updates or updates is site.run.fetch
        self.evaluates = True

    def _evaluated_call(self, site: Site, function: str, arguments: list[str]) -> None:
        """The evaluation is given the step for its ops, and nothing that only a session needs."""
        call, d = site.run.call, self.decisions
        name = (self.program.expressions.tf_symbol(call.func) or "").rpartition(".")[2]
        d.edits.append((*self.source.span(call.func), self.support.evaluation(name)))
        step = function if not arguments else f"lambda: {function}({', '.join(arguments)})"
        given = {a.arg: a for a in call.keywords}
        fetch = given.get("eval_op") or given["final_op"]
        d.edits.append((*self.source.span(fetch), f"eval_op={step}, build=[{function}]"))
        gone: list[ast.expr | ast.keyword] = [given[a] for a in ("master", "final_op", "session_config")
                               if a in given and given[a] is not fetch]
        for node in [*call.args[:1], *gone]:
            d.edits.append(cut(self.source, *self.source.span(node)))
        self.notes.append(Note("TF304", call, "the evaluation calls a function for each batch",
                               f"tensorflow.contrib.slim.evaluation.{name}"))

    def _looped_call(self, site: Site, function: str, arguments: list[str]) -> None:
        """The loop is given the step instead of an op, and nothing that only a session needs."""
        call = site.run.call
        step = function if not arguments else f"lambda: {function}({', '.join(arguments)})"
        d = self.decisions
        d.edits.append((*self.source.span(call.func), self.support.training()))
        d.edits.append((*self.source.span(site.run.fetch), step))
        for keyword in call.keywords:
            value = self.program.expressions.value(keyword.value)
            if value.traced or value.kind in (k.INIT, k.CONFIG, k.SESSION, k.GRAPH):
                d.edits.append(cut(self.source, *self.source.span(keyword)))
        end = self.source.span(call)[1] - 1
        if self._built():
            text = f"build=[{', '.join(self._built())}]"
            d.edits.append((end, end, f", {text}"))
        self.notes.append(Note("TF304", call, "the loop calls a function that trains one step",
                               "tensorflow.contrib.slim.learning.train"))

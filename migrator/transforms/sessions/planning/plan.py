"""Plans the migration of the session programs of one scope."""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import statement_flow
from migrator.analysis.program_items import KEEP, LAZY, TRACE, Item, Obstacle
from migrator.analysis.tree_walk import last_name
from migrator.analysis.values import argument
from migrator.transforms.sessions.helpers import calls_of, chain
from migrator.transforms.sessions.planning.place import FunctionPlacer
from migrator.transforms.sessions.records import Note
from migrator.transforms.sessions.step import StepFunction

#: What a graph is asked for the parts of it that no variable holds.
_ASKED = frozenset({"get_tensor_by_name", "get_operation_by_name", "get_operations",
                    "as_graph_element"})
#: What takes a graph apart, or puts it together with another one.
_SURGERY = frozenset({"as_graph_def", "import_graph_def", "extract_sub_graph", "copy_op_to_graph"})
#: What asks which variables have a value: those of TensorFlow 2 always have one.
_INITIALISED = frozenset({"tensorflow.is_variable_initialized", "tensorflow.report_uninitialized_variables"})
_ASSIGNING = frozenset({"assign", "assign_add", "assign_sub"})
#: Optimizers that keep nothing for a variable.
_STATELESS = ("GradientDescentOptimizer", "ProximalGradientDescentOptimizer")
#: Runs that need no session to be open around them.
_COMPLETE = ("run", "loop", "evaluate")


def _assigns(item: Item) -> bool:
    return any(isinstance(call.func, ast.Attribute) and call.func.attr in _ASSIGNING
               for call in calls_of(item))


def _updates(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in k.TRAINING_METHODS


def _differentiates(call: ast.Call) -> bool:
    return last_name(call.func) in ("minimize", "compute_gradients", "gradients")


def _inline_dependencies(context: ast.expr) -> list[ast.expr]:
    """What makes operations within the arguments of a control_dependencies."""
    if not (isinstance(context, ast.Call)
            and ast.unparse(context.func).endswith("control_dependencies")):
        return []
    found: list[ast.expr] = []
    pending: list[ast.expr] = [*context.args, *(a.value for a in context.keywords)]
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.Call):
            if not ast.unparse(node.func).endswith(("get_collection", "get_collection_ref")):
                found.append(node)
        elif isinstance(node, ast.ListComp):
            found.append(node)
        elif isinstance(node, (ast.List, ast.Tuple)):
            pending[:0] = node.elts
        elif isinstance(node, ast.BinOp):
            pending[:0] = [node.left, node.right]
    return found


class ScopePlan(FunctionPlacer):
    """The plan for the run sites of one scope (and the module's graph that they use)."""

    def plan(self) -> None:
        """Fill `functions`, `decisions` and `notes`. Raises Obstacle if any part has no proof."""
        self._refuse()
        self._find_summary_writes()
        self._find_monitor()
        for run in self.program.run_sites():
            if run.obstacle is not None:
                raise run.obstacle
            if run.metadata:
                raise Obstacle(run.call, "this run collects RunMetadata",
                               "profile the tf.function with tf.profiler.experimental instead")
            site = self._site(run)
            if site is not None:
                if self.monitor:
                    self._with_watched(site)
                if run.style == "loop":
                    self._with_loss(site)
                elif run.style == "evaluate":
                    self._with_updates(site)
                self.sites.append(site)
        for site in self.sites:
            self._assign_function(site)
        self._tell_open_orders()
        self._refuse_unrun_variables()
        self._refuse_shared_optimizers()
        self._refuse_rebuilt_objects()
        self._prepare_style()
        self._decide_statements()
        self._hoist_inline_optimizers()
        for site in self.sites:
            self._rewrite_site(site)
        self._place_functions()

    def _tell_open_orders(self) -> None:
        """Updates of one run that change the same variables did so in an order that nothing set: an
        assignment to what is trained, a second update of one Adam, which keeps powers of its betas."""
        for function in self.functions:
            updates = [(item, call) for item in function.items for call in calls_of(item) if _updates(call)]
            adams = [name for _, call in updates if (name := self._adam(call))]
            if len(set(adams)) < len(adams) or any(
                self._assigned_beside(item, *update) for item in function.items for update in updates
            ):
                run = next(site.run.call for site in self.sites if site.function is function)
                self.notes.append(Note(
                    "TF310", run, "this run updated the same variables twice, and TensorFlow 1 left open "
                    "which update came first; now they are done as they are written",
                    advice="Look whether that is what you mean; results may differ by the order."))

    def _assigned_beside(self, item: Item, train: Item, call: ast.Call) -> bool:
        """Whether a statement assigns to variables that `train` lists, and neither waits for the other."""
        listed = argument(call, 2, "var_list")
        if listed is None or train.flow.defines & item.flow.uses or any(
            part.kind == "deps" for parent in (*item.parents, *train.parents)
            for part in self.program.with_parts.get(id(parent), ())
        ):
            return False
        trained = statement_flow(listed, self.program.owner).uses
        return _assigns(item) and any(map(self.program._lookup, trained & item.flow.uses))

    def _adam(self, call: ast.Call) -> str:
        """The name of the Adam optimizer whose method is called."""
        assert isinstance(call.func, ast.Attribute)
        name = self.program._name(call.func.value)
        made = self.program._lookup(name) if name else None
        symbol = self.program.expressions.tf_symbol(made.call.func) if made and made.call else ""
        return name if name and (symbol or "").endswith("AdamOptimizer") else ""

    def _refuse_unrun_variables(self) -> None:
        """A checkpoint holds the variables of layers even if no run computes with them."""
        if self.shared.owner or not self._uses_checkpoint():
            return
        computed = {id(item) for function in self.shared.functions for item in function.items}
        for item in self.program.items:
            if item.role in (TRACE, LAZY) and id(item) not in computed and self._uses_store(item):
                raise Obstacle(
                    item.stmt, "the checkpoint has variables of layers that no run computes with",
                    "call the network once before the checkpoint is used",
                )

    def _steps_of(self, item: Item) -> list[StepFunction]:
        """The functions that a statement is part of."""
        return [f for f in self.shared.functions if any(i is item for i in f.items)]

    def _refuse_shared_optimizers(self) -> None:
        """An optimizer that a called function makes is made by each step that calls it, with a
        state of its own."""
        for item in self.items:
            steps = self._steps_of(item)
            if len(steps) < 2:
                continue
            for call in calls_of(item):
                fact = self.program.expressions.call_fact(call)
                if fact is not None and "optimizers" in fact.flags:
                    raise Obstacle(
                        call, f"{ast.unparse(call.func)} makes an optimizer that several runs use",
                        "make the optimizer outside of it, and pass it on",
                    )

    def _refuse_rebuilt_objects(self) -> None:
        """An object that stays outside of the steps is built once, not by each of them in turn:
        what it counts or collects while it builds would go on from the step before."""
        for item in self.items:
            call = item.stmt.value if isinstance(item.stmt, ast.Expr) else None
            if item.role != TRACE or not isinstance(call, ast.Call) or not isinstance(
                call.func, ast.Attribute
            ):
                continue
            name = self.program._name(call.func.value)
            made = [i for i in self.items if name in i.flow.defines and i.role == KEEP
                    and i.kind == k.PY and isinstance(i.stmt, ast.Assign)
                    and isinstance(i.stmt.value, ast.Call)]
            steps = self._steps_of(item)
            if name in item.flow.mutates and made and len(steps) > 1:
                raise Obstacle(
                    call, f"{ast.unparse(call.func)} builds into an object that several runs read",
                    "return what it builds, or make the object where each step builds",
                )

    def _uses_checkpoint(self) -> bool:
        return any(
            item.kind == k.SAVER or any(
                self.program.expressions.value(call).kind == k.SAVER for call in calls_of(item))
            for item in self.program.items if item.role not in (TRACE, LAZY)
        )

    def _refuse(self) -> None:
        self._refuse_borrowed_session()
        evaluated = all(run.style == "evaluate" for run in self.program.run_sites())
        for item in self.items:
            self._refuse_unseen_inputs(item, evaluated)
        keeps_state = False
        saver: ast.Call | None = None
        for item in self.program.items:
            calls = calls_of(item)
            if saver is not None and any(map(self._makes_variables, calls)):
                raise Obstacle(saver, "the saver was made ahead of some variables, and has none of these",
                               "list what it is to save: Saver(var_list=...)")
            saver = saver or next(filter(self._saves_everything, calls), None)
            keeps_state = keeps_state or any(map(self._keeps_state, calls))
            for call in calls:
                self._refuse_asked_variables(call, calls, keeps_state)
                self._refuse_use_of_graph(call)
                self._refuse_use_of_session(call)
            self._refuse_returned_part(item)

    def _refuse_borrowed_session(self) -> None:
        """A session that is not opened here may be one of any graph."""
        borrowed = next(
            (run for run in self.program.run_sites() if run.style not in _COMPLETE
             and not argument(run.call, -1, "session")), None
        )
        if borrowed is not None and not any(
            p.default_session or any(v.kind == k.SESSION for v in p.env.values())
            for p in chain(self.program)
        ):
            raise Obstacle(
                borrowed.call, "this runs in a session that its caller has opened",
                "compute it in a tf.function that the caller passes in",
            )

    def _refuse_unseen_inputs(self, item: Item, evaluated: bool) -> None:
        """What a called function makes for itself is out of a step's sight; `evaluated` where no
        run counts on from another one."""
        for parent in item.parents:
            for part in self.program.with_parts.get(id(parent), ()):
                if part.kind == "deps" and _inline_dependencies(part.item.context_expr):
                    raise Obstacle(
                        part.item.context_expr,
                        "what something depends on is made inside of control_dependencies",
                        "give it a name before the with statement")
                if part.kind == "deps" and any(map(_differentiates, calls_of(item))) and (
                        self._waits_for_update(part.item.context_expr)):
                    raise Obstacle(
                        part.item.context_expr,
                        "the gradient went through weights that the step before it had updated",
                        "if the weights of the forward pass are meant, leave control_dependencies out")
        for call in calls_of(item):
            self._refuse_graph_parts(call)
            fact = self.program.expressions.call_fact(call)
            symbol = self.program.expressions.tf_symbol(call.func)
            if fact is not None and "elements" in fact.flags and fact.kind != k.ELEMENT and (
                "session" not in fact.flags and item.role in (TRACE, LAZY)
            ):
                raise Obstacle(
                    call, f"{ast.unparse(call.func)} takes its input from its own iterator",
                    "return the data set, and iterate over it where the graph is run",
                )
            if (symbol or "").startswith(k.STREAMING) and not evaluated:
                raise Obstacle(
                    call, "a metric that counts over several runs",
                    "make a tf.keras.metrics object before the loop, and update it in the step",
                )
            if symbol in k.QUEUES or (fact is not None and "queues" in fact.flags
                                      and "session" not in fact.flags):
                raise Obstacle(call, "its input comes from queues",
                               "read it with tf.data, and iterate over the data set")

    def _waits_for_update(self, context: ast.expr) -> bool:
        """Whether what an expression leads to trains variables."""
        todo = list(statement_flow(context, self.program.owner).uses)
        known = set(todo)
        while todo:
            name = todo.pop()
            for item in self.program.items:
                if name in item.flow.defines:
                    if any(map(_updates, calls_of(item))):
                        return True
                    todo += [n for n in item.flow.uses if n not in known]
                    known.update(item.flow.uses)
        return False

    def _keeps_state(self, call: ast.Call) -> bool:
        """Whether a call makes what keeps variables of its own: an optimizer, a moving average."""
        name = (self.program.expressions.tf_symbol(call.func) or "").rpartition(".")[2]
        fact = self.program.expressions.call_fact(call)
        return name == "ExponentialMovingAverage" or (
            name.endswith("Optimizer") and name not in _STATELESS) or (
            fact is not None and "optimizers" in fact.flags)

    def _saves_everything(self, call: ast.Call) -> bool:
        """Whether a call makes a saver of the variables that there are by then."""
        symbol = self.program.expressions.tf_symbol(call.func) or ""
        return symbol == "tensorflow.train.Saver" and all(
            argument(call, place, name) is None for place, name in ((0, "var_list"), (9, "defer_build")))

    def _makes_variables(self, call: ast.Call) -> bool:
        """Whether a call makes variables, or an optimizer its state."""
        if _updates(call):
            assert isinstance(call.func, ast.Attribute)
            made = self.program._lookup(self.program._name(call.func.value) or "")
            optimizer = made.call if made is not None and made.call is not None else call.func.value
            return not isinstance(optimizer, ast.Call) or not (
                self.program.expressions.tf_symbol(optimizer.func) or "").endswith(_STATELESS)
        value = self.program.expressions.value(call)
        return value.kind not in (k.VARIABLES, k.SAVER) and self.program.expressions.may_make_variables(call)

    def _refuse_asked_variables(self, call: ast.Call, calls: list[ast.Call], keeps_state: bool) -> None:
        """Which variables have a value, and what state is among them, only a graph knows."""
        symbol = self.program.expressions.tf_symbol(call.func)
        if symbol in _INITIALISED:
            raise Obstacle(call, "it is asked which variables are initialised",
                           "in TensorFlow 2 all are from the start")
        if keeps_state and self._of_everything(call) and not any(
            self._means_everything(outer) for outer in calls if outer is not call
            and any(call is given for given in [*outer.args, *(a.value for a in outer.keywords)])
        ):
            raise Obstacle(call, "the state of optimizers is among the variables that are listed",
                           "optimizer.variables has it")

    def _means_everything(self, call: ast.Call) -> bool:
        """Whether a call takes a list of all variables for the state as well."""
        value = self.program.expressions.value(call)
        return value.kind in (k.SAVER, k.INIT)

    def _refuse_use_of_graph(self, call: ast.Call) -> None:
        if isinstance(call.func, ast.Attribute) and call.func.attr in _ASKED:
            raise Obstacle(
                call, "the graph is asked for what is in it by name",
                "fetch and feed the Python variables that hold the tensors",
            )
        if ast.unparse(call.func).rpartition(".")[2] in _SURGERY:
            raise Obstacle(
                call, f"the graph itself is copied or changed ({ast.unparse(call.func)})",
                "call the function that built the part with the new inputs",
            )

    def _refuse_use_of_session(self, call: ast.Call) -> None:
        fact = self.program.expressions.call_fact(call)
        if fact is not None and "default session" in fact.flags:
            raise Obstacle(
                call, f"{ast.unparse(call.func)} runs in the session that is open here",
                "pass it a function that computes what it runs",
            )
        given = [*call.args, *(a.value for a in call.keywords)]
        if any(self.program.expressions.value(a).kind == k.SESSION for a in given) and (
            not self._takes_session(call)
        ):
            raise Obstacle(
                call, f"the session is passed to {ast.unparse(call.func)}",
                "make the function take what it computes instead of a session",
            )

    def _refuse_returned_part(self, item: Item) -> None:
        stmt = item.stmt
        if not isinstance(stmt, ast.Return) or stmt.value is None or item.runs or isinstance(
            stmt.value, (ast.Yield, ast.YieldFrom)
        ):
            return
        value = self.program.expressions.value(stmt.value)
        if value.traced or value.kind in (k.SESSION, k.GRAPH):
            raise Obstacle(
                stmt, f"the function returns a {value.kind} of its graph",
                "return arrays, or a function that computes the tensor",
            )

    def _refuse_graph_parts(self, call: ast.Call) -> None:
        """A placeholder or training op inside of a called function is out of a step's sight."""
        fact = self.program.expressions.call_fact(call)
        if fact is None or "session" in fact.flags:
            return
        name = ast.unparse(call.func)
        if {fact.kind, *fact.parts} & {k.TRAIN, k.GRADIENTS}:
            raise Obstacle(call, f"{name} makes the training op",
                           "minimize the loss where the graph is run")
        if "placeholders" in fact.flags and fact.kind not in (k.PLACEHOLDER, k.PY):
            raise Obstacle(call, f"{name} makes placeholders of its own",
                           "pass it the tensors, and make the placeholders where they are fed")

    def _takes_session(self, call: ast.Call) -> bool:
        if isinstance(call.func, ast.Attribute):
            base = self.program.expressions.value(call.func.value)
            if base.kind in (k.SAVER, k.COORDINATOR, k.WRITER) or base.kind in k.TRACED:
                return True
            if call.func.attr in ("eval", "run"):
                return True
        elif self.program.expressions.value(call.func).kind == k.SAVER:
            return True
        symbol = self.program.expressions.tf_symbol(call.func) or ""
        return symbol in ("tensorflow.train.start_queue_runners", "tensorflow.train.global_step")

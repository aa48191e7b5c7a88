"""Variables and optimizers of TensorFlow's own, in a program in which nothing sees TF 1's names of them."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Mapping

from migrator.analysis.arguments import given_to
from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import calls_in, last_name, walk
from migrator.analysis.value_kinds import Function, Parents
from migrator.analysis.values import defined_flags, is_trained
from migrator.engine.context import FileContext
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.nameless import CODE
from migrator.engine.registry import transform
from migrator.engine.scanned import SUPPORT_PACKAGE

_VARIABLE, _GET = "tensorflow.Variable", "tensorflow.get_variable"
_SAME = {"tensorflow.contrib.eager.Variable": _VARIABLE}  # other names of these
# Arguments that mean the same in both; the first two of `tf.Variable` stand in one order.
_OF_VARIABLE = ("initial_value", "trainable", "name", "dtype")
_OF_GET = ("name", "shape", "dtype", "initializer", "trainable")
_SAME_ORDER = 2
# What a first value is by TF 1's initializers, and those of their parameters that it has as well.
_FIRST_VALUES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "zeros_initializer": ("zeros", ()),
    "ones_initializer": ("ones", ()),
    "constant_initializer": ("constant", ("value",)),
    "random_normal_initializer": ("random.normal", ("mean", "stddev")),
    "truncated_normal_initializer": ("random.truncated_normal", ("mean", "stddev")),
    "random_uniform_initializer": ("random.uniform", ("minval", "maxval")),
    "glorot_uniform_initializer": ("keras.initializers.GlorotUniform()", ()),
    "xavier_initializer": ("keras.initializers.GlorotUniform()", ()),
}
_GLOROT = "tensorflow.glorot_uniform_initializer"
# TF 1's optimizers whose update Keras' make: parameters by TF 1's order with Keras' names, and what has
# another default. RMSProp begins at 1 in TF 1, Ftrl has other penalties.
_OPTIMIZERS: Mapping[str, tuple[str, tuple[str, ...], dict[str, str]]] = {
    "GradientDescentOptimizer": ("SGD", ("learning_rate",), {}),
    "MomentumOptimizer": ("SGD", ("learning_rate", "momentum"), {}),
    "AdamOptimizer": ("Adam", ("learning_rate", "beta_1", "beta_2", "epsilon"), {
        "learning_rate": "0.001", "epsilon": "1e-8"}),
    "AdagradOptimizer": ("Adagrad", ("learning_rate", "initial_accumulator_value"), {"epsilon": "0.0"}),
    "AdadeltaOptimizer": ("Adadelta", ("learning_rate", "rho", "epsilon"), {"epsilon": "1e-8"}),
}
_KEYWORDS = {"beta1": "beta_1", "beta2": "beta_2", "use_nesterov": "nesterov"}
_NO_EFFECT = frozenset({"name", "use_locking"})
# Keras folds the rate into the momentum, which is the same for as long as it is one number.
_ONE_RATE = frozenset({"MomentumOptimizer"})
# Gradients of rows, which Keras makes dense; double precision, for which TF 1 rounds hyperparameters.
_UNLIKE = re.compile(r"gather|embedding|nce_loss|sampled|sparse|Slices|float64|double|distribute")
_SCHEDULES = frozenset(f"tensorflow.train.{name}" for name in (
    "exponential_decay", "polynomial_decay", "piecewise_constant", "inverse_time_decay", "natural_exp_decay",
    "cosine_decay"))
_RUNS_MAIN = frozenset({"absl.app.run", "tensorflow.app.run"})


@transform
class NamelessState:
    """TF149: ``tf.Variable`` and ``tf.keras.optimizers`` where no name, collection or slot is at stake.

    All variables of the file or none: they must be made outside of what TensorFlow traces, by arguments
    that it takes as well. An optimizer whose update Keras' does not make stays TF 1's.
    """

    name = "nameless_state"
    triggers = frozenset({_VARIABLE, _GET, *_SAME, *(f"tensorflow.train.{name}" for name in _OPTIMIZERS)})
    order = 94  # sessions are steps by now

    def run(self, ctx: FileContext) -> str | None:
        if not ctx.nameless:
            return None
        tree, names = ctx.tree, ctx.names
        work = _File(ctx, tree, names)
        variables = work.variables()
        if variables is None:
            return None
        ctx.plain[f"{SUPPORT_PACKAGE}.scopes.Variable"] = _VARIABLE
        edits = [*variables, *work.optimizers()]
        return apply(ctx.text, edits)[0] if edits else None


class _File:
    """One file whose variables and optimizers are looked at."""

    def __init__(self, ctx: FileContext, tree: ast.Module, names: NameTable) -> None:
        self.ctx, self.tree, self.names = ctx, tree, names
        self.parents, self.lines = Parents(tree), Lines(ctx.text)
        self.calls = [(call, _SAME.get(symbol, symbol)) for call in calls_in(tree)
                      for symbol in (names.resolve_node(call.func, values=False) or "",)]
        self.called = {id(call.func): call for call, _ in self.calls}
        self.read: dict[str, list[ast.expr]] = defaultdict(list)  # by the (last) name
        self.bound: dict[str, list[ast.Name | ast.arg]] = defaultdict(list)  # where a name is bound
        self.set: dict[str, list[ast.Attribute]] = defaultdict(list)  # and an attribute
        self.made: list[ast.Call] = []  # what makes variables
        self._at_once: dict[int, bool] = {}
        for node in walk(tree):
            if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
                self.read[last_name(node)].append(node)
            elif isinstance(node, ast.Name):
                self.bound[node.id].append(node)
            elif isinstance(node, ast.Attribute):
                self.set[node.attr].append(node)
            elif isinstance(node, ast.arg):
                self.bound[node.arg].append(node)

    # -- variables

    def variables(self) -> list[Edit] | None:
        """What makes all variables TensorFlow's own; None where one of them cannot be."""
        edits: list[Edit] = []
        for call, symbol in self.calls:
            if symbol in (_VARIABLE, _GET):
                made = self._variable(call, symbol)
                if made is None:
                    return None
                edits += made
                self.made.append(call)
        gets = [n for found in self.read.values() for n in found if id(n) not in self.called]
        if any(self.names.resolve_node(n, values=False) == _GET for n in gets) or self._compared():
            return None
        return edits

    def _variable(self, call: ast.Call, symbol: str) -> list[Edit] | None:
        get = symbol == _GET
        given = given_to(call, _OF_GET[:4] if get else _OF_VARIABLE[:_SAME_ORDER])
        if given is None or not given.keys() <= set(_OF_GET if get else _OF_VARIABLE):
            return None
        if not self.at_once(call) or self.ctx.suppressed(CODE, call):
            return None
        if not get:
            return [] if "initial_value" in given else None
        tf = self._tensorflow(call)
        value = self._first_value(given, tf)
        if value is None or "name" not in given:
            return None
        rest = [f"{word}={self._text(given[word])}" for word in ("trainable", "name") if word in given]
        self.ctx.change(CODE, call, "no name, collection or checkpoint of TF 1 is at stake in this program",
                        symbol=symbol)
        return [Edit(*self.lines.span(call), (f"{tf}.Variable({', '.join([value, *rest])})",))]

    def _first_value(self, given: Mapping[str, ast.expr], tf: str) -> str | None:
        """What a variable of `get_variable` begins with."""
        shape, initializer = given.get("shape"), given.get("initializer")
        if isinstance(initializer, ast.Constant) and initializer.value is None:
            initializer = None
        if shape is None or "dtype" in given:
            return None if initializer is None or "dtype" in given else self._text(initializer)
        call = initializer if isinstance(initializer, ast.Call) else None
        maker = call.func if call is not None else initializer
        symbol = _GLOROT if maker is None else self.names.resolve_node(maker, values=False) or ""
        name, size = symbol.rpartition(".")[2], self._text(shape)
        if not symbol.startswith("tensorflow.") or not name.endswith("_initializer"):
            return None
        words = given_to(call, _FIRST_VALUES.get(name, ("", ()))[1]) if call is not None else {}
        if words is not None and name in _FIRST_VALUES and words.keys() <= set(_FIRST_VALUES[name][1]):
            if name == "constant_initializer":
                value = self._float(words.get("value"))
                return None if value is None else f"{tf}.constant({value}, shape={size})"
            if "Glorot" not in _FIRST_VALUES[name][0] or not self._seeded():
                texts = [size, *(f"{word}={self._text(value)}" for word, value in words.items())]
                return f"{tf}.{_FIRST_VALUES[name][0]}({', '.join(texts)})"
        made = f"{tf}.{_GLOROT.partition('.')[2]}" if maker is None else self._text(maker)
        return f"{self._text(call) if call is not None else f'{made}()'}({size})"

    def _seeded(self) -> bool:
        """Whether a seed is at stake: Keras draws by its own, which it takes from Python's `random`."""
        return "set_random_seed" in self.read or any(isinstance(n, ast.Name) for n in self.read["random"])

    def _float(self, value: ast.expr | None) -> str | None:
        """A number as it is written, as a float; None for what is no number."""
        if not isinstance(value, ast.Constant) or not _is_number(value):
            return None
        return self._text(value) if isinstance(value.value, float) else f"{self._text(value)}.0"

    def _compared(self) -> bool:
        """Whether variables are keys, or looked for: TensorFlow 2's have no hash, and == by element."""
        names = set()
        for call in self.made:
            around = self.parents.of(call)
            if isinstance(around, ast.Assign):
                names |= {last_name(t) for t in around.targets}
        for node in walk(self.tree):
            sides: list[ast.expr | None] = []
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
            elif isinstance(node, ast.Dict):
                sides = list(node.keys)
            elif isinstance(node, ast.Set):
                sides = list(node.elts)
            elif isinstance(node, ast.Call) and last_name(node.func) in ("index", "remove", "count", "set"):
                sides = list(node.args)
            if any(side is not None and last_name(side) in names for side in sides):
                return True
        return False

    def _text(self, node: ast.expr) -> str:
        """An expression as it is written."""
        start, end = self.lines.span(node)
        return self.ctx.text[start:end]

    def _tensorflow(self, call: ast.Call) -> str:
        """What the file calls TensorFlow."""
        root = call.func
        while isinstance(root, ast.Attribute):
            root = root.value
        if self.names.resolve_node(root, values=False) == "tensorflow":
            return self._text(root)
        return self.ctx.require_import("tensorflow", None, "tf")

    def at_once(self, node: ast.AST) -> bool:
        """Whether code runs outside of what TensorFlow traces: at module level, or in functions that are
        called from there only."""
        function = next((n for n in self.parents.around(node) if isinstance(n, (Function, ast.Lambda))), None)
        if function is None:
            return True
        if isinstance(function, ast.Lambda) or function.decorator_list:
            return False
        known = self._at_once.get(id(function))
        if known is None:
            self._at_once[id(function)] = False  # a function that calls itself
            known = self._at_once[id(function)] = self._called_at_once(function)
        return known

    def _called_at_once(self, function: Function) -> bool:
        owner = self.parents.scope(function)
        name = function.name
        if isinstance(owner, ast.ClassDef) and name == "__init__":
            if owner.decorator_list or owner.bases and not (
                    len(owner.bases) == 1 and last_name(owner.bases[0]) == "object"):
                return False
            name = owner.name
        uses = self.read.get(name, [])
        started = name == "main" and any(
            symbol in _RUNS_MAIN and not call.args and self.at_once(call) for call, symbol in self.calls)
        return (bool(uses) or started) and all(
            (call := self._runner(use)) is not None and self.at_once(call) for use in uses)

    def _runner(self, use: ast.expr) -> ast.Call | None:
        """The call that runs a function which is read there."""
        called = self.called.get(id(use))
        if called is not None:
            return called
        around = self.parents.of(use)
        if not isinstance(around, ast.Call):
            return None
        return around if self.names.resolve_node(around.func, values=False) in _RUNS_MAIN else None

    # -- optimizers

    def optimizers(self) -> list[Edit]:
        """What makes those optimizers Keras' whose update is the same."""
        if _UNLIKE.search(self.ctx.text) or self.ctx.options.precision != "float32":
            return []
        edits: list[Edit] = []
        for call, symbol in self.calls:
            name = symbol.removeprefix("tensorflow.train.")
            if name != symbol and name in _OPTIMIZERS and not self.ctx.suppressed(CODE, call):
                edits += self._optimizer(call, name)
        return edits

    def _optimizer(self, call: ast.Call, name: str) -> list[Edit]:
        made = self._made(call, name)
        applied = self._applied(call)
        if made is None or applied is None or not self.at_once(call):
            return []
        built = self._built(call)
        if built is None and "momentum" not in made and made.startswith("SGD"):
            built = []  # it has no state
        if built is None:
            return []
        self.ctx.change(CODE, call, "Keras' update is the same, and nothing sees what TF 1 called its state",
                        symbol=f"tensorflow.train.{name}")
        text = f"{self._tensorflow(call)}.keras.optimizers.{made}"
        return [Edit(*self.lines.span(call), (text,)), *built, *applied]

    def _made(self, call: ast.Call, name: str) -> str | None:
        kind, order, defaults = _OPTIMIZERS[name]
        given = given_to(call, order)
        if given is None:
            return None
        given = {_KEYWORDS.get(word, word): value for word, value in given.items() if word not in _NO_EFFECT}
        if not given.keys() <= {*order, *(("nesterov",) if name in _ONE_RATE else ())}:
            return None
        texts: dict[str, str] = {}
        for word, value in given.items():
            text = self._rate(value, name in _ONE_RATE) if word == "learning_rate" else (
                self._text(value) if _is_number(value) else None)
            if text is None:
                return None
            texts[word] = text
        texts = {**defaults, **texts}
        rate = texts.pop("learning_rate", None)
        words = [f"{word}={text}" for word, text in texts.items()]
        return None if rate is None else f"{kind}({', '.join([rate, *words])})"

    def _rate(self, value: ast.expr, one: bool) -> str | None:
        """A learning rate that Keras takes: a float that is known to be one, or a schedule."""
        text = self._text(value)
        if isinstance(value, ast.Constant):
            return self._float(value)
        if isinstance(value, ast.Attribute):
            return text if self._is_float_flag(value.attr) else None
        if isinstance(value, ast.Name):
            found = self._bound_to(value.id)
            if isinstance(found, ast.Constant) and isinstance(found.value, float):
                return text
            schedule = isinstance(found, ast.Call) and self.names.resolve_node(
                found.func, values=False) in _SCHEDULES
            return text if schedule and not one else None
        return None

    def _bound_to(self, name: str) -> ast.expr | None:
        """What a name is bound to, if the file binds it once."""
        found = self.bound[name]
        around = self.parents.of(found[0]) if len(found) == 1 else None
        return around.value if isinstance(around, ast.Assign) and found[0] in around.targets else None

    def _is_float_flag(self, name: str) -> bool:
        """Whether a flag of this name is a float, by the call that defines it."""
        if defined_flags(self.tree).get(name) is float:
            return True
        for call, _ in self.calls:
            first = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
            if last_name(call.func) == "add_argument" and isinstance(first, str):
                typed = next((word.value for word in call.keywords if word.arg == "type"), None)
                if first.lstrip("-").replace("-", "_") == name and isinstance(typed, ast.Name):
                    return typed.id == "float"
        return False

    def _applied(self, call: ast.Call) -> list[Edit] | None:
        """Edits of where the optimizer is applied; None where that is not all that is done with it."""
        assign = self.parents.of(call)
        if not isinstance(assign, ast.Assign) or len(assign.targets) != 1:
            return None
        target = assign.targets[0]
        name = last_name(target)
        if not isinstance(target, (ast.Name, ast.Attribute)) or isinstance(target, ast.Name) and (
                len(self.bound[name]) != 1):
            return None
        if len(self.set[name]) > isinstance(target, ast.Attribute) or len(self.read[name]) > 1:
            return None
        edits: list[Edit] = []
        for use in self.read[name]:
            method = self.parents.of(use)
            applied = self.called.get(id(method))
            if not isinstance(method, ast.Attribute) or method.attr != "apply_gradients" or applied is None:
                return None
            pairs = applied.args[0] if len(applied.args) == 1 else None
            if not isinstance(pairs, ast.Call) or last_name(pairs.func) != "zip":
                return None
            counted = self._counted(applied, pairs)
            if counted is None:
                return None
            edits += counted
        return edits

    def _built(self, call: ast.Call) -> list[Edit] | None:
        """The optimizer's state is made at once, where its variables are: in a step, Keras would have
        TensorFlow trace the step twice. None where the variables are not there yet."""
        assign = self.parents.of(call)
        assert isinstance(assign, ast.Assign)
        uses = self.read[last_name(assign.targets[0])]
        if not uses:
            return []
        variables = self._listed(uses[0], assign) or self._every(assign)
        if variables is None:
            return None
        end, line = self.lines.span(assign)[1], self.lines.newline + self.lines.indent(assign.lineno)
        return [Edit(end, end, (f"{line}{self._text(assign.targets[0])}.build({variables})",))]

    def _listed(self, use: ast.expr, place: ast.stmt) -> str | None:
        """The list of the variables that an optimizer is applied to, if they are made above `place`."""
        pairs = next(n for n in self.parents.around(use) if isinstance(n, ast.Call)).args[0]
        given = pairs.args[1] if isinstance(pairs, ast.Call) and len(pairs.args) == 2 else None
        if isinstance(given, ast.Name):
            made = [n.value for n in walk(self.parents.function(use)) if isinstance(n, ast.Assign)
                    and len(n.targets) == 1 and last_name(n.targets[0]) == given.id]
            given = made[0] if len(made) == 1 else None
        if not isinstance(given, ast.List):
            return None
        names = [n.id for n in walk(given) if isinstance(n, ast.Name)]
        return self._text(given) if all(self._is_above(name, place) for name in names) else None

    def _every(self, place: ast.stmt) -> str | None:
        """A list of all variables that the file makes, if they are made above `place`."""
        names = []
        for call in self.made:
            around = self.parents.of(call)
            target = around.targets[0] if isinstance(around, ast.Assign) else None
            if not isinstance(target, ast.Name) or not self._is_above(target.id, place):
                return None
            if is_trained(call, self.names.resolve_node(call.func, values=False) or ""):
                names.append(target.id)
        return f"[{', '.join(names)}]"

    def _is_above(self, name: str, place: ast.stmt) -> bool:
        """Whether a name is bound once, above a statement of the same block or at module level."""
        function = self.parents.function(place)
        made = [n for n in self.bound[name] if isinstance(n, ast.Name)]
        here = [n for n in made if self.parents.function(n) is function]
        made = here or [n for n in made if self.parents.function(n) is self.tree]
        given = not isinstance(function, ast.Module) and name in {n.arg for n in walk(function.args)
                                                                  if isinstance(n, ast.arg)}
        if given or len(made) != 1 or made[0].lineno >= place.lineno:
            return False
        return self.parents.of(self.parents.statement(made[0])) in (self.tree, self.parents.of(place))

    def _counted(self, applied: ast.Call, pairs: ast.Call) -> list[Edit] | None:
        """The step counts by itself: Keras' optimizers count their own."""
        if not applied.keywords:
            return []
        statement, step = self.parents.of(applied), applied.keywords[0]
        if len(applied.keywords) > 1 or step.arg != "global_step" or not isinstance(statement, ast.Expr) or (
                not isinstance(step.value, (ast.Name, ast.Attribute))):
            return None
        end, close = self.lines.span(pairs)[1], self.lines.span(applied)[1]
        line = self.lines.newline + self.lines.indent(statement.lineno)
        return [Edit(end, close, (f"){line}", self.lines.span(step.value), ".assign_add(1)"))]


def _is_number(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, (float, int))

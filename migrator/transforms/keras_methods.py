"""Methods of Keras models and layers that Keras 3 dropped or that take other arguments there.

The objects are not followed: a method is known by its name, in files that import Keras and do not
define such a method themselves.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import last_name, walk
from migrator.analysis.values import argument
from migrator.engine.callsite import CallSite, Unreadable, read_call
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.imports import call_behind_imports, imports_before_use
from migrator.engine.keywords import without
from migrator.engine.registry import transform
from migrator.model import Confidence, Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF142"
# Where data is loaded, not what is computed: Keras 3 has them in keras.utils.PyDataset.
_LOADING = ("max_queue_size", "max_q_size", "workers", "use_multiprocessing", "pickle_safe")
# Method -> (its successor, TF 1.15's parameters by place)
_GENERATORS = {
    "fit_generator": (
        "fit",
        ("generator", "steps_per_epoch", "epochs", "verbose", "callbacks", "validation_data",
         "validation_steps", "validation_freq", "class_weight", "max_queue_size", "workers",
         "use_multiprocessing", "shuffle", "initial_epoch"),
    ),
    "evaluate_generator": (
        "evaluate",
        ("generator", "steps", "callbacks", "max_queue_size", "workers", "use_multiprocessing",
         "verbose"),
    ),
    "predict_generator": (
        "predict",
        ("generator", "steps", "callbacks", "max_queue_size", "workers", "use_multiprocessing",
         "verbose"),
    ),
}  # fmt: skip
_GENERATOR_NAMES: Mapping[str, str] = {"generator": "x", "nb_epoch": "epochs"}
# Counted samples, where their successors count batches.
_SAMPLES = ("samples_per_epoch", "nb_val_samples", "val_samples", "nb_worker")
# Functions that read open files of weights -> where they are now.
_READERS = {name: f"keras_files.{name}" for name in (
    "load_weights_from_hdf5_group", "load_weights_from_hdf5_group_by_name")}
_FUNCTIONAL = re.compile(r"\bInput\(")  # models of inputs and outputs
_WEIGHTS = frozenset({"weights", "trainable_weights", "trainable_variables", "variables", "kernel"})
# Lists of a Keras 2 model that programs add to -> what adds to a model of Keras 3.
_LISTS = {"metrics_names": "keras_losses.name_metric", "metrics_tensors": "keras_losses.add_metric_tensor"}
# Methods that made a model's functions ahead of their first call -> their public names.
_PREPARING = {f"_make_{what}_function": f"make_{what}_function" for what in ("train", "test", "predict")}
_WEIGHT = (
    "name", "shape", "dtype", "initializer", "regularizer", "trainable", "constraint",
    "partitioner", "use_resource", "synchronization", "aggregation",
)  # fmt: skip


_STANDALONE = re.compile(r"^\s*(?:import|from) keras\b", re.MULTILINE)
# What goes by the names that layers got by themselves: whoever reads a file of weights may, too.
_NAMED = re.compile(
    r"""\bby_name\s*=\s*True\b|\bsave_weights\(|\bModelCheckpoint\("""
    r"""|\bget_layer\(\s*(?:name\s*=\s*)?["'][a-z0-9_]*_\d+["']""")
_MAKERS = ("keras.layers.", "keras.applications.", "keras.models.Sequential", "keras.models.load_model")
_BY_NAME = frozenset({"builtins.hasattr", "builtins.getattr", "builtins.setattr"})
_MODEL_FILES = (".keras", ".h5", ".hdf5")
_WEIGHT_FILES = (".h5", ".hdf5")
_ENDS_IN = "Keras 3 writes weights only to names that end in .weights.h5"
_DISTRIBUTED = frozenset({"keras.layers.TimeDistributed", "keras.layers.wrappers.TimeDistributed",
                          "tensorflow.keras.layers.TimeDistributed"})
_CHECKPOINTS = frozenset({
    "tensorflow.keras.callbacks.ModelCheckpoint", "keras.callbacks.ModelCheckpoint",
    "tensorflow.python.keras.callbacks.ModelCheckpoint", "keras.callbacks.callbacks.ModelCheckpoint",
})  # fmt: skip
# What TF 1 called metrics in logs and histories that `compile` was given by other names.
_LOGGED = {
    "accuracy": "acc", "mse": "mean_squared_error", "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error", "msle": "mean_squared_logarithmic_error",
}  # fmt: skip


class _Methods:
    """The edits of one file."""

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self.lines = Lines(ctx.text)
        self.edits: list[Edit] = []
        self.listed: set[int] = set()  # lists of models that are added to
        self.own = {n.name for n in walk(ctx.tree) if isinstance(n, ast.FunctionDef)}

    def read(self) -> list[Edit]:
        if _STANDALONE.search(self.ctx.text) and self._mentions(_NAMED):
            self._numbered()
        for node in walk(self.ctx.tree):
            if isinstance(node, ast.ClassDef) and self._of_keras(node):
                self._weights(node)
            elif isinstance(node, ast.Attribute) and node.attr == "lr":
                self._rate(node)
            elif isinstance(node, ast.Compare):
                self._class_name(node)
            elif isinstance(node, ast.Attribute) and id(node) in self.listed:
                continue
            elif isinstance(node, ast.Attribute) and node.attr == "metrics_names":
                self._metrics_names(node)
            if isinstance(node, ast.Call) and not self.ctx.suppressed(CODE, node):
                made = self.ctx.names.resolve_node(node.func)
                if made in _CHECKPOINTS:
                    self._checkpoint(node)
                elif made in _DISTRIBUTED:
                    self._distributed(node)
                elif made in _BY_NAME:
                    self._rate_by_name(node)
                elif made == "keras.backend.resize_images":
                    self._resized(node)
                elif isinstance(node.func, ast.Call):
                    self._told_to_train(node, node.func)
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            method = node.func.attr
            own = method in self.own and not self._is_model(node.func.value)
            if own or self.ctx.suppressed(CODE, node):
                continue
            if method in _GENERATORS:
                self._generator(node, node.func, *_GENERATORS[method])
            elif method == "fit" and any(k.arg == "nb_epoch" for k in node.keywords):
                self._rename(node, {"nb_epoch": "epochs"})
            elif method == "save_weights":
                self._saved(node)
            elif method in _READERS:
                self._read(node, _READERS[method])
            elif method in _PREPARING:
                self.edits.append(self._name(node.func, _PREPARING[method]))
                self.ctx.change(CODE, node, f"{method} is {_PREPARING[method]} now")
            elif method == "add_loss" and self._is_model(node.func.value):
                self._loss(node)
            elif method == "add_metric" and self._is_model(node.func.value):
                self._to_function(node, node.func.value, "keras_losses.add_metric")
            elif method == "append" and isinstance(node.func.value, ast.Attribute) and (
                    node.func.value.attr in _LISTS and self._is_model(node.func.value.value)):
                self.listed.add(id(node.func.value))
                self._to_function(node, node.func.value.value, _LISTS[node.func.value.attr])
            elif method == "save" and "model" in _owner(node.func):
                self._saved_model(node)
            elif method == "compile":
                self._compiled(node)
            elif method == "apply" and self._made(node.func, ".layers."):
                self._applied(node, node.func)
            elif method == "minimize" and self._made(node.func, ".optimizers."):
                self._minimized(node, node.func)
        return self.edits

    def _layout(self, call: ast.Call) -> CallSite | None:
        try:
            return read_call(self.ctx.text, self.lines, call)
        except (Unreadable, IndexError):
            return None

    def _name(self, function: ast.Attribute, name: str) -> Edit:
        end = self.lines.span(function)[1]
        return Edit(end - len(function.attr), end, (name,))

    # -- models

    def _mentions(self, text: re.Pattern[str]) -> bool:
        """Whether a module of the project has such a text: all are read once for it."""
        index = self.ctx.index
        if text.search(self.ctx.text) is not None:
            return True
        if (CODE, text) not in index.answers:
            index.answers[CODE, text] = any(text.search(index.text(path) or "") for path in index.modules)
        return bool(index.answers[CODE, text])

    def _numbered(self) -> None:
        """Layers are numbered from one, as in Keras 2, where the program goes by their names."""
        tree, makes = self.ctx.tree, False
        for node in walk(tree):
            called = self.ctx.names.resolve_node(node.func) or "" if isinstance(node, ast.Call) else ""
            makes |= called.startswith(_MAKERS)
            if called == "keras.backend.clear_session" and not self.ctx.suppressed(CODE, node):
                assert isinstance(node, ast.Call)
                self._replaced(node, "keras_names.clear_session", "Keras 2 numbered layers from one")
        imports = imports_before_use(tree)
        if not makes or "count_from_one" in self.ctx.text or not imports:
            return
        counting = self.ctx.support("keras_names.count_from_one")
        self.edits.append(call_behind_imports(tree, self.lines, counting))
        self.ctx.change(CODE, imports[-1], "Keras 2 numbered layers from one, and the program goes by their "
                        "names", Rung.SUPPORT)

    def _generator(
        self, call: ast.Call, function: ast.Attribute, name: str, order: tuple[str, ...]
    ) -> None:
        site = self._layout(call)
        if site is None:
            return
        slots = site.slots
        given = [slot.keyword or "" for slot in slots]
        hidden = [s for s in slots if s.stars] or set(given) & set(_SAMPLES)
        if hidden or len([s for s in slots if s.keyword is None]) > len(order):
            self.ctx.finding(
                CODE, call, f"{function.attr} is gone, and its arguments are not what {name} takes",
                f"Call {name} with the generator as x, and steps in batches.",
            )  # fmt: skip
            return
        edits = [self._name(function, name)]
        gone: dict[int, str] = {}
        for index, slot in enumerate(slots):
            parameter = slot.keyword or order[index]
            given[index] = parameter
            if parameter in _LOADING:
                gone[index] = ""
            elif slot.keyword is None and index:
                edits.append(Edit(slot.start, slot.start, (f"{parameter}=",)))
            elif slot.keyword is not None and slot.keyword in _GENERATOR_NAMES:
                end = slot.start + len(slot.keyword)
                edits.append(Edit(slot.start, end, (_GENERATOR_NAMES[slot.keyword],)))
        edits += [Edit(piece.start, piece.end, ()) for piece in without(site, gone)]
        for index, parameter in enumerate(given):
            if parameter in ("generator", "x", "validation_data"):
                source = argument(call, index, slots[index].keyword or "")
                edits += self._batches(source, name) if source is not None else []
        if name != "fit" and "verbose" not in given and slots:
            edits.append(Edit(slots[-1].end, slots[-1].end, (", verbose=0",)))
        self.edits += edits
        self.ctx.change(CODE, call, f"{name} takes generators, too; {function.attr} is gone",
                        confidence=Confidence.LIKELY)

    def _batches(self, source: ast.expr, method: str) -> list[Edit]:
        """The edits for a generator whose batches may hold lists; those of Keras' own image generators, and
        data that is no generator, have none."""
        made = next((node.value for node in walk(self.ctx.tree) if isinstance(node, ast.Assign)
                     and ast.unparse(source) in map(ast.unparse, node.targets)), source)
        if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and (
                made.func.attr.startswith("flow")):
            return []
        if not isinstance(made, (ast.Call, ast.Name, ast.Attribute)) or (
                self.ctx.names.resolve_node(made) or "").startswith("tf1_support."):
            return []
        start, end = self.lines.span(source)
        new = self.ctx.support("keras_batches.batches")
        closing = ", alone=True)" if method == "predict" else ")"
        return [Edit(start, start, (f"{new}(",)), Edit(end, end, (closing,))]

    def _rename(self, call: ast.Call, names: Mapping[str, str]) -> None:
        site = self._layout(call)
        for slot in site.slots if site is not None else ():
            if slot.keyword is not None and slot.keyword in names:
                end = slot.start + len(slot.keyword)
                self.edits.append(Edit(slot.start, end, (names[slot.keyword],)))
                self.ctx.change(CODE, call, f"{slot.keyword} is {names[slot.keyword]} now")

    def _distributed(self, call: ast.Call) -> None:
        self._replaced(call, "keras_layers.TimeDistributed", "Keras 2 gave the layer all steps at once, "
                       "Keras 3 gives it one after another, and loses some where their number is not known")

    def _is_model(self, node: ast.expr) -> bool:
        """Whether an expression is a model: by what it is called, or by the call that made it."""
        return last_name(node).lower().endswith("model") or ast.unparse(node) in self._models

    @cached_property
    def _models(self) -> set[str]:
        """What the file calls the models that it makes."""
        return {
            ast.unparse(target) for node in walk(self.ctx.tree)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
            and (self.ctx.names.resolve_node(node.value.func) or "").endswith((".Model", ".Sequential"))
            for target in node.targets
        }

    def _replaced(self, call: ast.Call, name: str, why: str) -> None:
        """What is called is the support package's `name`."""
        self.edits.append(Edit(*self.lines.span(call.func), (self.ctx.support(name),)))
        self.ctx.change(CODE, call, why, Rung.SUPPORT)

    def _to_function(self, call: ast.Call, model: ast.expr, name: str, before: str = "") -> None:
        """The same as `_as_function`, for what is computed from a model's tensors."""
        self._as_function(call, model, name, before)
        self.ctx.change(CODE, call, "Keras 3's models take nothing that is computed from their tensors",
                        Rung.SUPPORT)

    def _as_function(self, call: ast.Call, model: ast.expr, name: str, before: str = "") -> None:
        """``model.method(x)`` becomes ``function(model, x)``."""
        opening = self.lines.text.index("(", self.lines.span(call.func)[1]) + 1
        start, text = self.lines.span(call)[0], self.lines.text[slice(*self.lines.span(model))]
        self.edits.append(Edit(start, opening, (f"{self.ctx.support(name)}({text}, {before}",)))

    def _loss(self, call: ast.Call) -> None:
        """``model.add_loss(loss)``: of variables it is computed in each step, as it was in a graph."""
        loss = call.args[0] if len(call.args) == 1 and not call.keywords else ast.Starred(call.func)
        before = self._computed_before(call, loss)
        if before is None:
            self.ctx.finding(
                CODE, call, "Keras 3's models take no losses that were computed from their tensors",
                "Compute the loss in a layer's call, with self.add_loss there.",
            )  # fmt: skip
            return
        for name, value in before:
            end = self.lines.span(name)[1]
            self.edits.append(Edit(end, end, ("()",)))
            start = self.lines.span(value)[0]
            self.edits.append(Edit(start, start, ("lambda: ",)))
        assert isinstance(call.func, ast.Attribute)
        computed = any(isinstance(node, ast.Call) for node in walk(loss))
        self._to_function(call, call.func.value, "keras_losses.add_loss", "lambda: " if computed else "")

    def _computed_before(self, call: ast.Call, loss: ast.expr) -> list[tuple[ast.Name, ast.expr]] | None:
        """The names in a loss that are bound for it alone, with their values; None where one is used
        elsewhere, too, and has the weights in it."""
        found: list[tuple[ast.Name, ast.expr]] = []
        scope = min((node for node in walk(self.ctx.tree) if isinstance(node, ast.FunctionDef | ast.Module)
                     and any(inner is call for inner in walk(node))), key=lambda node: len(walk(node)))
        for name in (node for node in walk(loss) if isinstance(node, ast.Name)):
            uses = [node for node in walk(scope) if isinstance(node, ast.Name) and node.id == name.id]
            values = [node.value for node in walk(scope) if isinstance(node, ast.Assign)
                      and any(node.targets == [use] for use in uses)]
            if not any(isinstance(node, ast.Attribute) and node.attr in _WEIGHTS
                       for value in values for node in walk(value)):
                continue
            if len(values) != 1 or len(uses) != 2 or isinstance(loss, ast.Name):
                return None
            found.append((name, values[0]))
        return None if isinstance(loss, ast.Starred) else found

    def _class_name(self, node: ast.Compare) -> None:
        """``layer.__class__.__name__ == 'Model'``: models of inputs and outputs are Functional in Keras 3."""
        name, operator, wanted = node.left, node.ops[0], node.comparators[0]
        if not (isinstance(name, ast.Attribute) and name.attr == "__name__" and _text_of(wanted) == "Model"
                and isinstance(operator, ast.Eq | ast.NotEq)) or self.ctx.suppressed(CODE, node):
            return
        between = "in" if isinstance(operator, ast.Eq) else "not in"
        start, end = self.lines.span(name)[1], self.lines.span(wanted)[1]
        self.edits.append(Edit(start, end, (f" {between} ('Model', 'Functional')",)))
        self.ctx.change(CODE, node, "Keras 3 calls a model of inputs and outputs Functional")

    def _told_to_train(self, call: ast.Call, layer: ast.Call) -> None:
        """``Dropout(0.5)(x, training=True)``: a model of Keras 3 tells its layers what it is told itself."""
        training = next((k.value for k in call.keywords if k.arg == "training"), None)
        made = self.ctx.names.resolve_node(layer.func) or ""
        if not isinstance(training, ast.Constant | ast.Name | ast.Attribute) or (
                getattr(training, "value", "") is None) or made.startswith("tf1_support.") or (
                made.startswith("tensorflow.") and not made.startswith("tensorflow.keras.")
                or not self._mentions(_FUNCTIONAL)):
            return
        start, end = self.lines.span(layer)
        new = self.ctx.support("keras_layers.told")
        said = self.lines.text[slice(*self.lines.span(training))]
        self.edits += [Edit(start, start, (f"{new}(",)), Edit(end, end, (f", {said})",))]
        self.ctx.change(CODE, call, "Keras 2 kept what a layer was told where it was called", Rung.SUPPORT)

    def _read(self, call: ast.Call, name: str) -> None:
        """``saving.load_weights_from_hdf5_group(f, layers)``, of a module that went."""
        if not (self.ctx.names.resolve_node(call.func) or "").startswith("tf1_support."):
            self._replaced(call, name, "Keras 3 has no module for it")

    def _saved(self, call: ast.Call) -> None:
        path = call.args[0] if call.args else None
        name = _text_of(path)
        if path is None or name is not None and name.endswith(".weights.h5") or (
                self.ctx.names.resolve_node(call.func) or "").startswith("tf1_support."):
            return
        if name is None or name.endswith(_WEIGHT_FILES):
            self._as_function(call, call.func.value, "keras_files.save_weights")  # type: ignore[attr-defined]
            self.ctx.change(CODE, call, _ENDS_IN, Rung.SUPPORT, Confidence.LIKELY)
        if not _may_end_in(path, _WEIGHT_FILES):
            self._misnamed(call)

    def _resized(self, call: ast.Call) -> None:
        """``K.resize_images(x, 2, 2, data_format, interpolation="bilinear")``."""
        how = argument(call, 4, "interpolation")
        if how is not None and _text_of(how) != "nearest":
            self.ctx.finding(
                CODE, call, "up to Keras 2.2 bilinear resizing began at the pixels' corners; Keras 3's is at "
                "their centres: other numbers",
                "For those of before, call tf.raw_ops.ResizeBilinear(images=x, size=size), with "
                "half_pixel_centers left at False.",
            )  # fmt: skip

    def _misnamed(self, call: ast.Call) -> None:
        self.ctx.finding(
            CODE, call, _ENDS_IN,
            "Rename the file here and where it is read (load_weights still reads old .h5 "
            "files); a TensorFlow checkpoint is written by tf.train.Checkpoint(model).write.",
        )  # fmt: skip

    def _checkpoint(self, call: ast.Call) -> None:
        """``ModelCheckpoint("best.h5", save_weights_only=True)``: the names that Keras 3 takes are few."""
        name = _text_of(argument(call, 0, "filepath"))
        weights, period = argument(call, 4, "save_weights_only"), argument(call, -1, "period")
        only = isinstance(weights, ast.Constant) and bool(weights.value)
        known = weights is None or isinstance(weights, ast.Constant)
        ends = (".weights.h5",) if only else (".keras", ".h5")
        once = period is None or isinstance(period, ast.Constant) and period.value == 1
        if known and once and name is not None and name.endswith(ends) or len(call.args) > 6:
            return
        self._replaced(call, "keras_files.ModelCheckpoint", "Keras 3 writes files only to names that end in "
                       ".keras, .h5 or, weights alone, .weights.h5, and after every epoch")
        path = argument(call, 0, "filepath")
        if path is not None and not _may_end_in(path, _MODEL_FILES, fields=False):
            self._misnamed(call)

    def _metrics_names(self, node: ast.Attribute) -> None:
        """``model.metrics_names``: one name of Keras 3 stands for all metrics of ``compile``."""
        if "model" not in _owner(node) or self.ctx.suppressed(CODE, node):
            return
        start, end = self.lines.span(node)
        owner = self.lines.text[slice(*self.lines.span(node.value))]
        new = self.ctx.support("keras_functions.metrics_names")
        self.edits.append(Edit(start, end, (f"{new}({owner})",)))
        self.ctx.change(CODE, node, "Keras 3 has one name for all metrics that compile was given",
                        Rung.SUPPORT, Confidence.LIKELY)

    def _saved_model(self, call: ast.Call) -> None:
        """``model.save("folder")``, which Keras 3 refuses."""
        path = call.args[0] if call.args else next(
            (k.value for k in call.keywords if k.arg == "filepath"), None)
        if isinstance(path, ast.Call) and ast.unparse(path.func).endswith("path.join") and path.args:
            path = path.args[-1]
        if not (isinstance(path, ast.Constant) and isinstance(path.value, str)):
            return
        if not path.value.endswith(_MODEL_FILES):
            self.ctx.finding(
                CODE, call, "Keras 3 saves models only to names that end in .keras or .h5",
                "Without a suffix TF 1 wrote HDF5: add .h5 here and where it is read. A SavedModel "
                "(save_format='tf') is written by model.export(path).",
            )  # fmt: skip

    def _compiled(self, call: ast.Call) -> None:
        """Metrics that the program reads from logs, and losses that are none."""
        for metrics in [k.value for k in call.keywords if k.arg == "metrics"] + call.args[2:3]:
            self._logged(metrics)
        for losses in (k.value for k in call.keywords if k.arg == "loss"):
            listed = losses.left if isinstance(losses, ast.BinOp) else losses
            if isinstance(listed, ast.List) and listed.elts and all(
                    isinstance(item, ast.Constant) and item.value is None for item in listed.elts):
                self.edits.append(Edit(*self.lines.span(losses), ("None",)))
                self.ctx.change(CODE, call, "Keras 3 takes no list of no losses")

    def _logged(self, metrics: ast.expr) -> None:
        """Metrics that the program reads from logs by another name than they are given by."""
        keys = {part for key in getattr(metrics, "keys", ()) for part in walk(key)}
        for node in walk(metrics):
            name = _text_of(node) if isinstance(node, ast.Constant) and node not in keys else None
            logged = _LOGGED.get(name or "")
            if logged is None or not self._reads_log(logged) or self._reads_log(f"val_{name}"):
                continue
            start, end = self.lines.span(node)  # type: ignore[arg-type]
            quote = self.lines.text[start]
            self.edits.append(Edit(start, end, (f"{quote}{logged}{quote}",)))
            self.ctx.change(
                CODE, node, f"TF 1 logged {name!r} as {logged!r}, which is what the program reads")

    def _reads_log(self, name: str) -> bool:
        """Whether a text of the project is such a key of logs (``"val_acc"``, ``"{acc:.2f}"``)."""
        return self._mentions(re.compile(rf"""["'{{](\w+_)?{name}["':}}]"""))

    def _rate(self, node: ast.Attribute) -> None:
        """``model.optimizer.lr``, ``opt.lr`` of an optimizer: the attribute has its full name only."""
        if self._is_optimizer(node.value) and not self.ctx.suppressed(CODE, node):
            self.edits.append(self._name(node, "learning_rate"))
            self.ctx.change(CODE, node, "lr is learning_rate in Keras 3",
                            confidence=Confidence.LIKELY)

    def _rate_by_name(self, call: ast.Call) -> None:
        """``hasattr(self.model.optimizer, "lr")``."""
        if len(call.args) < 2 or _text_of(call.args[1]) != "lr" or not self._is_optimizer(call.args[0]):
            return
        self.edits.append(Edit(*self.lines.span(call.args[1]), ('"learning_rate"',)))
        self.ctx.change(CODE, call, "lr is learning_rate in Keras 3", confidence=Confidence.LIKELY)

    def _is_optimizer(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Attribute) and node.attr == "optimizer":
            return "model" in _owner(node)
        made = self.ctx.names.resolve_node(node) or ""
        return made.startswith(("keras.optimizers.", "tensorflow.keras.optimizers.")) and "(" in made

    def _made(self, function: ast.Attribute, module: str) -> bool:
        """Whether a method is one of what tf.keras made in the text itself."""
        owner = function.value
        if isinstance(owner, ast.Attribute):
            makers = self._kept.get(ast.unparse(owner), {""})
        else:
            makers = {self.ctx.names.resolve_node(function) or ""}
        return all(
            name.startswith("tensorflow.keras.") and module in name.partition("(")[0]
            for name in makers
        )

    @cached_property
    def _kept(self) -> dict[str, set[str]]:
        """What makes the values of attributes: ``self.optimizer`` -> all that it is given."""
        found: dict[str, set[str]] = {}
        for node in walk(self.ctx.tree):
            if not isinstance(node, ast.Assign):
                continue
            made = node.value.func if isinstance(node.value, ast.Call) else node.value
            for target in node.targets:
                if isinstance(target, ast.Attribute):
                    name = self.ctx.names.resolve_node(made) or ""
                    found.setdefault(ast.unparse(target), set()).add(name)
        return found

    def _minimized(self, call: ast.Call, function: ast.Attribute) -> None:
        """``optimizer.minimize(loss, variables)``, the loss a function."""
        new = self.ctx.support("keras_optimizers.minimize")
        start, end = self.lines.span(function.value)
        opening = self.lines.text.index("(", self.lines.span(function)[1]) + 1
        given = ", " if call.args or call.keywords else ""
        self.edits.append(
            Edit(start, opening, (f"{new}({self.lines.text[start:end]}{given}",))
        )  # fmt: skip
        self.ctx.change(CODE, call, "optimizers of Keras 3 take gradients only", Rung.SUPPORT)

    # -- layers

    def _applied(self, call: ast.Call, function: ast.Attribute) -> None:
        """``layer.apply(inputs)`` is ``layer(inputs)``."""
        start, end = self.lines.span(function.value)[1], self.lines.span(function)[1]
        self.edits.append(Edit(start, end, ()))
        self.ctx.change(CODE, call, "layers are called; apply is gone")

    def _of_keras(self, node: ast.ClassDef) -> bool:
        names = (self.ctx.names.resolve_node(base) or "" for base in node.bases)
        return any(name.startswith(("tensorflow.keras.", "keras.")) for name in names)

    def _weights(self, node: ast.ClassDef) -> None:
        """``self.add_weight("kernel", shape)``: Keras 3 has the shape first."""
        for call in walk(node):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
                continue
            if ast.unparse(call.func) not in ("self.add_weight", "self.add_variable"):
                continue
            if call.func.attr in self.own or self.ctx.suppressed(CODE, call):
                continue
            site = self._layout(call)
            if site is None or any(slot.stars == 1 for slot in site.slots):
                continue
            edits = []
            if call.func.attr == "add_variable":
                edits.append(self._name(call.func, "add_weight"))
            gone: dict[int, str] = {}
            shape_first = bool(call.args) and isinstance(call.args[0], (ast.Tuple, ast.List))
            for index, slot in enumerate(site.slots):
                parameter = slot.keyword or (_WEIGHT[index] if index < len(_WEIGHT) else "")
                if parameter in ("use_resource", "partitioner", "synchronization"):
                    gone[index] = ""
                elif slot.keyword is None and not slot.stars and not shape_first:
                    edits.append(Edit(slot.start, slot.start, (f"{parameter}=",)))
            edits += [Edit(piece.start, piece.end, ()) for piece in without(site, gone)]
            if edits:
                self.edits += edits
                self.ctx.change(CODE, call, "add_weight of Keras 3 has its parameters in another "
                                "order", confidence=Confidence.LIKELY)


def _may_end_in(path: ast.expr, endings: tuple[str, ...], fields: bool = True) -> bool:
    """Whether a path may end so, as far as the text tells.

    Args:
        fields: Whether what is filled in may be the ending; callbacks fill numbers in.
    """
    if isinstance(path, ast.BinOp):
        return _may_end_in(path.right if isinstance(path.op, ast.Add) else path.left, endings, fields)
    if isinstance(path, ast.Call):
        if isinstance(path.func, ast.Attribute) and path.func.attr == "join" and path.args:
            return _may_end_in(path.args[-1], endings, fields)
        return not (isinstance(path.func, ast.Name) and path.func.id == "str")
    text = _text_of(path)
    filled = text is None or fields and (text.endswith("}") or "%" in text[-3:])
    return filled or not text or text.endswith(endings)


def _text_of(node: ast.AST | None) -> str | None:
    """The text that a constant is."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _owner(node: ast.Attribute) -> str:
    """The last name of what an attribute is read from: "model" of ``self.model.optimizer``."""
    return last_name(node.value).lower()


@transform
class KerasMethods:
    """TF142: methods of Keras objects."""

    name = "keras_methods"
    triggers = frozenset({"tensorflow.*", "keras.*"})
    words = frozenset({"keras", *_GENERATORS, "save_weights", "ModelCheckpoint"})
    order = 32

    def run(self, ctx: FileContext) -> str | None:
        index = ctx.index
        if "keras" not in ctx.text and not any(
                "keras" in (index.text(other) or "") for other in index.imported(ctx.path)):
            return None
        edits = _Methods(ctx).read()
        return apply(ctx.text, edits)[0] if edits else None

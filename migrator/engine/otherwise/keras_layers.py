"""Layers of Keras that TensorFlow 1 trained otherwise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrator.analysis.tree_walk import calls_in, walk
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding

_BATCH_NORM = "BatchNormalization"
# What runs the updates of Keras layers, or has Keras do it.
_UPDATES = (
    ".updates", "get_updates_for", ".fit", "train_on_batch", "model_to_estimator", "enable_eager",
    "enable_v2",
)  # fmt: skip
# How a model of Keras is asked for what it holds.
_HELD = re.compile(r"(?<!tf)\.(?:(?:non_)?trainable_)?(?:variables|weights)\b|\.fit\w*\(|train_on_batch"
                   r"|(?:save|load)_weights|[sg]et_weights|Checkpoint\(|implicit_\w*gradients")  # fmt: skip
_VARIABLES = frozenset({
    "tensorflow.Variable", "tensorflow.contrib.eager.Variable", "tensorflow.get_variable",
})  # fmt: skip
_TF_LAYERS = re.compile(r"tensorflow\.(?:compat\.v1\.)?layers\.[A-Z]\w+$")
_KERAS_CLASS = re.compile(r"tensorflow\.(?:\w+\.)*keras\.(?:\w+\.)*(?:Model|Layer|Sequential)$")


@tells("self.", "keras")
def attributes_that_keras_does_not_see(changed: Changed) -> Iterator[Finding]:
    """What a class of Keras holds in attributes and Keras 3 does not list: variables, layers of tf.layers."""
    if not any(_HELD.search(text) for text in changed.texts):
        return
    names, ours = changed.before.names, set()
    for holder in (n for n in walk(changed.before.tree) if isinstance(n, ast.ClassDef)):
        if not any(_KERAS_CLASS.match(names.resolve_node(base) or "") or ast.unparse(base) in ours
                   for base in holder.bases):
            continue
        ours.add(holder.name)
        for node in walk(holder):
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
                continue
            made = names.resolve_node(node.value.func) or ""
            if (made in _VARIABLES or _TF_LAYERS.match(made)) and any(
                    isinstance(t, ast.Attribute) and ast.unparse(t.value) == "self" for t in node.targets):
                yield changed.told(
                    "TF313", node,
                    f"{holder.name} holds {ast.unparse(node.targets[0])}, which Keras 3 does not list among "
                    "its variables and weights, as TensorFlow 1 did: it is not trained or saved by them",
                    "Make a variable by self.add_weight (or tf.keras.Variable), a layer by tf.keras.layers.",
                )  # fmt: skip


@tells(_BATCH_NORM)
def updates_that_happen(changed: Changed) -> Iterator[Finding]:
    """Batch normalization of Keras in an Estimator's model whose updates nobody ran in TensorFlow 1."""
    if changed.in_graph or any(word in text for word in _UPDATES for text in changed.texts):
        return
    if not any("stimator" in text for text in changed.texts):
        return
    for call in calls_in(changed.before.tree):
        if (changed.before.names.resolve_node(call.func) or "").endswith(f"keras.layers.{_BATCH_NORM}"):
            yield changed.told(
                "TF309", call,
                "in an Estimator's graph TensorFlow 1 changed the moving averages of this layer only where "
                "its updates were run, which nothing here does: it evaluated with mean 0 and variance 1. "
                "Now they move in training",
                "This is what the layer is for; numbers of evaluation and prediction are others than before.",
            )  # fmt: skip


@tells(_BATCH_NORM, "keras", unchanged=True)
def debiased_averages(changed: Changed) -> Iterator[Finding]:
    """The first batch normalization of Keras 2 in a file whose models are trained."""
    if not any(word in text for word in (".fit", "train_on_batch") for text in changed.texts):
        return
    for call in calls_in(changed.before.tree):
        made = changed.before.names.resolve_node(call.func) or ""
        if made.startswith("keras.") and made.endswith(_BATCH_NORM):
            yield changed.told(
                "TF316", call,
                "up to Keras 2.2 the moving averages of batch normalization were the mean of the batches "
                "since training began; Keras 3 moves them from what they are: after few steps they differ",
                "After some hundred steps both are the same. Where training is short, evaluate with "
                "training=True, or set momentum lower.",
            )  # fmt: skip
            return


@tells("trainable", "keras", unchanged=True)
def frozen_norms(changed: Changed) -> Iterator[Finding]:
    """Layers and models of Keras that are frozen, batch normalizations among them."""
    if not any(_BATCH_NORM in text or "keras.applications" in text for text in changed.texts):
        return
    for node in walk(changed.before.tree):
        if not isinstance(node, ast.Assign) or getattr(node.value, "value", False) is True:
            continue
        if any(isinstance(t, ast.Attribute) and t.attr == "trainable" and ast.unparse(t.value) != "self"
               for t in node.targets):
            yield changed.told(
                "TF315", node,
                "a batch normalization that is frozen goes by its moving statistics in Keras 3; with "
                "TensorFlow 1 it went by those of each batch while the model trained",
                "This is what freezing is meant for; to have the numbers of before, keep these layers "
                "trainable and give the optimizer the other variables.",
            )  # fmt: skip


@tells("training=", "keras", "placeholder")
def training_that_is_fed(changed: Changed) -> Iterator[Finding]:
    """Layers of Keras that a placeholder tells whether they train, also one that a function is given."""
    fed: set[str] = set()
    layers: set[str] = set()
    for node in walk(changed.before.tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made = changed.before.names.resolve_node(node.value.func) or ""
            if made.startswith("tensorflow.placeholder"):
                fed.update(map(ast.unparse, node.targets))
            elif "keras.layers." in made:
                layers.update(map(ast.unparse, node.targets))
    functions = {n.name: n for n in walk(changed.before.tree) if isinstance(n, ast.FunctionDef)}
    for call in calls_in(changed.before.tree):
        function = functions.get(ast.unparse(call.func).rpartition(".")[2])
        if function is not None:
            names = [argument.arg for argument in function.args.args]
            names = names[isinstance(call.func, ast.Attribute) :]  # self
            given = [*zip(names, call.args, strict=False), *((k.arg, k.value) for k in call.keywords)]
            fed.update(name for name, value in given if name and ast.unparse(value) in fed)
    for call in calls_in(changed.before.tree):
        layer = call.func.func if isinstance(call.func, ast.Call) else call.func
        if ast.unparse(layer) not in layers and "keras.layers." not in (
                changed.before.names.resolve_node(layer) or ""):
            continue
        for keyword in call.keywords:
            if keyword.arg == "training" and ast.unparse(keyword.value) in fed:
                yield changed.told(
                    "TF311", keyword.value,
                    "a layer of Keras 3 asks in Python whether it trains; a tensor that is fed has no answer "
                    "while the graph is built, and the call raises",
                    "Call the layer with True and with False, and choose between the results by tf.cond.",
                )  # fmt: skip

"""Layers of Keras whose inputs may not be float32: Keras 3 casts them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrator.analysis.tree_walk import calls_in, walk
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding

_OTHER_FLOATS = re.compile(r"\b(?:tf|tensorflow|dtypes)\.(float64|float16|double|half)\b")
_LAYER = re.compile(r"tensorflow\.(?:\w+\.)*keras\.(?:\w+\.)*layers\.[A-Z]\w+$")
_CLASS = re.compile(r"tensorflow\.(?:\w+\.)*keras\.(?:\w+\.)*(?:Layer|Model)$")
_OF_NO_TYPE = ("Input", "InputLayer", "InputSpec", "Embedding", "Layer")


@tells("keras", unchanged=True)
def inputs_that_are_cast(changed: Changed) -> Iterator[Finding]:
    """The first layer without a type in a module that has tensors of another one than float32."""
    other = _OTHER_FLOATS.search(changed.before.text)
    if other is None or any("set_floatx" in text or "olicy(" in text for text in changed.texts):
        return
    sites = [node for node in walk(changed.before.tree)
             if isinstance(node, (ast.Call, ast.ClassDef)) and _untyped(changed, node)]
    for node in sorted(sites, key=lambda site: site.lineno)[:1]:
        yield changed.told(
            "TF318", node,
            "TensorFlow 1 gave a layer of Keras without a dtype that of its first input, and there are "
            f"tensors of {other[0]} here; Keras 3 casts what a layer is given to float32",
            f"Give layers whose inputs are {other[1]} dtype={other[1]!r}, those of classes in "
            "super().__init__(dtype=...), or call tf.keras.backend.set_floatx where all are.",
        )  # fmt: skip


def _untyped(changed: Changed, node: ast.Call | ast.ClassDef) -> bool:
    """Whether something is the call or the class of a layer that is told no type."""
    names = changed.before.names
    if isinstance(node, ast.Call):
        symbol = names.resolve_node(node.func) or ""
        return bool(_LAYER.match(symbol)) and symbol.rpartition(".")[2] not in _OF_NO_TYPE and not any(
            word.arg in ("dtype", None) for word in node.keywords)
    typed = (part for part in calls_in(node) if ast.unparse(part.func).endswith(".__init__")
             and any(word.arg in ("dtype", None) for word in part.keywords))
    return any(_CLASS.match(names.resolve_node(base) or "") for base in node.bases) and not any(typed)

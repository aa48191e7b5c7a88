"""Puts another MobileNet into a Keras model that is built on MobileNet v1, feature map for feature map.

Layers behind the backbone are made anew, because channels differ: sizes, peaks and times compare,
outputs do not.
"""

from __future__ import annotations

import re
from typing import Any

from migrator.measure.programs import measure_probe as probe

BACKBONES = {
    "mobilenet_v2": ("MobileNetV2", {}),
    "mobilenet_v3_small": ("MobileNetV3Small", {"include_preprocessing": False}),
    "mobilenet_v3_large": ("MobileNetV3Large", {"include_preprocessing": False}),
}
# The names that keras.applications gives MobileNet v1's layers.
_OWN = re.compile(r"conv1(_\w+)?$|conv_(dw|pw|pad)_\d+(_\w+)?$")
_FIRST = re.compile(r"conv1$")


def _is_v1(layers: list[Any]) -> bool:
    return sum(bool(re.match(r"conv_pw_\d+$", x.name)) for x in layers) >= 8


def _nested(model: Any) -> Any:
    """The layer that is a MobileNet v1 of its own, if there is one."""
    for layer in model.layers:
        if hasattr(layer, "layers") and _is_v1(layer.layers):
            return layer
    return None


def _size(tensor: Any) -> tuple[Any, Any] | None:
    return tuple(tensor.shape[1:3]) if len(tensor.shape) == 4 else None  # type: ignore[return-value]


def _like(backbone: Any, wanted: Any) -> Any:
    """The backbone's last feature map of the same height and width, else its last one."""
    for layer in reversed(backbone.layers):
        if _size(layer.output) == _size(wanted):
            return layer.output
    return backbone.output


def swap(tf: Any, model: Any, to: str) -> Any:
    """`model` with the backbone `to` (a key of BACKBONES) and layers of the same configuration behind.

    Raises:
      Unusable: there is no MobileNet v1 by keras.applications' layer names in it.
    """
    nested = _nested(model)
    if nested is None and not _is_v1(model.layers):
        raise probe.Unusable("the model has no MobileNet v1 (by keras.applications' layer names)")
    inner = nested.layers if nested is not None else model.layers
    first = next(x for x in inner if _FIRST.match(x.name))
    alpha = first.filters / 32  # MobileNet v1 begins with 32 filters
    own = {nested.name} if nested is not None else {x.name for x in inner if _OWN.match(x.name)}
    source = nested.input if nested is not None else model.inputs[0]
    name, options = BACKBONES[to]
    entry = tf.keras.Input(source.shape[1:], name="image")
    backbone = getattr(tf.keras.applications, name)(
        input_tensor=entry, include_top=False, weights=None, alpha=alpha, **options
    )
    makers = [x for x in model.layers if x.name in own]
    made = {id(t): t for x in makers for n in x._inbound_nodes for t in n.output_tensors}
    read = [
        t for x in model.layers if x.name not in own
        for n in x._inbound_nodes for t in n.input_tensors if id(t) in made
    ]  # fmt: skip
    cuts = list({id(t): t for t in [*read, *(t for t in model.outputs if id(t) in made)]}.values())
    features = tf.keras.Model(entry, [_like(backbone, t) for t in cuts])
    if all(id(t) in made for t in model.outputs):
        return features
    head = tf.keras.Model(cuts, model.outputs)
    fresh = [tf.keras.Input(t.shape[1:]) for t in features.outputs]
    # clone_model makes the layers from their configuration; built on the new channels here
    rebuilt = tf.keras.models.clone_model(head, input_tensors=fresh)
    found = features(entry)
    return tf.keras.Model(entry, rebuilt(found if len(cuts) > 1 else [found]))

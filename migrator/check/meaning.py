"""Functions that take the same arguments in TF 1 and TF 2, and mean something else by them."""

from __future__ import annotations

from migrator.check.records import Params, Shape

#: Parameters that were only renamed: TF 1's name, TF 2's.
_SAME = frozenset(
    (
        ("filter", "filters"), ("value", "input"), ("tensor", "input"), ("t", "input"), ("t", "x"),
        ("m", "mean"), ("v", "variance"), ("a", "input"), ("box_ind", "box_indices"),
        ("virtual_devices", "logical_devices"), ("tensor", "data"), ("values", "data"),
        ("logits", "inputs"), ("inputs", "logits"), ("input_tensor", "input"), ("msg", "message"),
        ("algorithm", "alg"), ("seq_dim", "seq_axis"), ("kernel", "filters"), ("features", "input"),
        ("uniform_noise", "noise"), ("keep_dims", "keepdims"), ("targets", "labels"),
        ("np_array", "input_a"), ("tf_tensor", "input_b"), ("message", "validate_message"),
    )
)  # fmt: skip


def shift(before: Params, after: Params, shape: Shape | None) -> str:
    """What an argument by position became, "" if all mean the same.

    `shape` is that of a call; without one, only what nearly every call gives by position counts: the
    first two.
    """
    told = shape is not None and not shape.stars
    given = shape.positional if shape is not None and told else max(2, shape.positional if shape else 0)
    named = shape.keywords if shape is not None else ()
    for old, new in zip(before.names[:given], after.names, strict=False):
        if old == new or (old, new) in _SAME or old in named or new in named:
            continue
        if old == "name" and not told:
            continue
        return f"takes {new} where TensorFlow 1 took {old}"
    return ""

"""Calls of traced functions that cost less than `tf.function`'s own: what a session's run cost, or less."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.core.protobuf import config_pb2


def direct(concrete: Any) -> Callable[..., Any]:
    """A callable with the flat tensors of `concrete` (a `ConcreteFunction`) as arguments.

    It gives what `concrete` gives: the same function runs, as one operation, without looking at the
    arguments' structure and without gradients.  Where that would be something else (what XLA compiles;
    a GPU, whose placement of arguments is `tf.function`'s business; settings of the optimizer; values
    asked for at each call; results that are no tensors), it is `concrete` itself.
    """
    results, structure = list(concrete.outputs), concrete.structured_outputs
    listed = isinstance(structure, (list, tuple))
    plain = all(part is None or isinstance(part, (tf.Tensor, tf.TensorSpec))
                for part in (structure if listed else [structure]))
    late = getattr(concrete.graph, "deferred_external_captures", ())
    compiled = "_XlaMustCompile" in concrete.function_def.attr
    if compiled or not plain or late or _is_special() or (listed and type(structure) not in (list, tuple)):
        return concrete  # type: ignore[no-any-return]
    captured, kinds = list(concrete.captured_inputs), [t.dtype for t in results]
    run = tf.raw_ops.StatefulPartitionedCall
    config = config_pb2.ConfigProto(
        allow_soft_placement=tf.config.get_soft_device_placement()).SerializeToString()
    if listed:
        given = [part is not None for part in structure]
        complete, make = all(given), type(structure)

    def call(*values: tf.Tensor) -> Any:
        if _tells_otherwise():
            return concrete(*values)
        found = run(args=[*values, *captured], Tout=kinds, f=concrete, config_proto=config) or []
        if not listed:
            return found[0] if found else None
        if complete:
            return make(found)
        left = iter(found)
        return make(next(left) if there else None for there in given)

    return call


def _is_special() -> bool:
    """Whether this process has what only `tf.function` knows how to handle."""
    options = tf.config.optimizer.get_experimental_options()
    usual = {"disable_model_pruning": False, "disable_meta_optimizer": False}
    return bool(tf.config.list_logical_devices("GPU") or tf.config.optimizer.get_jit()
                or tf.distribute.has_strategy() or {**usual, **options} != usual)


def _tells_otherwise() -> bool:
    """Whether functions are to be run eagerly, for debugging."""
    return bool(tf.config.functions_run_eagerly())

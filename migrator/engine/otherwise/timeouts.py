"""Runs that TensorFlow 1 ended after a time."""

from __future__ import annotations

from collections.abc import Iterator

from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding

_HOMES = ("tensorflow", "tensorflow.compat.v1", "tensorflow.core.protobuf.config_pb2")
_OPTIONS = frozenset(f"{home}.RunOptions" for home in _HOMES)
_FIELD = "timeout_in_ms"


@tells("RunOptions", _FIELD)
def endless(changed: Changed) -> Iterator[Finding]:
    """Options of a run that limit its time: what takes the run's place is a call, which has none."""
    for call in () if changed.stays else changed.calls_of(_OPTIONS):
        if any(word.arg == _FIELD for word in call.keywords):
            yield changed.told(
                "TF306", call,
                "no run ends by itself after that time any more: a call of a function has no timeout, and "
                "one that waits for a queue waits for ever",
                "Where a queue may stay empty, close it, or take from a tf.data.Dataset, which ends.",
            )  # fmt: skip

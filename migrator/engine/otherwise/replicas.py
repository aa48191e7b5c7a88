"""Models that TensorFlow 1 put on every GPU of the machine."""

from __future__ import annotations

from collections.abc import Iterator

from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding, Rung

_REPLICATE = ("tensorflow.contrib.estimator.replicate_model_fn",)


@tells("replicate_model_fn", "tensorflow")
def one_replica(changed: Changed) -> Iterator[Finding]:
    """Model functions that were to be replicated: the support package has one replica."""
    for call in changed.calls_of(_REPLICATE):
        yield changed.told(
            "TF406", call,
            "the model computes on one device; TensorFlow 1 divided each batch among all GPUs of the "
            "machine, and with one of them the numbers are the same",
            "For several GPUs build the model under tf.distribute.MirroredStrategy().scope().",
            Rung.SUPPORT,
        )  # fmt: skip

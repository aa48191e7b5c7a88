"""What the ``**kwargs`` of Keras 3's layers and optimizers take: everything else raises ValueError.

Read from `keras/src/layers/layer.py` (Layer.__init__) and `keras/src/optimizers/base_optimizer.py`,
and tried on Keras 3.15.
"""

from __future__ import annotations

from migrator.analysis.api import Api

LAYER = frozenset(
    {"name", "dtype", "trainable", "autocast", "activity_regularizer", "input_shape", "input_dim"}
)
OPTIMIZER = frozenset({"decay"})  # ignored with a warning: the transform keras_arguments sees to it
# What single layers take besides, for code that was written for Keras 2.
_ALSO = {
    "Embedding": frozenset({"input_length"}),
    "LSTM": frozenset({"implementation"}),
    "GRU": frozenset({"implementation"}),
    "LSTMCell": frozenset({"implementation"}),
    "GRUCell": frozenset({"implementation"}),
    "LeakyReLU": frozenset({"alpha"}),
}


def keras_options(target: str, api: Api) -> frozenset[str] | None:
    """The names that ``**kwargs`` of a Keras class takes, None where nothing is known about it."""
    head, _, name = target.rpartition(".")
    if api.kind(target) != "class":
        return None
    if head == "tensorflow.keras.layers" and name not in ("Layer", "Wrapper"):
        return LAYER | _ALSO.get(name, frozenset())
    if head == "tensorflow.keras.optimizers":
        return OPTIMIZER
    return None

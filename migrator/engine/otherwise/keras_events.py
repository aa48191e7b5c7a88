"""What Keras writes for TensorBoard, which TensorFlow 1 wrote elsewhere and under other names."""

from __future__ import annotations

from collections.abc import Iterator

from migrator.analysis.tree_walk import calls_in
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding

_CALLBACK = "keras.callbacks.TensorBoard"


@tells("TensorBoard(", "keras", unchanged=True)
def events_elsewhere(changed: Changed) -> Iterator[Finding]:
    """The callback that writes losses and metrics of each epoch."""
    for call in calls_in(changed.before.tree):
        made = changed.before.names.resolve_node(call.func) or ""
        if made != _CALLBACK and not (made.startswith("tensorflow.") and made.endswith(_CALLBACK)):
            continue
        epoch = "" if made == _CALLBACK else "epoch_"
        yield changed.told(
            "TF323", call,
            f"this wrote {epoch}loss and {epoch}val_loss into the folder itself; Keras 3 writes epoch_loss "
            "into its folders train and validation",
            "TensorBoard shows both as they are; what reads events by itself has to ask there, by that name.",
        )  # fmt: skip

"""Advice about symbols of TF 1.15 that TF 2 has no successor for and no rule pack mentions."""

from __future__ import annotations

from migrator.engine.packs import Entry

SOURCE = "https://github.com/tensorflow/tensorflow/tree/r1.15/tensorflow"
CODE = "TF003"


def gone(name: str) -> Entry:
    """The table entry of a canonical name that only the TF 1.15 snapshot has."""
    parts = name.split(".")
    if parts[1] == "contrib":
        advice = (
            "tf.contrib was removed and nothing in TensorFlow 2 takes this one's place. Carry what "
            f"you need over from {SOURCE}/{'/'.join(parts[1:3])}, or do without."
        )
    elif parts[1] == "python":
        advice = (
            "This was private to TensorFlow 1.15 and is gone. Use the public function that does "
            f"the same, or carry the code over from {SOURCE}/{'/'.join(parts[1:-1])}.py."
        )
    elif parts[1] == "keras":
        advice = (
            "Keras 3 does not have this. Look for its successor at https://keras.io/api, or "
            "install tf_keras, which still has what Keras 2 had."
        )
    else:
        advice = (
            "TensorFlow 2.21 has neither this nor a successor. Rewrite the code that uses it after "
            "https://www.tensorflow.org/guide/migrate."
        )
    shown = "tf" + name[len("tensorflow") :]
    message = f"{shown} is not in TensorFlow 2"
    return Entry(shown, advice, CODE, advice, message)

"""Files of Keras models under any name and in the layout that Keras gave them with TensorFlow 1."""

from __future__ import annotations

import os
import types
from typing import Any

import h5py
import tensorflow as tf
from keras.src.legacy.saving import legacy_h5_format  # in which `load_weights` still reads files


def save_weights(model: Any, filepath: Any, overwrite: bool = True, **kwargs: Any) -> None:
    """`model.save_weights(filepath)`, whose name may end in .h5 or .hdf5; what is no model of Keras has a
    method of its own."""
    path = os.fspath(filepath) if isinstance(filepath, os.PathLike) else filepath
    ours = isinstance(model, tf.keras.Model) and path.endswith((".h5", ".hdf5"))
    if not ours or path.endswith(".weights.h5") or not overwrite and os.path.exists(path):
        model.save_weights(filepath, overwrite=overwrite, **kwargs)
        return
    with h5py.File(path, "w") as file:
        legacy_h5_format.save_weights_to_hdf5_group(file, model)
        for group in file.values():
            names = [str(name) for name in group.attrs.get("weight_names", ())]
            for name in names:
                group.move(name, f"{name}:0")
            if names:
                group.attrs["weight_names"] = [f"{name}:0".encode() for name in names]


def load_weights_from_hdf5_group(f: Any, layers: Any) -> None:
    """Gives layers, in their order, the weights of an open file."""
    legacy_h5_format.load_weights_from_hdf5_group(f, _model_of(layers))


def load_weights_from_hdf5_group_by_name(
    f: Any, layers: Any, skip_mismatch: bool = False, reshape: bool = False
) -> None:
    """Gives those layers their weights of an open file that have the name of one in there.

    Raises:
        ValueError: a weight has another shape, or `reshape` is asked for.
    """
    if reshape:
        raise ValueError("reshape the weights where they are read: Keras 3 does not")
    legacy_h5_format.load_weights_from_hdf5_group_by_name(f, _model_of(layers), skip_mismatch)


def _model_of(layers: Any) -> Any:
    """What Keras 3 reads a model's layers from; it reads no list."""
    return types.SimpleNamespace(layers=list(layers), name="layers", _trainable_variables=[],
                                 _non_trainable_variables=[])


class _Saved:
    """A model whose files may have any name."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def save_weights(self, filepath: str, overwrite: bool = True) -> None:
        """Writes the weights."""
        save_weights(self._model, filepath, overwrite)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


class ModelCheckpoint(tf.keras.callbacks.ModelCheckpoint):
    """The callback for files that end in .h5 or .hdf5, with weights only or all of the model.

    Args:
        period: How many epochs lie between two files.
    """

    def __init__(self, filepath: Any, monitor: str = "val_loss", verbose: int = 0,
                 save_best_only: bool = False, save_weights_only: bool = False, mode: str = "auto",
                 period: int = 1, **kwargs: Any) -> None:
        kwargs.pop("load_weights_on_restart", None)
        super().__init__("model.h5", monitor, verbose, save_best_only, False, mode, **kwargs)
        self.filepath, self.save_weights_only = os.fspath(filepath), save_weights_only
        self._period, self._epochs = period, 0

    @property
    def model(self) -> Any:
        return None if self._model is None else _Saved(self._model)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Writes a file if it is time for one."""
        self._epochs += 1
        if self._epochs >= self._period or self.save_freq != "epoch":
            self._epochs = 0
            super().on_epoch_end(epoch, logs)

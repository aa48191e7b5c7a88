"""Files of Keras models as programs of TensorFlow 1 named them."""

from __future__ import annotations

import os

import numpy as np
import pytest
import tensorflow as tf
from tf1_support import keras_files, keras_functions


@pytest.fixture
def model():
    made = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, name="d")])
    made.compile("sgd", "mse", metrics=["mean_absolute_error", "acc"])
    return made


X, Y = np.eye(3, dtype="f"), np.ones((3, 2), "f")


def test_weights_are_read_again(model, tmp_path):
    h5py = pytest.importorskip("h5py")

    path = tmp_path / "w.hdf5"
    keras_files.save_weights(model, path)
    with h5py.File(path) as file:  # as TensorFlow 1 had them: by layer
        assert list(map(str, file.attrs["layer_names"])) == ["d"]
    before = model.predict(X, verbose=0)
    model.layers[-1].kernel.assign_add(np.ones((3, 2)))
    model.load_weights(path)
    np.testing.assert_array_equal(model.predict(X, verbose=0), before)


def test_what_is_no_model_saves_by_itself(tmp_path):
    class Agent:
        def save_weights(self, filepath, overwrite=True):
            self.saved = filepath, overwrite

    agent = Agent()
    keras_files.save_weights(agent, "agent.h5", overwrite=False)
    assert agent.saved == ("agent.h5", False)


@pytest.mark.parametrize("weights", [False, True])
def test_files_after_some_epochs(model, tmp_path, weights):
    kept = keras_files.ModelCheckpoint(
        tmp_path / "{epoch:02d}-{loss:.0f}.hdf5", save_weights_only=weights, period=2)
    losses = model.fit(X, Y, epochs=5, verbose=0, callbacks=[kept]).history["loss"]
    wanted = [f"{epoch:02d}-{losses[epoch - 1]:.0f}.hdf5" for epoch in (2, 4)]
    assert sorted(os.listdir(tmp_path)) == wanted
    before = model.predict(X, verbose=0)
    model.fit(X, Y, epochs=1, verbose=0)
    model.load_weights(tmp_path / wanted[-1])
    assert np.abs(model.predict(X, verbose=0) - before).max() > 0  # of the fourth epoch, not the fifth


def test_only_the_best(model, tmp_path):
    kept = keras_files.ModelCheckpoint(tmp_path / "best.h5", "loss", 0, True, True, mode="max")
    model.fit(X, Y, epochs=3, verbose=0, callbacks=[kept])
    first = kept.best
    model.fit(X, Y, epochs=3, verbose=0, callbacks=[kept])
    assert kept.best == first and os.listdir(tmp_path) == ["best.h5"]


def test_names_of_metrics_are_those_of_what_evaluate_gives(model):
    values = model.evaluate(X, Y, verbose=0)
    assert keras_functions.metrics_names(model) == ["loss", "mean_absolute_error", "acc"]
    assert dict(zip(["loss", "mean_absolute_error", "acc"], values, strict=True)) == pytest.approx(
        model.evaluate(X, Y, verbose=0, return_dict=True))

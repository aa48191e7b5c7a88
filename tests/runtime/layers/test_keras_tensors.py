"""Models of Keras that are made of TensorFlow's operations, of Lambda layers and of layers for each step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py  # type: ignore[import-untyped]
import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from tf1_support import keras_batches, keras_files, keras_layers, keras_losses, keras_tensors  # noqa: E402

X = np.random.RandomState(0).normal(size=(2, 4)).astype(np.float32)


def test_operations_are_steps_of_a_model() -> None:
    keras_tensors.accept()
    x = tf.keras.Input([4])
    y = tf.keras.layers.Dense(3, kernel_initializer="ones")(x)
    mean = tf.reduce_mean(tf.concat([y, tf.zeros_like(y)], 1) * 2.0, axis=1, keepdims=True)
    model = tf.keras.Model(x, [mean, tf.shape(y)[0], keras_tensors.computed(tf.keras.backend.mean, y)])
    found, count, whole = model(X)
    dense = np.repeat(X.sum(1, keepdims=True), 3, 1)
    np.testing.assert_allclose(found, dense.mean(1, keepdims=True), rtol=1e-5)
    assert int(count) == 2 and float(whole) == pytest.approx(dense.mean(), rel=1e-5)
    assert float(keras_tensors.computed(tf.reduce_sum, tf.ones([3]))) == 3.0


def test_a_lambda_layer_reads_beside_its_input() -> None:
    keras_tensors.accept()
    x = tf.keras.Input([4])
    gate, rate = tf.keras.layers.Dense(1, kernel_initializer="ones")(x), 0.5

    def gated(t: Any, power: float = 2.0) -> Any:
        return t * gate * rate + tf.cast(tf.shape(x)[1], tf.float32) ** power

    layer = keras_tensors.Lambda(gated)
    plain = keras_tensors.Lambda(lambda t: t + rate)
    model = tf.keras.Model(x, plain(layer(x)))
    expected = X * X.sum(1, keepdims=True) * rate + 16.0 + rate
    for _ in range(2):
        np.testing.assert_allclose(model.predict(X, verbose=0), expected, rtol=1e-5)
    assert layer.function is gated and not layer.weights


@pytest.mark.parametrize("steps", [None, 5])
def test_steps_are_one_batch(steps: int | None) -> None:
    """Keras 2.2.4 computed the statistics over batch and steps, and moved its averages once."""
    x = tf.keras.Input([steps, 4])
    norm = tf.keras.layers.BatchNormalization(momentum=0.5, epsilon=0.0)
    model = tf.keras.Model(x, keras_layers.TimeDistributed(norm)(x))
    values = np.random.RandomState(1).normal(size=(3, 5, 4)).astype(np.float32)
    found = model(values, training=True)
    mean, variance = values.mean((0, 1)), values.var((0, 1))
    np.testing.assert_allclose(found, (values - mean) / np.sqrt(variance), atol=1e-5)
    np.testing.assert_allclose(norm.moving_mean, mean / 2, atol=1e-6)
    assert found.shape == (3, 5, 4) and model.predict(values, verbose=0).shape == (3, 5, 4)


def test_layers_keep_what_they_were_told() -> None:
    """Keras 2 kept `training` where a layer was called; a model of Keras 3 says it anew."""
    x = tf.keras.Input([1000])
    dropped = keras_layers.told(tf.keras.layers.Dropout(0.5), True)(x, training=True)
    kept = keras_layers.told(tf.keras.layers.Dropout(0.5), False)(x, training=False)
    as_model = keras_layers.told(tf.keras.layers.Dropout(0.5), None)(x, training=None)
    model = tf.keras.Model(x, [dropped, kept, as_model])
    ones = np.ones([1, 1000], np.float32)
    for training in (True, False):
        found = [bool((np.asarray(part) == 0).any()) for part in model(ones, training=training)]
        assert found == [True, False, training]
    assert (model.predict(ones, verbose=0)[0] == 0).any()


def test_masks_go_on() -> None:
    x = tf.keras.Input([None], dtype="int32")
    inner = tf.keras.layers.Dense(2, kernel_initializer="ones")
    embedded = tf.keras.layers.Embedding(5, 3, mask_zero=True, embeddings_initializer="ones")(x)
    model = tf.keras.Model(x, keras_layers.TimeDistributed(inner)(embedded))
    np.testing.assert_allclose(model(np.array([[1, 2, 0], [3, 0, 0]])), np.full((2, 3, 2), 3.0))


def test_weights_are_read_from_an_open_file(tmp_path: Path) -> None:
    def network(name: str) -> Any:
        return tf.keras.Sequential([tf.keras.Input([4]), tf.keras.layers.Dense(3, name="a"),
                                    tf.keras.layers.Dense(2, name=name)])

    saved, path = network("b"), str(tmp_path / "weights.h5")
    keras_files.save_weights(saved, path)
    same, other = network("b"), network("c")
    with h5py.File(path, "r") as file:
        keras_files.load_weights_from_hdf5_group(file, same.layers)
        keras_files.load_weights_from_hdf5_group_by_name(file, other.layers)
    for mine, theirs in zip(same.get_weights(), saved.get_weights(), strict=True):
        assert np.array_equal(mine, theirs)
    assert np.array_equal(other.layers[0].kernel, saved.layers[0].kernel)
    assert not np.array_equal(other.layers[1].kernel, saved.layers[1].kernel)


def test_a_lambda_layer_is_as_it_was_called_first() -> None:
    """Keras 2 called the function once; Keras 3 does when the model runs, behind the loop."""
    x = tf.keras.Input([3])
    model = tf.keras.Model(x, [keras_tensors.Lambda(lambda t: t[:, i])(x) for i in range(3)])  # noqa: B023
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    for i, found in enumerate(model.predict(values, verbose=0)):
        np.testing.assert_array_equal(found, values[:, i])
    anchors: Any = np.ones([2, 3], np.float32)
    anchors = keras_tensors.Lambda(lambda t: tf.Variable(anchors) + t)(x)
    model = tf.keras.Model(x, anchors)
    for count in (2, 2, 2):
        np.testing.assert_array_equal(model.predict(values[:count], verbose=0), values + 1)


def test_losses_and_metrics_of_a_models_tensors() -> None:
    """Two steps by hand: the loss of a tensor and of the weights, with a value beside."""
    x = tf.keras.Input([2])
    hidden = tf.keras.layers.Dense(1, use_bias=False, kernel_initializer="ones", name="hidden")(x)
    model = tf.keras.Model(x, hidden)
    loss = tf.keras.ops.mean(tf.keras.ops.square(hidden))
    decay = lambda: [tf.reduce_sum(tf.square(w)) * 0.5 for w in model.trainable_weights]  # noqa: E731
    keras_losses.add_loss(model, loss)
    keras_losses.add_loss(model, lambda: tf.add_n(decay()))
    keras_losses.name_metric(model, "square")
    keras_losses.add_metric_tensor(model, loss)
    keras_losses.add_metric(model, tf.keras.ops.mean(hidden), name="middle", aggregation="mean")
    with pytest.raises(ValueError, match="computed already"):
        keras_losses.add_loss(model, tf.constant(1.0))
    model.compile(tf.keras.optimizers.SGD(0.1), loss=None)
    data = np.array([[1.0, 2.0], [3.0, 1.0]], np.float32)
    weights: Any = np.ones([2, 1], np.float32)
    rows: dict[str, list[Any]] = {"loss": [], "square": [], "middle": []}
    for _ in range(2):
        out = data @ weights
        rows["square"].append(np.mean(out**2))
        rows["loss"].append(np.mean(out**2) + 0.5 * np.sum(weights**2))
        rows["middle"].append(np.mean(out))
        weights = weights - 0.1 * (data.T @ (2 * out / 2) + weights)
    batches = keras_batches.batches(iter([([data], []), ([data], [])]))
    found = model.fit(batches, steps_per_epoch=1, epochs=2, verbose=0).history
    assert found.keys() == rows.keys()
    for name, values in rows.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-5)
    np.testing.assert_allclose(model.get_weights()[0], weights, rtol=1e-5)
    assert model.predict(data, verbose=0).shape == (2, 1) and type(model).__name__ == "Functional"

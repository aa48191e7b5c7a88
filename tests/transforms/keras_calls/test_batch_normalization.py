"""What the FAQ says about the moving variance that Keras keeps, beside that of TF 1's layers."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from templates.support import layers, scopes


def test_keras_keeps_the_variance_of_the_batch_and_tf_layers_the_unbiased_one() -> None:
    images = np.random.default_rng(0).normal(size=(2, 3, 3, 2)).astype(np.float32)
    count = 2 * 3 * 3
    keras = tf.keras.layers.BatchNormalization()
    keras(images, training=True)
    with scopes.VariableStore().as_default() as store:
        with store.run(apply_updates=True):
            layers.batch_normalization(images, training=True)
        kept = next(v for v in scopes.global_variables() if "moving_variance" in v.name)
    biased = images.var((0, 1, 2))
    np.testing.assert_allclose(keras.moving_variance, 0.99 + 0.01 * biased, rtol=1e-6)
    unbiased = biased * count / (count - 1)
    np.testing.assert_allclose(kept, 0.99 + 0.01 * unbiased, rtol=1e-6)

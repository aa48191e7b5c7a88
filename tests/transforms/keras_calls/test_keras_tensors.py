"""Symbolic tensors of Keras that TensorFlow's operations and Lambda layers take (TF159)."""

from __future__ import annotations

import pytest

from tests.transforms.keras_calls.test_keras2 import migrated

HEAD = "import tensorflow as tf\nimport keras\nimport keras.backend as K\nimport keras.layers as KL\n"
ACCEPTED = "\nkeras_tensors.accept()\n"


@pytest.mark.parametrize(
    "body",
    [
        "x = KL.Input([4])\n    return tf.reduce_mean(x)",
        "x = KL.Input([4])\n    y = KL.Dense(3)(x)\n    return tf.nn.relu(y[:, 0])",
        "return tf.square(model.get_layer('a').output)",
        "return tf.concat([model.output, other_model.outputs[0]], 1)",
    ],
)
def test_operations_take_them(body: str) -> None:
    text, findings = migrated(f"{HEAD}\n\ndef build(model, other_model):\n    {body}\n")
    assert ACCEPTED in text and body in text and not findings


@pytest.mark.parametrize(
    "body",
    [
        "return tf.reduce_mean(model)",
        "x = KL.Input([4])\n    return K.int_shape(x)[0] * tf.cast(model, tf.float32)",
        "return KL.Dense(3)(model)",
        "def loss(a, b):\n        return tf.square(a - b)\n    return loss",
        "return tf.nn.relu(model.input_size)",
        "x = KL.Input([4])\n    y = KL.Dense(3)(x)\n    x, z = tf.meshgrid(model, model)\n"
        "    z = tf.stack([x, z])\n    return tf.concat([z, z], 0), y",
    ],
)
def test_what_is_none_stays(body: str) -> None:
    text, findings = migrated(f"{HEAD}\n\ndef build(model):\n    {body}\n")
    assert "keras_tensors" not in text and not findings


def test_the_old_backend_takes_them() -> None:
    body = "    x = KL.Input([4])\n    return K.{}(x, axis=-1)\n"
    text, _ = migrated(f"{HEAD}\n\ndef build():\n" + body.format("mean"))
    assert "keras_tensors.computed(K.mean, x, axis=-1)" in text
    text, _ = migrated(f"{HEAD}\n\ndef build():\n" + body.format("sum"))
    assert "keras_tensors.computed" not in text and ACCEPTED in text


@pytest.mark.parametrize(
    ("function", "reads"),
    [
        ("lambda t: t * y", True),
        ("lambda t: tf.cond(tf.equal(t, 0), lambda: t, lambda: y)", True),
        ("scaled", True),
        ("lambda y: y * 2", False),
        ("lambda t: t * rate", False),
        ("own", False),
        ("lambda t: t * late", True),
        ("lambda t: t + tf.Variable(1.0)", True),
    ],
)
def test_lambda_layers_read_what_is_around(function: str, reads: bool) -> None:
    text, _ = migrated(
        f"{HEAD}\n\ndef build(rate):\n    x = KL.Input([4])\n    y = KL.Dense(3)(x)\n\n"
        "    def scaled(t):\n        return t * K.sum(y)\n\n"
        "    def own(t):\n        y, x = t, 2 * t\n        return x + y\n\n"
        f"    late = 1\n    out = KL.Lambda({function})(y)\n    late = 2\n    return out, late\n"
    )
    assert ("keras_tensors.Lambda(" in text) == reads


@pytest.mark.parametrize("indent", ["", "    "])
def test_lambda_layers_in_loops(indent: str) -> None:
    lines = ["x = KL.Input([3])", "parts = []", "for i in range(3):",
             "    parts.append(KL.Lambda(lambda t: t[:, i])(x))", "whole = KL.Lambda(lambda t: t * 2)(x)"]
    head = f"{HEAD}\n\ndef build():\n" if indent else HEAD
    text, _ = migrated(head + "".join(f"{indent}{line}\n" for line in lines))
    assert "parts.append(keras_tensors.Lambda(lambda t: t[:, i])(x))" in text
    assert "whole = KL.Lambda(lambda t: t * 2)(x)" in text
    listed = "[KL.Lambda(lambda t: t[:, i])(x) for i in range(3)]"
    text, _ = migrated(f"{HEAD}\n\ndef build(x):\n    return {listed}\n")
    assert "[keras_tensors.Lambda(" in text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("model.add_loss(loss)", "keras_losses.add_loss(model, loss)"),
        ("vae.add_loss(K.mean(loss))", "keras_losses.add_loss(vae, lambda: K.mean(loss))"),
        ("model.metrics_names.append('a')", "keras_losses.name_metric(model, 'a')"),
        ("model.metrics_tensors.append(loss)", "keras_losses.add_metric_tensor(model, loss)"),
        ("model.add_metric(loss, name='a', aggregation='mean')",
         "keras_losses.add_metric(model, loss, name='a', aggregation='mean')"),
        ("model.compile('sgd', loss=[None] * len(model.outputs))", "model.compile('sgd', loss=None)"),
        ("self.add_loss(loss)", "self.add_loss(loss)"),
    ],
)
def test_losses_and_metrics_of_tensors(before: str, after: str) -> None:
    head = f"{HEAD}vae = keras.models.Model(a, b)\n"
    text, findings = migrated(f"{head}{before}\n")
    assert text.endswith(f"{after}\n") and not findings


def test_a_loss_of_the_weights_is_computed_in_each_step() -> None:
    body = "    decay = [K.sum(w) for w in model.trainable_weights]\n    model.add_loss(tf.add_n(decay))\n"
    text, findings = migrated(f"{HEAD}\n\ndef add(model):\n{body}")
    assert "decay = lambda: [K.sum(w)" in text and not findings
    assert "keras_losses.add_loss(model, lambda: tf.add_n(decay()))" in text
    _, findings = migrated(f"{HEAD}\n\ndef add(model):\n{body}    return decay\n")
    assert findings == ["TF142"]


def test_steps_are_one_batch_as_in_keras_2() -> None:
    text, _ = migrated(f"{HEAD}x = KL.TimeDistributed(KL.Dense(3), name='steps')\n")
    assert "x = keras_layers.TimeDistributed(KL.Dense(3), name='steps')" in text


def test_open_files_of_weights_are_read() -> None:
    text, findings = migrated(
        "import h5py\nimport keras\n\n\ndef load(path, layers):\n    from keras.engine import saving\n"
        "    with h5py.File(path, 'r') as f:\n"
        "        saving.load_weights_from_hdf5_group_by_name(f, layers)\n")
    assert "keras_files.load_weights_from_hdf5_group_by_name(f, layers)" in text and not findings


@pytest.mark.parametrize(
    "line",
    [
        "print(model.metrics_tensors)", "print(self.keras_model.uses_learning_phase)",
        "updates = optimizer.get_updates(loss, model.trainable_weights)", "nodes = layer.inbound_nodes",
    ],
)
def test_what_keras_2_had_is_told(line: str) -> None:
    assert migrated(f"{HEAD}{line}\n")[1] == ["TF142"]
    assert migrated(f"{HEAD}{line.replace('model', 'm').replace('layer', 'x').replace('optimizer', 'y')}\n")[
        1] == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("KL.Dropout(0.5)(x, training=True)", "keras_layers.told(KL.Dropout(0.5), True)(x, training=True)"),
        ("Own(name='a')(x, training=train_bn)",
         "keras_layers.told(Own(name='a'), train_bn)(x, training=train_bn)"),
        ("KL.Dropout(0.5)(x, training=None)",) * 2,
        ("self.dropout(x, training=training)",) * 2,
        ("tf.layers.Dropout(0.5)(x, training=True)", "layers.Dropout(0.5)(x, training=True)"),
    ],
)
def test_layers_keep_what_they_were_told(before: str, after: str) -> None:
    text, findings = migrated(f"{HEAD}x = KL.Input([4])\ny = {before}\n")
    assert text.endswith(f"y = {after}\n") and not findings
    assert "told(" not in migrated(f"{HEAD}y = {before}\n")[0]


def test_models_of_inputs_and_outputs_are_functional() -> None:
    test = "layer.__class__.__name__ == 'Model' or type(x).__name__ != 'Model'"
    text, _ = migrated(f"{HEAD}if {test}:\n    pass\n")
    assert "if layer.__class__.__name__ in ('Model', 'Functional') or type(x).__name__ not in (" in text


def test_functions_are_prepared_by_their_public_names() -> None:
    assert "model.make_predict_function()" in migrated(f"{HEAD}model._make_predict_function()\n")[0]

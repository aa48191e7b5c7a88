"""What was written for tf.keras of TF 1.15 and for standalone Keras 2, as Keras 3 takes it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from tests.engine.fuzzing import run

TF = "import tensorflow as tf\n"


def migrated(before: str) -> tuple[str, list[str]]:
    """(the text, codes of its findings); a second run must leave it."""
    result = run("a.py", before)
    assert not result.error
    text = result.new_text or before
    assert run("a.py", text).new_text is None
    return text, [finding.code for finding in result.findings]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tf.keras.optimizers.Adam(lr=0.1)", "tf.keras.optimizers.Adam(learning_rate=0.1)"),
        (
            "tf.keras.optimizers.Adam(lr=0.1, epsilon=None, decay=0.0)",
            "tf.keras.optimizers.Adam(learning_rate=0.1)",
        ),
        (
            "tf.keras.optimizers.Adam(epsilon=None, decay=0.0, lr=0.1)",
            "tf.keras.optimizers.Adam(learning_rate=0.1)",
        ),
        ("tf.keras.layers.BatchNormalization(fused=True, adjustment=None)",
         "tf.keras.layers.BatchNormalization()"),
        ("tf.keras.layers.BatchNormalization(fused=True, adjustment=None, axis=1)",
         "tf.keras.layers.BatchNormalization(axis=1)"),
        (
            "tf.keras.optimizers.SGD(0.1, decay=1e-3)",
            "tf.keras.optimizers.SGD("
            "tf.keras.optimizers.schedules.InverseTimeDecay(0.1, 1, 1e-3))",
        ),
        (
            "tf.keras.layers.CuDNNLSTM(3, return_sequences=True)",
            "tf.keras.layers.LSTM(3, recurrent_activation='sigmoid', return_sequences=True)",
        ),
        (
            "tf.keras.layers.CuDNNGRU(3)",
            "tf.keras.layers.GRU(3, recurrent_activation='sigmoid', reset_after=True)",
        ),
        ("tf.keras.layers.GRU(3, 'relu', 'sigmoid', reset_after=True)",) * 2,
        ("tf.keras.layers.AveragePooling2D()", "tf.keras.layers.AveragePooling2D(pool_size=(2, 2))"),
        (
            "tf.keras.Sequential([tf.keras.layers.Dense(3, batch_input_shape=(2, 4))])",
            "tf.keras.Sequential([tf.keras.Input(batch_shape=(2, 4)), tf.keras.layers.Dense(3)])",
        ),
        ("tf.python.keras.layers.Dense(3)", "tf.keras.layers.Dense(3)"),
        ("tf.keras.layers.Dense(3, name='a/b')", "tf.keras.layers.Dense(3, name='a_b')"),
        ("tf.keras.layers.Dense(3, name='a/%d' % (n / 2))",
         "tf.keras.layers.Dense(3, name='a_%d' % (n / 2))"),
        ("tf.keras.layers.Dense(3, name='a/{}'.format('x/y'))",
         "tf.keras.layers.Dense(3, name='a_{}'.format('x/y'))"),
        ("tf.keras.layers.Dense(3, name=prefix + '/b')",
         "tf.keras.layers.Dense(3, name=prefix + '_b')"),
        (
            "tf.keras.initializers.RandomNormal(0.0, 0.1, None, tf.float32)",
            "tf.keras.initializers.RandomNormal(0.0, 0.1, None)",
        ),
    ],
)
def test_calls(before: str, after: str) -> None:
    assert migrated(f"{TF}x = {before}\n") == (f"{TF}x = {after}\n", [])


def test_standalone_keras_clipped_all_gradients_together() -> None:
    text, findings = migrated("import keras\nx = keras.optimizers.SGD(lr=0.1, clipnorm=5.0)\n")
    assert text == "import keras\nx = keras.optimizers.SGD(learning_rate=0.1, global_clipnorm=5.0)\n"
    of_tensorflow = f"{TF}x = tf.keras.optimizers.SGD(0.1, clipnorm=5.0)\n"
    assert migrated(of_tensorflow)[0] == of_tensorflow
    assert not findings


@pytest.mark.parametrize(
    "call",
    [
        "tf.keras.layers.Dense(3, input_dtype='int32')",
        "tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(3, **options))",
        "tf.keras.layers.RNN([c(3) for c in [tf.keras.layers.GRUCell]])",
        "tf.keras.callbacks.TensorBoard('x', embeddings_data=data)",
        "tf.keras.backend.get_session()",
        "tf.keras.utils.multi_gpu_model(m, 2)",
        "tf.keras.models.model_from_yaml(text)",
        "tf.keras.layers.LocallyConnected1D(3, 2)",
        "model.save_weights('weights')",
        "model.fit_generator(batches, samples_per_epoch=100)",
    ],
)
def test_what_no_rewrite_covers_is_reported(call: str) -> None:
    text, codes = migrated(f"{TF}from tensorflow import keras\nx = {call}\nkeras\n")
    assert codes, text


KERAS = (
    "from tensorflow import keras\nfrom tensorflow.keras.callbacks import EarlyStopping, ModelCheckpoint\n")


@pytest.mark.parametrize(
    ("call", "support"),
    [
        ("ModelCheckpoint('a.h5')", False),
        ("ModelCheckpoint('a.keras', save_weights_only=False, period=1)", False),
        ("ModelCheckpoint('a.weights.h5', save_weights_only=True)", False),
        ("ModelCheckpoint('a-{epoch}.hdf5', save_best_only=True)", True),
        ("ModelCheckpoint(filepath='a.h5', save_weights_only=True)", True),
        ("keras.callbacks.ModelCheckpoint(folder + 'a.h5', 'val_loss', 0, True, True)", True),
        ("ModelCheckpoint('a.h5', period=3)", True),
    ],
)
def test_files_of_weights_and_models_that_keras_3_refuses(call: str, support: bool) -> None:
    text, codes = migrated(f"{KERAS}kept = {call}\nstop = EarlyStopping()\nprint(keras.__version__)\n")
    assert ("keras_files.ModelCheckpoint(" in text, codes) == (support, [])
    assert ("import EarlyStopping\n" in text) == (support and "keras." not in call)


def test_weights_under_names_that_keras_3_refuses() -> None:
    text = migrated(KERAS + "model.save_weights(path)\nself.net.save_weights('w.weights.h5')\n")[0]
    assert "\nkeras_files.save_weights(model, path)\nself.net.save_weights('w.weights.h5')\n" in text


@pytest.mark.parametrize(
    ("read", "metrics", "after"),
    [
        ("h['val_acc']", "['accuracy']", "['acc']"),
        ("f('w-{val_acc:.2f}.h5')", "{'accuracy': ['accuracy', 'mse']}", "{'accuracy': ['acc', 'mse']}"),
        ("h['top_mean_squared_error']", "['mse']", "['mean_squared_error']"),
        ("h['val_accuracy'] or h['acc']", "['accuracy']", "['accuracy']"),
        ("acc", "['accuracy']", "['accuracy']"),
    ],
)
def test_metrics_are_logged_by_the_names_that_are_read(read: str, metrics: str, after: str) -> None:
    text = migrated(f"{KERAS}model.compile('sgd', 'mse', metrics={metrics})\nprint({read})\n")[0]
    assert f"model.compile('sgd', 'mse', metrics={after})" in text


@pytest.mark.parametrize(
    ("given", "after"),
    [
        ("batches(lines)", "keras_batches.batches(batches(lines))"),
        ("generator=self.train", "x=keras_batches.batches(self.train)"),
        ("made", "made"),  # of an ImageDataGenerator
    ],
)
def test_generators_whose_batches_may_hold_lists(given: str, after: str) -> None:
    call = f"model.fit_generator({given}, steps_per_epoch=3, validation_data=(x, y))"
    text = migrated(f"{KERAS}made = images.flow(x, y)\n{call}\n")[0]
    assert f"model.fit({after}, steps_per_epoch=3, validation_data=(x, y))" in text
    predicted = migrated(f"{KERAS}model.predict_generator(batches(), 3)\n")[0]
    assert "model.predict(keras_batches.batches(batches(), alone=True), steps=3, verbose=0)" in predicted


@pytest.mark.parametrize(
    ("use", "told"),
    [("model.load_weights('w.h5', by_name=True)", True), ("model.get_layer('conv2d_3')", True),
     ("model.save_weights('w.h5')", True), ("given.append(ModelCheckpoint('w.h5'))", True),
     ("model.get_layer('top')", False), ("model.load_weights('w.h5')", False)],
)  # fmt: skip
def test_programs_of_keras_2_that_go_by_names_of_layers(use: str, told: bool) -> None:
    head = "import keras.backend as K\nfrom keras.layers import Conv2D\n"
    text = f"{head}\nK.clear_session()\nx = Conv2D(3, 3)\n"
    new = migrated(f"{text}{use}\nprint(K.mean(x))\n")[0]
    assert ("\n\nkeras_names.count_from_one()\n\nkeras_names.clear_session()\nx = " in new) == told
    assert "keras_names" not in migrated(f"{text}{use}\n".replace("keras.", "tensorflow.keras."))[0]


def test_names_of_metrics() -> None:
    text = migrated(KERAS + "print(self.model.metrics_names[1], other.metrics_names)\n")[0]
    assert "print(keras_functions.metrics_names(self.model)[1], other.metrics_names)" in text


def test_methods() -> None:
    before = """
model.fit_generator(batches(), 10, 5, 1, validation_data=v, workers=4, use_multiprocessing=True)
model.predict_generator(generator=g, steps=3, max_queue_size=2)
model.evaluate_generator(g, 3, verbose=1)
model.fit(x, y, nb_epoch=4)
print(model.optimizer.lr)
"""
    after = """
model.fit(taken(batches()), steps_per_epoch=10, epochs=5, verbose=1, validation_data=taken(v))
model.predict(x=taken(g, alone=True), steps=3, verbose=0)
model.evaluate(taken(g), steps=3, verbose=1)
model.fit(x, y, epochs=4)
print(model.optimizer.learning_rate)
"""
    head, rest = "from tensorflow.keras.models import Model\n", "model = Model(a, b)\n"
    after = rest + after.replace("taken(", "keras_batches.batches(")
    assert migrated(head + rest + before) == (f"{head}from tf1_support import keras_batches\n{after}", [])
    without = "import tensorflow as tf\ntf.abs(1)\n"
    assert migrated(without + before)[0] == without + before  # whose methods they are is not known


def test_methods_of_the_file_are_its_own() -> None:
    text = f"{TF}class Net(tf.keras.Model):\n    def fit_generator(self, x): ...\nNet().fit_generator(x)\n"
    assert migrated(text) == (text, [])


def test_weights_of_layers() -> None:
    before = (
        "    def build(self, shape):\n"
        "        self.a = self.add_weight('a', (2, 3), tf.float32, trainable=False)\n"
        "        self.b = self.add_variable('b', shape=[2], use_resource=True)\n"
        "        self.c = self.add_weight((2, 3), 'zeros')\n"
    )
    after = (
        "    def build(self, shape):\n"
        "        self.a = self.add_weight(name='a', shape=(2, 3), dtype=tf.float32, trainable=False)\n"
        "        self.b = self.add_weight(name='b', shape=[2])\n"
        "        self.c = self.add_weight((2, 3), 'zeros')\n"
    )
    head = f"{TF}class Mine(tf.keras.layers.Layer):\n"
    assert migrated(head + before) == (head + after, [])
    other = f"{TF}class Mine(Other):\n"
    assert migrated(other + before)[0] == other + before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from keras.layers.core import Dense\nDense(3)", "from keras.layers import Dense\nDense(3)"),
        (
            "from keras.engine.topology import Layer, Input\nLayer()\nInput()",
            "from keras.layers import Layer\nfrom keras.layers import Input\nLayer()\nInput()",
        ),
        (
            "from keras.utils.np_utils import to_categorical\nto_categorical(y)",
            "from tf1_support.keras_layers import to_categorical\nto_categorical(y)",
        ),
        (
            "from keras.preprocessing.image import ImageDataGenerator\nImageDataGenerator()",
            "from tensorflow.keras.preprocessing.image import ImageDataGenerator\nImageDataGenerator()",
        ),
        ("import keras\nkeras.objectives.Huber()", "import keras\nkeras.losses.Huber()"),
        (
            "from keras.optimizers import Adam\nAdam(lr=0.1, decay=0.0)",
            "from keras.optimizers import Adam\nAdam(learning_rate=0.1)",
        ),
    ],
)
def test_standalone_keras(before: str, after: str) -> None:
    assert migrated(before + "\n") == (after + "\n", [])


@pytest.mark.parametrize("backend", ["from keras import backend as K\n", "import keras.backend as K\n",
                                     "K = tf.keras.backend\n"])
def test_what_the_backend_had_of_tensorflow_is_tensorflows(backend: str) -> None:
    """Losses of detectors loop over a batch by what the backend imported for itself."""
    text, codes = migrated(
        TF + backend + "def f(m, x):\n    m = K.tf.to_float(m)\n"
        "    return K.control_flow_ops.while_loop(lambda i, *r: i < m, lambda i, t: (i + 1, t), [0, x])\n")
    assert "    m = tf.cast(m, tf.float32)\n    return tf.while_loop(lambda i, *r: i < m," in text
    assert not codes


@pytest.mark.parametrize("head", ["", TF, "import keras\n"])
def test_the_old_backend_is_in_tf_keras_and_keeps_its_name(head: str) -> None:
    new = "from tensorflow.keras import backend as K\n"
    for old in ("from keras import backend as K\n", "import keras.backend as K\n"):
        use = "x = K.mean(y) + K.epsilon()\n" + {TF: "tf.exp(x)\n", "": ""}.get(head, "keras.Input(x)\n")
        assert migrated(head + old + use) == (head + new + use, [])
    # nothing that Keras 3 has is taken from elsewhere
    text = "from keras import backend as K\nx = K.epsilon()\n"
    assert migrated(text) == (text, [])


@pytest.mark.parametrize(
    "text",
    [
        "import keras\nx = keras.wrappers.scikit_learn.KerasClassifier(f)\n",
        "import keras.backend as K\nK.set_session(s)\n",
        "import keras\nx = keras.layers.Merge([a, b])\n",
        "import keras\nx = keras.nothing.of_this()\n",
        "import keras\nx = keras.layers.Dense(3, units_of=3)\n",
    ],
)
def test_what_keras_3_lacks_is_reported(text: str) -> None:
    assert migrated(text)[1]


def test_programs_for_keras_3_stay() -> None:
    text = (
        "import keras\nfrom keras import layers, ops\nfrom keras.src import backend\n"
        "x = layers.LSTM(3, seed=1)\ny = keras.layers.AveragePooling2D(2)\n"
        "z = ops.mean(x) + keras.backend.epsilon()\n"
        "keras.optimizers.Adam(learning_rate=1.0, weight_decay=0.1)\nkeras.Model.fit(x)\n"
    )
    assert migrated(text) == (text, [])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tf.cond(p, lambda: [a], lambda: [b])", "tf.cond(p, lambda: a, lambda: b)"),
        ("tf.cond(p, lambda: [a, c], lambda: [b, c])",) * 2,
        ("tf.case([(p, lambda: (a,))], lambda: [b])", "tf.case([(p, lambda: a)], lambda: b)"),
        (
            "tf.cond(p, lambda: [a], lambda: (b,), strict=True)",
            "tf.cond(p, lambda: list((a,)), lambda: tuple([b]))",
        ),
    ],
)
def test_single_branches(before: str, after: str) -> None:
    assert migrated(f"{TF}x = {before}\n") == (f"{TF}x = {after}\n", [])


@pytest.mark.parametrize(
    ("call", "findings"),
    [
        ("model.save('out')", ["TF142"]),
        ("self.model.save(os.path.join(folder, 'model'))", ["TF142"]),
        ("model.save('out', save_format='tf')", ["TF142"]),
        ("model.save('out.h5')", []),
        ("model.save('out.keras')", []),
        ("model.save(path)", []),
        ("image.save('out.png')", []),
    ],
)
def test_files_that_models_are_saved_to(call: str, findings: list[str]) -> None:
    before = f"import os\n{TF}layer = tf.keras.layers.Dense(2)\n{call}\n"
    assert migrated(before) == (before, findings)


def test_losses_that_only_tf1_knew_by_name() -> None:
    compiled = "model.compile('sgd', loss='cosine_proximity', metrics=['cosine'])\n"
    before = f"{TF}model = tf.keras.Sequential()\n{compiled}"
    text, findings = migrated(before)
    assert text.endswith(
        "model.compile('sgd', loss=keras_layers.cosine_proximity, "
        "metrics=[keras_layers.cosine_proximity])\n")
    assert not findings
    standalone = before.replace("tf.keras", "keras").replace("import tensorflow as tf", "import keras")
    text, findings = migrated(standalone)  # whose sign was the one of today's loss
    assert text.endswith("loss=keras.losses.cosine_similarity, metrics=[keras.losses.cosine_similarity])\n")
    assert not findings


def test_names_that_functions_and_classes_of_the_project_give_to_layers(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(TF + textwrap.dedent("""
        class Norm(tf.keras.layers.BatchNormalization):
            pass


        class Params(object):
            def activation(self, name='activation'):
                return tf.keras.layers.Lambda(tf.nn.relu, name=name)

            def label(self, name):
                return name
        """))
    (tmp_path / "net.py").write_text(TF + textwrap.dedent("""
        import parts


        def net(params, i):
            params.label(name='a/b')
            return [tf.keras.layers.Dense(3, name='dense/%d' % i), parts.Norm(name='norm/a'),
                    params.activation(name='act/%d' % i)]
        """))
    text = {f.path: f.new_text for f in build_plan(tmp_path, Options(jobs=1)).files}["net.py"]
    assert text is not None
    assert "name='dense_%d' % i" in text and "parts.Norm(name='norm_a')" in text
    assert "params.activation(name='act_%d' % i)" in text
    assert "params.label(name='a/b')" in text


@pytest.mark.parametrize("value", ["build(backend=keras.backend)", "{'backend': keras.backend}",
                                   "build(keras.backend)"])
def test_the_backend_as_a_value_has_functions_of_keras_2(value: str) -> None:
    text, findings = migrated(f"import keras\nimport tensorflow as tf\ngiven = {value}\n")
    assert value.replace("keras.backend", "tf.keras.backend") in text and "TF005" not in findings


@pytest.mark.parametrize(("call", "told"), [
    ("ModelCheckpoint(path + '.{epoch:05d}', save_weights_only=True)", True),
    ("ModelCheckpoint(os.path.join(folder, 'best'))", True), ("ModelCheckpoint(path)", False),
    ("ModelCheckpoint(os.path.join(folder, 'a-{epoch}.h5'), period=2)", False),
    ("model.save_weights(path + '.' + str(epoch))", True), ("model.save_weights('a/%s.h5' % name)", False),
    ("model.save_weights('a/%s' % name)", False), ("model.save_weights('{}_{}'.format(a, b))", False),
])  # fmt: skip
def test_names_of_files_that_keras_3_does_not_write(call: str, told: bool) -> None:
    head = "import os\nfrom keras.callbacks import ModelCheckpoint\nfrom keras.layers import Dense\n"
    assert migrated(f"{head}{call}\n")[1] == ["TF142"] * told


@pytest.mark.parametrize(("how", "told"), [("", False), (", interpolation='nearest'", False),
                                           (", interpolation='bilinear'", True)])  # fmt: skip
def test_pictures_that_the_backend_resizes(how: str, told: bool) -> None:
    call = f"from keras import backend as K\ny = K.resize_images(x, 2, 2, 'channels_last'{how})\n"
    assert migrated(call)[1] == ["TF142"] * told

"""Layers, losses, cells and scopes: graph functions written once and run twice (Python 3.7, TensorFlow 2.21).

A case is `(input shape, function(api, x) -> tensor or {name: tensor})`; `api` gives `tf`, `slim`,
`losses`, `layers`, `variable_scope`, `get_variable` and `GraphKeys`.
"""

import itertools
import types
import zlib

import numpy as np
import tensorflow as tf

from tests.runtime.recorded import files

CASES: dict = {}


def case(name, shape):
    def register(fn):
        CASES[name] = (shape, fn)
        return fn

    return register


def values(name, shape, scale=0.5):
    """Reproducible numbers for a variable or an input, from its name."""
    random = np.random.RandomState(zlib.crc32(name.encode()) % 2**31)
    drawn = np.asarray(random.randn(*shape) * scale)
    if name.endswith(("moving_variance", "gamma")):
        drawn = np.abs(drawn) + 0.5
    return drawn.astype(np.float32)


def weights_like(shape):
    """A fixed direction for gradients."""
    return np.cos(np.arange(int(np.prod(shape)))).reshape(shape).astype(np.float32)


IMAGE = (2, 7, 6, 3)

for _kernel, _stride, _padding, _rate in itertools.product(
    (1, [3, 2]), (1, 2, [2, 1]), ("SAME", "VALID"), (1, 2)
):
    if _rate > 1 and _stride != 1:
        continue
    _name = "conv2d k%s s%s %s r%d" % (_kernel, _stride, _padding, _rate)

    def _conv(api, x, kernel=_kernel, stride=_stride, padding=_padding, rate=_rate):
        return api.slim.conv2d(x, 4, kernel, stride, padding, rate=rate)

    CASES[_name] = (IMAGE, _conv)

for _outputs, _stride, _padding, _multiplier in itertools.product(
    (None, 4), (1, 2), ("SAME", "VALID"), (1, 2)
):
    _name = "separable n%s s%d %s m%d" % (_outputs, _stride, _padding, _multiplier)

    def _separable(api, x, n=_outputs, stride=_stride, padding=_padding, multiplier=_multiplier):
        return api.slim.separable_conv2d(x, n, [3, 3], multiplier, stride, padding)

    CASES[_name] = (IMAGE, _separable)

for _stride, _padding, _kernel in itertools.product((1, 2), ("SAME", "VALID"), (1, 3, [4, 2])):
    _name = "transpose s%d %s k%s" % (_stride, _padding, _kernel)

    def _transpose(api, x, kernel=_kernel, stride=_stride, padding=_padding):
        return api.slim.conv2d_transpose(x, 4, kernel, stride, padding, activation_fn=None)

    CASES[_name] = (IMAGE, _transpose)

for _kind, _stride, _padding in itertools.product(("max", "avg"), (1, 2), ("SAME", "VALID")):

    def _pool(api, x, kind=_kind, stride=_stride, padding=_padding):
        op = api.slim.max_pool2d if kind == "max" else api.slim.avg_pool2d
        return op(x, [3, 2], stride, padding)

    CASES["%s_pool s%d %s" % (_kind, _stride, _padding)] = (IMAGE, _pool)

for _rank, _fused, _training, _updates in itertools.product(
    (2, 3, 4), (None, False), (True, False), ("default", "none", "custom")
):

    def _norm(api, x, fused=_fused, training=_training, updates=_updates):
        collections = {"default": api.GraphKeys.UPDATE_OPS, "none": None, "custom": "mine"}[updates]
        return api.slim.batch_norm(
            x, 0.9, scale=True, fused=fused, is_training=training, updates_collections=collections
        )

    _name = "batch_norm rank%d fused=%s training=%s updates=%s" % (
        _rank,
        _fused,
        _training,
        _updates,
    )
    CASES[_name] = ({2: (6, 3), 3: (4, 5, 3), 4: IMAGE}[_rank], _norm)


@case("batch_norm debiased", IMAGE)
def _(api, x):
    return api.slim.batch_norm(x, 0.9, zero_debias_moving_mean=True)


@case("batch_norm tiny epsilon", IMAGE)
def _(api, x):
    return api.slim.batch_norm(x, epsilon=1e-8, center=False)


@case("batch_norm weighted", (4, 3))
def _(api, x):
    return api.slim.batch_norm(x, 0.9, batch_weights=api.tf.constant([1.0, 0.0, 2.0, 1.0]))


@case("batch_norm initialized", IMAGE)
def _(api, x):
    regularizers = {"beta": api.slim.l2_regularizer(0.1), "gamma": api.slim.l1_regularizer(0.2)}
    return api.slim.batch_norm(x, scale=True, param_regularizers=regularizers)


@case("layer_norm", (3, 4, 5))
def _(api, x):
    return api.slim.layer_norm(x)


@case("layer_norm last axis", (3, 4, 5))
def _(api, x):
    return api.slim.layer_norm(x, begin_norm_axis=-1, scale=False, activation_fn=api.tf.nn.relu)


@case("instance_norm", IMAGE)
def _(api, x):
    return api.slim.instance_norm(x)


@case("group_norm", (2, 4, 3, 6))
def _(api, x):
    return api.slim.group_norm(x, 3)


@case("group_norm close to zero", (2, 4, 3, 6))
def _(api, x):
    return api.slim.group_norm(x, 2, mean_close_to_zero=True, scale=False)


@case("fully_connected", (3, 5))
def _(api, x):
    return api.slim.fully_connected(x, 4)


@case("fully_connected normalized rank 3", (3, 2, 5))
def _(api, x):
    norm = {"is_training": True, "decay": 0.9, "scale": True}
    return api.slim.fully_connected(
        x, 4, normalizer_fn=api.slim.batch_norm, normalizer_params=norm
    )


@case("conv1d", (2, 9, 3))
def _(api, x):
    return api.slim.convolution(x, 4, 3, 2)


@case("conv3d", (2, 4, 5, 4, 2))
def _(api, x):
    return api.slim.conv3d(x, 3, [2, 3, 3], padding="VALID")


@case("conv2d_in_plane", IMAGE)
def _(api, x):
    return api.slim.conv2d_in_plane(x, [3, 2], 2)


@case("small layers", (3, 2, 4))
def _(api, x):
    slim = api.slim
    return {
        "flatten": slim.flatten(x),
        "softmax": slim.softmax(x),
        "unit_norm": slim.unit_norm(x, 2),
        "maxout": slim.maxout(x, 2),
        "bias": slim.bias_add(x, activation_fn=api.tf.nn.relu),
        "dropout off": slim.dropout(x, 0.3, is_training=False),
        "one_hot": slim.one_hot_encoding(api.tf.constant([1, 0, 2]), 4, on_value=2.0),
    }


@case("spatial_softmax", (2, 4, 5, 3))
def _(api, x):
    return api.slim.spatial_softmax(x, temperature=0.7)


@case("regularized network", IMAGE)
def _(api, x):
    slim = api.slim
    with slim.arg_scope(
        [slim.conv2d, slim.fully_connected],
        weights_regularizer=slim.l1_l2_regularizer(0.01, 0.02),
        biases_regularizer=slim.l2_regularizer(0.5),
        normalizer_fn=None,
    ):
        net = slim.conv2d(x, 4, 3, scope="first")
        net = slim.repeat(net, 2, slim.conv2d, 4, [3, 3], scope="block")
        net = slim.stack(slim.flatten(net), slim.fully_connected, [5, 3], scope="head")
        return slim.fully_connected(net, 2, activation_fn=None)


@case("normalized network", IMAGE)
def _(api, x):
    slim = api.slim
    norm = {"is_training": True, "decay": 0.9, "epsilon": 0.01}
    with slim.arg_scope(
        [slim.conv2d, slim.separable_conv2d],
        normalizer_fn=slim.batch_norm,
        normalizer_params=norm,
        activation_fn=api.tf.nn.relu6,
        weights_regularizer=slim.l2_regularizer(4e-5),
    ):
        with api.variable_scope("Net", "Net", [x]):
            net = slim.conv2d(x, 4, 3, 2)
            net = slim.separable_conv2d(net, None, 3, 1, scope="depthwise")
            net = slim.conv2d(net, 5, 1)
            return slim.separable_conv2d(net, 3, [3, 3])


@case("default names", (2, 4))
def _(api, x):
    slim = api.slim
    for _ in range(2):
        x = slim.fully_connected(x, 4)
        with api.variable_scope(None, "outer"):
            x = slim.fully_connected(x, 4)
            for _ in range(2):
                with api.variable_scope(None, "inner"):
                    x = slim.fully_connected(x, 4, scope="same")
    with api.variable_scope("outer", reuse=True):
        x = slim.fully_connected(x, 4)
    with api.variable_scope("outer_1") as scope:
        with api.variable_scope("new"):
            x = slim.fully_connected(x, 4)
    with api.variable_scope(scope):
        for _ in range(2):
            with api.variable_scope(None, "newer"):
                x = slim.fully_connected(x, 4)
    with api.variable_scope("outer", reuse=True):
        with api.variable_scope("inner"):
            return slim.fully_connected(x, 4, scope="same")


@case("scope defaults", (2, 3))
def _(api, x):
    seen = []

    def getter(getter, name, *args, **kwargs):
        seen.append(name)
        return 2.0 * getter(name, *args, **kwargs)

    with api.variable_scope("a", regularizer=api.slim.l2_regularizer(0.1)) as scope:
        w = api.get_variable("w", [3, 3])
        with api.variable_scope("b", custom_getter=getter):
            x = api.tf.matmul(x, api.get_variable("w", [3, 3])) + api.tf.matmul(x, w)
        scope.reuse_variables()
        x = api.tf.matmul(x, api.get_variable("w", [3, 3]))
    with api.variable_scope("c", reuse=api.AUTO_REUSE):
        for _ in range(2):
            x = api.tf.matmul(x, api.get_variable("w", [3, 3], trainable=False))
    assert seen == ["a/b/w"]
    return x


_LABELS = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]], np.float32)
_WEIGHTS = {
    "one": 1.0,
    "scalar": 0.5,
    "zero": 0.0,
    "example": np.array([[1.0], [0.0], [2.0], [0.5]], np.float32),
    "full": np.array([[1, 0, 2], [0, 0, 1], [3, 0.5, 0], [1, 1, 1]], np.float32),
}
LOSSES = (
    "absolute_difference",
    "mean_squared_error",
    "huber_loss",
    "log_loss",
    "hinge_loss",
    "sigmoid_cross_entropy",
)
REDUCTIONS = (
    "NONE",
    "SUM",
    "MEAN",
    "SUM_OVER_BATCH_SIZE",
    "SUM_OVER_NONZERO_WEIGHTS",
    "SUM_BY_NONZERO_WEIGHTS",
)

for _loss, _weights in itertools.product(LOSSES, _WEIGHTS):

    def _weighted(api, x, loss=_loss, weights=_weights):
        if loss == "log_loss":
            x = api.tf.sigmoid(x)
        return {
            reduction: getattr(api.losses, loss)(
                api.tf.constant(_LABELS),
                x,
                _WEIGHTS[weights],
                reduction=getattr(api.losses.Reduction, reduction),
            )
            for reduction in REDUCTIONS
        }

    CASES["losses.%s weights=%s" % (_loss, _weights)] = ((4, 3), _weighted)


@case("softmax losses", (4, 3))
def _(api, x):
    labels = np.array([1, 0, 2, 1])
    return {
        "onehot": api.losses.softmax_cross_entropy(_LABELS, x),
        "smooth": api.losses.softmax_cross_entropy(_LABELS, x, label_smoothing=0.1),
        "weighted": api.losses.softmax_cross_entropy(_LABELS, x, [1.0, 0.0, 2.0, 0.5]),
        "sparse": api.losses.sparse_softmax_cross_entropy(labels, x),
        "sparse column": api.losses.sparse_softmax_cross_entropy(
            labels[:, None], x, np.array([[1.0], [0.0], [2.0], [1.0]], np.float32)
        ),
        "smooth sigmoid": api.losses.sigmoid_cross_entropy(_LABELS, x, label_smoothing=0.2),
        "pairwise": api.losses.mean_pairwise_squared_error(_LABELS, x),
        "pairwise weighted": api.losses.mean_pairwise_squared_error(
            _LABELS, x, _WEIGHTS["example"]
        ),
        "cosine": api.losses.cosine_distance(_LABELS, x, axis=1),
        "huber wide": api.losses.huber_loss(_LABELS, x, delta=0.3),
        "total": api.losses.get_total_loss(),
    }


@case("contrib losses", (4, 3))
def _(api, x):
    losses, labels = api.slim.losses, api.tf.constant(_LABELS)
    return {
        "absolute": losses.absolute_difference(x, labels, [1.0, 0.0, 2.0, 0.5]),
        "squares": losses.mean_squared_error(x, labels, 0.5),
        "log": losses.log_loss(api.tf.sigmoid(x), labels),
        "softmax": losses.softmax_cross_entropy(x, labels, label_smoothing=0.1),
        "sparse": losses.sparse_softmax_cross_entropy(x, api.tf.constant([1, 0, 2, 1])),
        "sigmoid": losses.sigmoid_cross_entropy(x, labels),
        "total": losses.get_total_loss(),
    }


@case("tf.layers", IMAGE)
def _(api, x):
    layers = api.layers
    regularizer = api.slim.l2_regularizer(0.1)
    x = layers.conv2d(x, 4, 3, padding="same", kernel_regularizer=regularizer)
    x = layers.batch_normalization(x, momentum=0.9, training=True)
    x = layers.separable_conv2d(x, 5, 2, activation=api.tf.nn.relu, name="separable")
    x = layers.batch_normalization(x, momentum=0.9, training=False, fused=False)
    x = layers.conv2d_transpose(x, 3, [2, 3], 2)
    x = layers.max_pooling2d(x, 2, 2) + layers.average_pooling2d(x, 2, 2)
    x = layers.flatten(x)
    with api.variable_scope("head"):
        x = layers.dense(x, 4, activation=api.tf.nn.relu)
        x = layers.dense(x, 4, use_bias=False)
        y = layers.dense(x, 4, name="shared")
        return layers.dense(y, 4, name="shared", reuse=True)


@case("tf.layers objects", (2, 6, 3))
def _(api, x):
    layers = api.layers
    conv = layers.Conv1D(3, 2, padding="same", name="twice")
    x = conv(conv(x))
    x = layers.Conv1D(4, 3, name="twice")(x)
    norm = layers.BatchNormalization(momentum=0.8, name="norm")
    x = norm.apply(x, training=True)
    x = layers.Dense(5)(layers.Flatten()(x))
    return layers.Dropout(0.5)(x)


def _cells(api):
    cells = api.rnn
    return {
        "basic": lambda: cells.BasicRNNCell(3),
        "gru": lambda: cells.GRUCell(3),
        "lstm": lambda: cells.BasicLSTMCell(3, forget_bias=0.5),
        "peephole": lambda: cells.LSTMCell(4, use_peepholes=True, cell_clip=0.8, num_proj=2),
        "stack": lambda: cells.MultiRNNCell([cells.BasicLSTMCell(3), cells.GRUCell(2)]),
    }


for _cell in ("basic", "gru", "lstm", "peephole", "stack"):

    def _recurrent(api, x, cell=_cell):
        make = _cells(api)[cell]
        lengths = api.tf.constant([4, 2])
        outputs, state = api.dynamic_rnn(make(), x, sequence_length=lengths, dtype=api.tf.float32)
        results = {"outputs": outputs}
        for number, part in enumerate(api.tf.nest.flatten(state)):
            results["state %d" % number] = part
        return results

    CASES["dynamic_rnn " + _cell] = ((2, 4, 3), _recurrent)


def tf1():
    """What the cases ask for, as TensorFlow 1.15.5 has it."""
    slim = tf.contrib.slim
    slim_names = types.SimpleNamespace(**{n: getattr(slim, n) for n in dir(slim) if n[0] != "_"})
    for name in ("group_norm", "instance_norm", "maxout", "spatial_softmax", "conv3d"):
        setattr(slim_names, name, getattr(tf.contrib.layers, name))
    for name in ("conv2d_in_plane", "convolution", "bias_add", "unit_norm", "softmax"):
        setattr(slim_names, name, getattr(tf.contrib.layers, name))
    slim_names.layer_norm = tf.contrib.layers.layer_norm
    slim_names.l1_l2_regularizer = tf.contrib.layers.l1_l2_regularizer
    slim_names.losses = tf.contrib.losses
    return types.SimpleNamespace(
        tf=tf,
        slim=slim_names,
        losses=tf.losses,
        layers=tf.layers,
        rnn=tf.nn.rnn_cell,
        dynamic_rnn=tf.nn.dynamic_rnn,
        initializers=tf,
        variance_scaling=tf.variance_scaling_initializer,
        variable_scope=tf.variable_scope,
        get_variable=tf.get_variable,
        GraphKeys=tf.GraphKeys,
        AUTO_REUSE=tf.AUTO_REUSE,
    )


def _recorded(name, shape, fn, arrays):
    """One case in a graph of its own; returns what goes into the JSON file."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(values("input " + name, shape, 1.0))
        outputs = fn(tf1(), x)
        outputs = outputs if isinstance(outputs, dict) else {"output": outputs}
        score = tf.add_n(
            [tf.reduce_sum(v * weights_like(v.shape.as_list())) for v in outputs.values()]
        )
        trained = tf.trainable_variables()
        gradients = tf.gradients(score, [x] + trained)
        penalties = tf.losses.get_regularization_losses()
        everything = tf.global_variables()
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS) + tf.get_collection("mine")
        session.run(tf.global_variables_initializer())
        for v in everything:
            if not v.op.name.endswith(("biased", "local_step")):
                v.load(values(v.op.name, v.shape.as_list()), session)
        fetched = {"output " + k: v for k, v in outputs.items()}
        for label, g in zip(["input"] + [v.op.name for v in trained], gradients):
            if g is not None:
                fetched["gradient " + label] = tf.convert_to_tensor(g)
        if penalties:
            fetched["penalty"] = tf.add_n(penalties)
        for key, value in session.run(fetched).items():
            arrays["%s|%s" % (name, key)] = value
        session.run(updates)
        for v in everything:
            if v not in trained:
                arrays["%s|after %s" % (name, v.op.name)] = session.run(v)
        return {
            "variables": [[v.op.name, v.shape.as_list()] for v in everything],
            "trainable": [v.op.name for v in trained],
            "model": [v.op.name for v in tf.get_collection(tf.GraphKeys.MODEL_VARIABLES)],
            "updates": len(updates),
            "penalties": len(penalties),
        }


def record():
    tf.enable_resource_variables()
    arrays: dict = {}
    cases = {n: _recorded(n, s, f, arrays) for n, (s, f) in sorted(CASES.items())}
    files.write_arrays("layers", arrays)
    files.write_facts("layers", {"tensorflow": tf.__version__, "cases": cases})

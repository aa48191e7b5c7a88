"""Support functions over drawn shapes, dtypes and arguments, against TF 1's own code.

TensorFlow 2.21 still carries TF 1's losses, resizes, metrics and initializers in `tf.compat.v1`;
where it carries none (cells, contrib), the plain formula is the oracle.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

tf = pytest.importorskip("tensorflow")

from tf1_support import (  # noqa: E402
    image,
    initializers,
    losses,
    math_ops,
    metrics,
    metrics_thresholds,
    rnn,
    rnn_loops,
    scopes,
    slim,
)

v1 = tf.compat.v1
quick = settings(
    max_examples=12, deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)  # fmt: skip
sizes = st.integers(1, 4)
dtypes = st.sampled_from([np.float32, np.float64])
seeds = st.integers(0, 2**16)


def numbers(seed: int, *shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.random.RandomState(seed).uniform(0.05, 0.95, shape).astype(dtype)


def same(found: Any, wanted: Any, tolerance: float = 1e-5) -> None:
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape and found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def both(new: Any, old: Any, *inputs: np.ndarray) -> None:
    """Equal values, and equal gradients by every input."""
    results = []
    for function in (new, old):
        tensors = [tf.constant(array) for array in inputs]
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            value = function(*tensors)
            score = tf.reduce_sum(tf.cast(value, tf.float64))
        gradients = tape.gradient(
            score, tensors, unconnected_gradients=tf.UnconnectedGradients.ZERO
        )
        results.append((value, gradients))
    same(results[0][0], results[1][0])
    for first, second in zip(results[0][1], results[1][1], strict=True):
        same(first, second)


REDUCTIONS = sorted(v1.losses.Reduction.all())


@quick
@given(
    st.sampled_from(["absolute_difference", "mean_squared_error", "huber_loss", "log_loss",
                     "hinge_loss"]),
    st.lists(sizes, min_size=1, max_size=3), dtypes, seeds, st.sampled_from(REDUCTIONS),
    st.sampled_from(["one", "scalar", "first", "all"]),
)  # fmt: skip
def test_losses(
    name: str, shape: list[int], dtype: Any, seed: int, reduction: str, weighting: str
) -> None:
    labels, predictions = (numbers(seed + i, *shape, dtype=dtype) for i in (0, 1))
    weights: Any = 1.0
    if weighting == "scalar":
        weights = 0.3
    elif weighting == "first":
        weights = numbers(seed + 2, shape[0], *[1] * (len(shape) - 1)).round()
    elif weighting == "all":
        weights = numbers(seed + 2, *shape).round()
    keywords = {"weights": weights, "reduction": reduction}
    old, new = getattr(v1.losses, name), getattr(losses, name)
    both(lambda y, p: new(y, p, **keywords), lambda y, p: old(y, p, **keywords),
         labels, predictions)  # fmt: skip


@quick
@given(sizes, st.integers(2, 5), seeds, st.floats(0, 0.5), st.sampled_from(REDUCTIONS))
def test_softmax_cross_entropy(
    batch: int, classes: int, seed: int, smoothing: float, reduction: str
) -> None:
    labels = np.eye(classes, dtype=np.float32)[np.arange(batch) % classes]
    keywords = {"label_smoothing": smoothing, "reduction": reduction}
    both(lambda p: losses.softmax_cross_entropy(labels, p, **keywords),
         lambda p: v1.losses.softmax_cross_entropy(labels, p, **keywords),
         numbers(seed, batch, classes))  # fmt: skip


METHODS = ["BILINEAR", "NEAREST_NEIGHBOR", "BICUBIC", "AREA"]


@quick
@given(
    st.sampled_from(METHODS), st.tuples(sizes, sizes, sizes, sizes), st.integers(1, 7),
    st.integers(1, 7), st.booleans(), seeds, st.booleans(),
)  # fmt: skip
def test_resizes(
    method: str, shape: tuple[int, ...], height: int, width: int, corners: bool, seed: int,
    single: bool,
) -> None:  # fmt: skip
    pixels = numbers(seed, *shape)[0] if single else numbers(seed, *shape)
    kind = getattr(v1.image.ResizeMethod, method)
    if method == "AREA":  # no gradient
        found = image.resize_images(pixels, [height, width], kind, corners)
        same(found, v1.image.resize_images(pixels, [height, width], kind, corners))
        return
    both(lambda x: image.resize_images(x, [height, width], kind, corners),
         lambda x: v1.image.resize_images(x, [height, width], kind, corners), pixels)  # fmt: skip


@quick
@given(st.lists(sizes, min_size=1, max_size=3), seeds, st.floats(0.01, 2.0))
def test_clip_by_average_norm(shape: list[int], seed: int, norm: float) -> None:
    """float32 only: TF 1's own code mixes in a float32 constant."""
    both(lambda t: math_ops.clip_by_average_norm(t, norm),
         lambda t: v1.clip_by_average_norm(t, norm), numbers(seed, *shape))  # fmt: skip


@quick
@given(st.integers(-9, 9), st.integers(1, 9), st.sampled_from([np.int32, np.int64, np.float32]))
def test_div(x: int, y: int, dtype: Any) -> None:
    first, second = np.array([x, -x], dtype), np.array([y, y], dtype)
    same(math_ops.div(first, second), v1.div(first, second))


@quick
@given(
    st.lists(st.text(alphabet="ab ,;é", max_size=6), min_size=1, max_size=3),
    st.sampled_from([" ", ",", ",;", ""]), st.booleans(),
)  # fmt: skip
def test_string_split(texts: list[str], delimiter: str, skip: bool) -> None:
    found = math_ops.string_split(texts, delimiter, skip)
    wanted = v1.string_split(texts, delimiter, skip)
    for first, second in zip(
        (found.indices, found.values, found.dense_shape),
        (wanted.indices, wanted.values, wanted.dense_shape), strict=True,
    ):  # fmt: skip
        np.testing.assert_array_equal(first, second)


def in_graph(make: Any, *batches: tuple[Any, ...]) -> list[np.ndarray]:
    """A tf.metrics value of TF 1's code after each batch."""
    with v1.Graph().as_default(), v1.Session() as session:
        fed = [v1.placeholder(tf.float32, np.shape(part)) for part in batches[0]]
        value, update = make(*fed)
        session.run(v1.local_variables_initializer())
        found = []
        for batch in batches:
            session.run(update, dict(zip(fed, batch, strict=True)))
            found.append(session.run(value))
        return found


RUNNING = {
    "accuracy": lambda m, y, p, w: m.accuracy(y > 0.5, p > 0.5, w),
    "mean_squared_error": lambda m, y, p, w: m.mean_squared_error(y, p, w),
    "precision": lambda m, y, p, w: m.precision(y > 0.5, p > 0.5, w),
    "recall": lambda m, y, p, w: m.recall(y > 0.5, p > 0.5, w),
}


@settings(parent=quick, max_examples=4)
@given(st.sampled_from(sorted(RUNNING)), st.integers(1, 6), st.integers(1, 3), seeds)
def test_running_metrics(name: str, count: int, steps: int, seed: int) -> None:
    batches = [
        tuple(numbers(seed + 3 * step + i, count) for i in range(3)) for step in range(steps)
    ]
    wanted = in_graph(lambda y, p, w: RUNNING[name](v1.metrics, y, p, w), *batches)
    store = scopes.VariableStore()
    with store.as_default():
        for batch, value in zip(batches, wanted, strict=True):
            with store.run():
                tensors = [tf.constant(part) for part in batch]
                same(RUNNING[name](metrics, *tensors)[0], value)


@settings(parent=quick, max_examples=4)
@given(st.sampled_from(["ROC", "PR"]), st.integers(2, 8), st.integers(2, 30), seeds)
def test_auc(curve: str, count: int, thresholds: int, seed: int) -> None:
    batch = tuple(numbers(seed + i, count) for i in range(2))
    keywords = {"num_thresholds": thresholds, "curve": curve}
    (wanted,) = in_graph(lambda y, p: v1.metrics.auc(y > 0.5, p, **keywords), batch)
    with scopes.VariableStore().as_default():
        labels, scores = (tf.constant(part) for part in batch)
        same(metrics_thresholds.auc(labels > 0.5, scores, **keywords)[0], wanted)


@quick
@given(st.lists(st.integers(1, 5), min_size=1, max_size=3), st.floats(-2, 2), dtypes)
def test_constant_initializer(shape: list[int], value: float, dtype: Any) -> None:
    found = initializers.constant_initializer(value)(shape, dtype)
    same(found, np.full(shape, value, dtype))


@quick
@given(sizes, sizes, sizes, st.integers(1, 3), seeds, st.booleans())
def test_dynamic_and_static_loops_agree(
    batch: int, time: int, features: int, units: int, seed: int, lengths: bool
) -> None:
    x = tf.constant(numbers(seed, batch, time, features))
    length = np.random.RandomState(seed).randint(0, time + 1, batch) if lengths else None
    with scopes.VariableStore().as_default():
        first = rnn_loops.dynamic_rnn(rnn.GRUCell(units), x, length, dtype=tf.float32)
        with scopes.variable_scope(scopes.get_variable_scope(), reuse=True):
            second = rnn_loops.static_rnn(
                rnn.GRUCell(units), tf.unstack(x, axis=1), dtype=tf.float32, sequence_length=length
            )
    same(first[0], tf.stack(second[0], 1))
    same(first[1], second[1])
    for row, steps in enumerate([] if length is None else length):
        assert not np.any(first[0].numpy()[row, steps:])


@quick
@given(
    st.tuples(sizes, st.integers(2, 6), st.integers(2, 6), sizes), st.integers(1, 3),
    st.integers(1, 2), st.sampled_from(["SAME", "VALID"]), sizes, seeds,
)  # fmt: skip
def test_conv2d_is_the_kernel_and_a_bias(
    shape: tuple[int, ...], kernel: int, stride: int, padding: str, filters: int, seed: int
) -> None:
    if padding == "VALID" and kernel > min(shape[1:3]):
        return
    x = numbers(seed, *shape)
    store = scopes.VariableStore()
    with store.as_default():
        found = slim.conv2d(tf.constant(x), filters, kernel, stride, padding, activation_fn=None)
    weights = store.variables_by_name["Conv/weights"]
    same(found, tf.nn.conv2d(x, weights, stride, padding))
    assert weights.shape == (kernel, kernel, shape[3], filters)

"""Random numbers that both TensorFlows agree about, so that two runs of a program can be compared.

What a random op draws then depends on its shape and type alone: the stateless kernels, which give
the same bits in TF 1.15 and TF 2.21, stand in for those with a state, and are seeded by the shape.
Seeds that a program gives count for nothing.
What shuffles keeps the order, queues are filled by one thread, and np.argsort takes the first of equal
values first, so that the order is one.

With a `shake`, drawn and restored floats are changed by up to that fraction, and sums of many float32
numbers are taken in double precision: how far a program's results then move says what rounding does to them.

Keeps to Python 3.7: it also runs under TF 1.15.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

_SEED = (87654321, 12345)
_SHAKE = 31415
# Sums of many numbers, by what their operations are called: in which order a kernel takes them, and how far
# from the sum it comes out by that, differs with each build of TensorFlow.
_SUMS = {
    "ops.gen_nn_ops": {
        "bias_add_grad": "BiasAddGrad", "l2_loss": "L2Loss", "conv2d": "Conv2D",
        "conv2d_backprop_filter": "Conv2DBackpropFilter",
        "conv2d_backprop_input": "Conv2DBackpropInput", "conv3d": "Conv3D",
        "conv3d_backprop_filter_v2": "Conv3DBackpropFilterV2",
        "conv3d_backprop_input_v2": "Conv3DBackpropInputV2",
        "depthwise_conv2d_native": "DepthwiseConv2dNative",
        "depthwise_conv2d_native_backprop_filter": "DepthwiseConv2dNativeBackpropFilter",
        "depthwise_conv2d_native_backprop_input": "DepthwiseConv2dNativeBackpropInput",
    },
    "ops.gen_math_ops": {
        "mat_mul": "MatMul", "batch_mat_mul": "BatchMatMul", "batch_mat_mul_v2": "BatchMatMulV2",
        "_sum": "Sum", "mean": "Mean",
    },
}  # fmt: skip


def install(tf: Any, shake: float = 0.0, shake_seed: int = 0) -> None:
    """Replaces the ops of this process's TensorFlow, which nothing has called yet."""
    _draws(tf, shake, shake_seed)
    _orders(tf)


def _module(name: str) -> Any:
    try:
        return importlib.import_module("tensorflow.python." + name)
    except ImportError:
        return None


def _draws(tf: Any, shake: float, shake_seed: int) -> None:
    stateful, stateless = _module("ops.gen_random_ops"), _module("ops.gen_stateless_random_ops")
    second, restoring = _module("ops.gen_stateless_random_ops_v2"), _module("ops.gen_io_ops")
    uniform = stateless.stateless_random_uniform
    integers = stateless.stateless_random_uniform_int
    categories = stateless.stateless_multinomial


    def seeded(shape: Any, first: int = _SEED[0]) -> Any:
        """A seed for each shape: a tensor that is longer than another does not begin like it."""
        sizes = tf.cast(tf.reshape(tf.convert_to_tensor(shape), [-1]), tf.int64)
        place = tf.range(1, tf.size(sizes, out_type=tf.int64) + 1, dtype=tf.int64)
        return tf.stack([tf.constant(first, tf.int64), tf.reduce_sum(sizes * place * 7919)])

    def shaken(value: Any) -> Any:
        if not shake or not value.dtype.is_floating:
            return value
        shape = tf.shape(value)
        noise = uniform(shape, seeded(shape, _SHAKE + shake_seed), dtype=value.dtype)
        return value * (1 + shake * (2 * noise - 1))

    def floats(kernel: Callable[..., Any]) -> Callable[..., Any]:
        def draw(shape: Any, dtype: Any, seed: int = 0, seed2: int = 0, name: Any = None) -> Any:
            return shaken(kernel(shape, seeded(shape), dtype=dtype, name=name))

        return draw

    def floats_v2(kernel: Callable[..., Any]) -> Callable[..., Any]:
        def draw(
            shape: Any, key: Any, counter: Any, alg: Any, dtype: Any = tf.float32, name: Any = None
        ) -> Any:
            return shaken(kernel(shape, seeded(shape), dtype=dtype, name=name))

        return draw

    def whole(
        shape: Any, minval: Any, maxval: Any, seed: int = 0, seed2: int = 0, name: Any = None
    ) -> Any:
        return integers(shape, seeded(shape), minval=minval, maxval=maxval, name=name)

    def whole_v2(
        shape: Any, key: Any, counter: Any, alg: Any, minval: Any, maxval: Any, name: Any = None
    ) -> Any:
        return integers(shape, seeded(shape), minval=minval, maxval=maxval, name=name)

    def choices(
        logits: Any, num_samples: Any, seed: int = 0, seed2: int = 0, output_dtype: Any = tf.int64,
        name: Any = None,
    ) -> Any:  # fmt: skip
        return categories(logits, num_samples, _SEED, output_dtype=output_dtype, name=name)

    for old, new, kernel in (
        ("random_uniform", "uniform", uniform),
        ("random_standard_normal", "normal", stateless.stateless_random_normal),
        ("truncated_normal", "truncated", stateless.stateless_truncated_normal),
    ):
        setattr(stateful, old, floats(kernel))
        named = {"uniform": "stateless_random_uniform_v2", "normal": "stateless_random_normal_v2",
                 "truncated": "stateless_truncated_normal_v2"}[new]  # fmt: skip
        if second is not None and hasattr(second, named):
            setattr(second, named, floats_v2(kernel))
    stateful.random_uniform_int = whole
    stateful.multinomial = choices
    if second is not None:
        second.stateless_random_uniform_int_v2 = whole_v2
    for kept in ("random_gamma", "random_poisson_v2", "parameterized_truncated_normal"):
        setattr(stateful, kept, _one_seed(getattr(stateful, kept)))
    sampling = _module("ops.gen_candidate_sampling_ops")
    for kept in [n for n in dir(sampling) if n.endswith("_candidate_sampler")]:
        kernel = _one_seed(getattr(sampling, kept))
        weights = _WEIGHTS.get(kept.partition("_candidate")[0])
        drawn = kernel if weights is None else _candidates(tf, kernel, weights, lambda shape: uniform(
            shape, seeded(shape), dtype=tf.float32))  # fmt: skip
        setattr(sampling, kept, drawn)
    if shake:
        restore = restoring.restore_v2
        restoring.restore_v2 = lambda *args, **kwargs: [
            shaken(v) for v in restore(*args, **kwargs)
        ]
        _sums_in_double(tf)
        _batch_norms_in_double(tf)


def _sums_in_double(tf: Any) -> None:
    """Sums of float32 numbers are taken in float64, and rounded once, under the name that they had."""
    numbers = _module("ops.gen_math_ops")

    def narrow(value: Any) -> bool:
        dtype = getattr(value, "dtype", None)
        return dtype is not None and tf.as_dtype(dtype).base_dtype == tf.float32

    def exactly(kernel: Callable[..., Any], default: str) -> Callable[..., Any]:
        def summed(*args: Any, **kwargs: Any) -> Any:
            name = kwargs.pop("name", None)
            given = [*args, *kwargs.values()]
            if not any(map(narrow, given)):
                return kernel(*args, name=name, **kwargs)
            with tf.name_scope("in_double/"):
                wide = [tf.cast(v, tf.float64) if narrow(v) else v for v in given]
                value = kernel(*wide[: len(args)], **dict(zip(kwargs, wide[len(args) :])))  # noqa: B905
            return numbers.cast(value, tf.float32, name=name or default)

        return summed

    for module, kernels in _SUMS.items():
        place, importing = _module(module), [_module("ops.nn_ops"), _module("ops.math_ops")]
        for kernel, default in kernels.items():
            old = getattr(place, kernel, None)
            if old is not None:
                new = exactly(old, default)
                for holder in (place, *importing):
                    if vars(holder).get(kernel) is old:
                        setattr(holder, kernel, new)


def _batch_norms_in_double(tf: Any) -> None:
    """Means and variances of batches are taken in float64 where a kernel takes them together with the rest,
    of which there is none for float64: float32 alone is off by 1e-5 in it."""
    place, numbers = _module("ops.gen_nn_ops"), _module("ops.gen_math_ops")

    def exactly(kernel: Callable[..., Any], default: str, results: int) -> Callable[..., Any]:
        def normed(
            x: Any, scale: Any, offset: Any, mean: Any, variance: Any, epsilon: float = 1e-4,
            **given: Any,
        ) -> Any:  # fmt: skip
            plain = {"data_format": "NHWC", "is_training": True, "exponential_avg_factor": 1.0}
            other = any(given.get(k, v) != v for k, v in plain.items())
            if other or x.dtype != tf.float32 or x.shape.ndims is None:
                return kernel(x, scale, offset, mean, variance, epsilon=epsilon, **given)
            with tf.name_scope("in_double/"):
                wide = tf.cast(x, tf.float64)
                axes = list(range(len(wide.shape) - 1))
                center = tf.reduce_mean(wide, axes)
                spread = tf.reduce_mean(tf.square(wide - center), axes)
                slope = tf.cast(scale, tf.float64) / tf.sqrt(spread + epsilon)
                value = (wide - center) * slope + tf.cast(offset, tf.float64)
                count = tf.cast(tf.size(x) / tf.shape(x)[-1], tf.float64)
                parts = [center, spread * count / tf.maximum(count - 1, 1)]
                parts = [tf.cast(v, tf.float32) for v in parts]
            value = numbers.cast(value, tf.float32, name=given.get("name") or default)
            return (value, *parts, *[parts[0]] * (results - 3))

        return normed

    for kernel, default, results in (
        ("fused_batch_norm", "FusedBatchNorm", 5), ("fused_batch_norm_v2", "FusedBatchNormV2", 5),
        ("fused_batch_norm_v3", "FusedBatchNormV3", 6),
    ):  # fmt: skip
        if hasattr(place, kernel):
            setattr(place, kernel, exactly(getattr(place, kernel), default, results))


def _one_seed(op: Callable[..., Any]) -> Callable[..., Any]:
    """An op that keeps its state, beginning with the same seed in every place that it is in."""

    def draw(*args: Any, **kwargs: Any) -> Any:
        kwargs.update(seed=_SEED[0], seed2=_SEED[1])
        return op(*args, **kwargs)

    return draw


def _candidates(
    tf: Any, kernel: Callable[..., Any], weights: Callable[..., Any], uniform: Callable[..., Any]
) -> Callable[..., Any]:
    """A candidate sampler without a state, which gives the same classes whenever it runs: a graph of TF 1
    has one kernel for all its runs, functions that were made of it have one each."""

    def sampler(
        true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, **options: Any
    ) -> Any:
        if options.get("vocab_file") or options.get("num_shards", 1) > 1:
            return kernel(true_classes, num_true, num_sampled, unique, range_max, **options)
        given = np.asarray(weights(range_max, **options), np.float64)
        shares = given / given.sum()
        if unique:  # those whose arrival comes first, where each class arrives at its rate
            rates = np.maximum(shares, 1e-30).astype(np.float32)
            arrived = tf.math.log(uniform([len(shares)])) / rates
            sampled = tf.math.top_k(arrived, num_sampled).indices
            expected = -np.expm1(num_sampled * np.log1p(-np.minimum(shares, 1 - 1e-7)))
        else:
            borders = np.cumsum(shares)[:-1].astype(np.float32)
            sampled = tf.searchsorted(tf.constant(borders), uniform([num_sampled]), side="right")
            expected = shares * num_sampled
        classes, counts = tf.cast(sampled, tf.int64), tf.constant(expected.astype(np.float32))
        return _Sampled(classes, tf.gather(counts, true_classes), tf.gather(counts, classes))

    return sampler


def _fixed_unigram(
    size: int, distortion: float = 1.0, num_reserved_ids: int = 0, unigrams: Any = (), **others: Any
) -> Any:
    counts = np.asarray(unigrams, np.float64) ** distortion
    return np.concatenate([np.zeros(num_reserved_ids), counts])[:size]


class _Sampled(NamedTuple):
    sampled_candidates: Any
    true_expected_count: Any
    sampled_expected_count: Any


# Candidate samplers -> how likely each class is.
_WEIGHTS = {
    "uniform": lambda size, **options: np.ones(size),
    "log_uniform": lambda size, **options: np.log1p(1 / (1.0 + np.arange(size))),
    "fixed_unigram": _fixed_unigram,
}


def _orders(tf: Any) -> None:
    """What shuffles keeps the order, and what sorts that of equal values."""
    sort = np.argsort

    def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, **more: Any) -> Any:
        return sort(a, axis, "stable" if kind is None else kind, order, **more)

    np.argsort = argsort
    drawing, array, data = (
        _module("ops.gen_random_ops"), _module("ops.array_ops"), _module("data.ops.dataset_ops")
    )  # fmt: skip
    drawing.random_shuffle = lambda value, seed=0, seed2=0, name=None: array.identity(value, name)
    for kind in (data.DatasetV2, getattr(data, "DatasetV1", None)):
        if kind is not None and "shuffle" in vars(kind):
            kind.shuffle = lambda self, *args, **kwargs: self
    shuffled = _module("data.experimental.ops.shuffle_ops")
    if shuffled is not None:

        def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Any:
            return lambda dataset: dataset.repeat(count)

        _replace(tf, shuffled, "shuffle_and_repeat", shuffle_and_repeat)
    _queues(tf)


def _queues(tf: Any) -> None:
    queues, reading = _module("ops.data_flow_ops"), _module("training.input")

    class RandomShuffleQueue(queues.FIFOQueue):  # type: ignore[misc, name-defined]
        """A queue that hands out what it got in that order."""

        def __init__(
            self, capacity: Any, min_after_dequeue: Any, dtypes: Any, shapes: Any = None,
            names: Any = None, seed: Any = None, shared_name: Any = None,
            name: str = "random_shuffle_queue",
        ) -> None:  # fmt: skip
            super().__init__(capacity, dtypes, shapes, names, shared_name, name)

    _replace(tf, queues, "RandomShuffleQueue", RandomShuffleQueue)
    raw = getattr(tf, "raw_ops", None)
    if raw is not None:

        def in_order(min_after_dequeue: int = 0, seed: int = 0, seed2: int = 0, **given: Any) -> Any:
            return raw.FIFOQueueV2(**given)

        raw.RandomShuffleQueueV2 = in_order
    if reading is None:
        return
    enqueue = reading._enqueue

    def one_thread(queue: Any, tensors: Any, threads: int, *args: Any, **kwargs: Any) -> Any:
        return enqueue(queue, tensors, 1, *args, **kwargs)

    reading._enqueue = one_thread


def begin_at_the_first(feeding: Any) -> None:
    """What TF 1's estimators are fed from arrays begins at the first row, not at one that is drawn with
    a generator of the program's, which it seeds anew."""
    for kind in [k for n, k in vars(feeding).items() if n.endswith("FeedFn")]:
        kind.__init__ = _unseeded(kind.__init__)


def _unseeded(make: Callable[..., None]) -> Callable[..., None]:
    def begin(self: Any, *args: Any, **kwargs: Any) -> None:
        state = random.getstate()
        kwargs["random_start"] = False
        make(self, *args, **kwargs)
        random.setstate(state)

    return begin


def _replace(tf: Any, module: Any, name: str, new: Any) -> None:
    """Puts `new` in the place of a public symbol, wherever TensorFlow's API shows it."""
    old = getattr(module, name)
    setattr(module, name, new)
    v1 = getattr(getattr(tf, "compat", None), "v1", None)
    for top in (tf, v1):
        for place in (top, *(getattr(top, n, None) for n in ("queue", "data", "io"))):
            for holder in (place, getattr(place, "experimental", None)):
                # not getattr: TF 1.15 warns of each old name that is read
                if holder is not None and vars(holder).get(name) is old:
                    setattr(holder, name, new)

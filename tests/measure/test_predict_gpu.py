"""Predicting for a card that is not here: its layout of tensors, and what its convolutions take."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from migrator.measure.predict import gpu_kernels
from migrator.measure.predict.gpu_kernels import Scratch
from tests import forks

ROOT = Path(__file__).resolve().parents[2]


class _Shape(list):  # type: ignore[type-arg]
    rank = 4

    def is_fully_defined(self) -> bool:
        return None not in self

    def as_list(self) -> list[Any]:
        return list(self)


def tensor(*dims: int | None, size: int = 4) -> Any:
    return SimpleNamespace(shape=_Shape(dims), dtype=SimpleNamespace(size=size))


def convolution(
    kind: str, image: Any, weights: Any, output: Any, layout: str = "NCHW", stride: int = 1
) -> Any:
    """An op as TensorFlow shows it: `image` and `output` are x and y or their gradients."""
    strides = [1, 1, stride, stride] if layout == "NCHW" else [1, stride, stride, 1]
    attributes = {
        "data_format": layout.encode(), "padding": b"SAME", "strides": strides, "dilations": [1] * 4,
    }  # fmt: skip
    inputs, outputs = {
        "Conv2D": ([image, weights], [output]),
        "Conv2DBackpropInput": ([None, weights, output], [image]),
        "Conv2DBackpropFilter": ([image, None, output], [weights]),
    }[kind]
    return SimpleNamespace(type=kind, inputs=inputs, outputs=outputs, get_attr=attributes.__getitem__)


def images(batch: int, channels: int, side: int) -> Any:
    return tensor(batch, channels, side, side)


@pytest.mark.parametrize(
    ("op", "measured"),
    [  # traced on an H100: tiny YOLO's and the small image's last layers, the SSD's extra layer and predictor
        (convolution("Conv2DBackpropInput", images(16, 304, 8), tensor(3, 3, 304, 304), images(16, 304, 8)),
         10389651),
        (convolution("Conv2DBackpropInput", images(32, 304, 8), tensor(3, 3, 304, 304), images(32, 304, 8)),
         14125072),
        (convolution("Conv2DBackpropInput", images(16, 256, 13), tensor(3, 3, 256, 512), images(16, 512, 13)),
         20512915),
        (convolution("Conv2DBackpropInput", images(32, 256, 13), tensor(3, 3, 256, 512), images(32, 512, 13)),
         31588368),
        (convolution("Conv2DBackpropInput", images(32, 512, 19), tensor(1, 1, 512, 273), images(32, 273, 19)),
         24217600),
        (convolution("Conv2D", images(1, 256, 10), tensor(3, 3, 256, 512), images(1, 512, 5), stride=2),
         9685008),
    ],
)  # fmt: skip
def test_what_was_measured_is_what_is_likely(op: Any, measured: int) -> None:
    told = gpu_kernels.scratch(op)
    assert abs(told.likely - measured) <= 300
    assert told.least <= told.likely <= told.most


def test_a_filters_gradient_is_bounded() -> None:
    """cuDNN split the sum over images and places: 9 parts at one image, 33 at 32."""
    for batch, parts in ((1, 9), (32, 33)):
        op = convolution(
            "Conv2DBackpropFilter", images(batch, 512, 5), tensor(1, 1, 512, 546), images(batch, 546, 5)
        )
        told = gpu_kernels.scratch(op)
        weights = 512 * 546 * 4
        assert told.least == told.likely == weights and told.most >= parts * weights


def test_what_the_graph_does_not_tell_counts_as_nothing() -> None:
    op = convolution("Conv2D", tensor(None, 8, 4, 4), tensor(3, 3, 8, 8), tensor(None, 8, 4, 4))
    assert gpu_kernels.scratch(op) == Scratch()
    assert gpu_kernels.scratch(SimpleNamespace(type="Relu")) == Scratch()


def test_halves_keep_their_channels_last() -> None:
    op = convolution(
        "Conv2DBackpropInput", tensor(2, 8, 8, 16, size=2), tensor(3, 3, 16, 16, size=2),
        tensor(2, 8, 8, 16, size=2), "NHWC",
    )  # fmt: skip
    told = gpu_kernels.scratch(op)
    assert told.least == told.likely == 2 * 8 * 8 * 16 * 2 < told.most


PROGRAM = """
import json
import tensorflow as tf
from migrator.measure.predict import graph, runs
weights = tf.Variable(tf.ones([3, 3, 8, 8]))

@tf.function(autograph=False)
def step(x):
    with tf.GradientTape() as tape:
        y = tf.nn.relu(tf.nn.conv2d(x, weights, 1, "SAME"))
        loss = tf.reduce_mean(tf.nn.conv2d(y, weights, 1, "SAME"))
    gradient = tape.gradient(loss, weights)
    weights.assign_sub(gradient)
    return loss

made = step.get_concrete_function(tf.TensorSpec([4, 32, 32, 8]))
out = {}
for kernels in ("eigen", "gpu"):
    program = graph.program(made.graph, made.outputs, kernels)
    out[kernels] = {
        "turned": sum("LayoutOptimizer" in n.name for n in program.nodes),
        "bounds": [n.bounds for n in program.nodes if n.bounds and n.bounds[1]],
    }
found = runs.of(made, "gpu", "gpu", runs.Before(0, grows=True))
out["interval"] = [found.interval[0], found.likely.bytes, found.interval[1]]
out["allocator"] = [found.allocator, runs.of(made, "gpu", "gpu", runs.Before(0)).allocator]
print(json.dumps(out))
"""


def test_the_graph_is_optimised_for_a_card_that_is_not_here() -> None:
    pytest.importorskip("tensorflow")
    ran = forks.run_tensorflow(["-c", PROGRAM])
    assert ran.returncode == 0, ran.stderr[-3000:]
    told = json.loads(ran.stdout.splitlines()[-1])
    # its convolutions want the channels first: the image is turned round, and so is what follows from it
    assert told["gpu"]["turned"] and not told["eigen"]["turned"]
    assert len(told["gpu"]["bounds"]) >= 4 and not told["eigen"]["bounds"]
    low, likely, high = told["interval"]
    assert 0 < low < likely < high
    assert all(have >= likely for have in told["allocator"])

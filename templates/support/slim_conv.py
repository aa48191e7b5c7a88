"""slim's convolutions and fully connected layer: TF1 variable names, ops and defaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from . import slim_utils as utils
from .arg_scope import add_arg_scope
from .convolutions import convolve, convolve_transposed
from .initializers import XAVIER, ZEROS
from .scopes import add_to_collections, of_layer, variable_scope
from .slim_variables import model_variable
from .store import VariableScope, layer_dtypes

# What the layers of tf.layers call them that slim has make its variables.
_OF_LAYERS = {
    "weights": "kernel", "biases": "bias", "depthwise_weights": "depthwise_kernel",
    "pointwise_weights": "pointwise_kernel",
}  # fmt: skip


class _Weights:
    """Makes the weights of one layer in the layer's precision; puts them into collections."""

    def __init__(
        self, inputs: Any, collections: Any, trainable: bool, layered: bool = True
    ) -> None:
        self.layered = layered  # whether slim had a layer of tf.layers make them
        inputs = tf.convert_to_tensor(inputs)
        self.compute_dtype, self.variable_dtype = layer_dtypes(inputs)
        self.inputs = tf.cast(inputs, self.compute_dtype)
        self.collections, self.trainable = collections, trainable

    def make(
        self, name: str, shape: Any, initializer: Any, regularizer: Any, label: str
    ) -> tf.Tensor:
        weights = model_variable(
            name,
            shape=shape,
            dtype=self.variable_dtype,
            initializer=initializer,
            regularizer=of_layer(regularizer, _OF_LAYERS[name]) if self.layered else regularizer,
            trainable=self.trainable,
        )
        add_to_collections(utils.get_variable_collections(self.collections, label), weights)
        return tf.cast(weights, self.compute_dtype)


def _finished(
    outputs: tf.Tensor,
    scope: VariableScope,
    normalizer_fn: Any,
    normalizer_params: Any,
    activation_fn: Any,
    outputs_collections: Any,
) -> tf.Tensor:
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    if normalizer_fn is None and activation_fn is None:
        # A linear head: logits and box codes leave a mixed precision network as float32.
        compute_dtype, variable_dtype = layer_dtypes(outputs)
        if compute_dtype != variable_dtype:
            outputs = tf.cast(outputs, variable_dtype)
    return utils.collect_named_outputs(outputs_collections, scope.name, outputs)


def _with_biases(
    outputs: tf.Tensor,
    weights: _Weights,
    initializer: Any,
    regularizer: Any,
    normalizer_fn: Any,
    channels_first: bool = False,
) -> tf.Tensor:
    """Adds biases unless the layer is normalized (a normalizer has its own offset)."""
    if normalizer_fn or initializer is None:
        return outputs
    size = outputs.shape[1 if channels_first else -1]
    biases = weights.make("biases", [size], initializer, regularizer, "biases")
    if not channels_first:
        return tf.nn.bias_add(outputs, biases)
    return outputs + tf.reshape(biases, [-1] + [1] * (outputs.shape.rank - 2))


def _channels_first(data_format: str | None, allowed: tuple[str | None, ...]) -> bool:
    if data_format not in allowed:
        raise ValueError(f"Invalid data_format: {data_format!r}; it has to be one of {allowed}")
    return bool(data_format and data_format.startswith("NC"))


@add_arg_scope
def convolution(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
    activation_fn: Callable[..., Any] | None = tf.nn.relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    conv_dims: int | None = None,
) -> tf.Tensor:
    """A convolution over 1, 2 or 3 spatial dimensions with the variables `weights`, `biases`.

    `rate` > 1 dilates; ValueError if `stride` > 1 as well. `conv_dims`, if given, is checked.
    """
    first = _channels_first(data_format, (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW"))
    with variable_scope(scope, "Conv", [inputs], reuse=reuse) as sc:
        weights = _Weights(inputs, variables_collections, trainable)
        rank = weights.inputs.shape.rank
        if rank not in (3, 4, 5) or (conv_dims is not None and conv_dims + 2 != rank):
            wanted = f"rank {conv_dims + 2}" if conv_dims is not None else "rank 3, 4 or 5"
            raise ValueError(f"Convolution expects input with {wanted}, got {rank}")
        dims = rank - 2
        strides = utils.n_positive_integers(dims, stride)
        rates = utils.n_positive_integers(dims, rate)
        if max(strides) > 1 and max(rates) > 1:
            raise ValueError("`stride` > 1 not supported in conjunction with `rate` > 1")
        channels = weights.inputs.shape[1 if first else -1]
        if channels is None:
            raise ValueError("The channel dimension of the inputs should be defined, found None.")
        shape = [*utils.n_positive_integers(dims, kernel_size), channels, num_outputs]
        kernel = weights.make("weights", shape, weights_initializer, weights_regularizer, "weights")
        outputs = convolve(weights.inputs, kernel, strides, padding.upper(), first, rates)
        outputs = _with_biases(
            outputs, weights, biases_initializer, biases_regularizer, normalizer_fn, first
        )
        return _finished(
            outputs, sc, normalizer_fn, normalizer_params, activation_fn, outputs_collections
        )


@add_arg_scope
def convolution1d(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
    activation_fn: Callable[..., Any] | None = tf.nn.relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tf.Tensor:
    """`convolution` of [batch, width, channels]."""
    return convolution(**locals(), conv_dims=1)


@add_arg_scope
def convolution2d(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
    activation_fn: Callable[..., Any] | None = tf.nn.relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tf.Tensor:
    """`convolution` of [batch, height, width, channels] (or NCHW)."""
    return convolution(**locals(), conv_dims=2)


@add_arg_scope
def convolution3d(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
    activation_fn: Callable[..., Any] | None = tf.nn.relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tf.Tensor:
    """`convolution` of [batch, depth, height, width, channels] (or NCDHW)."""
    return convolution(**locals(), conv_dims=3)


@add_arg_scope
def convolution2d_transpose(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    activation_fn: Callable[..., Any] | None = tf.nn.relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tf.Tensor:
    """A transposed convolution: size * stride (SAME), plus max(kernel - stride, 0) (VALID)."""
    with variable_scope(scope, "Conv2d_transpose", [inputs], reuse=reuse) as sc:
        first = _channels_first(data_format, ("NHWC", "NCHW"))
        weights = _Weights(inputs, variables_collections, trainable)
        size, step = utils.two_element_tuple(kernel_size), utils.two_element_tuple(stride)
        channels = weights.inputs.shape[1 if first else 3]
        kernel = weights.make(
            "weights",
            [*size, num_outputs, channels],
            weights_initializer,
            weights_regularizer,
            "weights",
        )
        outputs = convolve_transposed(weights.inputs, kernel, step, padding.upper(), first)
        outputs = _with_biases(
            outputs, weights, biases_initializer, biases_regularizer, normalizer_fn, first
        )
        return _finished(
            outputs, sc, normalizer_fn, normalizer_params, activation_fn, outputs_collections
        )


@add_arg_scope
def separable_convolution2d(
    inputs: Any,
    num_outputs: int | None,
    kernel_size: Any,
    depth_multiplier: int = 1,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    rate: Any = 1,
    activation_fn: Callable[..., Any] | None = tf.nn.relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Any = XAVIER,
    pointwise_initializer: Any = None,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tf.Tensor:
    """A depthwise convolution, followed by a 1x1 convolution unless `num_outputs` is None."""
    first = _channels_first(data_format, ("NHWC", "NCHW"))
    with variable_scope(scope, "SeparableConv2d", [inputs], reuse=reuse) as sc:
        weights = _Weights(inputs, variables_collections, trainable, num_outputs is not None)
        channels = utils.channel_dimension(
            weights.inputs.shape, "channels_first" if first else "channels_last", min_rank=4
        )
        steps = utils.two_element_tuple(stride)
        native: dict[str, Any] = {
            "strides": [1, 1, *steps] if first else [1, *steps, 1],
            "padding": padding.upper(),
            "data_format": data_format,
            "dilations": utils.two_element_tuple(rate),
        }
        depthwise = weights.make(
            "depthwise_weights",
            [*utils.two_element_tuple(kernel_size), channels, depth_multiplier],
            weights_initializer,
            weights_regularizer,
            "weights",
        )
        if num_outputs is None:
            outputs = tf.nn.depthwise_conv2d(weights.inputs, depthwise, **native)
        else:
            pointwise = weights.make(
                "pointwise_weights",
                [1, 1, depth_multiplier * channels, num_outputs],
                pointwise_initializer or weights_initializer,
                weights_regularizer,
                "weights",
            )
            outputs = tf.nn.separable_conv2d(weights.inputs, depthwise, pointwise, **native)
        outputs = _with_biases(
            outputs, weights, biases_initializer, biases_regularizer, normalizer_fn, first
        )
        return _finished(
            outputs, sc, normalizer_fn, normalizer_params, activation_fn, outputs_collections
        )


@add_arg_scope
def convolution2d_in_plane(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    activation_fn: Callable[..., Any] | None = tf.nn.relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tf.Tensor:
    """The same single-channel kernel applied to every channel."""
    with variable_scope(scope, "ConvInPlane", [inputs], reuse=reuse) as sc:
        weights = _Weights(inputs, variables_collections, trainable)
        channels = utils.last_dimension(weights.inputs.shape, min_rank=4)
        kernel = weights.make(
            "weights",
            [*utils.two_element_tuple(kernel_size), 1, 1],
            weights_initializer,
            weights_regularizer,
            "weights",
        )
        outputs = tf.nn.depthwise_conv2d(
            weights.inputs,
            tf.tile(kernel, [1, 1, channels, 1]),
            [1, *utils.two_element_tuple(stride), 1],
            padding.upper(),
        )
        outputs = _with_biases(
            outputs, weights, biases_initializer, biases_regularizer, normalizer_fn
        )
        return _finished(
            outputs, sc, normalizer_fn, normalizer_params, activation_fn, outputs_collections
        )


@add_arg_scope
def fully_connected(
    inputs: Any,
    num_outputs: int,
    activation_fn: Callable[..., Any] | None = tf.nn.relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tf.Tensor:
    """A dense layer over the last dimension of [batch, ..., features]."""
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs should be an int, got {num_outputs!r}.")
    with variable_scope(scope, "fully_connected", [inputs], reuse=reuse) as sc:
        weights = _Weights(inputs, variables_collections, trainable)
        features = utils.last_dimension(weights.inputs.shape, min_rank=2)
        kernel = weights.make(
            "weights",
            [features, num_outputs],
            weights_initializer,
            weights_regularizer,
            "weights",
        )
        if weights.inputs.shape.rank == 2:
            outputs = tf.matmul(weights.inputs, kernel)
        else:
            outputs = tf.tensordot(weights.inputs, kernel, 1)
        outputs = _with_biases(
            outputs, weights, biases_initializer, biases_regularizer, normalizer_fn
        )
        return _finished(
            outputs, sc, normalizer_fn, normalizer_params, activation_fn, outputs_collections
        )


conv1d = convolution1d
conv2d = convolution2d
conv3d = convolution3d
conv2d_transpose = convolution2d_transpose
conv2d_in_plane = convolution2d_in_plane
separable_conv2d = separable_convolution2d

"""slim's layers without weights of a kernel: pooling, dropout, shaping, repetition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from . import slim_utils as utils
from .arg_scope import add_arg_scope
from .initializers import ZEROS, constant_initializer, ones_initializer
from .scopes import add_to_collections, get_variable, name_scope, variable_scope
from .slim_variables import model_variable
from .store import GraphKeys, layer_dtypes


def _pooled(
    op: Callable[..., tf.Tensor],
    default_name: str,
    inputs: Any,
    kernel_size: Any,
    stride: Any,
    padding: str,
    data_format: str,
    outputs_collections: Any,
    scope: str | None,
) -> tf.Tensor:
    with name_scope(scope, default_name, [inputs]) as path:
        inputs = tf.convert_to_tensor(inputs)
        dims = inputs.shape.rank - 2
        size = utils.n_positive_integers(dims, kernel_size)
        steps = utils.n_positive_integers(dims, stride)
        named = {"name": default_name[:-2]} if dims == 2 else {}  # as TF 1 calls the operation
        outputs = op(inputs, size, steps, padding.upper(), data_format=data_format, **named)
        return utils.collect_named_outputs(outputs_collections, path, outputs)


def _checked_format(data_format: str, allowed: tuple[str, str]) -> str:
    if data_format not in allowed:
        raise ValueError(f"data_format has to be either {allowed[0]} or {allowed[1]}.")
    return data_format


@add_arg_scope
def max_pool2d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> tf.Tensor:
    """The largest value in each window of [batch, height, width, channels]."""
    data_format = _checked_format(data_format, ("NCHW", "NHWC"))
    return _pooled(
        tf.nn.max_pool2d,
        "MaxPool2D",
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def avg_pool2d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> tf.Tensor:
    """The mean of each window of [batch, height, width, channels], padding left out."""
    data_format = _checked_format(data_format, ("NCHW", "NHWC"))
    return _pooled(
        tf.nn.avg_pool2d,
        "AvgPool2D",
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def max_pool3d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NDHWC",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> tf.Tensor:
    """`max_pool2d` with a depth dimension."""
    data_format = _checked_format(data_format, ("NCDHW", "NDHWC"))
    return _pooled(
        tf.nn.max_pool3d,
        "MaxPool3D",
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def avg_pool3d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NDHWC",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> tf.Tensor:
    """`avg_pool2d` with a depth dimension."""
    data_format = _checked_format(data_format, ("NCDHW", "NDHWC"))
    return _pooled(
        tf.nn.avg_pool3d,
        "AvgPool3D",
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def pool(
    inputs: Any,
    kernel_size: Any,
    pooling_type: str,
    padding: str = "VALID",
    data_format: str | None = None,
    dilation_rate: Any = 1,
    stride: Any = 1,
    outputs_collections: Any = None,
    scope: str | None = None,
) -> tf.Tensor:
    """Pooling ("MAX" or "AVG") over any number of spatial dimensions, dilated if wanted."""
    with name_scope(scope, f"{pooling_type.lower()}_pool", [inputs]) as path:
        inputs = tf.convert_to_tensor(inputs)
        if inputs.shape.rank is None or inputs.shape.rank < 3:
            raise ValueError("Rank of inputs must be known and >= 3")
        dims = inputs.shape.rank - 2
        outputs = tf.nn.pool(
            inputs,
            utils.n_positive_integers(dims, kernel_size),
            pooling_type,
            strides=utils.n_positive_integers(dims, stride),
            padding=padding.upper(),
            data_format=data_format,
            dilations=utils.n_positive_integers(dims, dilation_rate),
            name=path,
        )
        return utils.collect_named_outputs(outputs_collections, path, outputs)


@add_arg_scope
def dropout(
    inputs: Any,
    keep_prob: Any = 0.5,
    noise_shape: Any = None,
    is_training: Any = True,
    outputs_collections: Any = None,
    scope: Any = None,
    seed: int | None = None,
) -> tf.Tensor:
    """Keeps each value with `keep_prob` and scales it by 1 / keep_prob, while training."""
    with variable_scope(scope, "Dropout", [inputs]) as sc:
        inputs = tf.convert_to_tensor(inputs)
        outputs = utils.smart_cond(
            is_training,
            lambda: tf.nn.dropout(inputs, 1 - keep_prob, noise_shape, seed),
            lambda: tf.identity(inputs),
        )
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: str | None = None) -> tf.Tensor:
    """[batch, ...] to [batch, features]."""
    with name_scope(scope, "Flatten", [inputs]) as path:
        inputs = tf.convert_to_tensor(inputs)
        sizes = inputs.shape[1:]
        features = sizes.num_elements() if sizes.is_fully_defined() else None
        batch = inputs.shape[0]
        with tf.name_scope("flatten"):
            if features is not None:
                outputs = tf.reshape(inputs, [-1 if batch is None else batch, features])
            else:
                outputs = tf.reshape(inputs, [tf.shape(inputs)[0], -1])
                outputs.set_shape([batch, None])
        return utils.collect_named_outputs(outputs_collections, path, outputs)


@add_arg_scope
def one_hot_encoding(
    labels: Any,
    num_classes: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    outputs_collections: Any = None,
    scope: str | None = None,
) -> tf.Tensor:
    """[batch] class numbers to [batch, num_classes]."""
    with name_scope(scope, "OneHotEncoding", [labels, num_classes]) as path:
        labels = tf.convert_to_tensor(labels)
        outputs = tf.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return utils.collect_named_outputs(outputs_collections, path, outputs)


@add_arg_scope
def bias_add(
    inputs: Any,
    activation_fn: Callable[..., Any] | None = None,
    initializer: Any = ZEROS,
    regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> tf.Tensor:
    """Adds a variable `biases` along the channels."""
    data_format = _checked_format(data_format, ("NCHW", "NHWC"))
    with variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as sc:
        inputs = tf.convert_to_tensor(inputs)
        compute_dtype, variable_dtype = layer_dtypes(inputs)
        axis = 1 if data_format == "NCHW" else inputs.shape.rank - 1
        biases = model_variable(
            "biases",
            shape=[inputs.shape[axis]],
            dtype=variable_dtype,
            initializer=initializer,
            regularizer=regularizer,
            collections=utils.get_variable_collections(variables_collections, "biases"),
            trainable=trainable,
        )
        wide = [-1 if a == axis else 1 for a in range(inputs.shape.rank)]
        outputs = tf.cast(inputs, compute_dtype) + tf.reshape(tf.cast(biases, compute_dtype), wide)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def repeat(
    inputs: Any, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """`layer` applied `repetitions` times, in scopes NAME/LAYER_1, NAME/LAYER_2, …"""
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Repeat", [inputs]):
        outputs = tf.convert_to_tensor(inputs)
        label = _layer_label(layer, "repeat") if scope is None else scope
        for i in range(repetitions):
            outputs = layer(outputs, *args, **{**kwargs, "scope": f"{label}_{i + 1}"})
        return outputs


@add_arg_scope
def stack(inputs: Any, layer: Callable[..., Any], stack_args: Any, **kwargs: Any) -> Any:
    """`layer` applied once for each element of `stack_args` (its further arguments)."""
    scope = kwargs.pop("scope", None)
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError("stack_args need to be a list or tuple")
    with variable_scope(scope, "Stack", [inputs]):
        outputs = tf.convert_to_tensor(inputs)
        label = _layer_label(layer, "stack") if scope is None else scope
        for i, arguments in enumerate(stack_args):
            arguments = arguments if isinstance(arguments, (list, tuple)) else [arguments]
            outputs = layer(outputs, *arguments, **{**kwargs, "scope": f"{label}_{i + 1}"})
        return outputs


def _layer_label(layer: Any, default: str) -> str:
    function = getattr(layer, "func", layer)  # of a functools.partial
    return getattr(layer, "__name__", getattr(function, "__name__", default))


@add_arg_scope
def softmax(logits: Any, scope: Any = None) -> tf.Tensor:
    """Softmax over the last dimension."""
    with variable_scope(scope, "softmax", [logits]):
        logits = tf.convert_to_tensor(logits)
        features = utils.last_dimension(logits.shape, min_rank=2)
        # Row by row, as in TF 1: frozen graphs are asked for its "Reshape_1".
        rows = tf.nn.softmax(tf.reshape(logits, [-1, features]))
        outputs = tf.reshape(rows, tf.shape(logits))
        outputs.set_shape(logits.shape)
        return outputs


@add_arg_scope
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: Any = None) -> tf.Tensor:
    """Divides by the length along `dim`, sqrt(epsilon + sum(x ** 2))."""
    with variable_scope(scope, "UnitNorm", [inputs]):
        inputs = tf.convert_to_tensor(inputs)
        if inputs.shape.rank is None:
            raise ValueError("The input rank must be known.")
        if not 0 <= dim < inputs.shape.rank:
            raise ValueError("dim must be positive but smaller than the input rank.")
        return inputs / tf.sqrt(epsilon + tf.reduce_sum(tf.square(inputs), dim, keepdims=True))


@add_arg_scope
def maxout(inputs: Any, num_units: int, axis: int = -1, scope: Any = None) -> tf.Tensor:
    """The largest of each group of features; `num_units` groups take the place of `axis`."""
    with variable_scope(scope, "MaxOut", [inputs]):
        inputs = tf.convert_to_tensor(inputs)
        channels = inputs.shape[axis]
        if channels % num_units:
            raise ValueError(
                f"number of features({channels}) is not a multiple of num_units({num_units})"
            )
        shape = [tf.shape(inputs)[i] if n is None else n for i, n in enumerate(inputs.shape)]
        shape[axis] = num_units
        return tf.reduce_max(tf.reshape(inputs, [*shape, channels // num_units]), -1)


@add_arg_scope
def spatial_softmax(
    features: Any,
    temperature: float | None = None,
    name: Any = None,
    variables_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
) -> tf.Tensor:
    """The expected (x, y) position of each feature map, as [batch, 2 * channels] in [-1, 1]."""
    data_format = _checked_format(data_format, ("NCHW", "NHWC"))
    with variable_scope(name, "spatial_softmax"):
        features = tf.convert_to_tensor(features)
        if data_format == "NHWC":
            features = tf.transpose(features, [0, 3, 1, 2])
        channels = features.shape[1]
        if channels is None:
            raise ValueError("The num_channels dimension of the inputs should be defined.")
        height, width = tf.shape(features)[2], tf.shape(features)[3]
        rows, columns = tf.linspace(-1.0, 1.0, height), tf.linspace(-1.0, 1.0, width)
        pos_x, pos_y = (tf.reshape(p, [-1]) for p in tf.meshgrid(rows, columns, indexing="ij"))
        initializer = (
            ones_initializer() if temperature is None else constant_initializer(temperature)
        )
        scale = model_variable(
            "temperature",
            shape=(),
            dtype=tf.float32,
            initializer=initializer,
            collections=utils.get_variable_collections(variables_collections, "temperature")
            if trainable
            else None,
            trainable=trainable,
        )
        attention = tf.nn.softmax(tf.reshape(features, [-1, height * width]) / scale)
        expected = tf.stack(
            [tf.reduce_sum(pos_x * attention, 1), tf.reduce_sum(pos_y * attention, 1)], 1
        )
        return tf.reshape(expected, [-1, channels * 2])


@add_arg_scope
def embed_sequence(
    ids: Any,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> tf.Tensor:
    """[batch, length] symbol numbers to [batch, length, embed_dim], variable `embeddings`."""
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            f"Must specify vocab size and embedding dimension: {vocab_size}, {embed_dim}"
        )
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        table = get_variable(
            "embeddings",
            shape=[vocab_size, embed_dim] if vocab_size and embed_dim else None,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES],
        )
        return tf.nn.embedding_lookup(table, ids)



def legacy_fully_connected(
    x: Any,
    num_output_units: int,
    activation_fn: Callable[..., Any] | None = None,
    weight_init: Any = None,
    bias_init: Any = ZEROS,
    name: Any = None,
    weight_collections: Any = (GraphKeys.WEIGHTS,),
    bias_collections: Any = (GraphKeys.BIASES,),
    output_collections: Any = (GraphKeys.ACTIVATIONS,),
    trainable: bool = True,
    weight_regularizer: Any = None,
    bias_regularizer: Any = None,
) -> tf.Tensor:
    """The first generation of contrib's dense layer (variables `weights`, `bias`)."""
    with variable_scope(name, "fully_connected", [x]):
        x = tf.convert_to_tensor(x)
        weights = get_variable(
            "weights",
            [utils.last_dimension(x.shape, 2), num_output_units],
            x.dtype,
            weight_init,
            weight_regularizer,
            trainable,
        )
        add_to_collections(weight_collections, weights)
        outputs = tf.tensordot(x, weights, 1)
        if bias_init is not None:
            bias = get_variable(
                "bias", [num_output_units], x.dtype, bias_init, bias_regularizer, trainable
            )
            add_to_collections(bias_collections, bias)
            outputs += bias
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        add_to_collections(output_collections, outputs)
        return outputs

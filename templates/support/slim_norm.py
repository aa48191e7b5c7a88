"""slim's normalization layers, with TF1's fused batch norm statistics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from . import slim_utils as utils
from .arg_scope import add_arg_scope
from .initializers import ones_initializer, zeros_initializer
from .scopes import add_to_collections, get_variable, variable_scope
from .slim_variables import model_variable
from .store import GraphKeys, VariableScope, current_run, layer_dtypes

# Below this cuDNN refuses to work, so TF1 raised the fused kernel's epsilon to it.
_MIN_FUSED_EPSILON = 1.001e-5


@add_arg_scope
def batch_norm(
    inputs: Any,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Callable[..., Any] | None = None,
    param_initializers: dict[str, Any] | None = None,
    param_regularizers: dict[str, Any] | None = None,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    is_training: Any = True,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    batch_weights: Any = None,
    fused: bool | None = None,
    data_format: str = "NHWC",
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_decay: float = 0.99,
    adjustment: Any = None,
) -> tf.Tensor:
    """Batch normalization over all dimensions but the channels.

    In training the moving averages are updated when the collection `updates_collections` is read
    (see `scopes.get_collection`), at the end of a `ScopedModel` call, or at once if it is None.
    `is_training` may be a tensor. As in TF1 the fused form (rank 4, and rank 2 outside the default
    collection) averages the Bessel-corrected variance, the other form the plain one.
    """
    if renorm or adjustment is not None:
        raise ValueError(
            "batch_norm: renorm and adjustment have no counterpart in TF 2; train without them or "
            "use tf.keras.layers.LayerNormalization / GroupNormalization for small batches"
        )
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if rank is None:
        raise ValueError("The rank of the inputs of batch_norm must be known.")
    default_updates = updates_collections == GraphKeys.UPDATE_OPS and not zero_debias_moving_mean
    use_fused = fused is not False and batch_weights is None
    use_fused = use_fused and (rank == 4 or (rank == 2))
    core = batch_weights is None and default_updates and not (use_fused and rank == 2)
    with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse) as sc:
        params = _Parameters(
            inputs, data_format, param_initializers, param_regularizers, variables_collections
        )
        # TF1 made the two in another order in its core layer than in contrib's own.
        for name in ("gamma", "beta") if core else ("beta", "gamma"):
            if center if name == "beta" else scale:
                params.make(name, trainable)
        moving = [params.make("moving_mean", False), params.make("moving_variance", False)]
        outputs, batch = _normalized(
            params, moving, epsilon, is_training, use_fused, batch_weights, data_format
        )
        if batch is not None:
            debias = (zero_debias_moving_mean, False)
            updates = [
                _moving_average_update(m, b, decay, is_training, z)
                for m, b, z in zip(moving, batch, debias, strict=True)
            ]
            if updates_collections is None:
                run = current_run()  # where a graph is built, each update reads after the one before
                done = [run.effect(update) if run.builds else update() for update in updates]
                with tf.control_dependencies(done):
                    outputs = tf.identity(outputs)
            else:
                _defer(sc, updates, updates_collections)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


class _Parameters:
    """Variables of one normalization layer, float32 for inputs of less precision."""

    def __init__(
        self,
        inputs: tf.Tensor,
        data_format: str,
        initializers: dict[str, Any] | None,
        regularizers: dict[str, Any] | None,
        collections: Any,
    ) -> None:
        compute_dtype, variable_dtype = layer_dtypes(inputs)
        self.inputs = tf.cast(inputs, compute_dtype)
        self.dtype = variable_dtype if variable_dtype.size >= 4 else tf.float32
        self.channels = inputs.shape[1 if data_format == "NCHW" else -1]
        if self.channels is None:
            raise ValueError(f"Inputs of shape {inputs.shape} have an undefined `C` dimension.")
        self.initializers, self.regularizers = initializers or {}, regularizers or {}
        self.collections = collections
        self.made: dict[str, tf.Variable] = {}

    def make(self, name: str, trainable: bool) -> tf.Variable:
        ones = name in ("gamma", "moving_variance")
        default = ones_initializer() if ones else zeros_initializer()
        self.made[name] = model_variable(
            name,
            shape=[self.channels],
            dtype=self.dtype,
            initializer=self.initializers.get(name, default),
            regularizer=self.regularizers.get(name),
            trainable=trainable,
        )
        add_to_collections(utils.get_variable_collections(self.collections, name), self.made[name])
        return self.made[name]

    def get(self, name: str) -> tf.Tensor | None:
        return tf.convert_to_tensor(self.made[name]) if name in self.made else None


def _normalized(
    params: _Parameters,
    moving: list[tf.Variable],
    epsilon: float,
    is_training: Any,
    fused: bool,
    batch_weights: Any,
    data_format: str,
) -> tuple[tf.Tensor, list[tf.Tensor] | None]:
    """(normalized inputs, [mean, variance] of the batch or None where it is known to be unused)."""
    gamma, beta = params.get("gamma"), params.get("beta")
    averages = [tf.convert_to_tensor(m) for m in moving]

    def training() -> list[tf.Tensor]:
        return [
            *batch_normalized(
                params.inputs, gamma, beta, None, epsilon, fused, data_format, batch_weights
            )
        ]

    def inference() -> list[tf.Tensor]:
        return [
            *batch_normalized(
                params.inputs, gamma, beta, averages, epsilon, fused, data_format, None
            )
        ]

    outputs, mean, variance = utils.smart_cond(is_training, training, inference)
    known = utils.constant_value(is_training)
    return outputs, None if known is not None and not known else [mean, variance]


def batch_normalized(
    inputs: tf.Tensor,
    gamma: tf.Tensor | None,
    beta: tf.Tensor | None,
    averages: list[tf.Tensor] | None,
    epsilon: float,
    fused: bool,
    data_format: str = "NHWC",
    batch_weights: Any = None,
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """(outputs, mean, variance): with the batch's own statistics where `averages` is None.

    The statistics are those that the moving averages follow.
    """
    if fused and inputs.dtype.size <= 4:
        return _fused(inputs, gamma, beta, averages, epsilon, data_format)
    rank = inputs.shape.rank
    channel = 1 if data_format == "NCHW" else rank - 1
    axes = [axis for axis in range(rank) if axis != channel]
    wide = [-1 if axis == channel else 1 for axis in range(rank)]
    values = tf.cast(inputs, tf.float32) if inputs.dtype.size < 4 else inputs
    if averages is not None:
        mean, variance = averages
    elif batch_weights is not None:
        shares = tf.reshape(tf.cast(batch_weights, values.dtype), [-1] + [1] * (rank - 1))
        mean, variance = tf.nn.weighted_moments(values, axes, shares)
    else:
        mean, variance = tf.nn.moments(values, axes)

    def widened(value: tf.Tensor | None) -> tf.Tensor | None:
        return None if value is None else tf.reshape(tf.cast(value, values.dtype), wide)

    outputs = tf.nn.batch_normalization(
        values, widened(mean), widened(variance), widened(beta), widened(gamma), epsilon
    )
    if fused and averages is None:  # float64, for which there is no fused kernel
        count = tf.cast(tf.size(inputs) // inputs.shape[channel], variance.dtype)
        variance *= count / tf.maximum(count - 1, 1)
    return tf.cast(outputs, inputs.dtype), mean, variance


def _fused(
    inputs: tf.Tensor,
    gamma: tf.Tensor | None,
    beta: tf.Tensor | None,
    averages: list[tf.Tensor] | None,
    epsilon: float,
    data_format: str,
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    first = data_format == "NCHW"
    channels = inputs.shape[1 if first else -1]
    gamma = tf.ones([channels]) if gamma is None else tf.cast(gamma, tf.float32)
    beta = tf.zeros([channels]) if beta is None else tf.cast(beta, tf.float32)
    images = inputs
    if inputs.shape.rank == 2:
        images = tf.reshape(inputs, [-1, channels, 1, 1] if first else [-1, 1, 1, channels])
    mean, variance = averages or [tf.zeros([0]), tf.zeros([0])]
    outputs = tf.raw_ops.FusedBatchNormV3(
        x=images,
        scale=gamma,
        offset=beta,
        mean=mean,
        variance=variance,
        epsilon=max(epsilon, _MIN_FUSED_EPSILON),
        data_format=data_format,
        is_training=averages is None,
    )
    normalized = outputs.y
    if inputs.shape.rank == 2:
        normalized = tf.reshape(normalized, tf.shape(inputs))
        normalized.set_shape(inputs.shape)
    return normalized, outputs.batch_mean, outputs.batch_variance


def _moving_average_update(
    moving: tf.Variable, value: tf.Tensor, decay: float, is_training: Any, zero_debias: bool
) -> Callable[[], Any]:
    """The deferred `moving -= (moving - value) * (1 - decay)`, none while not training."""
    biased, local_step = (None, None)
    if zero_debias:
        biased, local_step = _debias_variables(moving)

    def update() -> Any:
        share = tf.cast(1.0 - decay, moving.dtype)
        target = tf.cast(value, moving.dtype)
        if biased is None or local_step is None:
            return moving.assign_sub((moving - target) * share)
        biased.assign_sub((biased - target) * share)
        local_step.assign_add(1.0)
        return moving.assign(biased / (1.0 - tf.pow(1.0 - share, local_step)))

    return lambda: utils.smart_cond(
        is_training, lambda: tf.identity(update()), lambda: moving + 0.0
    )


def _debias_variables(moving: tf.Variable) -> tuple[tf.Variable, tf.Variable]:
    """The plain average and its step count, from which the debiased average is computed."""
    with variable_scope(moving.name.partition(":")[0]):  # TF1 nested the whole name once more
        biased = get_variable(
            "biased",
            shape=moving.shape,
            dtype=moving.dtype,
            initializer=zeros_initializer(),
            trainable=False,
        )
        step = get_variable(
            "local_step",
            shape=[],
            dtype=moving.dtype,
            initializer=zeros_initializer(),
            trainable=False,
        )
    return biased, step


def _defer(scope: VariableScope, updates: list[Callable[[], Any]], collections: Any) -> None:
    run = current_run()
    names = [collections] if isinstance(collections, str) else list(collections)
    for update in updates:
        run.add_update(scope.original_name_scope + "AssignMovingAvg", update, names)


@add_arg_scope
def layer_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    activation_fn: Callable[..., Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: Any = None,
) -> tf.Tensor:
    """Normalizes each example over the axes from `begin_norm_axis` on (epsilon 1e-12)."""
    with variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as sc:
        inputs = tf.convert_to_tensor(inputs)
        rank = inputs.shape.rank
        begin = begin_norm_axis % rank
        if begin_params_axis >= rank or begin >= rank:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({begin_norm_axis}) "
                f"must be < rank(inputs) ({rank})"
            )
        compute_dtype, variable_dtype = layer_dtypes(inputs)
        shape = inputs.shape[begin_params_axis:]
        beta, gamma = _scale_and_offset(
            shape, variable_dtype, center, scale, None, variables_collections, trainable
        )
        values = tf.cast(inputs, compute_dtype)
        mean, variance = tf.nn.moments(values, list(range(begin, rank)), keepdims=True)
        epsilon = 1e-3 if compute_dtype == tf.float16 else 1e-12
        outputs = tf.nn.batch_normalization(
            values,
            mean,
            variance,
            None if beta is None else tf.cast(beta, compute_dtype),
            None if gamma is None else tf.cast(gamma, compute_dtype),
            epsilon,
        )
        outputs.set_shape(inputs.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


def _scale_and_offset(
    shape: Any,
    dtype: tf.DType,
    center: bool,
    scale: bool,
    initializers: dict[str, Any] | None,
    collections: Any,
    trainable: bool,
) -> tuple[Any, Any]:
    """(beta, gamma), made in this order; None for one that is not wanted."""
    made: dict[str, Any] = {}
    for name, wanted in (("beta", center), ("gamma", scale)):
        if wanted:
            default = ones_initializer() if name == "gamma" else zeros_initializer()
            made[name] = model_variable(
                name,
                shape=shape,
                dtype=dtype,
                initializer=(initializers or {}).get(name, default),
                trainable=trainable,
                collections=utils.get_variable_collections(collections, name),
            )
    return made.get("beta"), made.get("gamma")


@add_arg_scope
def instance_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Callable[..., Any] | None = None,
    param_initializers: dict[str, Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> tf.Tensor:
    """Normalizes each channel of each example."""
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.rank
    channel = 1 if data_format == "NCHW" else rank - 1
    with variable_scope(scope, "InstanceNorm", [inputs], reuse=reuse) as sc:
        compute_dtype, variable_dtype = layer_dtypes(inputs)
        beta, gamma = _scale_and_offset(
            [inputs.shape[channel]],
            variable_dtype,
            center,
            scale,
            param_initializers,
            variables_collections,
            trainable,
        )
        wide = [-1 if axis == channel else 1 for axis in range(rank)]
        values = tf.cast(inputs, compute_dtype)
        axes = [axis for axis in range(1, rank) if axis != channel]
        mean, variance = tf.nn.moments(values, axes, keepdims=True)
        outputs = tf.nn.batch_normalization(
            values,
            mean,
            variance,
            None if beta is None else tf.reshape(tf.cast(beta, compute_dtype), wide),
            None if gamma is None else tf.reshape(tf.cast(gamma, compute_dtype), wide),
            epsilon,
        )
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def group_norm(
    inputs: Any,
    groups: int = 32,
    channels_axis: int = -1,
    reduction_axes: Any = (-3, -2),
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Callable[..., Any] | None = None,
    param_initializers: dict[str, Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    mean_close_to_zero: bool = False,
) -> tf.Tensor:
    """Normalizes groups of channels over `reduction_axes`."""
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if rank is None:
        raise ValueError("The rank of the inputs of group_norm must be known.")
    if channels_axis > rank - 1:
        raise ValueError("Axis is out of bounds.")
    axis = channels_axis % rank
    channels = inputs.shape[axis]
    reduction = [a % rank for a in reduction_axes]
    if channels is None or any(inputs.shape[a] is None for a in reduction):
        raise ValueError(
            f"Inputs of shape {inputs.shape} have an undefined dimension to normalize."
        )
    if axis in reduction:
        raise ValueError("reduction_axis must be mutually exclusive with channels_axis")
    if groups > channels:
        raise ValueError(f"Invalid groups {groups} for {channels} channels.")
    if channels % groups:
        raise ValueError(f"{channels} channels is not commensurate with {groups} groups.")
    per_group = channels // groups
    with variable_scope(scope, "GroupNorm", [inputs], reuse=reuse) as sc:
        compute_dtype, variable_dtype = layer_dtypes(inputs)
        beta, gamma = _scale_and_offset(
            [channels],
            variable_dtype,
            center,
            scale,
            param_initializers,
            variables_collections,
            trainable,
        )
        shape = tf.shape(inputs)
        grouped = tf.concat([shape[:axis], [groups, per_group], shape[axis + 1 :]], 0)
        values = tf.reshape(tf.cast(inputs, compute_dtype), grouped)
        axes = [axis + 1] + [a + 1 if a > axis else a for a in reduction]
        if mean_close_to_zero:  # one pass over the data: E[x^2] - E[x]^2
            mean = tf.reduce_mean(values, axes, keepdims=True)
            variance = tf.reduce_mean(values**2, axes, keepdims=True) - mean**2
        else:
            mean, variance = tf.nn.moments(values, axes, keepdims=True)
        wide = [1] * axis + [groups, per_group] + [1] * (rank - axis - 1)
        gain = tf.math.rsqrt(variance + epsilon)
        offset = -mean * gain
        if gamma is not None:
            factor = tf.reshape(tf.cast(gamma, compute_dtype), wide)
            gain, offset = gain * factor, offset * factor
        if beta is not None:
            offset += tf.reshape(tf.cast(beta, compute_dtype), wide)
        outputs = tf.reshape(values * gain + offset, shape)
        outputs.set_shape(inputs.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)

"""tf.layers: functions and layer classes with TF1's variable names (`kernel`, `bias`, `gamma`…)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from . import slim_utils as utils
from .convolutions import convolve, convolve_transposed, layout
from .initializers import ZEROS, ones_initializer
from .layer_base import Layer
from .slim_norm import batch_normalized
from .store import current_run


def _first(data_format: str) -> bool:
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"data_format must be channels_first or channels_last, not {data_format}")
    return data_format == "channels_first"


class _Conv(Layer):
    """What the convolutions share; `rank` is the number of spatial dimensions."""

    rank = 2

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.filters, self.activation, self.use_bias = filters, activation, use_bias
        self.kernel_size = utils.n_positive_integers(self.rank, kernel_size)
        self.strides = utils.n_positive_integers(self.rank, strides)
        self.dilation_rate = utils.n_positive_integers(self.rank, dilation_rate)
        self.padding, self.channels_first = padding.upper(), _first(data_format)
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint

    def _channels(self, input_shape: Any) -> int:
        channels = input_shape[1 if self.channels_first else -1]
        if channels is None:
            raise ValueError("The channel dimension of the inputs should be defined, found `None`.")
        return channels

    def kernel_shape(self, channels: int) -> list[int]:
        return [*self.kernel_size, channels, self.filters]

    def build(self, input_shape: Any) -> None:
        self.kernel = self.add_variable(
            "kernel",
            self.kernel_shape(self._channels(input_shape)),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self._build_bias()

    def _build_bias(self) -> None:
        self.bias = None
        if self.use_bias:
            self.bias = self.add_variable(
                "bias",
                [self.filters],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def _finish(self, outputs: tf.Tensor) -> tf.Tensor:
        if self.bias is not None:
            order = "NCHW" if self.channels_first else "NHWC"
            outputs = tf.nn.bias_add(outputs, tf.cast(self.bias, outputs.dtype), order)
        return self._activated(outputs)

    def call(self, inputs: Any) -> tf.Tensor:
        kernel = tf.cast(self.kernel, inputs.dtype)
        outputs = convolve(
            inputs, kernel, self.strides, self.padding, self.channels_first, self.dilation_rate)
        return self._finish(outputs)


class Conv1D(_Conv):
    """A convolution of [batch, width, channels]."""

    rank = 1


class Conv2D(_Conv):
    """A convolution of [batch, height, width, channels]."""


class Conv3D(_Conv):
    """A convolution of [batch, depth, height, width, channels]."""

    rank = 3


class Conv2DTranspose(_Conv):
    """A transposed convolution of [batch, height, width, channels]."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters, kernel_size, strides, padding, data_format, 1, activation, use_bias,
            kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
            activity_regularizer, kernel_constraint, bias_constraint, trainable, name, **kwargs,
        )  # fmt: skip

    def kernel_shape(self, channels: int) -> list[int]:
        return [*self.kernel_size, self.filters, channels]

    def call(self, inputs: Any) -> tf.Tensor:
        kernel = tf.cast(self.kernel, inputs.dtype)
        return self._finish(
            convolve_transposed(inputs, kernel, self.strides, self.padding, self.channels_first)
        )


class SeparableConv2D(_Conv):
    """A depthwise convolution followed by a 1x1 convolution."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            None,
            bias_initializer,
            None,
            bias_regularizer,
            activity_regularizer,
            None,
            bias_constraint,
            trainable,
            name,
            **kwargs,
        )
        self.depth_multiplier = depth_multiplier
        self._depthwise = (depthwise_initializer, depthwise_regularizer, depthwise_constraint)
        self._pointwise = (pointwise_initializer, pointwise_regularizer, pointwise_constraint)

    def build(self, input_shape: Any) -> None:
        channels = self._channels(input_shape)
        shapes = {
            "depthwise_kernel": (
                [*self.kernel_size, channels, self.depth_multiplier],
                self._depthwise,
            ),
            "pointwise_kernel": (
                [*[1] * self.rank, channels * self.depth_multiplier, self.filters],
                self._pointwise,
            ),
        }
        for name, (shape, (initializer, regularizer, constraint)) in shapes.items():
            made = self.add_variable(
                name,
                shape,
                initializer=initializer,
                regularizer=regularizer,
                constraint=constraint,
            )
            setattr(self, name, made)
        self._build_bias()

    def call(self, inputs: Any) -> tf.Tensor:
        steps = self.strides
        outputs = tf.nn.separable_conv2d(
            inputs,
            tf.cast(self.depthwise_kernel, inputs.dtype),
            tf.cast(self.pointwise_kernel, inputs.dtype),
            [1, 1, *steps] if self.channels_first else [1, *steps, 1],
            self.padding,
            layout(2, self.channels_first),
            self.dilation_rate,
        )
        return self._finish(outputs)


class Dense(Layer):
    """A dense layer over the last dimension."""

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.units, self.activation, self.use_bias = units, activation, use_bias
        self._kernel = (kernel_initializer, kernel_regularizer, kernel_constraint)
        self._bias = (bias_initializer, bias_regularizer, bias_constraint)

    def build(self, input_shape: Any) -> None:
        features = utils.last_dimension(input_shape)
        self.bias = None
        shapes = {"kernel": ([features, self.units], self._kernel)}
        if self.use_bias:
            shapes["bias"] = ([self.units], self._bias)
        for name, (shape, (initializer, regularizer, constraint)) in shapes.items():
            made = self.add_variable(
                name,
                shape,
                initializer=initializer,
                regularizer=regularizer,
                constraint=constraint,
            )
            setattr(self, name, made)

    def call(self, inputs: Any) -> tf.Tensor:
        kernel = tf.cast(self.kernel, inputs.dtype)
        product = tf.matmul if inputs.shape.rank == 2 else (lambda x, k: tf.tensordot(x, k, 1))
        outputs = product(inputs, kernel)
        if self.bias is not None:
            outputs = tf.nn.bias_add(outputs, tf.cast(self.bias, inputs.dtype))
        return self._activated(outputs)


class BatchNormalization(Layer):
    """Batch normalization whose moving averages are updated as UPDATE_OPS (see `scopes`).

    The fused form (rank 4) averages the Bessel-corrected variance, as TF1's kernel did.
    """

    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = ZEROS,
        gamma_initializer: Any = ones_initializer(),  # noqa: B008 - it has no state
        moving_mean_initializer: Any = ZEROS,
        moving_variance_initializer: Any = ones_initializer(),  # noqa: B008
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, **kwargs)
        if renorm or virtual_batch_size is not None or adjustment is not None:
            raise ValueError(
                "renorm, virtual_batch_size and adjustment have no counterpart in TF 2; use "
                "tf.keras.layers.GroupNormalization or LayerNormalization for small batches"
            )
        self.axis, self.momentum, self.epsilon = axis, momentum, epsilon
        self.center, self.scale, self.fused = center, scale, fused
        self._settings = {
            "gamma": (gamma_initializer, gamma_regularizer, gamma_constraint),
            "beta": (beta_initializer, beta_regularizer, beta_constraint),
            "moving_mean": (moving_mean_initializer, None, None),
            "moving_variance": (moving_variance_initializer, None, None),
        }

    def build(self, input_shape: Any) -> None:
        axis = self.axis[0] if isinstance(self.axis, (list, tuple)) else self.axis
        self._channel = axis % input_shape.rank
        channels = input_shape[self._channel]
        self.gamma = self.beta = None
        wanted = {"gamma": self.scale, "beta": self.center}
        for name, (initializer, regularizer, constraint) in self._settings.items():
            if wanted.get(name, True):
                made = self.add_variable(
                    name,
                    [channels],
                    dtype=tf.float32 if self._variable_dtype.size < 4 else None,
                    initializer=initializer,
                    regularizer=regularizer,
                    constraint=constraint,
                    trainable=not name.startswith("moving"),
                )
                setattr(self, name, made)

    def call(self, inputs: Any, training: Any = False) -> tf.Tensor:
        rank = inputs.shape.rank
        channels_last = self._channel == rank - 1
        if not channels_last and self._channel != 1:
            raise ValueError(f"batch normalization over axis {self.axis} of rank {rank}")
        moving = [self.moving_mean, self.moving_variance]
        training = training is not None and training  # Keras' learning phase: not training
        known = utils.constant_value(training)
        fused = self.fused is not False and rank == 4

        def normalized(averages: Any) -> list[tf.Tensor]:
            parts = [
                None if p is None else tf.convert_to_tensor(p) for p in (self.gamma, self.beta)
            ]
            order = "NHWC" if channels_last else "NCHW"
            return list(batch_normalized(inputs, *parts, averages, self.epsilon, fused, order))

        outputs, *batch = utils.smart_cond(
            training,
            lambda: normalized(None),
            lambda: normalized([tf.convert_to_tensor(m) for m in moving]),
        )
        if known is None or known:
            name = f"{self._scope_name}/AssignMovingAvg"
            for variable, value in zip(moving, batch, strict=True):
                current_run().add_update(name, self._update(variable, value, training))
        return outputs

    def _update(self, variable: Any, value: tf.Tensor, training: Any) -> Callable[[], Any]:
        def update() -> tf.Tensor:
            share = tf.cast(1.0 - self.momentum, variable.dtype)
            return tf.identity(
                variable.assign_sub((variable - tf.cast(value, variable.dtype)) * share)
            )

        return lambda: utils.smart_cond(training, update, lambda: tf.identity(variable))


class Dropout(Layer):
    """Drops values with probability `rate` while training."""

    def __init__(
        self,
        rate: Any = 0.5,
        noise_shape: Any = None,
        seed: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: Any = False) -> tf.Tensor:
        return utils.smart_cond(
            training is not None and training,  # as above
            lambda: tf.nn.dropout(inputs, self.rate, self.noise_shape, self.seed),
            lambda: tf.identity(inputs),
        )


class Flatten(Layer):
    """[batch, ...] to [batch, features]; channels first are moved last before."""

    def __init__(self, data_format: str = "channels_last", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.channels_first = _first(data_format)

    def call(self, inputs: Any) -> tf.Tensor:
        rank = inputs.shape.rank
        if self.channels_first and rank > 1:
            inputs = tf.transpose(inputs, [0, *range(2, rank), 1])
        features = inputs.shape[1:].num_elements() if rank > 1 else 1
        outputs = tf.reshape(inputs, [tf.shape(inputs)[0], -1 if features is None else features])
        outputs.set_shape([inputs.shape[0], features])
        return outputs


class _Pooling(Layer):
    """What the pooling layers share."""

    rank = 2
    op: Callable[..., tf.Tensor] = staticmethod(tf.nn.max_pool2d)
    op_name: str | None = None

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size = utils.n_positive_integers(self.rank, pool_size)
        self.strides = utils.n_positive_integers(self.rank, strides)
        self.padding, self.channels_first = padding.upper(), _first(data_format)

    def call(self, inputs: Any) -> tf.Tensor:
        order = layout(self.rank, self.channels_first)
        return self.op(inputs, self.pool_size, self.strides, self.padding, order, name=self.op_name)


class MaxPooling1D(_Pooling):
    """The largest value of each window of [batch, width, channels]."""

    rank = 1
    op = staticmethod(tf.nn.max_pool1d)


class MaxPooling2D(_Pooling):
    """The largest value of each window of [batch, height, width, channels]."""

    op_name = "MaxPool"  # as TF 1 calls it


class MaxPooling3D(_Pooling):
    """The largest value of each window of [batch, depth, height, width, channels]."""

    rank = 3
    op = staticmethod(tf.nn.max_pool3d)


class AveragePooling1D(_Pooling):
    """The mean of each window of [batch, width, channels]."""

    rank = 1
    op = staticmethod(tf.nn.avg_pool1d)


class AveragePooling2D(_Pooling):
    """The mean of each window of [batch, height, width, channels]."""

    op = staticmethod(tf.nn.avg_pool2d)
    op_name = "AvgPool"


class AveragePooling3D(_Pooling):
    """The mean of each window of [batch, depth, height, width, channels]."""

    rank = 3
    op = staticmethod(tf.nn.avg_pool3d)


# ---- functions -----------------------------------------------------------------------------------
def _applied(layer: type[Layer], inputs: Any, *args: Any, **kwargs: Any) -> Any:
    reuse, name = kwargs.pop("reuse", None), kwargs.get("name")
    return layer(*args, **kwargs, _scope=name, _reuse=reuse)(inputs)


def conv1d(inputs: Any, filters: int, kernel_size: Any, *args: Any, **kwargs: Any) -> tf.Tensor:
    """`Conv1D(filters, kernel_size, ...)` applied; `name` is its scope, `reuse` shares it."""
    return _applied(Conv1D, inputs, filters, kernel_size, *args, **kwargs)


def conv2d(inputs: Any, filters: int, kernel_size: Any, *args: Any, **kwargs: Any) -> tf.Tensor:
    """`Conv2D(filters, kernel_size, ...)` applied; `name` is its scope, `reuse` shares it."""
    return _applied(Conv2D, inputs, filters, kernel_size, *args, **kwargs)


def conv3d(inputs: Any, filters: int, kernel_size: Any, *args: Any, **kwargs: Any) -> tf.Tensor:
    """`Conv3D(filters, kernel_size, ...)` applied; `name` is its scope, `reuse` shares it."""
    return _applied(Conv3D, inputs, filters, kernel_size, *args, **kwargs)


def conv2d_transpose(
    inputs: Any, filters: int, kernel_size: Any, *args: Any, **kwargs: Any
) -> tf.Tensor:
    """`Conv2DTranspose(...)` applied; `name` is its scope, `reuse` shares it."""
    return _applied(Conv2DTranspose, inputs, filters, kernel_size, *args, **kwargs)


def separable_conv2d(
    inputs: Any, filters: int, kernel_size: Any, *args: Any, **kwargs: Any
) -> tf.Tensor:
    """`SeparableConv2D(...)` applied; `name` is its scope, `reuse` shares it."""
    return _applied(SeparableConv2D, inputs, filters, kernel_size, *args, **kwargs)


def dense(inputs: Any, units: int, *args: Any, **kwargs: Any) -> tf.Tensor:
    """`Dense(units, ...)` applied; `name` is its scope, `reuse` shares it."""
    return _applied(Dense, inputs, units, *args, **kwargs)


def dropout(
    inputs: Any,
    rate: Any = 0.5,
    noise_shape: Any = None,
    seed: int | None = None,
    training: Any = False,
    name: str | None = None,
) -> tf.Tensor:
    """`Dropout(...)` applied."""
    return Dropout(rate, noise_shape, seed, name)(inputs, training=training)


def flatten(inputs: Any, name: str | None = None, data_format: str = "channels_last") -> tf.Tensor:
    """`Flatten(...)` applied."""
    return Flatten(data_format, name=name)(inputs)


def batch_normalization(
    inputs: Any, axis: Any = -1, *args: Any, training: Any = False, **kwargs: Any
) -> tf.Tensor:
    """`BatchNormalization(axis, ...)` applied; `name` is its scope, `reuse` shares it."""
    reuse, name = kwargs.pop("reuse", None), kwargs.get("name")
    layer = BatchNormalization(axis, *args, **kwargs, _scope=name, _reuse=reuse)
    return layer(inputs, training=training)


def max_pooling1d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> tf.Tensor:
    """`MaxPooling1D(...)` applied."""
    return MaxPooling1D(pool_size, strides, padding, data_format, name)(inputs)


def max_pooling2d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> tf.Tensor:
    """`MaxPooling2D(...)` applied."""
    return MaxPooling2D(pool_size, strides, padding, data_format, name)(inputs)


def max_pooling3d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> tf.Tensor:
    """`MaxPooling3D(...)` applied."""
    return MaxPooling3D(pool_size, strides, padding, data_format, name)(inputs)


def average_pooling1d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> tf.Tensor:
    """`AveragePooling1D(...)` applied."""
    return AveragePooling1D(pool_size, strides, padding, data_format, name)(inputs)


def average_pooling2d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> tf.Tensor:
    """`AveragePooling2D(...)` applied."""
    return AveragePooling2D(pool_size, strides, padding, data_format, name)(inputs)


def average_pooling3d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> tf.Tensor:
    """`AveragePooling3D(...)` applied."""
    return AveragePooling3D(pool_size, strides, padding, data_format, name)(inputs)

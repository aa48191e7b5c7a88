"""tf.contrib.rnn: cells around other cells, and what the cells of contrib share."""

from __future__ import annotations

import math
from typing import Any

import tensorflow as tf

from .initializers import constant_initializer, random_uniform_initializer, zeros_initializer
from .rnn import CellWrapper, RNNCell
from .scopes import AUTO_REUSE, get_variable, get_variable_scope, variable_scope


def variable_again(name: str, shape: Any, dtype: Any, initializer: Any = None) -> tf.Variable:
    """A variable of the open scope, made at the first step and found again at later ones."""
    with variable_scope(get_variable_scope(), reuse=AUTO_REUSE):
        return get_variable(name, shape, dtype, initializer)


def linear(values: list[tf.Tensor], size: int, initializer: Any = None) -> tf.Tensor:
    """A matrix times the values side by side, plus a bias, in the open scope."""
    inputs = tf.concat(values, 1)
    kernel = variable_again("kernel", [inputs.shape[1], size], inputs.dtype, initializer)
    bias = variable_again("bias", [size], inputs.dtype, zeros_initializer())
    return tf.nn.bias_add(tf.matmul(inputs, kernel), bias)


class AttentionCellWrapper(RNNCell):
    """Attention over the last `attn_length` outputs; the state is (cell's, attention, outputs)."""

    def __init__(
        self,
        cell: RNNCell,
        attn_length: int,
        attn_size: int | None = None,
        attn_vec_size: int | None = None,
        input_size: int | None = None,
        state_is_tuple: bool = True,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        self.cell, self.length, self.input_size = cell, attn_length, input_size
        self.output_size = attn_size or cell.output_size
        self.depth = attn_vec_size or self.output_size
        self._state_is_tuple = state_is_tuple
        self.sizes = (cell.state_size, self.output_size, self.output_size * attn_length)
        self.state_size = self.sizes if state_is_tuple else sum(self.sizes)

    def call(self, inputs: Any, state: Any) -> Any:
        if not self._state_is_tuple:
            state = tf.split(state, list(self.sizes), 1)
        inner, attention, seen = state
        size = self.output_size
        seen = tf.reshape(seen, [-1, self.length, size])
        inputs = linear([inputs, attention], self.input_size or inputs.shape[1])
        outputs, inner = self.cell(inputs, inner)
        query = tf.concat(tf.nest.flatten(inner), 1)
        with variable_scope("attention"):
            weights = variable_again("attn_w", [1, 1, size, self.depth], query.dtype)
            direction = variable_again("attn_v", [self.depth], query.dtype)
            features = tf.nn.conv2d(seen[:, :, None], weights, 1, "SAME")
            asked = tf.reshape(linear([query], self.depth), [-1, 1, 1, self.depth])
            scores = tf.reduce_sum(direction * tf.tanh(features + asked), [2, 3])
            attention = tf.reduce_sum(tf.nn.softmax(scores)[..., None] * seen, 1)
        with variable_scope("attn_output_projection"):
            outputs = linear([outputs, attention], size)
        seen = tf.concat([seen[:, 1:], outputs[:, None]], 1)
        new = (inner, attention, tf.reshape(seen, [-1, self.length * size]))
        return outputs, new if self._state_is_tuple else tf.concat(new, 1)


class HighwayWrapper(CellWrapper):
    """Mixes inputs and outputs by a learned gate."""

    def __init__(
        self, cell: RNNCell, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0
    ) -> None:
        super().__init__(cell)
        self.coupled, self.carry_bias_init = couple_carry_transform_gates, carry_bias_init

    def __call__(self, inputs: Any, state: Any, scope: Any = None, **kwargs: Any) -> Any:
        outputs, new = self.cell(inputs, state, scope)
        carry = self._gate("carry", inputs, self.carry_bias_init)
        through = 1 - carry
        if not self.coupled:
            through = self._gate("transform", inputs, -self.carry_bias_init)
        return inputs * carry + outputs * through, new

    @staticmethod
    def _gate(name: str, inputs: tf.Tensor, bias: float) -> tf.Tensor:
        size = inputs.shape[1]
        weights = variable_again(f"{name}_w", [size, size], inputs.dtype)
        shift = variable_again(f"{name}_b", [size], inputs.dtype, constant_initializer(bias))
        return tf.sigmoid(tf.matmul(inputs, weights) + shift)


class InputProjectionWrapper(CellWrapper):
    """A linear layer before the cell."""

    def __init__(
        self, cell: RNNCell, num_proj: int, activation: Any = None, input_size: Any = None,
        reuse: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(cell)
        self._reuse, self._num_proj, self.activation = reuse, num_proj, activation

    def call(self, inputs: Any, state: Any) -> Any:
        return self.cell(self._activated(linear([inputs], self._num_proj)), state)


class OutputProjectionWrapper(CellWrapper):
    """A linear layer after the cell."""

    def __init__(
        self, cell: RNNCell, output_size: int, activation: Any = None, reuse: Any = None
    ) -> None:
        super().__init__(cell)
        self._reuse, self.output_size, self.activation = reuse, output_size, activation

    def call(self, inputs: Any, state: Any) -> Any:
        outputs, new = self.cell(inputs, state)
        return self._activated(linear([outputs], self.output_size)), new


class EmbeddingWrapper(CellWrapper):
    """Looks the inputs, ids of [batch] or [batch, 1], up in an embedding."""

    def __init__(
        self,
        cell: RNNCell,
        embedding_classes: int,
        embedding_size: int,
        initializer: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(cell)
        self._reuse, self._initializer = reuse, initializer
        self.shape = (embedding_classes, embedding_size)

    def __call__(self, inputs: Any, state: Any, scope: Any = None, **kwargs: Any) -> Any:
        with variable_scope(scope or "embedding_wrapper"):
            return self.call(inputs, state)

    def call(self, inputs: Any, state: Any) -> Any:
        """One step, in the scope that is open."""
        root = math.sqrt(3)  # a variance of 1
        make = self._initializer or get_variable_scope().initializer
        make = make or random_uniform_initializer(-root, root)
        dtype = tf.nest.flatten(state)[0].dtype
        table = variable_again("embedding", list(self.shape), dtype, make)
        return self.cell(tf.nn.embedding_lookup(table, tf.reshape(inputs, [-1])), state)

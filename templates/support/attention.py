"""tf.contrib.seq2seq: attention over a memory, as a wrapper of recurrent cells."""
from __future__ import annotations

import collections
import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from .initializers import constant_initializer, zeros_initializer
from .layers import Dense
from .rnn import RNNCell
from .scopes import get_variable, variable_scope


class AttentionWrapperState(collections.namedtuple(
    "AttentionWrapperState",
    ("cell_state", "attention", "time", "alignments", "alignment_history", "attention_state"),
)):
    """What an `AttentionWrapper` carries from step to step."""

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """The state with some parts exchanged."""
        return self._replace(**kwargs)


class AttentionMechanism:
    """Scores a query against a memory [batch, time, depth]; beyond its lengths nothing counts.

    Raises:
        ValueError: the depth of the memory is not known.
    """

    def __init__(
        self, query_layer: Any, memory: Any, probability_fn: Callable[..., Any] | None,
        memory_sequence_length: Any = None, memory_layer: Any = None,
        score_mask_value: float | None = None, dtype: Any = None, name: str | None = None,
    ) -> None:
        self.query_layer, self.memory_layer = query_layer, memory_layer
        self._probability_fn = probability_fn or tf.nn.softmax
        memory = tf.convert_to_tensor(memory)
        self.dtype = memory_layer.dtype if memory_layer is not None else memory.dtype
        self.dtype = self.dtype or memory.dtype
        if not memory.shape[2:].is_fully_defined():
            raise ValueError(f"The memory's depth must be known, its shape is {memory.shape}")
        self._weights: dict[str, Any] = {}
        self._applied = False
        self._mask = None
        if memory_sequence_length is not None:
            self._mask = tf.sequence_mask(memory_sequence_length, tf.shape(memory)[1])
            flags = tf.cast(self._mask, memory.dtype)
            memory *= tf.reshape(
                flags, tf.concat([tf.shape(flags), tf.ones(memory.shape.rank - 2, tf.int32)], 0))
        self._score_mask_value = -math.inf if score_mask_value is None else score_mask_value
        self.values = memory
        self.keys = memory if memory_layer is None else memory_layer(memory)
        self.batch_size = self.keys.shape[0] or tf.shape(self.keys)[0]
        self.alignments_size = self.keys.shape[1] or tf.shape(self.keys)[1]

    @property
    def state_size(self) -> Any:
        """That of the alignments."""
        return self.alignments_size

    def initial_alignments(self, batch_size: Any, dtype: Any) -> tf.Tensor:
        """Zeros [batch, time of the memory]."""
        return tf.zeros([batch_size, self.alignments_size], dtype)

    def initial_state(self, batch_size: Any, dtype: Any) -> tf.Tensor:
        """The first alignments."""
        return self.initial_alignments(batch_size, dtype)

    def _probabilities(self, score: tf.Tensor) -> tf.Tensor:
        if self._mask is not None:
            score = tf.where(self._mask, score, self._score_mask_value * tf.ones_like(score))
        return self._probability_fn(score)

    @contextlib.contextmanager
    def _once(self, name: str, query: Any) -> Iterator[bool]:
        """Whether this is the first query; its weights are made in a scope of that name."""
        first, self._applied = not self._applied, True
        if not first:  # TF1 traced the loop's step once, and made its weights there
            yield False
            return
        with variable_scope(None, name, [query]):
            yield True

    def __call__(self, query: Any, state: Any) -> tuple[tf.Tensor, tf.Tensor]:
        """(alignments [batch, time of the memory], next state)."""
        raise NotImplementedError


class LuongAttention(AttentionMechanism):
    """The product of the query and the memory through a layer, after arXiv:1508.04025."""

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Any = None, scale: bool = False,
        probability_fn: Callable[..., Any] | None = None, score_mask_value: float | None = None,
        dtype: Any = None, custom_key_value_fn: Callable[..., Any] | None = None,
        name: str = "LuongAttention",
    ) -> None:
        super().__init__(
            None, memory, probability_fn, memory_sequence_length,
            Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype or tf.float32),
            score_mask_value, name=name)
        if custom_key_value_fn is not None:
            self.keys, self.values = custom_key_value_fn(self.keys, self.values)
        self._num_units, self._scale = num_units, scale

    def __call__(self, query: Any, state: Any) -> tuple[tf.Tensor, tf.Tensor]:
        if query.shape[-1] != self.keys.shape[-1]:
            raise ValueError(
                f"The query has {query.shape[-1]} units, the keys have {self.keys.shape[-1]}: "
                "num_units of the attention must be the cell's output_size.")
        score = tf.matmul(query[:, None], self.keys, transpose_b=True)[:, 0]
        with self._once("luong_attention", query) as first:
            if self._scale and first:
                self._weights["g"] = get_variable(
                    "attention_g", shape=(), dtype=query.dtype,
                    initializer=constant_initializer(1.0))
        if self._scale:
            score *= self._weights["g"]
        alignments = self._probabilities(score)
        return alignments, alignments


class BahdanauAttention(AttentionMechanism):
    """A layer of tanh over query and memory, after arXiv:1409.0473 (normalized: 1602.07868)."""

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Any = None,
        normalize: bool = False, probability_fn: Callable[..., Any] | None = None,
        score_mask_value: float | None = None, dtype: Any = None,
        custom_key_value_fn: Callable[..., Any] | None = None, name: str = "BahdanauAttention",
    ) -> None:
        dtype = dtype or tf.float32
        super().__init__(
            Dense(num_units, name="query_layer", use_bias=False, dtype=dtype), memory,
            probability_fn, memory_sequence_length,
            Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype),
            score_mask_value, name=name)
        if custom_key_value_fn is not None:
            self.keys, self.values = custom_key_value_fn(self.keys, self.values)
        self._num_units, self._normalize = num_units, normalize

    def _make(self, dtype: Any) -> None:
        self._weights["v"] = get_variable("attention_v", [self._num_units], dtype=dtype)
        if self._normalize:
            self._weights["g"] = get_variable(
                "attention_g", shape=(), dtype=dtype,
                initializer=constant_initializer(math.sqrt(1.0 / self._num_units)))
            self._weights["b"] = get_variable(
                "attention_b", [self._num_units], dtype=dtype, initializer=zeros_initializer())

    def __call__(self, query: Any, state: Any) -> tuple[tf.Tensor, tf.Tensor]:
        with self._once("bahdanau_attention", query) as first:
            summed = self.keys + self.query_layer(query)[:, None]
            if first:
                self._make(query.dtype)
        weights = self._weights["v"]
        if self._normalize:
            summed += self._weights["b"]
            norm = tf.math.rsqrt(tf.reduce_sum(tf.square(weights)))
            weights = self._weights["g"] * weights * norm
        score = tf.reduce_sum(weights * tf.tanh(summed), 2)
        alignments = self._probabilities(score)
        return alignments, alignments


def hardmax(logits: Any, name: str | None = None) -> tf.Tensor:
    """1 at the largest logit, 0 elsewhere."""
    logits = tf.convert_to_tensor(logits)
    return tf.one_hot(tf.argmax(logits, -1), logits.shape[-1] or tf.shape(logits)[-1],
                      dtype=logits.dtype)


def _attend(mechanism: AttentionMechanism, output: tf.Tensor, state: Any, layer: Any) -> Any:
    alignments, following = mechanism(output, state=state)
    context = tf.squeeze(tf.matmul(alignments[:, None], mechanism.values), [1])
    attention = context if layer is None else layer(tf.concat([output, context], 1))
    return attention, alignments, following


class AttentionWrapper(RNNCell):
    """A cell that sees, beside its inputs, what it attended to in the step before.

    Raises:
        TypeError: the attention is none.
        ValueError: layers and mechanisms do not fit.
    """

    def __init__(
        self, cell: RNNCell, attention_mechanism: Any, attention_layer_size: Any = None,
        alignment_history: bool = False, cell_input_fn: Callable[..., Any] | None = None,
        output_attention: bool = True, initial_cell_state: Any = None, name: str | None = None,
        attention_layer: Any = None, attention_fn: Callable[..., Any] | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self._several = isinstance(attention_mechanism, (list, tuple))
        self._mechanisms = tuple(attention_mechanism if self._several else [attention_mechanism])
        for mechanism in self._mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                raise TypeError(
                    f"attention_mechanism must be an AttentionMechanism, saw {mechanism}")
        if attention_layer_size is not None and attention_layer is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        self._attention_layers: tuple[Any, ...] | None = None
        if attention_layer_size is not None:
            sizes = _tuple(attention_layer_size)
            self._attention_layers = tuple(
                Dense(size, name="attention_layer", use_bias=False, dtype=mechanism.dtype)
                for size, mechanism in zip(sizes, self._mechanisms, strict=True))
        elif attention_layer is not None:
            self._attention_layers = _tuple(attention_layer)
            sizes = tuple(
                layer.compute_output_shape(
                    [None, cell.output_size + mechanism.values.shape[-1]])[-1]
                for layer, mechanism in zip(
                    self._attention_layers, self._mechanisms, strict=True))
        else:
            sizes = tuple(mechanism.values.shape[-1] for mechanism in self._mechanisms)
        self._attention_size = sum(sizes)
        self._cell, self._attention_fn = cell, attention_fn or _attend
        self._cell_input_fn = cell_input_fn or (
            lambda inputs, attention: tf.concat([inputs, attention], -1))
        self._output_attention, self._keeps_history = output_attention, alignment_history
        self._initial_cell_state = initial_cell_state

    def _one_or_all(self, parts: Any) -> Any:
        parts = tuple(parts)
        return parts if self._several else parts[0]

    @property
    def output_size(self) -> int:  # type: ignore[override]
        """Of the attention, or of the cell where that is put out."""
        return self._attention_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> Any:  # type: ignore[override]
        """Sizes without the batch."""
        alignments = self._one_or_all(m.alignments_size for m in self._mechanisms)
        return AttentionWrapperState(
            cell_state=self._cell.state_size, time=tf.TensorShape([]),
            attention=self._attention_size, alignments=alignments, attention_state=alignments,
            alignment_history=self._one_or_all(
                m.alignments_size if self._keeps_history else () for m in self._mechanisms))

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """No attention yet; the cell's state is zeros, or what the wrapper was given."""
        cell_state = self._initial_cell_state
        if cell_state is None:
            cell_state = self._cell.zero_state(batch_size, dtype)
        alignments = [m.initial_alignments(batch_size, dtype) for m in self._mechanisms]
        return AttentionWrapperState(
            cell_state=cell_state, time=tf.zeros([], tf.int32),
            attention=tf.zeros([batch_size, self._attention_size], dtype),
            alignments=self._one_or_all(alignments),
            attention_state=self._one_or_all(
                m.initial_state(batch_size, dtype) for m in self._mechanisms),
            alignment_history=self._one_or_all(
                tf.TensorArray(dtype, 0, dynamic_size=True, element_shape=each.shape)
                if self._keeps_history else () for each in alignments))

    def call(self, inputs: Any, state: Any) -> Any:
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                f"Expected state to be instance of AttentionWrapperState, saw {type(state)}")
        output, cell_state = self._cell(
            self._cell_input_fn(inputs, state.attention), state.cell_state)
        before = state.attention_state if self._several else [state.attention_state]
        histories = state.alignment_history if self._several else [state.alignment_history]
        layers = self._attention_layers or (None,) * len(self._mechanisms)
        found = [
            self._attention_fn(mechanism, output, old, layer)
            for mechanism, old, layer in zip(self._mechanisms, before, layers, strict=True)
        ]
        attention = tf.concat([part[0] for part in found], 1)
        following = AttentionWrapperState(
            time=state.time + 1, cell_state=cell_state, attention=attention,
            alignments=self._one_or_all(part[1] for part in found),
            attention_state=self._one_or_all(part[2] for part in found),
            alignment_history=self._one_or_all(
                history.write(state.time, part[1]) if self._keeps_history else ()
                for history, part in zip(histories, found, strict=True)))
        return attention if self._output_attention else output, following


def _tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)

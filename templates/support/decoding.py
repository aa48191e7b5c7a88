"""tf.contrib.seq2seq: decoders that run a cell until all sequences of a batch have ended."""
from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from .nn import embedding_lookup
from .rnn import RNNCell, sized
from .rnn_loops import transpose_batch_time
from .scopes import variable_scope


class BasicDecoderOutput(
    collections.namedtuple("BasicDecoderOutput", ("rnn_output", "sample_id"))
):
    """Outputs of the cell (or of the layer behind it), and what a helper took from them."""

    __slots__ = ()


class Decoder:
    """One step of decoding at a time: what `dynamic_decode` runs."""

    tracks_own_finished = False
    batch_size: Any
    output_size: Any
    output_dtype: Any

    def initialize(self, name: str | None = None) -> Any:
        """(finished [batch], first inputs, first state)."""
        raise NotImplementedError

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """(outputs, next state, next inputs, finished [batch])."""
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """(outputs, state) as they are given to the caller, time first."""
        raise NotImplementedError


class Helper:
    """Says what the next inputs of a decoder are."""

    batch_size: Any
    sample_ids_shape: Any = tf.TensorShape([])
    sample_ids_dtype: Any = tf.int32

    def initialize(self, name: str | None = None) -> Any:
        """(finished [batch], first inputs)."""
        raise NotImplementedError

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """What is taken from the outputs of a step, [batch]."""
        raise NotImplementedError

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any,
                    name: str | None = None) -> Any:
        """(finished [batch], next inputs, next state)."""
        raise NotImplementedError


class TrainingHelper(Helper):
    """Reads the inputs [batch, time, ...], or time first, whatever was decoded.

    Raises:
        ValueError: `sequence_length` is not a vector.
    """

    def __init__(self, inputs: Any, sequence_length: Any, time_major: bool = False,
                 name: str | None = None) -> None:
        self.inputs = tf.nest.map_structure(tf.convert_to_tensor, inputs)
        self._steps = self.inputs if time_major else tf.nest.map_structure(
            transpose_batch_time, self.inputs)
        self.sequence_length = tf.convert_to_tensor(sequence_length)
        if self.sequence_length.shape.rank != 1:
            raise ValueError(
                f"sequence_length must be a vector, its shape is {self.sequence_length.shape}")
        self.batch_size = tf.size(self.sequence_length)

    def _at(self, time: Any, finished: Any) -> Any:
        """The inputs of that step, zeros once all have finished."""
        ended = tf.reduce_all(finished)

        def read(steps: tf.Tensor) -> tf.Tensor:
            last = tf.shape(steps)[0] - 1
            found = tf.gather(steps, tf.clip_by_value(time, 0, tf.maximum(last, 0)))
            return tf.where(ended, tf.zeros_like(found), found)

        return tf.nest.map_structure(read, self._steps)

    def initialize(self, name: str | None = None) -> Any:
        finished = tf.equal(self.sequence_length, 0)
        return finished, self._at(tf.constant(0), finished)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        return tf.argmax(outputs, axis=-1, output_type=tf.int32)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any = None,
                    name: str | None = None) -> Any:
        finished = time + 1 >= tf.cast(self.sequence_length, tf.int32)
        return finished, self._at(time + 1, finished), state


class GreedyEmbeddingHelper(Helper):
    """Feeds back the embedding of the likeliest id, until that is `end_token`.

    Raises:
        ValueError: `start_tokens` is not a vector, or `end_token` not a scalar.
    """

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        self._embedded = embedding if callable(embedding) else (
            lambda ids: embedding_lookup(embedding, ids))
        self._start_tokens = tf.convert_to_tensor(start_tokens, tf.int32)
        self._end_token = tf.convert_to_tensor(end_token, tf.int32)
        if self._start_tokens.shape.rank != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end_token.shape.rank != 0:
            raise ValueError("end_token must be a scalar")
        self.batch_size = tf.size(self._start_tokens)
        self._start_inputs = self._embedded(self._start_tokens)

    def initialize(self, name: str | None = None) -> Any:
        return tf.fill([self.batch_size], False), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        return tf.argmax(outputs, axis=-1, output_type=tf.int32)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any,
                    name: str | None = None) -> Any:
        finished = tf.equal(sample_ids, self._end_token)
        following = tf.where(
            tf.reduce_all(finished), self._start_inputs, self._embedded(sample_ids))
        return finished, following, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Feeds back the embedding of an id drawn from the outputs as logits."""

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any,
                 softmax_temperature: Any = None, seed: int | None = None) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._temperature, self._seed = softmax_temperature, seed

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        logits = outputs if self._temperature is None else outputs / self._temperature
        return tf.random.categorical(logits, 1, tf.int32, self._seed)[:, 0]


class InferenceHelper(Helper):
    """Feeds back what `sample_fn` makes of the outputs, until `end_fn` says so."""

    def __init__(self, sample_fn: Callable[..., Any], sample_shape: Any, sample_dtype: Any,
                 start_inputs: Any, end_fn: Callable[..., Any],
                 next_inputs_fn: Callable[..., Any] | None = None) -> None:
        self._sample_fn, self._end_fn, self._next_inputs_fn = sample_fn, end_fn, next_inputs_fn
        self.sample_ids_shape = tf.TensorShape(sample_shape)
        self.sample_ids_dtype = sample_dtype
        self._start_inputs = tf.convert_to_tensor(start_inputs)
        self.batch_size = tf.shape(self._start_inputs)[0]

    def initialize(self, name: str | None = None) -> Any:
        return tf.fill([self.batch_size], False), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        return self._sample_fn(outputs)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any,
                    name: str | None = None) -> Any:
        following = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), following, state


class CustomHelper(Helper):
    """Made of three functions."""

    def __init__(self, initialize_fn: Callable[..., Any], sample_fn: Callable[..., Any],
                 next_inputs_fn: Callable[..., Any], sample_ids_shape: Any = None,
                 sample_ids_dtype: Any = None) -> None:
        self._initialize_fn, self._sample_fn = initialize_fn, sample_fn
        self._next_inputs_fn = next_inputs_fn
        self.sample_ids_shape = tf.TensorShape(sample_ids_shape or [])
        self.sample_ids_dtype = sample_ids_dtype or tf.int32

    def initialize(self, name: str | None = None) -> Any:
        finished, following = self._initialize_fn()
        self.batch_size = tf.size(finished)
        return finished, following

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any,
                    name: str | None = None) -> Any:
        return self._next_inputs_fn(
            time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class BasicDecoder(Decoder):
    """A cell, perhaps a layer behind it, and a helper that says what comes next."""

    def __init__(self, cell: RNNCell, helper: Helper, initial_state: Any,
                 output_layer: Any = None) -> None:
        self._cell, self._helper = cell, helper
        self._initial_state, self._output_layer = initial_state, output_layer

    @property
    def batch_size(self) -> Any:  # type: ignore[override]
        """That of the helper."""
        return self._helper.batch_size

    def _rnn_output_size(self) -> Any:
        size = self._cell.output_size
        if self._output_layer is None:
            return size
        return sized(
            lambda part: self._output_layer.compute_output_shape(
                tf.TensorShape([None]).concatenate(part))[1:], size)

    @property
    def output_size(self) -> Any:  # type: ignore[override]
        """Sizes without batch and time."""
        return BasicDecoderOutput(self._rnn_output_size(), self._helper.sample_ids_shape)

    @property
    def output_dtype(self) -> Any:  # type: ignore[override]
        """That of the state for the outputs, that of the helper for the ids."""
        dtype = tf.nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(
            sized(lambda _: dtype, self._cell.output_size), self._helper.sample_ids_dtype)

    def initialize(self, name: str | None = None) -> Any:
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        outputs, state = self._cell(inputs, state)
        if self._output_layer is not None:
            outputs = self._output_layer(outputs)
        sample_ids = self._helper.sample(time=time, outputs=outputs, state=state)
        finished, inputs, state = self._helper.next_inputs(
            time=time, outputs=outputs, state=state, sample_ids=sample_ids)
        return BasicDecoderOutput(outputs, sample_ids), state, inputs, finished


def _kept(finished: tf.Tensor, old: Any, new: Any) -> Any:
    """The old value where a sequence has finished; scalars and histories always go on."""
    if isinstance(old, tf.TensorArray) or new.shape.rank == 0:
        return new
    new.set_shape(old.shape)
    ended = tf.reshape(finished, [-1] + [1] * (new.shape.rank - 1))
    return tf.where(ended, old, new)


def dynamic_decode(
    decoder: Decoder, output_time_major: bool = False, impute_finished: bool = False,
    maximum_iterations: Any = None, parallel_iterations: int = 32, swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, tf.Tensor]:
    """(outputs [batch, time, ...] or time first, last state, lengths [batch]) of a decoder.

    `impute_finished`: outputs beyond a sequence's end are 0 and its state stays as it was.

    Raises:
        TypeError: `decoder` is none.
        ValueError: `maximum_iterations` is not a scalar.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with variable_scope(scope, "decoder") as opened:
        finished, inputs, state = decoder.initialize()
        state = tf.nest.map_structure(
            lambda part: part if isinstance(part, tf.TensorArray) else tf.convert_to_tensor(part),
            state)
        if maximum_iterations is not None:
            maximum_iterations = tf.convert_to_tensor(maximum_iterations, tf.int32)
            if maximum_iterations.shape.rank != 0:
                raise ValueError("maximum_iterations must be a scalar")
            finished = tf.logical_or(finished, maximum_iterations <= 0)
        dtypes = tf.nest.flatten(decoder.output_dtype)
        shapes = [tf.TensorShape(size) for size in _sizes(decoder.output_size)]
        arrays = [
            tf.TensorArray(dtype, 0, dynamic_size=True,
                           element_shape=tf.TensorShape([None]).concatenate(shape))
            for dtype, shape in zip(dtypes, shapes, strict=True)
        ]
        calls: list[Any] = []

        def body(time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any
                 ) -> Any:
            if calls:
                opened.reuse_variables()
            calls.append(time)
            outputs, new, following, ended = decoder.step(time, inputs, state)
            if not decoder.tracks_own_finished:
                ended = tf.logical_or(ended, finished)
            lengths = tf.where(finished, lengths, time + 1)
            parts = tf.nest.flatten(outputs)
            if impute_finished:
                parts = [_kept(finished, tf.zeros_like(part), part) for part in parts]
                new = tf.nest.map_structure(
                    lambda old, part: _kept(finished, old, part), state, new)
            arrays = [a.write(time, part) for a, part in zip(arrays, parts, strict=True)]
            return time + 1, arrays, new, following, ended, lengths

        lengths = tf.zeros_like(finished, tf.int32)
        _, arrays, state, _, _, lengths = tf.while_loop(
            lambda time, arrays, state, inputs, finished, lengths: tf.logical_not(
                tf.reduce_all(finished)),
            body, (tf.constant(0), arrays, state, inputs, finished, lengths),
            parallel_iterations=parallel_iterations, swap_memory=swap_memory,
            maximum_iterations=maximum_iterations)
        outputs = tf.nest.pack_sequence_as(
            decoder.output_dtype, [array.stack() for array in arrays])
        try:
            outputs, state = decoder.finalize(outputs, state, lengths)
        except NotImplementedError:
            pass
        if not output_time_major:
            outputs = tf.nest.map_structure(transpose_batch_time, outputs)
    return outputs, state, lengths


def _sizes(size: Any) -> list[Any]:
    """The numbers and shapes of nested sizes, in order."""
    found: list[Any] = []

    def note(part: Any) -> None:
        shape = tf.TensorShape(part)
        found.append(shape if shape.rank is not None else tf.TensorShape([]))

    sized(note, size)
    return found


def tile_batch(t: Any, multiplier: int, name: str | None = None) -> Any:
    """[batch, ...] -> [batch * multiplier, ...]: every entry that many times, also nested."""

    def tile(part: Any) -> tf.Tensor:
        part = tf.convert_to_tensor(part)
        return tf.repeat(part, multiplier, axis=0)

    return tf.nest.map_structure(tile, t)

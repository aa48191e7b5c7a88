"""tf.contrib.crf: scores, likelihood and best tags of a linear-chain conditional random field.

Shapes: `inputs` and `potentials` are [batch, steps, tags], tags and bitmaps [batch, steps]
(bitmaps with a last dimension of tags), `sequence_lengths` [batch], `transition_params`
[tags, tags], from the row's tag to the column's.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from . import scopes


def _mask(lengths: Any, steps: Any, dtype: Any) -> tf.Tensor:
    return tf.sequence_mask(lengths, steps, dtype)


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> tf.Tensor:
    """The sum of the inputs of the tags, over the steps that a sequence has: [batch]."""
    inputs = tf.convert_to_tensor(inputs)
    chosen = tf.gather(inputs, tf.cast(tag_indices, tf.int32), batch_dims=2)
    return tf.reduce_sum(chosen * _mask(sequence_lengths, tf.shape(inputs)[1], inputs.dtype), 1)


def crf_binary_score(
    tag_indices: Any, sequence_lengths: Any, transition_params: Any
) -> tf.Tensor:
    """The sum of the transitions between the tags, over the steps that a sequence has: [batch]."""
    tags = tf.cast(tag_indices, tf.int32)
    transitions = tf.convert_to_tensor(transition_params)
    chosen = tf.gather_nd(transitions, tf.stack([tags[:, :-1], tags[:, 1:]], -1))
    mask = _mask(sequence_lengths, tf.shape(tags)[1], transitions.dtype)
    return tf.reduce_sum(chosen * mask[:, 1:], 1)


def crf_sequence_score(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any
) -> tf.Tensor:
    """The score of one sequence of tags, which is not normalised: [batch]."""
    return crf_unary_score(tag_indices, sequence_lengths, inputs) + crf_binary_score(
        tag_indices, sequence_lengths, transition_params)


def crf_multitag_sequence_score(
    inputs: Any, tag_bitmap: Any, sequence_lengths: Any, transition_params: Any
) -> tf.Tensor:
    """The score of all sequences that the bitmap allows, together: [batch]."""
    inputs = tf.convert_to_tensor(inputs)
    allowed = tf.where(tf.cast(tag_bitmap, tf.bool), inputs, tf.constant(-np.inf, inputs.dtype))
    return crf_log_norm(allowed, sequence_lengths, transition_params)


def _by_step(inputs: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    return tf.range(tf.shape(inputs)[1]), tf.transpose(inputs, [1, 0, 2])


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> tf.Tensor:
    """The logarithm of the sum over all sequences of tags; 0 for empty ones: [batch]."""
    inputs = tf.convert_to_tensor(inputs)
    lengths = tf.cast(sequence_lengths, tf.int32)
    transitions = tf.expand_dims(tf.convert_to_tensor(transition_params), 0)

    def forward(alphas: tf.Tensor, step: Any) -> tf.Tensor:
        number, potentials = step
        later = potentials + tf.reduce_logsumexp(tf.expand_dims(alphas, 2) + transitions, 1)
        later = tf.where(tf.expand_dims(number < lengths, 1), later, alphas)
        return tf.where(number > 0, later, potentials)

    alphas = tf.foldl(forward, _by_step(inputs), tf.zeros_like(inputs[:, 0]))
    norm = tf.reduce_logsumexp(alphas, 1)
    return tf.where(lengths > 0, norm, tf.zeros_like(norm))


def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None
) -> tuple[tf.Tensor, Any]:
    """(log-likelihood of the tags [batch], the transitions: a variable where none are given)."""
    inputs = tf.convert_to_tensor(inputs)
    if transition_params is None:
        tags = inputs.shape[2]
        transition_params = scopes.get_variable("transitions", [tags, tags])
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return score - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def crf_decode(
    potentials: Any, transition_params: Any, sequence_length: Any
) -> tuple[tf.Tensor, tf.Tensor]:
    """(the best tags [batch, steps], int32, 0 behind the end; their score [batch])."""
    potentials = tf.convert_to_tensor(potentials)
    lengths = tf.maximum(tf.cast(sequence_length, tf.int32), 1)
    transitions = tf.expand_dims(tf.convert_to_tensor(transition_params), 0)
    numbers, steps = _by_step(potentials)

    def forward(state: Any, step: Any) -> Any:
        scores, _ = state
        number, given = step
        ways = tf.expand_dims(scores, 2) + transitions
        runs = tf.expand_dims(number < lengths, 1)
        later = tf.where(runs, given + tf.reduce_max(ways, 1), scores)
        return tf.where(number > 0, later, given), tf.argmax(ways, 1, tf.int32)

    def backward(state: Any, step: Any) -> Any:
        tag, _ = state
        number, came_from = step
        runs = number < lengths
        earlier = tf.where(runs, tf.gather(came_from, tag, batch_dims=1), tag)
        return earlier, tf.where(runs, tag, tf.zeros_like(tag))

    nothing = tf.zeros(tf.shape(steps)[1:], tf.int32)
    scores, pointers = tf.scan(forward, (numbers, steps), (tf.zeros_like(steps[0]), nothing))
    last = tf.argmax(scores[-1], 1, tf.int32)
    _, tags = tf.scan(backward, (numbers, pointers), (last, tf.zeros_like(last)), reverse=True)
    return tf.transpose(tags), tf.reduce_max(scores[-1], 1)


def viterbi_decode(score: Any, transition_params: Any) -> tuple[list[int], Any]:
    """(the best tags, their score) of one sequence, in numpy: `score` is [steps, tags]."""
    trellis, pointers = np.zeros_like(score), np.zeros_like(score, dtype=np.int32)
    trellis[0] = score[0]
    for step in range(1, len(score)):
        ways = np.expand_dims(trellis[step - 1], 1) + transition_params
        trellis[step] = score[step] + np.max(ways, 0)
        pointers[step] = np.argmax(ways, 0)
    tags = [np.argmax(trellis[-1])]
    for came_from in reversed(pointers[1:]):
        tags.append(came_from[tags[-1]])
    tags.reverse()
    return tags, np.max(trellis[-1])


__all__ = [
    "crf_binary_score",
    "crf_decode",
    "crf_log_likelihood",
    "crf_log_norm",
    "crf_multitag_sequence_score",
    "crf_sequence_score",
    "crf_unary_score",
    "viterbi_decode",
]

"""Decoders over lists of steps (tf.contrib.legacy_seq2seq) and losses of whole sequences."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf

from .rnn import RNNCell
from .rnn_loops import static_rnn
from .scopes import get_variable, get_variable_scope, variable_scope

LoopFunction = Callable[[Any, int], Any]


def rnn_decoder(
    decoder_inputs: Iterable[Any],
    initial_state: Any,
    cell: RNNCell,
    loop_function: LoopFunction | None = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """(outputs, state) of a cell over a list of [batch, ...] inputs.

    With `loop_function(output, step)`, each input but the first is what it makes of the output
    before it.
    """
    with variable_scope(scope or "rnn_decoder") as opened:
        state, outputs = initial_state, []
        for step, value in enumerate(decoder_inputs):
            if loop_function is not None and outputs:
                with variable_scope("loop_function", reuse=True):
                    value = loop_function(outputs[-1], step)
            if step:
                opened.reuse_variables()
            output, state = cell(value, state)
            outputs.append(output)
        return outputs, state


def basic_rnn_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    cell: RNNCell,
    dtype: Any = tf.float32,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """An encoder whose last state starts a decoder with weights of its own."""
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    cell: RNNCell,
    loop_function: LoopFunction | None = None,
    dtype: Any = tf.float32,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """An encoder and a decoder with the same weights."""
    with variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function, scope)


def embedding_rnn_decoder(
    decoder_inputs: Iterable[Any],
    initial_state: Any,
    cell: RNNCell,
    num_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`rnn_decoder` of symbols ([batch] integers), which are embedded first.

    With `feed_previous`, the likeliest symbol of each output is the next input; through it no
    gradient reaches the embedding unless `update_embedding_for_previous`. `output_projection` is
    (weights, biases) from outputs to symbols.
    """
    with variable_scope(scope or "embedding_rnn_decoder"):
        embedding = get_variable("embedding", [num_symbols, embedding_size])

        def likeliest(output: Any, step: int) -> tf.Tensor:
            del step
            if output_projection is not None:
                output = tf.matmul(output, output_projection[0]) + output_projection[1]
            found = tf.nn.embedding_lookup(embedding, tf.argmax(output, 1))
            return found if update_embedding_for_previous else tf.stop_gradient(found)

        inputs = [tf.nn.embedding_lookup(embedding, value) for value in decoder_inputs]
        return rnn_decoder(inputs, initial_state, cell, likeliest if feed_previous else None)


def sequence_loss_by_example(
    logits: list[Any],
    targets: list[Any],
    weights: list[Any],
    average_across_timesteps: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> tf.Tensor:
    """[batch] weighted cross entropies of lists of steps, summed or averaged over the steps.

    Raises ValueError for lists of different lengths.
    """
    del name
    if not len(logits) == len(targets) == len(weights):
        raise ValueError(
            "Lengths of logits, weights, and targets must be the same "
            f"{len(logits)}, {len(weights)}, {len(targets)}."
        )
    losses = [
        _entropy(target, logit, softmax_loss_function) * weight
        for logit, target, weight in zip(logits, targets, weights, strict=True)
    ]
    total = tf.add_n(losses)
    return total / (tf.add_n(weights) + 1e-12) if average_across_timesteps else total


def sequence_loss(
    logits: list[Any],
    targets: list[Any],
    weights: list[Any],
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> tf.Tensor:
    """The sum of `sequence_loss_by_example`, or its average over the batch."""
    del name
    losses = sequence_loss_by_example(
        logits, targets, weights, average_across_timesteps, softmax_loss_function
    )
    cost = tf.reduce_sum(losses)
    if not average_across_batch:
        return cost
    return cost / tf.cast(tf.shape(targets[0])[0], cost.dtype)


def padded_sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> tf.Tensor:
    """Weighted cross entropy of [batch, time, symbols] logits (tf.contrib.seq2seq.sequence_loss).

    Averages divide by the weights, sums by the number of weights that are not zero, over time, the
    batch or both; what is left is the shape of the result. Raises ValueError for other ranks and
    for an average and a sum over the same axis.
    """
    del name
    logits, weights = tf.convert_to_tensor(logits), tf.convert_to_tensor(weights)
    targets = tf.convert_to_tensor(targets)
    for what, value, rank in (("Logits", logits, 3), ("Targets", targets, 2), ("Weights", weights, 2)):
        if value.shape.rank != rank:
            raise ValueError(f"{what} must be a tensor of rank {rank}")
    if average_across_timesteps and sum_over_timesteps or average_across_batch and sum_over_batch:
        raise ValueError("an average and a sum over the same axis exclude each other")
    flat = tf.reshape(logits, [-1, tf.shape(logits)[2]])
    losses = _entropy(targets, flat, softmax_loss_function) * tf.reshape(weights, [-1])
    losses = tf.reshape(losses, tf.shape(logits)[:2])
    averaged = average_across_timesteps or average_across_batch
    if average_across_timesteps and average_across_batch or sum_over_timesteps and sum_over_batch:
        axes = [0, 1]
    elif averaged:
        axes = [0] if average_across_batch else [1]
    elif sum_over_timesteps or sum_over_batch:
        axes = [0] if sum_over_batch else [1]
    else:
        return losses
    total = tf.reduce_sum(losses, axes)
    if averaged:
        return tf.math.divide_no_nan(total, tf.reduce_sum(weights, axes))
    counted = tf.cast(tf.math.count_nonzero(weights, axes), losses.dtype)
    return tf.math.divide_no_nan(total, counted)


def _entropy(targets: Any, logits: Any, function: Callable[..., Any] | None) -> Any:
    if function is not None:
        return function(labels=targets, logits=logits)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.reshape(targets, [-1]), logits=logits
    )

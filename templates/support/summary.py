"""TF 1's summary calls, written at once to the default writer with the store's global step.

A TF 1 summary was a tensor to be fetched and given to a FileWriter; now each call writes when it is
reached, if a writer is the default one (`with writer.as_default():`), and does nothing otherwise.
Where a TF 1 graph is being built it still is that tensor.
"""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from .graph_summaries import collected, text_of
from .names import clean_tag
from .scopes import get_global_step
from .store import builds_graph, current_run


def _step(step: Any) -> Any:
    if step is not None:
        return step
    default = tf.summary.experimental.get_step()
    if default is not None:
        return default
    counter = get_global_step()
    return 0 if counter is None else tf.cast(counter, tf.int64)


@contextlib.contextmanager
def _tagged(name: str, family: str | None) -> Iterator[str]:
    """What to call a summary here; a family stands in front of the tag's scopes, and behind them."""
    name = clean_tag(name)
    current_run().summaries.add(name)
    if not family:
        yield _free(name)
        return
    family = clean_tag(family)
    with tf.name_scope(f"{family}/{tf.get_current_name_scope()}".rstrip("/") + "/"):
        yield f"{family}/{name}"


def _free(name: str) -> str:
    """What TF 1 called a summary here: not like an operation, a variable or a scope that there was."""
    if tf.executing_eagerly():
        return name
    graph, scope = tf.compat.v1.get_default_graph(), tf.get_current_name_scope()
    variables = {v.name.partition(":")[0].lower() for v in getattr(graph, "variables", ())}
    variables.update(map(str.lower, current_run().store.variables_by_name))
    found, count = name, 0
    while True:
        path = f"{scope}/{found}" if scope else found
        used = graph.unique_name(found, mark_as_used=False) != path and not _is_input(graph, path)
        if not used and path.lower() not in variables:
            return found
        count += 1
        found = f"{name}_{count}"


def _is_input(graph: Any, name: str) -> bool:
    """Whether TF 2 called an argument of a function so."""
    try:
        return bool(graph.get_operation_by_name(name).type == "Placeholder")
    except KeyError:
        return False


def _or_message(written: Any, tag: str, make: Callable[[str], Any]) -> Any:
    """`written`; where hooks may write what they are given, the message that `make` gives for a tag."""
    messages, scope = current_run().messages, tf.get_current_name_scope()
    if messages is None:
        return written
    messages.append(make(f"{scope}/{tag}" if scope else tag))
    return messages[-1]


def scalar(name: str, tensor: Any, collections: Any = None, family: str | None = None,
           step: Any = None) -> Any:
    """Writes one number."""
    if builds_graph():
        return collected(name, family, collections,
                         lambda tag, op: tf.raw_ops.ScalarSummary(tags=tag, values=tensor, name=op))
    number = tf.convert_to_tensor(tensor)
    if number.shape.rank is None:  # what is fed may be of any shape until it is there
        number = tf.reshape(number, [])
    with _tagged(name, family) as tag:
        return _or_message(tf.summary.scalar(tag, number, step=_step(step)), tag,
                           lambda full: tf.raw_ops.ScalarSummary(tags=full, values=number))


def histogram(name: str, values: Any, collections: Any = None, family: str | None = None,
              step: Any = None) -> Any:
    """Writes the distribution of `values`, of any shape."""
    if builds_graph():
        return collected(name, family, collections,
                         lambda tag, op: tf.raw_ops.HistogramSummary(tag=tag, values=values, name=op))
    with _tagged(name, family) as tag:
        return _or_message(tf.summary.histogram(tag, values, step=_step(step)), tag,
                           lambda full: tf.raw_ops.HistogramSummary(tag=full, values=values))


def image(name: str, tensor: Any, max_outputs: int = 3, collections: Any = None,
          family: str | None = None, step: Any = None) -> Any:
    """Writes up to `max_outputs` images of [batch, height, width, channels].

    Floating images are scaled to fill 0 to 255: by their maximum if nothing is negative, else
    symmetrically around 128.
    """
    if builds_graph():
        return collected(name, family, collections, lambda tag, op: tf.raw_ops.ImageSummary(
            tag=tag, tensor=tensor, max_images=max_outputs, name=op))
    with _tagged(name, family) as tag:
        return _written(tag, step, lambda full: _images(tf.constant(full), tensor, max_outputs))


@tf.function(reduce_retracing=True)  # eagerly the kernel refuses its own default
def _images(tag: Any, tensor: Any, max_outputs: int) -> Any:
    return tf.raw_ops.ImageSummary(tag=tag, tensor=tensor, max_images=max_outputs)


def audio(name: str, tensor: Any, sample_rate: Any, max_outputs: int = 3, collections: Any = None,
          family: str | None = None, step: Any = None) -> Any:
    """Writes up to `max_outputs` sounds of [batch, frames] or [batch, frames, channels]."""
    if builds_graph():
        return collected(name, family, collections, lambda tag, op: tf.raw_ops.AudioSummaryV2(
            tag=tag, tensor=tensor, sample_rate=sample_rate, max_outputs=max_outputs, name=op))
    with _tagged(name, family) as tag:
        return _written(tag, step, lambda full: tf.raw_ops.AudioSummaryV2(
            tag=full, tensor=tensor, sample_rate=sample_rate, max_outputs=max_outputs))


def _written(tag: str, step: Any, make: Callable[[str], Any]) -> Any:
    """Writes the message that `make` gives for a tag, made only where it is recorded: TF 1's own kernels
    give images and sounds the tags that they had (`tag/image/0`), which tf.summary's do not have."""
    at = _step(step)
    with tf.summary.experimental.summary_scope(tag) as (full, _):
        written = tf.cond(tf.convert_to_tensor(tf.summary.should_record_summaries()),
                          lambda: tf.summary.experimental.write_raw_pb(make(full), step=at),
                          lambda: tf.constant(False))
    return _or_message(written, tag, make)


def text(name: str, tensor: Any, collections: Any = None, step: Any = None) -> Any:
    """Writes a string, or a tensor of strings."""
    if builds_graph():
        return collected(name, None, collections, lambda tag, op: text_of(tag, tensor, op))
    written = tf.summary.text(clean_tag(name), tensor, step=_step(step))
    return _or_message(written, clean_tag(name), lambda full: text_of(full, tensor, "text"))

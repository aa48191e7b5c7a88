"""tf.contrib.summary: summaries that are written at once, by default with the global step.

As in TF 1 nothing is written outside of `always_record_summaries()` and its relatives.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from .scopes import get_global_step
from .summary import image as _image


class _Conditions(threading.local):
    """The conditions under which summaries are recorded, innermost last."""

    def __init__(self) -> None:
        self.stack: list[Callable[[], Any]] = []


_conditions = _Conditions()


def should_record_summaries() -> Any:
    """Whether summaries are recorded here: a bool, or a bool tensor."""
    return _conditions.stack[-1]() if _conditions.stack else False


@contextlib.contextmanager
def _recording(condition: Callable[[], Any]) -> Iterator[None]:
    _conditions.stack.append(condition)
    try:
        yield
    finally:
        _conditions.stack.pop()


def always_record_summaries() -> Any:
    """`with always_record_summaries():` records all of them."""
    return _recording(lambda: True)


def never_record_summaries() -> Any:
    """`with never_record_summaries():` records none."""
    return _recording(lambda: False)


def record_summaries_every_n_global_steps(n: int, global_step: Any = None) -> Any:
    """Records where the global step is a multiple of n."""
    return _recording(lambda: tf.equal(_step(global_step) % n, 0))


def _step(step: Any) -> Any:
    step = get_global_step() if step is None else step
    if step is None:
        raise ValueError("give step=, or make a global step (get_or_create_global_step) first")
    return step


def _write(write: Callable[..., Any], name: str, family: str | None, step: Any, **kw: Any) -> None:
    if _conditions.stack:
        with tf.summary.record_if(_conditions.stack[-1]):
            write(f"{family}/{name}" if family else name, step=_step(step), **kw)


def scalar(name: str, tensor: Any, family: str | None = None, step: Any = None) -> None:
    """Writes one number."""
    _write(tf.summary.scalar, name, family, step, data=tensor)


def histogram(name: str, tensor: Any, family: str | None = None, step: Any = None) -> None:
    """Writes the distribution of a tensor's values."""
    _write(tf.summary.histogram, name, family, step, data=tensor)


def image(
    name: str,
    tensor: Any,
    bad_color: Any = None,
    max_images: int = 3,
    family: str | None = None,
    step: Any = None,
) -> None:
    """Writes images of [batch, height, width, channels], floats scaled as in TF 1."""
    _write(_image, name, family, step, tensor=tensor, max_outputs=max_images)


def audio(
    name: str,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int,
    family: str | None = None,
    step: Any = None,
) -> None:
    """Writes sounds of [batch, frames, channels]."""
    _write(
        tf.summary.audio, name, family, step, data=tensor, sample_rate=sample_rate,
        max_outputs=max_outputs,
    )  # fmt: skip


def generic(
    name: str, tensor: Any, metadata: Any = None, family: str | None = None, step: Any = None
) -> None:
    """Writes a tensor for a plugin that the metadata names."""
    if _conditions.stack:
        with tf.summary.record_if(_conditions.stack[-1]):
            tag = f"{family}/{name}" if family else name
            tf.summary.write(tag, tensor, step=_step(step), metadata=metadata)


def create_file_writer(
    logdir: str | None,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
) -> Any:
    """A writer of event files below `logdir`; None gives one that writes nothing."""
    if logdir is None:
        return tf.summary.create_noop_writer()
    return tf.summary.create_file_writer(logdir, max_queue, flush_millis, filename_suffix, name)


create_summary_file_writer = create_file_writer


def flush(writer: Any = None, name: str | None = None) -> None:
    """Writes what is buffered."""
    tf.summary.flush(writer)


def initialize(graph: Any = None, session: Any = None) -> None:
    """Nothing: writers need no initializer, and `tf.summary.trace_export` writes graphs."""


def all_summary_ops() -> list[Any]:
    """Nothing: summaries are written by their calls."""
    return []


def summary_writer_initializer_op() -> list[Any]:
    """Nothing: writers need no initializer."""
    return []


def eval_dir(model_dir: str, name: str | None = None) -> str:
    """Where evaluation writes its events: MODEL_DIR/eval or eval_NAME."""
    return os.path.join(model_dir, "eval" if not name else f"eval_{name}")

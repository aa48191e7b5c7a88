"""tf.Print and what else prints or checks values as they pass."""

from __future__ import annotations

import sys
from typing import Any

import tensorflow as tf

from .store import current_store


def Print(
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> tf.Tensor:
    """`input_`, after printing `message` and `data` to stderr (only the first `first_n` times)."""
    values = [f"{message or ''}", *data]

    def show() -> tf.Tensor:
        tf.print(*values, summarize=summarize or 3, output_stream=sys.stderr)
        return tf.constant(True)

    printed: Any = None
    if first_n is None or first_n < 0:
        printed = show()
    else:
        key = f"print/{name or message or ''}/{first_n}"
        count = current_store().get_or_make(
            key, lambda: tf.Variable(0, trainable=False, dtype=tf.int64)
        )
        printed = tf.cond(count.assign_add(1) <= first_n, show, lambda: tf.constant(False))
    with tf.control_dependencies([printed]):
        return tf.nest.map_structure(tf.identity, input_)

"""tf.Print and what else prints or checks values as they pass."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def Print(
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> tf.Tensor:
    """`input_`, after printing `message` and `data` to stderr (only the first `first_n` times)."""
    return tf.raw_ops.Print(
        input=input_,
        data=list(data),
        message=message or "",
        first_n=-1 if first_n is None else first_n,
        summarize=3 if summarize is None else summarize,
        name=name,
    )

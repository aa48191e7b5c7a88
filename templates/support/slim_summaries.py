"""tf.contrib.slim.summaries: summaries named by a prefix, written when they are called."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import tensorflow as tf

from . import summary
from .names import label_of


def _label(tensor: Any, name: str | None, prefix: str | None, postfix: str | None = None) -> str:
    name = name or label_of(tensor)
    name = f"{prefix}/{name}" if prefix else name
    return f"{name}/{postfix}" if postfix else name


def add_histogram_summary(tensor: Any, name: str | None = None, prefix: str | None = None) -> None:
    """Writes the distribution of a tensor; a name makes eager tensors known."""
    summary.histogram(_label(tensor, name, prefix), tensor)


def add_image_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> None:
    """Writes images [batch, height, width, channels]."""
    summary.image(_label(tensor, name, prefix), tensor)


def add_scalar_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> None:
    """Writes a number, and prints it if asked to."""
    label = _label(tensor, name, prefix)
    summary.scalar(label, tensor)
    if print_summary:
        tf.print(label, tensor, output_stream=sys.stderr)


def add_zero_fraction_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> None:
    """Writes the share of zeros."""
    label = _label(tensor, name, prefix, "Fraction of Zero Values")
    add_scalar_summary(tf.math.zero_fraction(tensor), label, None, print_summary)


def add_histogram_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[None]:
    """`add_histogram_summary` of each."""
    return [add_histogram_summary(tensor, prefix=prefix) for tensor in tensors]


def add_image_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[None]:
    """`add_image_summary` of each."""
    return [add_image_summary(tensor, prefix=prefix) for tensor in tensors]


def add_scalar_summaries(
    tensors: Iterable[Any], prefix: str | None = None, print_summary: bool = False
) -> list[None]:
    """`add_scalar_summary` of each."""
    return [
        add_scalar_summary(tensor, prefix=prefix, print_summary=print_summary)
        for tensor in tensors
    ]


def add_zero_fraction_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[None]:
    """`add_zero_fraction_summary` of each."""
    return [add_zero_fraction_summary(tensor, prefix=prefix) for tensor in tensors]

"""Loops as TF 1 gave and took their variables."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf


def while_loop(cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Sequence[Any],
               shape_invariants: Any = None, parallel_iterations: int = 10,
               back_prop: bool = True, swap_memory: bool = False, name: str | None = None,
               maximum_iterations: Any = None, return_same_structure: bool = False) -> Any:
    """`tf.while_loop` over one variable, which `body` may return by itself.

    The loop gives a single tensor by itself, too, or in a list if `return_same_structure`.
    """
    def step(variable: Any) -> Any:
        new = body(variable)
        return new if isinstance(new, (list, tuple)) else [new]

    result = tf.while_loop(
        cond, step, list(loop_vars), shape_invariants, parallel_iterations,
        swap_memory=swap_memory, maximum_iterations=maximum_iterations, name=name)
    single = len(tf.nest.flatten(loop_vars)) == 1 and not return_same_structure
    if not back_prop:
        result = tf.nest.map_structure(tf.stop_gradient, result)
    return result[0] if single else result

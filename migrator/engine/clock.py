"""Where the engine's time goes, by rule and by transform, while somebody asks for it.

Off by default: a clock costs a little at every reference.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

_SPENT: dict[str, float] | None = None


@contextmanager
def collected(wanted: bool) -> Iterator[dict[str, float]]:
    """What `timed` measures meanwhile, in seconds by name; empty unless `wanted`."""
    global _SPENT
    before = _SPENT
    found: dict[str, float] = {}
    _SPENT = found if wanted else None
    try:
        yield found
    finally:
        _SPENT = before


@contextmanager
def timed(name: str) -> Iterator[None]:
    """Count the time of a block for `name`, and for nothing around it."""
    if _SPENT is None:
        yield
        return
    inner = sum(_SPENT.values())
    started = time.perf_counter()
    try:
        yield
    finally:
        spent = time.perf_counter() - started
        # what blocks within this one have counted is theirs
        own = spent - (sum(_SPENT.values()) - inner)
        _SPENT[name] = _SPENT.get(name, 0.0) + max(own, 0.0)


def running() -> bool:
    """Whether anybody asks."""
    return _SPENT is not None

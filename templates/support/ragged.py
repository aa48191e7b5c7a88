"""Arrays of rows whose parts have several sizes, as NumPy made them before 1.24."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def array(rows: Iterable[Any]) -> np.ndarray:
    """The array of `rows`; where the sizes of their parts differ, an array of these as objects."""
    given = list(rows)
    try:
        return np.array(given)
    except ValueError:  # "inhomogeneous shape"
        return np.array(given, dtype=object)


def numbers(rows: Iterable[Any]) -> np.ndarray:
    """The array of rows of numbers, of which some are arrays of one element.

    NumPy kept these as objects before 1.24, which `astype` took for numbers until 2.4.
    """
    def plain(part: Any) -> Any:
        if isinstance(part, (list, tuple)):
            return [plain(inner) for inner in part]
        return part.item() if isinstance(part, np.ndarray) and part.size == 1 else part

    return array(plain(list(rows)))

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

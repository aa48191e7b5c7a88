"""Bytes of pictures, as imageio 2.19 wrote them."""

from __future__ import annotations

import numpy as np
import pytest
from tf1_support import pictures


@pytest.mark.parametrize(("given", "wanted"), [
    (np.array([[0.0, 0.25], [0.5, 1.0]], "f"), [[0, 64], [127, 255]]),
    (np.array([[0.2, 0.3], [0.4, 0.5]]), [[51, 76], [102, 127]]),
    (np.array([[-0.5, 0.3], [0.4, 0.5]]), [[0, 204], [229, 255]]),
    (np.array([[0, 3], [100, 2000]]), [[0, 0], [13, 255]]),
    (np.array([[True, False], [True, True]]), [[255, 0], [255, 255]]),
    (np.full((2, 2), 7.0), [[7, 7], [7, 7]]),
])  # fmt: skip
def test_bytes(given: np.ndarray, wanted: list[list[int]]) -> None:
    found = pictures.as_bytes(given)
    assert found.dtype == np.uint8 and found.tolist() == wanted
    assert pictures.as_bytes(given, "a.tif") is given

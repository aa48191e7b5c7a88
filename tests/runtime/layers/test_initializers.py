"""Initializers give large values like those of TF 1.15.5 (recorded/initializers.py)."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from tf1_support import initializers, scopes, slim  # noqa: E402

from tests.runtime.recorded import files  # noqa: E402
from tests.runtime.recorded import initializers as cases  # noqa: E402

FACTS = files.facts("initializers")
API = SimpleNamespace(slim=slim, initializers=initializers,
                      variance_scaling=initializers.tf_variance_scaling_initializer)


@pytest.mark.parametrize("name", sorted(cases.INITIALIZERS))
def test_initializer_distribution(name: str) -> None:
    """Mean, spread and extremes of 84000 values; two variables never get the same values."""
    tf.random.set_seed(3)
    with scopes.VariableStore().as_default():
        initializer = cases.INITIALIZERS[name](API)
        first, second = (
            scopes.get_variable(n, cases.INITIAL_SHAPE, initializer=initializer).numpy() for n in "vw"
        )
    mean, spread, low, high = FACTS[name]
    assert first.mean() == pytest.approx(mean, abs=0.02 * spread)
    assert first.std() == pytest.approx(spread, rel=0.02)
    tail = 0.25 if name in ("normal", "orthogonal") else 0.02
    assert first.min() == pytest.approx(low, abs=tail * abs(low) + 1e-6)
    assert first.max() == pytest.approx(high, abs=tail * abs(high) + 1e-6)
    if name != "constant":
        assert np.abs(first - second).max() > 0

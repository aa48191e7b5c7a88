"""Distributions come from tensorflow_probability, or without it from what TF 1's core had."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

tf = pytest.importorskip("tensorflow")


@pytest.fixture
def distributions(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from templates.support import distributions

    monkeypatch.setitem(sys.modules, "tensorflow_probability", None)
    distributions._found.cache_clear()
    yield distributions
    distributions._found.cache_clear()


def test_the_core_ones_work_without_tensorflow_probability(distributions: Any) -> None:
    normal = distributions.Normal(0.0, 1.0)
    assert isinstance(normal, tf.compat.v1.distributions.Normal)
    assert float(normal.log_prob(0.0)) == pytest.approx(-0.9189385)
    logits = distributions.Categorical(probs=[0.25, 0.75]).logits
    assert logits.numpy() == pytest.approx([-1.3862944, -0.2876821])


def test_what_the_core_did_not_have_says_what_to_install(distributions: Any) -> None:
    with pytest.raises(ImportError, match="Poisson is in tensorflow_probability now: pip install"):
        distributions.Poisson(3.0)
    with pytest.raises(ImportError, match="pip install tensorflow-probability tf-keras"):
        distributions.MultivariateNormalDiag([0.0], [1.0])

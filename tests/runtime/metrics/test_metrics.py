"""Running metrics give what TF 1.15.5 gave, batch by batch (recorded/metrics.py)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from tf1_support import metrics, metrics_at_k, metrics_thresholds, scopes  # noqa: E402

from tests.runtime.recorded import files  # noqa: E402
from tests.runtime.recorded import metrics as cases  # noqa: E402

METRICS = SimpleNamespace(**{**vars(metrics_at_k), **vars(metrics_thresholds), **vars(metrics)})
FACTS = files.facts("metrics")


@pytest.mark.parametrize("name", sorted(cases.METRICS))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("traced", [False, True])
def test_metric(name: str, weighted: bool, traced: bool) -> None:
    """Both results after one batch and after two, and the names of the local variables."""
    facts = FACTS[name + " weighted" * weighted]
    store = scopes.VariableStore()

    def step(labels: Any, predictions: Any, weights: Any) -> Any:
        with store.run():
            return cases.METRICS[name](METRICS, labels, predictions, weights if weighted else None)

    update = tf.function(step) if traced else step
    with store.as_default():
        for number in (1, 2):
            results = update(*[tf.constant(part) for part in cases.metric_batch(number)])
            for kind, value in zip(("values", "updates"), results, strict=True):
                np.testing.assert_allclose(value, facts[kind][number - 1], rtol=1e-5)
        assert [scopes.name_of(v) for v in scopes.local_variables()] == facts["variables"]
        assert scopes.global_variables() == []
        metrics.reset_metrics(store)
    assert all(np.all(v.numpy() == 0) for v in store.variables)

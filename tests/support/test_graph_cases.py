"""The support package computes what TF 1.15.5 computed: outputs, gradients, names, statistics."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

import graph_cases as gc  # noqa: E402
from tf1_support import (  # noqa: E402
    initializers,
    layers,
    losses,
    metrics,
    metrics_at_k,
    metrics_thresholds,
    rnn,
    rnn_loops,
    scopes,
    slim,
)

METRICS = SimpleNamespace(**{**vars(metrics_at_k), **vars(metrics_thresholds), **vars(metrics)})
FIXTURES = Path(__file__).parent / "fixtures"
FACTS = json.loads((FIXTURES / "graph_cases.json").read_text())
ARRAYS = dict(np.load(FIXTURES / "graph_cases.npz"))
API = SimpleNamespace(
    tf=tf,
    slim=slim,
    losses=losses,
    layers=layers,
    rnn=rnn,
    dynamic_rnn=rnn_loops.dynamic_rnn,
    initializers=initializers,
    variance_scaling=initializers.tf_variance_scaling_initializer,
    variable_scope=scopes.variable_scope,
    get_variable=scopes.get_variable,
    GraphKeys=scopes.GraphKeys,
    AUTO_REUSE=scopes.AUTO_REUSE,
)


def expected(name: str, kind: str) -> dict[str, np.ndarray]:
    start = f"{name}|{kind}"
    return {k[len(start) :].strip(): v for k, v in ARRAYS.items() if k.startswith(start)}


def close(actual: Any, wanted: np.ndarray, what: str) -> None:
    np.testing.assert_allclose(
        actual, wanted, rtol=1e-5, atol=1e-5 * max(1.0, float(np.abs(wanted).max())), err_msg=what
    )


def outputs_of(fn: Any, x: Any) -> dict[str, Any]:
    outputs = fn(API, x)
    return outputs if isinstance(outputs, dict) else {"output": outputs}


def test_recorded_by_the_real_tensorflow() -> None:
    assert FACTS["tensorflow"] == "1.15.5"
    assert set(FACTS["cases"]) == set(gc.CASES)


@pytest.mark.parametrize("name", sorted(gc.CASES))
def test_same_as_tf1(name: str) -> None:
    shape, fn = gc.CASES[name]
    facts = FACTS["cases"][name]
    store = scopes.VariableStore()
    x = tf.constant(gc.values("input " + name, shape, 1.0))
    with store.as_default(), store.run():  # makes the variables
        outputs_of(fn, x)
    variables = store.variables_by_name
    assert [[n, list(v.shape)] for n, v in variables.items()] == facts["variables"]
    assert [v.name for v in store.global_variables] == [f"{n}:0" for n in variables]
    for label, variable in variables.items():
        if label.endswith(("biased", "local_step")):
            variable.assign(tf.zeros_like(variable))
        else:
            variable.assign(gc.values(label, variable.shape))

    with store.as_default(), store.run(), tf.GradientTape() as tape:
        tape.watch(x)
        outputs = outputs_of(fn, x)
        score = tf.add_n(
            [tf.reduce_sum(v * gc.weights_like(v.shape.as_list())) for v in outputs.values()]
        )
        trained = scopes.trainable_variables()
        penalties = losses.get_regularization_losses()
        assert [scopes.name_of(v) for v in trained] == facts["trainable"]
        model = scopes.get_collection(scopes.GraphKeys.MODEL_VARIABLES)
        assert [scopes.name_of(v) for v in model] == facts["model"]
        assert len(penalties) == facts["penalties"]
        updates = scopes.get_collection(scopes.GraphKeys.UPDATE_OPS)
        updates += scopes.get_collection("mine")
        assert len(updates) == facts["updates"]

    wanted = expected(name, "output")
    assert set(outputs) == set(wanted)
    for label, value in wanted.items():
        close(outputs[label], value, f"output {label}")
    if penalties:
        close(tf.add_n(penalties), expected(name, "penalty")[""], "penalty")
    gradients = tape.gradient(score, [x, *trained])
    found = {
        label: tf.convert_to_tensor(g)
        for label, g in zip(["input", *facts["trainable"]], gradients, strict=True)
        if g is not None
    }
    wanted = expected(name, "gradient")
    assert set(found) == set(wanted)
    for label, value in wanted.items():
        close(found[label], value, f"gradient {label}")
    for label, value in expected(name, "after").items():
        close(variables[label], value, f"after the updates: {label}")


@pytest.mark.parametrize("name", ["normalized network", "regularized network", "default names"])
def test_same_inside_a_function(name: str) -> None:
    """A trace makes the same variables and the same numbers, and a second trace finds them."""
    shape, fn = gc.CASES[name]
    store = scopes.VariableStore()
    outputs: Any = tf.function(lambda x: outputs_of(fn, x))
    with store.as_default():
        x = tf.constant(gc.values("input " + name, shape, 1.0))
        outputs(x)
        for label, variable in store.variables_by_name.items():
            variable.assign(gc.values(label, variable.shape))
        first = outputs(x)
        outputs(tf.concat([x, x], 0))
    assert [[n, list(v.shape)] for n, v in store.variables_by_name.items()] == FACTS["cases"][name][
        "variables"
    ]
    for label, value in expected(name, "output").items():
        close(first[label], value, label)


@pytest.mark.parametrize("name", sorted(gc.INITIALIZERS))
def test_initializer_distribution(name: str) -> None:
    """Mean, spread and extremes of 84000 values; two variables never get the same values."""
    tf.random.set_seed(3)
    with scopes.VariableStore().as_default():
        initializer = gc.INITIALIZERS[name](API)
        first, second = (
            scopes.get_variable(n, gc.INITIAL_SHAPE, initializer=initializer).numpy() for n in "vw"
        )
    mean, spread, low, high = FACTS["initializers"][name]
    assert first.mean() == pytest.approx(mean, abs=0.02 * spread)
    assert first.std() == pytest.approx(spread, rel=0.02)
    tail = 0.25 if name in ("normal", "orthogonal") else 0.02
    assert first.min() == pytest.approx(low, abs=tail * abs(low) + 1e-6)
    assert first.max() == pytest.approx(high, abs=tail * abs(high) + 1e-6)
    if name != "constant":
        assert np.abs(first - second).max() > 0


@pytest.mark.parametrize("name", sorted(gc.METRICS))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("traced", [False, True])
def test_metric(name: str, weighted: bool, traced: bool) -> None:
    """Both results after one batch and after two, and the names of the local variables."""
    facts = FACTS["metrics"][name + " weighted" * weighted]
    store = scopes.VariableStore()

    def step(labels: Any, predictions: Any, weights: Any) -> Any:
        with store.run():
            return gc.METRICS[name](METRICS, labels, predictions, weights if weighted else None)

    update = tf.function(step) if traced else step
    with store.as_default():
        for number in (1, 2):
            results = update(*[tf.constant(part) for part in gc.metric_batch(number)])
            for kind, value in zip(("values", "updates"), results, strict=True):
                np.testing.assert_allclose(value, facts[kind][number - 1], rtol=1e-5)
        assert [scopes.name_of(v) for v in scopes.local_variables()] == facts["variables"]
        assert scopes.global_variables() == []
        metrics.reset_metrics(store)
    assert all(np.all(v.numpy() == 0) for v in store.variables)

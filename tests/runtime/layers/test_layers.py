"""Layers, losses, cells and scopes compute what TF 1.15.5 did: outputs, gradients, names, statistics."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from tf1_support import (  # noqa: E402
    initializers,
    layers,
    losses,
    rnn,
    rnn_loops,
    scopes,
    slim,
)

from tests.runtime.recorded import files  # noqa: E402
from tests.runtime.recorded import layers as cases  # noqa: E402

FACTS = files.facts("layers")
ARRAYS = dict(files.arrays("layers"))
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
    assert set(FACTS["cases"]) == set(cases.CASES)


@pytest.mark.parametrize("name", sorted(cases.CASES))
def test_same_as_tf1(name: str) -> None:
    shape, fn = cases.CASES[name]
    facts = FACTS["cases"][name]
    store = scopes.VariableStore()
    x = tf.constant(cases.values("input " + name, shape, 1.0))
    with store.as_default(), store.run():  # makes the variables
        outputs_of(fn, x)
    variables = store.variables_by_name
    assert [[n, list(v.shape)] for n, v in variables.items()] == facts["variables"]
    assert [v.name for v in store.global_variables] == [f"{n}:0" for n in variables]
    for label, variable in variables.items():
        if label.endswith(("biased", "local_step")):
            variable.assign(tf.zeros_like(variable))
        else:
            variable.assign(cases.values(label, variable.shape))

    with store.as_default(), store.run(), tf.GradientTape() as tape:
        tape.watch(x)
        outputs = outputs_of(fn, x)
        score = tf.add_n(
            [tf.reduce_sum(v * cases.weights_like(v.shape.as_list())) for v in outputs.values()]
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
    shape, fn = cases.CASES[name]
    store = scopes.VariableStore()
    outputs: Any = tf.function(lambda x: outputs_of(fn, x))
    with store.as_default():
        x = tf.constant(cases.values("input " + name, shape, 1.0))
        outputs(x)
        for label, variable in store.variables_by_name.items():
            variable.assign(cases.values(label, variable.shape))
        first = outputs(x)
        outputs(tf.concat([x, x], 0))
    assert [[n, list(v.shape)] for n, v in store.variables_by_name.items()] == FACTS["cases"][name][
        "variables"
    ]
    for label, value in expected(name, "output").items():
        close(first[label], value, label)

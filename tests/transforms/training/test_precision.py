"""What `--precision` and `--jit` do when generated steps run: programs of several shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from migrator.engine.options import Options
from tests.transforms.projects import migrate_in_place, outcome, programs
from tests.transforms.training.programs import PROGRAMS

VARIANTS = {
    "plain": Options(jobs=1),
    "float16": Options(jobs=1, precision="mixed_float16"),
    "bfloat16": Options(jobs=1, precision="mixed_bfloat16"),
    "jit": Options(jobs=1, jit=True),
    "float16 and jit": Options(jobs=1, precision="mixed_float16", jit=True),
}
#: What is run: every program without options and with loss scaling, some with the others.
RUNS = {
    "plain": list(PROGRAMS),
    "float16": list(PROGRAMS),
    "bfloat16": ["minimize", "class"],
    "jit": ["minimize", "clipped", "class", "dataset"],
    "float16 and jit": ["minimize", "clipped", "fed rate"],
}
BAD = 2  # the batch with a value that is not finite
Results = dict[tuple[str, str], tuple[dict[str, Any], Any]]


def batches_of_five() -> tuple[Any, Any]:
    """(float32 [5, 4, 3] inputs, float32 [5, 4, 1] targets)."""
    batches = np.random.RandomState(2).uniform(-1, 1, [5, 4, 3]).astype(np.float32)
    targets = (batches.sum(2, keepdims=True) + 0.5).astype(np.float32)
    batches[BAD, 1, 0] = np.inf
    return batches, targets


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """(variant, program) -> (outcome, what it saved); one process for all of them."""
    batches, targets = batches_of_five()
    folders = {}
    for variant, options in VARIANTS.items():
        for name in RUNS[variant]:
            folder = folders[variant, name] = tmp_path_factory.mktemp("program")
            (folder / "before.py").write_text(PROGRAMS[name])
            np.savez(folder / "batches.npz", x=batches, y=targets)
            migrate_in_place(folder, options)
    with programs(folders) as ran:
        return {key: (outcome(ran[key]), np.load(ran[key] / "results.npz")) for key in folders}


def reference(results: Results, name: str) -> Any:
    return results["plain", name][1]


def runs(*variants: str) -> Any:
    """One test for each run of the variants."""
    every = [(variant, name) for variant in variants for name in RUNS[variant]]
    return pytest.mark.parametrize("variant, name", every)


@pytest.mark.parametrize("name", PROGRAMS)
def test_without_scaling_a_bad_batch_ruins_the_weights(name: str, results: Results) -> None:
    saved = reference(results, name)
    assert np.isfinite(saved["weights"][BAD - 1]).all()
    assert not np.isfinite(saved["weights"][BAD:]).any(axis=(1, 2)).all()
    assert list(saved["steps"]) == [1, 2, 3, 4, 5]


@runs("float16", "float16 and jit")
def test_float16_skips_steps_that_are_not_finite(
    name: str, variant: str, results: Results
) -> None:
    saved = results[variant, name][1]
    assert np.isfinite(saved["weights"]).all()
    np.testing.assert_array_equal(saved["weights"][BAD], saved["weights"][BAD - 1])
    assert not np.array_equal(saved["weights"][BAD + 1], saved["weights"][BAD])
    assert list(saved["steps"]) == [1, 2, 2, 3, 4]  # the skipped step does not count
    assert not np.isfinite(saved["losses"][BAD])


@runs("float16", "bfloat16", "float16 and jit")
def test_low_precision_stays_inside_the_layers(name: str, variant: str, results: Results) -> None:
    saved, plain = results[variant, name][1], reference(results, name)
    assert {saved["weights"].dtype, saved["losses"].dtype} == {np.dtype(np.float32)}
    good = slice(0, BAD)
    coarse = 2e-2 if variant == "bfloat16" else 4e-3
    np.testing.assert_allclose(saved["weights"][good], plain["weights"][good], atol=coarse)
    assert not np.array_equal(saved["losses"][good], plain["losses"][good])  # it is in use


@runs(*VARIANTS)
def test_one_trace_for_each_function(name: str, variant: str, results: Results) -> None:
    traces = results[variant, name][0]["traces"]
    assert traces and set(traces.values()) == {1}


@runs(*VARIANTS)
def test_only_jit_compiles_the_step(name: str, variant: str, results: Results) -> None:
    outcome = results[variant, name][0]
    steps = [step for step in outcome["traces"] if "train" in step or step == "fit"]
    assert steps and {outcome["compiled"][step] for step in steps} == {"jit" in variant}


@runs("jit")
def test_compiled_steps_compute_the_same(name: str, variant: str, results: Results) -> None:
    saved, plain = results[variant, name][1], reference(results, name)
    np.testing.assert_allclose(
        saved["weights"][:BAD], plain["weights"][:BAD], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("variant", ["plain", "float16"])
def test_a_fed_python_number_is_not_frozen(variant: str, results: Results) -> None:
    data = batches_of_five()
    kernel, bias = np.linspace(-0.5, 0.5, 3).reshape(3, 1), np.zeros(1)
    saved = results[variant, "fed rate"][1]["weights"]
    for count, (x, y) in enumerate(zip(*data, strict=True)):
        if count == BAD:
            break
        error = 2 * (x @ kernel + bias - y) / len(x)
        rate = 0.1 / (count + 1)
        kernel, bias = kernel - rate * x.T @ error, bias - rate * error.sum(0)
        np.testing.assert_allclose(saved[count], kernel, atol=1e-6 if variant == "plain" else 4e-3)

"""Keras models take the inputs that they were built for; what is described otherwise is told."""

from __future__ import annotations

from typing import Any

import pytest

from migrator.measure.programs import measure_probe, measure_subjects


class Tensor:
    name, dtype = "image", "float32"

    def __init__(self, *shape: int | None) -> None:
        self.shape = shape


class Model:
    variables: tuple[Any, ...] = ()
    trainable_variables: tuple[Any, ...] = ()

    def __init__(self, *shape: int | None) -> None:
        self.inputs = [Tensor(*shape)]


def described(*shape: int | str) -> list[dict[str, Any]]:
    return [{"name": "input", "shape": list(shape), "dtype": "float32"}]


@pytest.mark.parametrize(
    "given", [described("batch", 96, 96, 3), described(8, 96, 96, 3), [], [{"name": "input"}]]
)
def test_inputs_that_fit(given: list[dict[str, Any]]) -> None:
    subject = measure_subjects.keras_subject(None, Model(None, 96, 96, 3), given)
    assert len(subject.specs) == 1
    measure_subjects.keras_subject(None, Model(None, None, None, 3), described("batch", 7, 9, 3))


@pytest.mark.parametrize(
    ("shape", "says"),
    [(("batch", 96, 96, 3), "batchx96x96x3"), ((1, 224, 224), "1x224x224"), ((1, 224, 224, 1), "x1,")],
)
def test_inputs_of_another_size_are_told(shape: tuple[Any, ...], says: str) -> None:
    with pytest.raises(measure_probe.Unusable, match="the model takes batchx224x224x3") as told:
        measure_subjects.keras_subject(None, Model(None, 224, 224, 3), described(*shape))
    assert says in str(told.value) and "--kwarg input_shape" in str(told.value)

"""Workloads that the command line names, and model files that a repository has."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrator.workload import models
from migrator.workload.spec import Input, SpecError


def test_inputs() -> None:
    assert models.parse_input("1x300x300x3") == Input("input", ("batch", 300, 300, 3))
    assert models.parse_input("image_tensor:0=4x8x8x3:uint8", 1) == Input(
        "image_tensor:0", ("batch", 8, 8, 3), "uint8", high=255.0
    )
    assert models.parse_input("7", 2).name == "input_2"
    assert models.batch_of(["16x8"]) == 16 and models.batch_of([]) is None


@pytest.mark.parametrize("bad", ["300,300", "1x-3", "x3", "1x3:complex", "1x3:", "=1x3"])
def test_inputs_that_are_not_shapes(bad: str) -> None:
    with pytest.raises(SpecError, match="write it as"):
        models.parse_input(bad)


def test_builders_and_files(tmp_path: Path) -> None:
    (tmp_path / "saved").mkdir()
    (tmp_path / "saved" / "saved_model.pb").touch()
    for name in ("frozen.pb", "net.keras", "old.h5", "notes.txt"):
        (tmp_path / name).touch()
    both = ("inference", "training")

    def kinds(model: str) -> list[tuple[str, str]]:
        return [(w.kind, w.mode) for w in models.from_option(model, (), tmp_path, both)]

    assert kinds("a.b:build") == [("model", "inference"), ("model", "training")]
    assert kinds("saved") == [("saved_model", "inference")]
    assert kinds("frozen.pb") == [("frozen_graph", "inference")]
    assert kinds("net.keras") == [("keras_file", m) for m in both]
    with pytest.raises(SpecError, match="is no model file"):
        models.from_option("notes.txt", (), tmp_path, both)
    with pytest.raises(SpecError, match="there is no such file"):
        models.from_option("none.pb", (), tmp_path, both)
    with pytest.raises(SpecError, match="a name twice"):
        models.from_option("a:b", ("x=1x2", "x=1x3"), tmp_path, both)
    found = models.found(tmp_path)
    assert {w.path for w in found} == {"saved", "frozen.pb", "net.keras", "old.h5"}


def test_files_of_one_name_keep_their_folder(tmp_path: Path) -> None:
    for folder in ("a", "b", ".git"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "net.pb").touch()
    assert sorted(w.name for w in models.found(tmp_path)) == ["a/net.pb", "b/net.pb"]

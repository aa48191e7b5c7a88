"""Results of verify, measure and predict that came with the repository: any field may be of another kind."""

from __future__ import annotations

import contextlib
import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from migrator.cli import todo
from migrator.report import build, orders
from tests.hostile.attacks import ROOT, USES, migrator, write

CHECK = {"workload": "w", "name": "loss", "status": "different", "detail": "d", "data": {"worst": 1.0}}
GOOD: dict[str, dict[str, Any]] = {
    "verify": {"schema": 1, "reference": "recorded", "checks": [CHECK], "environment": {}, "settings": {}},
    "measure": {
        "schema": 1, "settings": {}, "cells": [],
        "environment": {"gpus": [{"name": "A"}], "packages": {"numpy": "1"}, "when": "now", "cpu": "c",
                        "cores": 2, "python": "3.11", "platform": "p"},
    },
}  # fmt: skip
HIDING = "\x1b[31m\u202e</script>X\ud800"
OTHERS: tuple[Any, ...] = (None, 3, -1e308, "x", [], {}, [1], {"a": 1}, True, [[]], float("nan"), HIDING)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key) of everything in a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from places(inner)


def damaged(good: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The document with one thing of another kind, for each thing and kind; and without it."""
    for number, (_, key) in enumerate(places(good)):
        for other in OTHERS:
            made = copy.deepcopy(good)
            holder, _ = list(places(made))[number]
            holder[key] = other
            yield made
        made = copy.deepcopy(good)
        holder, _ = list(places(made))[number]
        del holder[key]
        yield made


@pytest.mark.parametrize("name", list(GOOD))
def test_the_report_is_made_or_refused_in_words(tmp_path: Path, name: str) -> None:
    write(tmp_path, {f"{name}.json": json.dumps(GOOD[name])})
    build.run(tmp_path, tmp_path / "page.html", "t")
    for made in damaged(GOOD[name]):
        (tmp_path / f"{name}.json").write_text(json.dumps(made))
        try:
            build.run(tmp_path, tmp_path / "page.html", "t")
        except ValueError as error:
            assert f"{name}.json" in str(error), made
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert "\x1b" not in page and "\u202e" not in page and "</script>X" not in page
        if name == "measure":
            try:
                build.merge([tmp_path / "measure.json"], "t")
            except ValueError as error:
                assert "measure.json" in str(error), made


def sample(name: str) -> dict[str, Any]:
    """A small part of results that were measured."""
    found = json.loads((ROOT / f"samples/reports/small_image/{name}.json").read_text(encoding="utf-8"))
    for key, value in found.items():
        if isinstance(value, list):
            found[key] = value[:1]
    for cell in found.get("cells", ()):
        cell["samples"] = cell["samples"][:1]
    return dict(found)


@pytest.mark.parametrize("name", ["measure", "predict"])
def test_cells_and_forecasts_with_fields_of_another_kind(tmp_path: Path, name: str) -> None:
    good = sample(name)
    write(tmp_path, {f"{name}.json": json.dumps(good)})
    build.run(tmp_path, tmp_path / "page.html", "t")
    chance = random.Random(1)
    whole = list(places(good))
    for _ in range(300):
        made = copy.deepcopy(good)
        for number in chance.sample(range(len(whole)), 2):
            with contextlib.suppress(IndexError):
                holder, key = list(places(made))[number]
                holder[key] = chance.choice(OTHERS)
        (tmp_path / f"{name}.json").write_text(json.dumps(made))
        try:
            build.run(tmp_path, tmp_path / "page.html", "t")
        except ValueError as error:
            assert f"{name}.json" in str(error), made


def test_what_verify_left_is_read_or_is_nothing(tmp_path: Path) -> None:
    for made in damaged(GOOD["verify"]):
        write(tmp_path, {".migrator/verify.json": json.dumps(made)})
        found = todo.verified(tmp_path)
        if found is not None:
            orders.checks(found, ".")


def test_todo_of_a_repository_with_such_results(tmp_path: Path) -> None:
    write(tmp_path, {"uses.py": USES, ".migrator/verify.json": '{"checks": [1]}'})
    done = migrator("todo", tmp_path)
    assert b"Traceback" not in done.stderr and b"Nothing was compared" in done.stdout

"""Several result files on one page, strategies, whole programs, predictions and advice for cards."""

import dataclasses
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from migrator.cli.report import command
from migrator.measure import records
from migrator.measure.predict import devices, forecast
from migrator.model import to_json
from migrator.report import build, cards, commands, predictions, render, sets, strategies
from tests.report import data


def write(
    path: Path, peak: float = 1.0, cpu: str = "a processor", when: str = "2026-01-01"
) -> Path:
    """A measurement whose peaks are scaled, at a time and on a machine."""
    raw = json.loads(to_json(data.measurement()))
    raw["environment"] |= {"cpu": cpu, "when": f"{when}T10:00:00Z", "cores": 2}
    for cell in raw["cells"]:
        for sample in cell["samples"]:
            found = sample["attribution"]
            found["requested_peak"] = int(found["requested_peak"] * peak)
    path.write_text(json.dumps(raw))
    return path


def test_results_over_time_tell_what_changed(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / "new.json", 1.3, when="2026-02-01"), write(tmp_path / "old.json"),
    ]  # fmt: skip
    report = build.merge(paths, "compared")
    rose = [s.text for s in report.findings if "rose by 30%" in s.text]
    assert rose and "(old)" in rose[0] and "(new)" in rose[0]
    (over_time,) = [s for s in report.sections if s.id.startswith("time-")]
    assert over_time.tables[0].columns == ("workload", "variant", "old", "new", "last / first")
    assert {row[-1] for row in over_time.tables[0].rows if row[-1]} == {"1.30×"}


def test_small_differences_are_no_change(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.json"), write(tmp_path / "b.json", 1.01, when="2026-02-01")]
    report = build.merge(paths, "compared")
    assert not any("rose" in s.text for s in report.findings)
    assert any("kept their peak memory" in s.text for s in report.findings)


def test_machines_stand_beside_each_other(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.json", cpu="first"), write(tmp_path / "b.json", cpu="second")]
    report = build.merge(paths, "machines")
    (beside,) = [s for s in report.sections if s.id == "machines"]
    assert beside.tables[0].columns[2:] == ("a", "b")
    ids = [s.id for s in report.sections] + [c.id for s in report.sections for c in s.charts]
    assert len(ids) == len(set(ids))
    assert render.html(report).count("<h2>Memory and speed") == 2


def test_merged_files_are_taken_apart_by_machine(tmp_path: Path) -> None:
    one = data.measurement()
    cells = tuple(
        dataclasses.replace(c, machine=m) for m in ("T4", "A100") for c in one.cells
    )  # fmt: skip
    merged = dataclasses.replace(one, cells=cells, machines={
        m: {"gpus": [{"name": m}], "when": "2026-01-01"} for m in ("T4", "A100")
    })  # fmt: skip
    (tmp_path / "measure.json").write_text(to_json(merged))
    assert {s.label for s in sets.load([tmp_path])} == {"T4", "A100"}


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.json"), write(tmp_path / "b.json", 1.2, when="2026-03-01")]
    out = tmp_path / "page.html"
    done = CliRunner().invoke(command, [*map(str, paths), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "Over time" in out.read_text() and out.stat().st_size < 6_000_000


def test_one_folder_of_results_is_a_report(tmp_path: Path) -> None:
    """What `measure --out` named is no repository: nothing lies in a .migrator of it."""
    write(tmp_path / "measure.json")
    out = tmp_path / "page.md"
    done = CliRunner().invoke(command, [str(tmp_path), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "| batch |" in out.read_text() and not (tmp_path / ".migrator").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cells": "none"}, "cells: expected a list"),
        ({"schema": 99}, "schema 99 is newer"),
        ({"environment": None}, "environment: expected an object"),
        ({"cells": [{"cell": {"workload": "w"}, "status": "ok"}]}, "cells[0].cell: field 'side'"),
    ],
)
def test_a_damaged_file_is_told_with_its_field(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    good = write(tmp_path / "good.json")
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps({**json.loads(good.read_text()), **change}))
    done = CliRunner().invoke(command, [str(good), str(bad), "--out", str(tmp_path / "x.md")])
    assert done.exit_code != 0
    assert "bad.json" in done.output and said in done.output.replace("\n", " ")


def test_partial_results_of_older_versions_work(tmp_path: Path) -> None:
    raw = json.loads(write(tmp_path / "old.json").read_text())
    del raw["settings"], raw["schema"]
    for cell in raw["cells"]:
        for sample in cell["samples"]:
            sample.pop("attribution", None)
            sample.pop("extra", None)
    (tmp_path / "old.json").write_text(json.dumps(raw))
    report = build.merge([tmp_path / "old.json"], "old")
    assert any("Memory and speed" in s.title for s in report.sections)


def test_a_plan_without_a_field_is_told(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text('{"files": [{"path": "a.py"}]}')
    with pytest.raises(build.ReportError, match=r"plan\.json: field 'status' is missing"):
        build.build("t", plan=tmp_path / "plan.json")


def strategy(name: str, peak: int, **more: object) -> records.CellResult:
    cell = records.Cell("net", "after", "function", "float32", "training", 8, strategy=name)
    sample = dataclasses.replace(data._sample(peak, 0.02, "Conv_1"), size=4096, compressed=1024)
    return records.CellResult(cell, "ok", (sample,), **more)  # type: ignore[arg-type]


def test_strategies_are_compared_with_the_plain_function() -> None:
    measured = records.Measurement(
        {}, (strategy("", 1000), strategy("recompute", 600, difference=1e-7))
    )
    section, findings = strategies.section(measured)
    assert section is not None
    assert "recompute needs least memory" in findings[0].text and "40 % less" in findings[0].text
    row = section.tables[0].rows[1]
    assert row[0] == "recompute" and row[2] == "0.60×" and row[7] == "1.0e-07"
    assert strategies.section(records.Measurement({}, ()))[0] is None


def test_programs_are_compared_before_and_after() -> None:
    def program(side: str, peak: int, growth: float) -> records.CellResult:
        cell = records.Cell("detect", side, "command", "float32", "inference", 1)
        sample = dataclasses.replace(
            data._sample(peak, 2.0, ""), attribution=None,
            extra={"rss_peak": peak * 2, "growth": {"in_use": growth},
                   "rss_timeline": [[0, 1], [1, 2], [2, 3]], "processes": [{}]},
        )  # fmt: skip
        return records.CellResult(cell, "ok", (sample,))

    measured = records.Measurement({}, (program("before", 1000, 0), program("after", 500, 3e6)))
    section, findings = commands.section(measured)
    assert section is not None and len(section.tables[0].rows) == 2 and len(section.charts) == 2
    assert "fell by 50%" in findings[0].text
    assert any("leak" in s.text for s in findings)


def forecasts() -> forecast.Forecasts:
    gib = devices.GIB
    made = [
        forecast.Forecast(
            "net", "training", precision, gib, gib,
            tuple(forecast.Point(b, 0, b * gib // part, 0, b * gib) for b in (1, 8)),
        )
        for precision, part in (("float32", 1), ("mixed_float16", 2))
    ]  # fmt: skip
    broken = forecast.Forecast(
        "other", "inference", "float32", status="failed", detail="ImportError"
    )
    return forecast.Forecasts({"python": "3.11"}, (*made, broken))


def test_forecasts_come_back_from_json() -> None:
    made = forecasts()
    assert forecast.load(to_json(made)) == made
    with pytest.raises(
        records.SchemaError, match=r"predict\.json.forecasts\[0\].points\[0\]: field"
    ):
        forecast.load('{"forecasts": [{"workload": "w", "mode": "training", "points": [{}]}]}')
    with pytest.raises(records.SchemaError, match="'forecasts' is missing"):
        forecast.load("{}")


def test_cards_say_what_to_take_first() -> None:
    found = cards.loads(None, forecasts())
    assert [v.precision for v in found] == ["float32", "mixed_float16"]

    def advised(memory: int, target: int, float16: bool = True) -> str:
        card = devices.Device("card", memory * devices.GIB, 0, float16)
        return cards.advice(card, found, target)

    assert advised(80, 16) == "as it is"
    assert advised(14, 16) == "mixed_float16"
    assert advised(8, 16) == "accumulate 2 parts of 8 in mixed_float16"
    assert advised(8, 16, float16=False) == "accumulate 4 parts of 4"
    assert advised(9, 16, float16=False) == "accumulate 4 parts of 4"  # three would not be equal
    assert advised(1, 16) == "recompute, a smaller image or a smaller model"


def test_the_report_shows_predictions_and_cards(tmp_path: Path) -> None:
    (tmp_path / "predict.json").write_text(to_json(forecasts()))
    own = tmp_path / "mine.toml"
    own.write_text('[[device]]\nname = "My card"\nmemory = 14\ncontext = 0\n')
    report = build.run(tmp_path, tmp_path / "r.md", "t", [own])
    text = (tmp_path / "r.md").read_text()
    assert "Predicted without running" in text and "| My card | 14 GiB | 10 |" in text
    assert any("ImportError" in s.text for x in report.sections for s in x.statements)


def test_a_prediction_that_is_a_lower_bound_says_so() -> None:
    plain = forecasts().forecasts[0]
    points = (dataclasses.replace(plain.points[0], unknown=2), plain.points[1])
    clusters = dataclasses.replace(plain, workload="with XLA", points=points)
    section, _ = predictions.section(forecast.Forecasts({}, (plain, clusters)))
    (said,) = section.statements
    assert said.text.startswith("with XLA") and "lower bound" in said.text
    between = {(row[0], row[3]): row[5] for row in section.tables[0].rows}
    assert between["with XLA", "1"].endswith("open")
    assert not between["with XLA", "8"].endswith("open")

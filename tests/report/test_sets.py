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
from migrator.report import (
    build,
    cards,
    commands,
    compared,
    predictions,
    render,
    sets,
    strategies,
)
from migrator.report.model import Row
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
            for name in ("requested_peak", "replay_peak", "allocator_peak"):
                found[name] = int(found[name] * peak)
    path.write_text(json.dumps(raw))
    return path


def test_results_over_time_tell_what_changed(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / "new.json", 1.3, when="2026-02-01"), write(tmp_path / "old.json"),
    ]  # fmt: skip
    report = build.merge(paths, "compared")
    said = [s.text for section in report.sections for s in section.statements]
    rose = [s for s in said if "rose by 30%" in s]
    assert rose and "(old)" in rose[0] and "(new)" in rose[0]
    (over_time,) = [s for s in report.sections if s.id.startswith("time-")]
    assert over_time.tables[0].columns == ("workload", "variant", "old", "new", "last / first")
    assert {row.cells[-1] for row in over_time.tables[0].lines if row.cells[-1]} == {"1.30×"}


def test_small_differences_are_no_change(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.json"), write(tmp_path / "b.json", 1.01, when="2026-02-01")]
    report = build.merge(paths, "compared")
    said = [s.text for section in report.sections for s in section.statements]
    assert not any("rose" in s for s in said)
    assert any("kept their peak memory" in s for s in said)


def test_machines_stand_beside_each_other(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.json", cpu="first"), write(tmp_path / "b.json", cpu="second")]
    report = build.merge(paths, "machines")
    (beside,) = [s for s in report.sections if s.id == "machines"]
    assert beside.tables[0].columns[2:] == ("a", "b")
    ids = [s.id for s in report.sections] + [c.id for s in report.sections for c in s.charts]
    assert len(ids) == len(set(ids))
    assert render.html(report).count("<h2>Where memory goes") == 2


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
    assert "Over time" in out.read_text() and out.stat().st_size < 1_500_000


def test_what_one_machine_measured_at_different_times_adds_up(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a.json"), write(tmp_path / "b.json", when="2026-03-01")
    raw = json.loads(second.read_text())
    for result in raw["cells"]:
        result["cell"]["workload"] = "another"
    second.write_text(json.dumps(raw))
    report = build.merge([first, second], "t")
    assert not any(s.title.startswith("Over time") for s in report.sections)  # nothing twice
    told = next(s for s in report.sections if s.id == "cells")
    names = {row.cells[0] if isinstance(row, Row) else row[0] for row in told.tables[0].rows}
    assert any("another" in n for n in names) and not all("another" in n for n in names)


def test_one_folder_of_results_is_a_report(tmp_path: Path) -> None:
    """What `measure --out` named is no repository: nothing lies in a .migrator of it."""
    write(tmp_path / "measure.json")
    out = tmp_path / "page.md"
    done = CliRunner().invoke(command, [str(tmp_path), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "| workload | batch |" in out.read_text() and not (tmp_path / ".migrator").exists()


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
    assert any("Everything that was measured" in s.title for s in report.sections)


def test_a_plan_without_a_field_is_told(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text('{"root": "/r", "files": [{"path": "a.py"}]}')
    with pytest.raises(build.ReportError, match=r"plan\.json: files\[0\]\.status: is missing"):
        build.build("t", plan=tmp_path / "plan.json")


def strategy(name: str, peak: int, **more: object) -> records.CellResult:
    cell = records.Cell("net", "after", "function", "float32", "training", 8, strategy=name)
    sample = dataclasses.replace(data._sample(peak, 0.02, "Conv_1"), size=4096, compressed=1024)
    return records.CellResult(cell, "ok", (sample,), **more)  # type: ignore[arg-type]


def test_strategies_are_compared_with_the_plain_function() -> None:
    measured = records.Measurement(
        {}, (strategy("", 1000), strategy("recompute", 600, difference=1e-7))
    )
    section = strategies.section(measured)
    assert section is not None
    (said,) = section.statements
    assert "recompute needs least memory" in said.text and "40 % less" in said.text
    row = dict(zip(section.tables[0].columns, section.tables[0].lines[1].cells, strict=True))
    assert row["strategy"] == "recompute" and row["output difference"] == "1.0e-07"
    assert section.tables[0].lines[1].cells[4] == "0.60×"
    assert strategies.section(records.Measurement({}, ())) is None


def test_a_strategy_that_costs_time_is_no_good_news() -> None:
    quick = strategy("recompute", 600)
    slow = dataclasses.replace(quick.samples[0], wall=(0.04,) * 4)
    for wall, kind in ((quick.samples[0], "good"), (slow, "neutral")):
        tried = dataclasses.replace(quick, samples=(wall,))
        section = strategies.section(records.Measurement({}, (strategy("", 1000), tried)))
        assert section is not None and section.statements[0].kind == kind


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
    section = commands.section(measured)
    assert section is not None and len(section.tables[0].rows) == 2
    assert [len(c.areas) for c in section.charts] == [2]  # before and after over each other
    assert any("leak" in s.text for s in section.statements)
    (pair,) = compared.pairs(measured)
    assert pair.memory().verdict == "yes" and pair.memory().change == "-50%"


def test_resident_bytes_alone_are_no_verdict() -> None:
    """Most of what a whole process has resident is the library, and it is another one now."""

    def program(side: str, resident: int) -> records.CellResult:
        cell = records.Cell("detect", side, "command", "float32", "inference", 1)
        sample = dataclasses.replace(
            data._sample(1, 2.0, ""), attribution=None, steady_peaks=(), extra={"rss_peak": resident}
        )
        return records.CellResult(cell, "ok", (sample,))

    (pair,) = compared.pairs(records.Measurement({}, (program("before", 500), program("after", 400))))
    assert pair.memory().verdict == "unknown" and "resident bytes" in pair.memory().line


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
    build.run(tmp_path, tmp_path / "r.md", "t", [own])
    text = (tmp_path / "r.md").read_text()
    assert "Predicted without running" in text and "| My card | 14 GiB | 10 |" in text


def test_a_line_through_two_batches_is_not_followed_for_ever() -> None:
    """From batches of 1 and 8, a batch of 309,621 is not known to fit: only that there is room."""
    small = forecast.Forecast(
        "net", "training", "float32", 1000, 0,
        tuple(forecast.Point(b, 0, b * 1000, 0, b * 1000) for b in (1, 8)),
    )  # fmt: skip
    section = cards.section(None, devices.load(), forecast.Forecasts({}, (small,)))
    assert section is not None
    (batches,) = section.tables  # no table of what to take first: it fits as it is everywhere
    (row,) = batches.lines  # and one row, for all cards of which the same is said
    assert row.cells[2] == "over 64" and f"({len(devices.load())} cards)" in row.cells[0]
    assert "fits as it is on all" in section.gist
    assert "batches of over 64 fit on all" in section.statements[0].text


def test_report_of_predictions_names_failures(tmp_path: Path) -> None:
    (tmp_path / "predict.json").write_text(to_json(forecasts()))
    report = build.run(tmp_path, tmp_path / "r.md", "t")
    assert any("ImportError" in s.text for x in report.sections for s in x.statements)


def test_a_prediction_that_is_a_lower_bound_says_so() -> None:
    plain = forecasts().forecasts[0]
    points = (dataclasses.replace(plain.points[0], unknown=2), plain.points[1])
    clusters = dataclasses.replace(plain, workload="with XLA", points=points)
    section, _ = predictions.section(forecast.Forecasts({}, (plain, clusters)))
    (said,) = section.statements
    assert said.text.startswith("with XLA") and "lower bound" in said.text
    between = {(r.cells[0], r.cells[3]): r.cells[5] for r in section.tables[0].lines}
    assert between["with XLA", "1"].endswith("open")
    assert not between["with XLA", "8"].endswith("open")

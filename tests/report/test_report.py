"""The report: what it says, that nothing in it can run or load, and that damaged input is named."""

import dataclasses
import html.parser
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from migrator.measure import records
from migrator.model import Finding, Rung, to_json
from migrator.report import build, charts, memory, model, render, text, view
from migrator.report.page import code
from tests.report import data


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = data.write(tmp_path_factory.mktemp("results"))
    out = folder / "report.html"
    build.run(folder, out, "ssd")
    return out.read_text()


class Tags(html.parser.HTMLParser):
    """Every tag with its attributes, and the text outside scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.quiet = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.quiet += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self.quiet -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self.quiet:
            self.words.append(data)


def words(page: str) -> str:
    return re.sub(r"\s+", " ", " ".join(Tags(page).words))


def test_four_answers_come_first_then_a_picture_then_how_far_they_go(page: str) -> None:
    said = words(page)
    places = [said.index(t) for t in (
        "Equal?", "Memory?", "Speed?", "Left for you?", "Live memory over one step",
        "70 % of the peak is activations", "How far these numbers go", "Before and after",
        "Everything that was measured", "What changed",
    )]  # fmt: skip
    assert places == sorted(places)
    assert "Largest difference 4.7e-07, allowed 1.0e-05. Compared with TensorFlow 1.15.5" in said
    assert "68.7 MiB → 66.6 MiB" in said  # 72e6 and 69.84e6 bytes: the peaks at batch 8
    assert "allocator-equivalent estimate and not GPU memory" in said
    assert "1 of 11 cells did not finish" in said


def test_all_but_the_comparison_is_folded(page: str) -> None:
    parts = {
        a["id"]: "open" in a for t, a in Tags(page).found if t == "details" and a.get("class") == "part"
    }  # fmt: skip
    assert parts["compared"] and parts["memory"] and parts["left"]
    assert not any(parts[name] for name in ("checks", "cells", "cards", "changes", "environment"))


def test_nothing_is_loaded_from_elsewhere_and_it_stays_small(page: str) -> None:
    for tag, attributes in Tags(page).found:
        assert tag not in ("link", "iframe", "object", "embed", "base", "img"), (tag, attributes)
        for name in ("src", "href", "action"):
            target = attributes.get(name) or "#"
            own = target.startswith("#") or (tag, target) == ("a", "report-review.html")
            assert own, (tag, attributes)
    assert len(page.encode()) < 200_000


def test_every_finding_chart_table_and_order_has_a_link(page: str) -> None:
    ids = [a["id"] for _, a in Tags(page).found if a.get("id")]
    assert len(ids) == len(set(ids))
    for _, attributes in Tags(page).found:
        target = attributes.get("href") or ""
        if target.startswith("#"):
            assert target[1:] in ids, target
    linked = {a["href"] for t, a in Tags(page).found if t == "a" and a.get("class") == "link"}
    for kind in ("statements", "chart", "order"):
        assert kind in page
    assert {"#picture", "#kinds", "#times"} <= linked and len(linked) > 10


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    folder = data.write(tmp_path, data.HOSTILE)
    build.run(folder, tmp_path / "r.html", data.HOSTILE)
    page = (tmp_path / "r.html").read_text()
    clean = data.write(tmp_path / "clean")
    build.run(clean, clean / "r.html", "x")
    count = [t for t, _ in Tags(page).found].count
    base = [t for t, _ in Tags((clean / "r.html").read_text()).found].count
    assert count("script") == base("script") and count("img") == 0
    assert not any(k.startswith("on") for _, a in Tags(page).found for k in a)


def test_scripts_and_styles_by_hash_only(page: str) -> None:
    policy = next(a["content"] for t, a in Tags(page).found if "http-equiv" in a)
    assert policy is not None
    assert "default-src 'none'" in policy and policy.count("'sha256-") == 3
    assert "unsafe" not in policy and "http" not in policy
    assert not any("style" in a for _, a in Tags(page).found)


def test_markdown_and_json_tell_the_same(tmp_path: Path) -> None:
    folder = data.write(tmp_path)
    report = build.run(folder, tmp_path / "r.md", "ssd")
    told = (tmp_path / "r.md").read_text()
    assert "| equal | forward | logits |" in told and "`TF003`" in told
    render.write(report, tmp_path / "r.json")
    found = json.loads((tmp_path / "r.json").read_text())
    assert [a["line"] for a in found["answers"]] == [a.line for a in report.answers]
    assert all(a.line in told and f"**{a.word}**" in told for a in report.answers)


# -- the answers: never yes without evidence


def answers(folder: Path, **given: object) -> dict[str, model.Answer]:
    report = build.run(folder, folder / "r.html", "x", **given)  # type: ignore[arg-type]
    return {a.id: a for a in report.answers}


@pytest.mark.parametrize("missing", ["plan", "verify", "measure"])
def test_what_did_not_run_is_not_known(tmp_path: Path, missing: str) -> None:
    folder = data.write(tmp_path)
    (folder / f"{missing}.json").unlink()
    found = answers(folder)
    unknown = {"plan": ["left"], "verify": ["equal"], "measure": ["memory", "speed"]}[missing]
    for name in unknown:
        assert found[name].verdict == model.UNKNOWN and found[name].line


def test_a_long_command_is_cut_in_an_answer(tmp_path: Path) -> None:
    command = "python make.py " + " ".join(f"--option_{n}=value" for n in range(9)) + " inference"
    folder = data.write(tmp_path)
    measured = (folder / "measure.json").read_text()
    (folder / "measure.json").write_text(measured.replace("ssd inference", command))
    line = answers(folder)["memory"].line
    assert "python make.py --option_0=value …: " in line and "option_8" not in line


def verified(folder: Path, *checks: tuple[str, str], **more: object) -> None:
    made = [
        {"workload": name, "name": "outputs", "status": status, "difference": 0.5, "tolerance": 1e-5}
        for name, status in checks
    ]
    told = {"reference": "TensorFlow 1.15.5", "real_tf1": True, "checks": made, **more}
    (folder / "verify.json").write_text(json.dumps(told))


@pytest.mark.parametrize(
    ("checks", "verdict", "said"),
    [
        ([("a", "equal")], "yes", "Largest difference"),
        ([("a", "equal"), ("b", "differs")], "no", "b, outputs: differs by 5.0e-01"),
        ([("a", "equal"), ("b", "failed")], "no", "b, outputs"),
        ([("a", "equal"), ("b", "not run")], "unknown", "not run: b"),
        ([("b", "not run")], "unknown", "No comparison ran"),
        ([], "unknown", "No comparison ran"),
    ],
)
def test_equal_only_where_all_of_it_is(
    tmp_path: Path, checks: list[tuple[str, str]], verdict: str, said: str
) -> None:
    folder = data.write(tmp_path)
    verified(folder, *checks)
    found = answers(folder)["equal"]
    assert found.verdict == verdict and said in found.line


def test_a_page_without_a_reference_says_so(tmp_path: Path) -> None:
    folder = data.write(tmp_path)
    verified(folder, ("b", "not run"), reference="nothing")
    assert answers(folder)["equal"].line == "There was nothing to compare with."


def test_a_comparison_of_an_older_tree_is_no_evidence(tmp_path: Path) -> None:
    results = data.write(tmp_path / ".migrator")
    plan = data.plan()
    (tmp_path / "net").mkdir()
    source = tmp_path / "net/model.py"
    source.write_text(plan.files[0].new_text or "")
    os.utime(source, (1, 1))
    assert answers(results, root=tmp_path)["equal"].verdict == "yes"
    os.utime(source)
    os.utime(results / "verify.json", (2, 2))
    found = answers(results, root=tmp_path)["equal"]
    assert found.verdict == "unknown" and "net/model.py was changed" in found.line


def test_nothing_is_finished_that_was_not_compared(tmp_path: Path) -> None:
    folder = data.write(tmp_path)
    done = dataclasses.replace(
        data.plan(), files=(dataclasses.replace(data.plan().files[0], findings=()),)
    )
    (folder / "plan.json").write_text(to_json(done))
    assert answers(folder)["left"].verdict == "yes"
    (folder / "verify.json").unlink()
    found = answers(folder)["left"]
    assert found.verdict == "unknown" and "still to be shown" in found.line


def test_what_is_left_on_compat_is_left(tmp_path: Path) -> None:
    folder = data.write(tmp_path)
    first = data.plan().files[0]
    kept = Finding("TF005", first.path, 5, 0, "tf.x stays", "Do.", "tf.x", Rung.COMPAT)
    plan = dataclasses.replace(
        data.plan(), files=(dataclasses.replace(first, findings=(kept,)),)
    )
    (folder / "plan.json").write_text(to_json(plan))
    found = answers(folder)["left"]
    assert found.verdict == "no" and "1 reference left on tf.compat.v1" in found.line
    assert (found.before, found.after) == ("2 places", "1 left")


def test_damaged_results_are_named(tmp_path: Path) -> None:
    with pytest.raises(build.ReportError, match="migrator migrate"):
        build.run(tmp_path, tmp_path / "r.html", "x")
    (tmp_path / "verify.json").write_text('{"checks": []}')
    with pytest.raises(build.ReportError, match=r"verify\.json: field 'reference' is missing"):
        build.run(tmp_path, tmp_path / "r.html", "x")
    (tmp_path / "verify.json").write_text('{"checks": [{}], "reference": ""}')
    with pytest.raises(build.ReportError, match=r"verify\.json: field 'status' is missing"):
        build.run(tmp_path, tmp_path / "r.html", "x")
    (tmp_path / "verify.json").write_text("{")
    with pytest.raises(build.ReportError, match=r"verify\.json"):
        build.run(tmp_path, tmp_path / "r.html", "x")


def test_a_report_form_that_does_not_exist(tmp_path: Path) -> None:
    data.write(tmp_path)
    with pytest.raises(ValueError, match=r"\.html, \.md or \.json"):
        build.run(tmp_path, tmp_path / "r.pdf", "x")


def test_numbers_as_people_read_them() -> None:
    assert text.size(1536) == "1.5 KiB" and text.size(0) == "0 B" and text.size(None) == "–"
    assert text.size(3 * 2**40) == "3072 GiB"
    assert text.duration(0.00042) == "420 µs" and text.duration(1.5) == "1.5 s"
    assert text.ratio(83, 100) == "0.83×" and text.ratio(1, 0) == "–"
    assert text.percent(1, 30) == "3.3 %" and text.plural(1, "file") == "1 file"
    assert text.change(110, 100) == "10 % more" and text.change(100.1, 100) == "the same"
    assert text.slug("a", "One Two, three!") != text.slug("b", "One Two, three!")


# -- charts


def test_bars_are_shares_of_the_largest() -> None:
    made = (charts.Bar("g", "a", 5e6, "4.8 MiB"), charts.Bar("g", "b", 10e6, "9.5 MiB"))
    found = charts.lines(charts.Chart("c", "t", "bars", "alt", made))
    assert [line.parts[0][1] for line in found] == [50.0, 100.0]
    assert [line.heading for line in found] == ["g", ""]


def test_a_stack_puts_its_parts_beside_each_other() -> None:
    parts = [("before", "weights", 1.0), ("before", "rest", 1.0), ("after", "weights", 4.0)]
    made = tuple(charts.Bar(g, s, v, "") for g, s, v in parts)
    chart = charts.Chart("c", "t", "stack", "alt", made)
    before, after = charts.lines(chart)
    assert [p[:2] for p in before.parts] == [(0.0, 25.0), (25.0, 25.0)] and after.shown == "4 B"
    assert [name for name, _ in charts.legend(chart)] == ["weights", "rest"]


def test_areas_are_drawn_as_steps() -> None:
    area = charts.Area("live", "k-after", ((0.0, 0.0), (1.0, 104.0), (2.0, 52.0)))
    ((_, drawn),) = charts.paths(charts.Chart("c", "t", "area", "alt", areas=(area,)))
    assert drawn.startswith("M0.0 300.0H500.0V11.5H1000.0V155.8") and drawn.endswith("H0.0Z")
    up, along = charts.ticks(charts.Chart("c", "t", "area", "alt", areas=(area,)))
    assert up == ["0 B", "52 B", "104 B"] and along == ["0", "1 s", "2 s"]


# -- before and after


def compared(
    seconds: float, status: str = "ok", peak: int = 100, off: int = 0, cpu: float = 0.0
) -> records.Measurement:
    """Four steps of 0.1 s and 100 bytes before, some of `seconds` and `peak` after; and one of XLA.
    off: by how much the traces of both sides miss the allocator."""

    def cell(
        side: str, execution: str, wall: float, how: str = "ok", held: int = 100, work: float = 0.0
    ) -> records.CellResult:
        found = records.Attribution(held, held + off, held, -off, {"weights": held}, (), ((0.0, 0),))
        call = {"call": {"seconds": 0.02, "variables": 330}} if side == "after" else {}
        sample = records.Sample(
            (), 100, 0, 0, (held,), 100, (wall,) * 2, (work or wall,) * 2, 1, found, call
        )
        where = records.Cell("net", side, execution, "float32", "inference", 8)
        ran = (sample, sample) if how == "ok" else ()
        return records.CellResult(where, how, ran, "why it has no figures")

    return records.Measurement({}, (
        cell("before", "graph_session", 0.1), cell("after", "function", seconds, held=peak, work=cpu),
        cell("after", "xla", 0.1, status),
    ))  # fmt: skip


def judged(measured: records.Measurement) -> tuple[model.Answer, model.Answer]:
    _, memory_, speed, _ = build._answers(None, measured, None, 0, "")
    return memory_, speed


@pytest.mark.parametrize(
    ("seconds", "cpu", "verdict"),
    [(0.09, 0, "yes"), (0.104, 0, "yes"), (0.2, 0, "no"), (0.2, 0.1, "unknown"), (0.35, 0, "no")],
)
def test_a_slower_step_is_never_green(seconds: float, cpu: float, verdict: str) -> None:
    _, speed = judged(compared(seconds, cpu=cpu))
    assert speed.verdict == verdict and speed.before == "100 ms"
    told = "calling a tf.function over 330 variables takes 20 ms"
    assert (told in speed.line) == (verdict == "no")
    assert speed.change == f"{seconds / 0.1:.2f}×"


def test_steps_that_overlap_tell_nothing() -> None:
    measured = compared(0.2)
    before, after, _ = measured.cells
    noisy = dataclasses.replace(after.samples[0], wall=(0.08, 0.3), cpu=(0.08, 0.3))
    cells = (before, dataclasses.replace(after, samples=(noisy, noisy)))
    _, speed = judged(dataclasses.replace(measured, cells=cells))
    assert speed.verdict == "unknown" and "overlap" in speed.line


@pytest.mark.parametrize(
    ("peak", "verdict", "change"), [(101, "yes", "same"), (80, "yes", "-20%"), (150, "no", "+50%")]
)
def test_more_memory_than_before_is_told_at_the_top(peak: int, verdict: str, change: str) -> None:
    found, _ = judged(compared(0.1, peak=peak))
    assert (found.verdict, found.change) == (verdict, change)
    assert (found.before, found.after) == ("100 B", f"{peak} B")


def test_the_worst_workload_decides_and_is_named() -> None:
    good, bad = compared(0.1), compared(0.1, peak=150)
    cells = tuple(
        dataclasses.replace(r, cell=dataclasses.replace(r.cell, workload="big")) for r in bad.cells
    )
    found, _ = judged(dataclasses.replace(good, cells=(*good.cells, *cells)))
    assert found.verdict == "no" and found.line.startswith("big (inference), batch 8")
    assert "1 of 2 workloads" in found.line


def test_a_workload_that_no_longer_runs_is_a_no() -> None:
    measured = compared(0.1)
    before, after, _ = measured.cells
    dead = dataclasses.replace(after, status="oom", samples=(), detail="no room")
    found, speed = judged(dataclasses.replace(measured, cells=(before, dead)))
    assert (found.verdict, speed.verdict) == ("no", "no") and "ran out of memory" in found.line


def test_one_side_alone_is_compared_with_nothing() -> None:
    measured = compared(0.1)
    found, speed = judged(dataclasses.replace(measured, cells=measured.cells[1:]))
    assert {found.verdict, speed.verdict} == {"unknown"} and "“after”" in found.line


def test_nothing_is_drawn_that_does_not_reconcile_with_the_allocator() -> None:
    measured = compared(0.1, off=50)
    assert build._picture(measured, []) is None
    cells = view.data(measured.cells)["cells"]
    assert cells and not any("line" in c or "rows" in c or "held" in c for c in cells)
    (section,) = [s for s in memory.sections(measured, []) if s.id == "memory"]
    assert any("is not drawn" in s.text for s in section.statements)
    assert {bar.series for bar in section.charts[0].bars} == {"not broken down"}


@pytest.mark.parametrize(
    ("status", "caveat", "finding"),
    [("unsupported", "1 of 3 cells are not possible", False),
     ("oom", "1 of 3 cells did not finish", True)],
)  # fmt: skip
def test_what_is_not_possible_is_no_failure(status: str, caveat: str, finding: bool) -> None:
    measured = compared(0.1, status)
    assert any(caveat in c for c in build._measurement_caveats(measured))
    section = memory.sections(measured, [])[-1]
    told = [s.text for s in section.statements if s.kind == "bad"]
    assert bool(told) == finding
    shown = " ".join(" ".join(row.cells) for t in section.tables for row in t.lines)
    assert "why it has no figures" in shown
    assert ("not possible" if status == "unsupported" else "out of memory") in shown


def test_columns_that_say_nothing_are_left_out() -> None:
    rows = (("a", "–", "1", ""), ("b", "–", "–", ""))
    table = model.Table("t", ("name", "GPU", "size", "note"), rows, frozenset({1, 2}))
    told = table.told()
    assert told.columns == ("name", "size")
    assert [r.cells for r in told.lines] == [("a", "1"), ("b", "–")]
    assert told.numeric == {1}


def test_a_step_begins_with_what_stands() -> None:
    grown = tuple((0.001 + i / 1000, i) for i in range(10 * view.POINTS))
    sample = dataclasses.replace(data._sample(1000, 0.1, "Conv_1"), weights=500, inputs=12)
    assert sample.attribution is not None
    drawn = view.line(sample, dataclasses.replace(sample.attribution, timeline=grown))
    assert drawn[0] == (0.0, 512.0) and drawn[1][1] == 521.0 and len(drawn) == view.POINTS + 1


def test_what_tensorflow_1_keeps_no_figure_of_says_how_to_have_one() -> None:
    def without_figures(cell: records.CellResult) -> records.CellResult:
        if cell.cell.side == "after":
            return cell
        old: dict[str, Any] = {"steady_peaks": (), "attribution": None, "extra": {"tensorflow": "1.15.5"}}
        return dataclasses.replace(cell, samples=tuple(dataclasses.replace(s, **old) for s in cell.samples))

    measured = compared(0.1)
    measured = dataclasses.replace(measured, cells=tuple(map(without_figures, measured.cells)))
    memory_, _ = judged(measured)
    assert memory_.verdict == model.UNKNOWN and "without --tf1-python, both have it" in memory_.line


@pytest.mark.parametrize(("version", "told"), [("2.21.0", True), ("1.15.5", False)])
def test_which_tensorflow_ran_the_original_is_told(version: str, told: bool) -> None:
    measured, ran = compared(0.1), {"tensorflow": version}
    cells = tuple(
        dataclasses.replace(c, samples=tuple(dataclasses.replace(s, extra=ran) for s in c.samples))
        for c in measured.cells
    )
    caveats = build._measurement_caveats(dataclasses.replace(measured, cells=cells))
    assert any(f"sessions of TensorFlow {version}" in line for line in caveats) is told


def test_what_an_update_holds_is_no_layers() -> None:
    holders = (
        records.Holder("update temporaries", "sgd", "sgd/Mul", 900),
        records.Holder("activations", "block/dense", "MatMul", 100),
    )
    found = records.Attribution(1000, 1000, 1000, 0, {"activations": 100}, holders, ())
    assert list(memory.by_layer(found)) == ["block/dense"]


def test_what_the_allocator_holds_beside_requested_bytes_is_shown() -> None:
    sample = data._sample(1000, 0.1, "Conv_1")
    assert sample.attribution is not None
    held = dataclasses.replace(sample.attribution, allocator_peak=1500, replay_peak=1500)
    cell = records.Cell("ssd", "after", "function", "float32", "inference", 1)
    result = records.CellResult(cell, "ok", (dataclasses.replace(sample, attribution=held),))
    chart = memory._kinds([result], "")
    assert sum(bar.value for bar in chart.bars) == 1500
    assert {bar.series: bar.value for bar in chart.bars}[memory.REST] == 500


def test_a_prediction_stands_beside_what_was_measured() -> None:
    sample = dataclasses.replace(
        data._sample(1000, 0.1, "Conv_1"), inputs=0, extra={"predicted_step": {"bytes": 850}}
    )
    cell = records.Cell("ssd", "after", "function", "float32", "inference", 1)
    table = memory._table([records.CellResult(cell, "ok", (sample,))])
    assert table.lines[0].cells[table.columns.index("predicted")] == "1.0 KiB (+5.0%)"


def test_the_view_has_the_tensors_that_a_page_has_room_for() -> None:
    sample = data._sample(1000, 0.1, "Conv_1")
    assert sample.attribution is not None
    live = records.Live(
        ("activations", "net", "net/big", "8×4", "float32", "net.py:3", "net/small"),
        ((0.0, 5.0, 900, 0, 1, 2, 3, 4, 5), (1.0, -1.0, 10, 0, 1, 6, 3, 4, 5)),
    )
    traced = dataclasses.replace(sample.attribution, live=live)
    cell = records.Cell("ssd", "after", "function", "float32", "inference", 1)
    result = records.CellResult(cell, "ok", (dataclasses.replace(sample, attribution=traced),))
    shown = view._cell(result, 1)
    assert shown["rows"] == [[0.0, 5.0, 900, 0, 1, 2, 3, 4, 5]]
    assert "net/small" not in shown["words"] and "net.py:3" in shown["words"]


def test_what_stands_between_backticks_is_code() -> None:
    shown = code("run `a <b>` and ` alone")
    assert shown == "run <code>a &lt;b&gt;</code> and ` alone"

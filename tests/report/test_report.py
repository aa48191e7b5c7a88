"""The report: what it says, that nothing in it can run or load, and that damaged input is named."""

import dataclasses
import html.parser
import json
import re
from pathlib import Path
from typing import Any

import pytest

from migrator.measure import records
from migrator.report import build, charts, memory, model, render, text
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


def test_findings_come_first_in_plain_language(page: str) -> None:
    said = re.sub(r"\s+", " ", " ".join(Tags(page).words))
    assert "The migrated program computes the same: 1 check equal to TensorFlow 1.15.5" in said
    assert "ssd inference, batch 8: peak memory fell by 3.0 %" in said
    assert "ssd inference Batch 8: peak memory fell by 3.0 %" in said  # under its workload's name
    assert "70 % of the peak is activations" in said
    assert "2 places still need a person" in said
    body = said[said.index("In short") :]
    assert body.index("Is it equal?") < body.index("Memory and speed") < body.index("What changed")


def test_a_banner_says_how_far_cpu_numbers_go(page: str) -> None:
    assert "allocator-equivalent estimate and not GPU memory" in page
    assert "1 of 11 cells did not finish" in page


def test_nothing_is_loaded_from_elsewhere_and_it_stays_small(page: str) -> None:
    for tag, attributes in Tags(page).found:
        assert tag not in ("link", "iframe", "object", "embed", "base", "img"), (tag, attributes)
        for name in ("src", "href", "action"):
            target = attributes.get(name) or "#"
            own = target.startswith("#") or (tag, target) == ("a", "report-review.html")
            assert own, (tag, attributes)
    assert len(page.encode()) < 6_000_000


def test_the_diff_shows_lines_and_reasons(page: str) -> None:
    said = " ".join(Tags(page).words)
    assert "-  return tf.to_float(x)" in said and "+  return tf.cast(x, tf.float32)" in said
    assert "TF110" in said and "bad.py:1: invalid syntax" in said


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


def test_scripts_run_by_hash_only(page: str) -> None:
    policy = next(a["content"] for t, a in Tags(page).found if "http-equiv" in a)
    assert policy is not None
    assert "default-src 'none'" in policy and policy.count("'sha256-") == 2
    assert "unsafe-eval" not in policy and "http" not in policy


def test_markdown_and_json_tell_the_same(tmp_path: Path) -> None:
    folder = data.write(tmp_path)
    report = build.run(folder, tmp_path / "r.md", "ssd")
    words = (tmp_path / "r.md").read_text()
    assert "| equal | forward | logits |" in words and "`TF003`" in words
    render.write(report, tmp_path / "r.json")
    found = json.loads((tmp_path / "r.json").read_text())
    assert [f["text"] for f in found["findings"]] == [f.text for f in report.findings]
    assert all(f.text in words for f in report.findings)


@pytest.mark.parametrize("missing", ["plan", "verify", "measure"])
def test_partial_results_make_a_report(tmp_path: Path, missing: str) -> None:
    folder = data.write(tmp_path)
    (folder / f"{missing}.json").unlink()
    assert build.run(folder, tmp_path / "r.html", "ssd").sections


def test_damaged_results_are_named(tmp_path: Path) -> None:
    with pytest.raises(build.ReportError, match="migrator migrate"):
        build.run(tmp_path, tmp_path / "r.html", "x")
    (tmp_path / "verify.json").write_text('{"checks": []}')
    with pytest.raises(build.ReportError, match=r"verify\.json: field 'reference' is missing"):
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


def test_static_charts_escape_and_keep_every_number() -> None:
    bars = (charts.Bar("batch 1", "<b>", 5e6, "4.8 MiB", "#000"),)
    drawn = charts.svg(charts.Chart("c", "t", "bars", "bytes", 'a"b<', bars))
    assert "4.8 MiB" in drawn and "<b>" not in drawn and 'a"b<' not in drawn


def test_bars_lie_where_their_labels_are_long_and_small_counts_are_seen() -> None:
    def bars(*groups: str, top: float = 8.0) -> dict[str, Any]:
        made = tuple(charts.Bar(g, "s", top if n else 1.0, "") for n, g in enumerate(groups))
        return charts.figure(charts.Chart("c", "t", "bars", "count", "alt", made))

    short, long = bars("batch 1", "batch 8"), bars("batch 1", "deep <YOLO> training, batch 8")
    assert short["data"][0]["orientation"] == "v" and "type" not in short["layout"]["yaxis"]
    assert long["data"][0]["orientation"] == "h"
    assert long["data"][0]["y"][1] == "deep &lt;YOLO&gt;<br>training, batch 8"
    beside = tuple(charts.Bar(g, str(n), 2.0, "2 B") for g in "ab" for n in range(charts.STANDING))
    crowded = charts.figure(charts.Chart("c", "t", "bars", "bytes", "alt", beside))
    assert {d["orientation"] for d in crowded["data"]} == {"h"}
    many = bars(*map(str, range(charts.GROUPS + 1)), top=5000.0)
    assert many["data"][0]["orientation"] == "h"
    assert many["layout"]["xaxis"]["type"] == "log"


def compared(seconds: float, status: str = "ok", peak: int = 100) -> records.Measurement:
    """A step of 0.1 s and 100 bytes before, one of `seconds` and `peak` after; and one of XLA."""

    def cell(
        side: str, execution: str, wall: float, how: str = "ok", held: int = 100
    ) -> records.CellResult:
        found = records.Attribution(held, held, held, 0, {"weights": held}, (), ())
        call = {"call": {"seconds": 0.02, "variables": 330}} if side == "after" else {}
        sample = records.Sample((), 100, 0, 0, (held,), 100, (wall,), (wall,), 1, found, call)
        where = records.Cell("net", side, execution, "float32", "inference", 8)
        ran = (sample, sample) if how == "ok" else ()
        return records.CellResult(where, how, ran, "why it has no figures")

    return records.Measurement({}, (
        cell("before", "graph_session", 0.1), cell("after", "function", seconds, held=peak),
        cell("after", "xla", 0.1, status),
    ))  # fmt: skip


@pytest.mark.parametrize(("seconds", "kind"), [(0.09, "good"), (0.104, "good"), (0.2, "open")])
def test_a_slower_step_is_no_good_news(seconds: float, kind: str) -> None:
    _, findings = memory.sections(compared(seconds))
    assert findings[0].kind == kind and "step time" in findings[0].text
    told = "Of its 200 ms, calling a tf.function over 330 variables takes 20 ms"
    assert (told in findings[0].text) == (kind != "good")


def test_more_memory_than_before_is_told_at_the_top() -> None:
    _, findings = memory.sections(compared(0.1, peak=150))
    assert findings[0].kind == "bad" and "rose by 50 %" in findings[0].text


@pytest.mark.parametrize(
    ("status", "caveat", "finding"),
    [("unsupported", "1 of 3 cells are not possible", False),
     ("oom", "1 of 3 cells did not finish", True)],
)  # fmt: skip
def test_what_is_not_possible_is_no_failure(status: str, caveat: str, finding: bool) -> None:
    measured = compared(0.1, status)
    assert any(caveat in c for c in build._measurement_caveats(measured))
    sections, _ = memory.sections(measured)
    told = [s.text for s in sections[0].statements if s.kind == "bad"]
    assert bool(told) == finding
    shown = " ".join(" ".join(row) for t in sections[0].tables for row in t.rows)
    assert "why it has no figures" in shown
    assert ("not possible" if status == "unsupported" else "out of memory") in shown


def test_columns_that_say_nothing_are_left_out() -> None:
    rows = (("a", "–", "1", ""), ("b", "–", "–", ""))
    table = model.Table("t", ("name", "GPU", "size", "note"), rows, frozenset({1, 2}))
    told = table.told()
    assert told.columns == ("name", "size") and told.rows == (("a", "1"), ("b", "–"))
    assert told.numeric == {1}


def test_what_an_update_holds_is_no_layers() -> None:
    holders = (
        records.Holder("update temporaries", "sgd", "sgd/Mul", 900),
        records.Holder("activations", "block/dense", "MatMul", 100),
    )
    found = records.Attribution(1000, 1000, 1000, 0, {"activations": 100}, holders, ())
    assert list(memory._by_layer(found)) == ["block/dense"]


def test_what_the_allocator_holds_beside_requested_bytes_is_shown() -> None:
    sample = data._sample(1000, 0.1, "Conv_1")
    assert sample.attribution is not None
    held = dataclasses.replace(sample.attribution, allocator_peak=1500)
    cell = records.Cell("ssd", "after", "function", "float32", "inference", 1)
    result = records.CellResult(cell, "ok", (dataclasses.replace(sample, attribution=held),))
    chart = memory._inside_charts("0", "ssd", [result], result, held)[0]
    assert sum(bar.value for bar in chart.bars) == 1500
    assert {bar.series: bar.value for bar in chart.bars}[memory.REST] == 500
    assert "exactly" in chart.note


def test_a_prediction_stands_beside_what_was_measured() -> None:
    sample = dataclasses.replace(
        data._sample(1000, 0.1, "Conv_1"), inputs=0, extra={"predicted_step": {"bytes": 850}}
    )
    cell = records.Cell("ssd", "after", "function", "float32", "inference", 1)
    table = memory._table([records.CellResult(cell, "ok", (sample,))])
    assert table.rows[0][table.columns.index("predicted")] == "1.0 KiB (+5.0%)"

"""The review page: what it says about a plan, and that nothing in a name or finding can run."""

from __future__ import annotations

import re
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from migrator.cli.main import cli
from migrator.cli.summary import count
from migrator.engine import decisions
from migrator.model import Change, Confidence, FileResult, Finding, Plan, Rung, Status, to_json
from migrator.report import build, review
from migrator.report.page import visible
from tests.report import data
from tests.report.browser import chromium

OLD = "".join(f"line{n} = {n}\n" for n in range(1, 61))
NEW = OLD.replace("line5 = 5", "line5 = five()").replace("line30 = 30\n", "").replace(
    "line50 = 50\n", "line50 = 50\nadded = 1\n"
)  # fmt: skip
HOSTILE = data.HOSTILE + '\' " onmouseover=alert(1) x=" \u202eevil\x1b[31m'


def plan() -> Plan:
    changes = (
        Change("TF110", 5, 5, "five is called"),
        Change("TF301", 30, 30, "thirty is gone", confidence=Confidence.LIKELY),
        Change("TF301", 50, 51, HOSTILE, confidence=Confidence.REVIEW),
    )
    findings = (
        Finding("TF003", "pkg/a.py", 6, 0, "in a hunk", "advice one"),
        Finding("TF005", "pkg/a.py", 17, 0, HOSTILE, HOSTILE, rung=Rung.COMPAT),
        Finding("TF003", "pkg/a.py", 18, 0, "beside it", "advice three"),
    )
    first = FileResult("pkg/a.py", Status.CHANGED, "0" * 64, OLD, NEW, changes, findings)
    hostile = FileResult(
        f"pkg/{HOSTILE}.py", Status.CHANGED, "0" * 64, "a = 1\r\nb = 2\r\n", "a = 1\r\nb = 3\r\n",
        (Change("TF110", 2, 2, "r"),),
    )  # fmt: skip
    only = FileResult(
        "look.py", Status.UNCHANGED, "", "x = 1\n",
        findings=(Finding("TF004", "look.py", 1, 0, "look at this", ""),),
    )  # fmt: skip
    failed = FileResult("bad.py", Status.FAILED, error="bad.py:1: invalid syntax")
    same = FileResult("same.py", Status.UNCHANGED)
    return Plan("/repo", (first, failed, hostile, only, same), (("tf1_support/a.py", "x\ny\n"),))


def test_every_hunk_and_every_findings_line_is_shown() -> None:
    shown = {file.path: file for file in review.files(plan())}
    assert set(shown) == {"pkg/a.py", visible(f"pkg/{HOSTILE}.py"), "look.py", "bad.py"}
    first = shown["pkg/a.py"]
    assert [(b.line, b.codes, b.kinds) for b in first.blocks] == [
        (2, ["TF003", "TF110"], ["proven", "person"]),
        (15, ["TF003", "TF005"], ["person"]),
        (27, ["TF301"], ["likely"]),
        (48, ["TF301"], ["review"]),
    ]
    at = {
        f.message: row.old.parts[0][0]
        for b in first.blocks for row in b.rows for f in row.findings if row.old
    }  # fmt: skip
    assert at["in a hunk"] == "line6 = 6" and at["beside it"] == "line18 = 18"
    assert (first.added, first.removed) == (2, 2)


def test_both_sides_have_their_own_line_numbers() -> None:
    blocks = review.files(plan())[0].blocks
    rows = {row.old.number: row for b in blocks for row in b.rows if row.old and row.new}
    assert rows[29].new and rows[29].new.number == 29
    assert rows[31].new and rows[31].new.number == 30  # one line was removed above
    changed = rows[5]
    assert changed.old and changed.new
    assert changed.old.parts == (("line5 = ", False), ("5", True))
    assert changed.new.parts == (("line5 = ", False), ("five()", True))
    added = [row for b in blocks for row in b.rows if row.old is None]
    assert [row.new.parts[0][0] for row in added if row.new] == ["added = 1"]


def test_a_page_that_would_be_too_large_counts_what_it_leaves_out() -> None:
    shown = review.files(plan(), limit=150)
    assert shown[0].omitted > 0 and shown[0].added == 2


def test_nothing_hides() -> None:
    assert visible("a\u202eb\x1b[0m\u200b\udc80") == (
        "a\u27e8U+202E\u27e9b\u27e8U+001B\u27e9[0m\u27e8U+200B\u27e9\\udc80".replace(
            "\\udc80", visible("\udc80")
        )
    )
    assert visible("\udc80").isprintable()
    page = review.html(plan(), HOSTILE)
    assert "\u202e" not in page and "\x1b" not in page


def test_the_policy_allows_only_the_pages_own_script_and_style() -> None:
    page = review.html(plan(), "t")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src &#39;none&#39;" in policy[1] and "unsafe" not in policy[1]
    assert "http" not in policy[1]
    scripts = re.findall(r"<script[^>]*>", page)
    assert scripts == ['<script type="application/json" id="decisions">', "<script>"]
    assert "<img" not in page
    assert re.search(r"\son[a-z]+=(?!alert\(1\))", re.sub(r">[^<]*<", "><", page)) is None


def test_the_report_links_to_the_page(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(to_json(plan()), errors="backslashreplace")
    build.run(tmp_path, tmp_path / "out.html", "t")
    assert 'href="out-review.html"' in (tmp_path / "out.html").read_text()
    assert "look at this" in (tmp_path / "out-review.html").read_text()


def test_migrate_writes_the_page_and_nothing_else(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    (root / "a.py").write_text(
        "import numpy as np\nimport tensorflow as tf\nx = tf.log(np.float(1))\n"
    )
    page = tmp_path / "review.html"
    said = CliRunner().invoke(cli, ["migrate", str(root), "--review", str(page), "--no-cache"])
    assert said.exit_code == 1, said.output
    assert "Review: " in said.stderr and "import numpy as np" in page.read_text()
    assert [p.name for p in root.iterdir()] == ["a.py"]
    bad = CliRunner().invoke(cli, ["migrate", str(root), "--review", str(tmp_path / "a.py/x.html")])
    assert bad.exit_code in (1, 2)


def test_tests_and_generated_files_stand_apart_and_generated_ones_are_folded() -> None:
    def made(path: str, old: str) -> FileResult:
        return FileResult(path, Status.CHANGED, "0" * 64, old, old + "b = 1\n")

    files = (
        made("net_pb2.py", "a = 1\n"), made("tests/test_net.py", "a = 1\n"), made("net.py", "a = 1\n"),
        made("flags.py", "# Generated by a program. DO NOT EDIT.\n"), made("pkg/net_test.py", "a = 1\n"),
    )  # fmt: skip
    text = review.html(Plan("/repo", files), "t")
    groups = re.findall(r'<details class="group" data-group="(\w+)"( open)?><summary>(\w+): (\d)', text)
    assert groups == [
        ("code", " open", "Code", "1"), ("tests", " open", "Tests", "2"),
        ("generated", "", "Generated", "2"),
    ]  # fmt: skip


# -- in a browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path = tmp_path_factory.mktemp("review") / "review.html"
    review.write(plan(), path, HOSTILE)
    with chromium() as driver:
        driver.get(path.as_uri())
        yield driver


def shown(page: Any, what: str) -> list[Any]:
    return [e for e in page.find_elements("css selector", what) if e.is_displayed()]


def choose(page: Any, name: str, value: str) -> None:
    page.find_element("css selector", "button[type=reset]").click()
    element = page.find_element("name", name)
    if element.tag_name == "select":
        element.find_element("css selector", f'option[value="{value}"]').click()
    else:
        element.send_keys(value)


def test_nothing_hostile_runs_and_nothing_is_requested(page: Any) -> None:
    assert [e for e in page.get_log("browser") if e["level"] == "SEVERE"] == []
    assert page.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert page.find_elements("css selector", "img, main script, [onmouseover], [onerror]") == []
    # the file's whole name is text
    names = [e.text for e in page.find_elements("css selector", "summary > code:first-child")]
    assert f"pkg/{visible(HOSTILE)}.py" in names
    # a script that finds its way into the page is refused by the policy
    page.execute_script(
        "var s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        "document.body.appendChild(s);"
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 2\">');"
    )
    assert page.execute_script("return window.ran") is None
    refused = [e for e in page.get_log("browser") if "Content Security Policy" in e["message"]]
    assert refused


@pytest.mark.parametrize(
    ("name", "value", "files", "blocks"),
    [
        ("rule", "TF301", 1, 2),
        ("rule", "TF003", 1, 2),
        ("kind", "likely", 1, 1),
        ("kind", "person", 2, 3),
        ("file", "LOOK", 1, 1),
        ("file", "pkg a.py", 1, 4),
        ("file", "nowhere", 0, 0),
    ],
)
def test_filters(page: Any, name: str, value: str, files: int, blocks: int) -> None:
    choose(page, name, value)
    assert len(shown(page, "details.file")) == files
    assert len(shown(page, ".block")) == blocks
    counted = f"{count(files, 'file')}, {count(blocks, 'place')}"
    assert page.find_element("name", "count").text == counted
    assert bool(shown(page, ".nothing")) == (files == 0)


def test_all_is_shown_again_and_files_fold(page: Any) -> None:
    choose(page, "rule", "")
    assert len(shown(page, "details.file")) == 4
    page.find_element("name", "fold").click()
    assert shown(page, ".block") == []
    page.find_element("name", "fold").click()
    assert len(shown(page, ".block")) == 6


def test_files_are_a_tree_and_what_was_viewed_is_folded(page: Any) -> None:
    choose(page, "rule", "")
    tree = [e.text for e in page.find_elements("css selector", "nav li")]
    assert tree[0] == "pkg/" and any(line.startswith("a.py +2") for line in tree)
    file = page.find_element("css selector", 'details.file[data-path="pkg/a.py"]')
    box = file.find_element("css selector", ".viewed input")
    box.click()
    link = page.find_element("css selector", f'nav a[href="#{file.get_attribute("id")}"]')
    assert file.get_attribute("open") is None and link.get_attribute("class") == "done"
    page.refresh()  # kept in the browser
    file = page.find_element("css selector", 'details.file[data-path="pkg/a.py"]')
    box = file.find_element("css selector", ".viewed input")
    assert file.get_attribute("open") is None and box.is_selected()
    box.click()
    assert file.get_attribute("open") is not None


def test_decisions_are_saved_as_a_file_that_the_plan_takes(page: Any, tmp_path: Path) -> None:
    page.execute_cdp_cmd("Browser.setDownloadBehavior",
                         {"behavior": "allow", "downloadPath": str(tmp_path)})  # fmt: skip
    choose(page, "rule", "TF301")
    page.find_element("name", "leave").click()  # both hunks of the rule
    choose(page, "rule", "")
    assert page.find_element("name", "decided").text == "2 accepted, 2 left"
    page.refresh()
    assert page.find_element("name", "decided").text == "2 accepted, 2 left"
    page.find_element("name", "save").click()
    saved = tmp_path / "decisions.json"
    deadline = time.monotonic() + 60
    while not saved.is_file() and time.monotonic() < deadline:
        time.sleep(0.05)
    made, left = decisions.decide(plan(), decisions.load(saved))
    assert left == []
    first = next(f for f in made.files if f.path == "pkg/a.py")
    assert first.new_text == OLD.replace("line5 = 5", "line5 = five()")
    assert next(f for f in made.files if f.path.startswith("pkg/") and f is not first).new_text
    page.find_element("name", "accept").click()
    assert page.find_element("name", "decided").text == "4 accepted, 0 left"


def test_before_and_after_stand_side_by_side(page: Any) -> None:
    choose(page, "rule", "TF110")
    row = shown(page, "tr.changed")[0]
    old, new = (row.find_element("css selector", c) for c in ("td.old", "td.new"))
    assert (old.text, new.text) == ("line5 = 5", "line5 = five()")
    assert old.rect["y"] == new.rect["y"] and old.rect["x"] < new.rect["x"]
    assert old.find_element("tag name", "mark").text == "5"


def test_a_large_page_is_never_in_memory_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review, "_IN_MEMORY", 0)
    old = "".join(f"x{n} = tf.log({n})\n" for n in range(300))
    new = old.replace("tf.log", "tf.math.log")
    changes = tuple(Change("TF101", n, n, "tf.log is tf.math.log") for n in range(1, 301))
    results = [FileResult(f"m{n}.py", Status.CHANGED, "0" * 64, old, new, changes) for n in range(60)]
    page = tmp_path / "page.html"
    review.write(Plan("/r", tuple(results[:1])), page, "t")
    tracemalloc.start()
    review.write(Plan("/r", tuple(results)), page, "t")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < page.stat().st_size

"""The page in a real browser: charts are drawn, filters work, nothing is refused or requested."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from migrator.model import to_json
from migrator.report import build, render
from tests.report import data, test_sets
from tests.report.browser import chromium

SAVED = Path(__file__).resolve().parents[2] / "samples" / "reports" / "ssd_mobilenet_v1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = data.write(tmp_path_factory.mktemp("results"))
    build.run(folder, folder / "report.html", "ssd")
    older = test_sets.write(folder / "older.json", 0.8, when="2025-01-01")
    (folder / "predict.json").write_text(to_json(test_sets.forecasts()))
    newer = test_sets.write(folder / "newer.json")
    merged = [older, newer, test_sets.write(folder / "other.json", cpu="other")]
    page = build.merge([*merged, folder / "predict.json"], "several")
    render.write(page, folder / "merged.html")
    (folder / "live.json").write_text(to_json(data.with_tensors()))
    render.write(build.build("live", measure=folder / "live.json"), folder / "live.html")
    return folder


@pytest.fixture(scope="module")
def browser(folder: Path) -> Iterator[Any]:
    with chromium() as driver:
        driver.get((folder / "report.html").as_uri())
        yield driver


def severe(browser: Any) -> list[str]:
    return [e["message"] for e in browser.get_log("browser") if e["level"] == "SEVERE"]


def test_charts_are_drawn_and_the_policy_refuses_nothing(browser: Any) -> None:
    assert browser.find_elements("css selector", "#picture .plot path")
    assert browser.find_elements("css selector", ".view .plot path")
    assert severe(browser) == []


def test_no_request_leaves_the_page(browser: Any) -> None:
    asked = browser.execute_script(
        "return performance.getEntriesByType('resource').map(e => e.name)"
    )
    assert [a for a in asked if not a.startswith(("data:", "blob:"))] == []


def test_the_view_shows_what_lives_at_a_moment(browser: Any, folder: Path) -> None:
    browser.get((folder / "live.html").as_uri())
    flame = browser.find_element("css selector", ".flame")
    words = browser.find_element("css selector", ".moment")
    assert "its fullest moment" in words.text and "big" in flame.text
    rows = browser.find_elements("css selector", ".view tbody tr")
    assert "8×300×300×3" in rows[0].text and "net/ssd.py:41" in rows[0].text
    browser.execute_script(
        "var s = document.querySelector('.slide input'); s.value = 900;"
        "s.dispatchEvent(new Event('input'))"
    )
    assert "its fullest moment" not in words.text
    rows = browser.find_elements("css selector", ".view tbody tr")
    assert [r.text.split()[0] for r in rows] and "net/ssd.py:41" not in rows[0].text
    link = browser.find_element("link text", "Link to this moment").get_attribute("href")
    browser.get("about:blank")
    browser.get(link)
    assert browser.find_element("css selector", ".moment").text == words_again(browser)
    assert "its fullest moment" not in words_again(browser)
    assert severe(browser) == []


def words_again(browser: Any) -> str:
    return str(browser.find_element("css selector", ".moment").text)


def test_the_flame_graph_zooms_and_finds(browser: Any, folder: Path) -> None:
    browser.get((folder / "live.html").as_uri())
    frames = browser.find_elements("css selector", ".f")
    top = next(f for f in frames if f.text.startswith("small"))
    before = top.size["width"]
    top.click()
    frames = browser.find_elements("css selector", ".f")
    assert frames[0].text.startswith("small") and frames[0].size["width"] > before
    browser.find_element("css selector", "[aria-label='Search in the flame graph']").send_keys("small")
    hits = browser.find_elements("css selector", ".f.hit")
    assert hits and all("small" in h.get_attribute("title") for h in hits)


def test_a_selector_stands_for_repeated_tables(browser: Any, folder: Path) -> None:
    browser.get((folder / "report.html").as_uri())
    shown = [e.text for e in browser.find_elements("css selector", "#kinds .bar") if e.is_displayed()]
    batch = browser.find_element("css selector", "select[name=b]")
    assert len(shown) == 5 and batch.get_attribute("value") == "8"
    batch.find_element("css selector", "option[value='1']").click()
    other = [e.text for e in browser.find_elements("css selector", "#kinds .bar") if e.is_displayed()]
    assert len(other) == 5 and other != shown


def test_tables_are_sorted_and_copied(browser: Any, folder: Path) -> None:
    browser.get((folder / "report.html").as_uri() + "#cells")
    table = browser.find_element("css selector", "#cells table")
    head = next(h for h in table.find_elements("css selector", "th") if h.text == "allocator peak")
    head.find_element("css selector", "button").click()
    column = table.find_elements("css selector", "th").index(head)

    def sizes() -> list[str]:
        cells = table.find_elements("css selector", f"tbody td:nth-child({column + 1})")
        return [c.text for c in cells if c.text]

    largest = sizes()
    assert largest[0] == "481 MiB" and head.get_attribute("aria-sort") == "descending"
    head.find_element("css selector", "button").click()
    assert sizes() == largest[::-1]
    told = browser.execute_script("return migrator.csv(document.querySelector('#cells table'))")
    assert told.splitlines()[0].startswith("workload,batch,variant,requested peak")
    assert len(told.splitlines()) == 12


def test_a_link_opens_what_is_folded(browser: Any, folder: Path) -> None:
    browser.get((folder / "report.html").as_uri())
    checks = browser.find_element("id", "checks")
    assert checks.get_attribute("open") is None
    browser.find_element("link text", "every check").click()
    assert checks.get_attribute("open") is not None


def test_orders_say_what_to_do(browser: Any, folder: Path) -> None:
    browser.get((folder / "report.html").as_uri())
    first = browser.find_element("css selector", ".order")
    first.find_element("css selector", "summary").click()
    assert "migrator todo . --check" in first.text


def test_it_fits_a_phone(browser: Any) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True},
    )
    browser.refresh()
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 392
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_charts_have_words_for_those_who_cannot_see_them(browser: Any) -> None:
    for place in browser.find_elements("css selector", "figure [role=img]"):
        assert len(place.get_attribute("aria-label")) > 10


def test_page_is_one_file(browser: Any) -> None:
    folder = Path(browser.current_url.removeprefix("file://")).parent
    assert (folder / "report.html").stat().st_size < 1_500_000


def test_the_page_of_the_demo_is_short(browser: Any, tmp_path: Path) -> None:
    build.run(SAVED, tmp_path / "report.html", "ssd_mobilenet_v1")
    assert (tmp_path / "report.html").stat().st_size < 1_500_000
    browser.get((tmp_path / "report.html").as_uri())
    assert 1_000 < browser.execute_script("return document.documentElement.scrollHeight") <= 6_000
    # stacked by kind, with the program's own lines: nothing of it needs to be measured again
    assert "live" in browser.find_element("css selector", ".view").text
    assert "ssd/mobilenet_v1.py:" in browser.find_element("id", "memory").get_attribute("textContent")
    assert severe(browser) == []


CONTRAST = """
function parse(c) { var m = c.match(/[\\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; }
function light(c) {
  var v = c.slice(0, 3).map(x => x / 255);
  v = v.map(x => x <= .03928 ? x / 12.92 : Math.pow((x + .055) / 1.055, 2.4));
  return .2126 * v[0] + .7152 * v[1] + .0722 * v[2];
}
function behind(e) {
  for (; e; e = e.parentElement) {
    var c = parse(getComputedStyle(e).backgroundColor);
    if (c[3] > .9) { return c; }
  }
  return [255, 255, 255, 1];
}
var bad = [];
document.querySelectorAll("body *").forEach(function (e) {
  var own = Array.prototype.some.call(e.childNodes, n => n.nodeType === 3 && n.data.trim());
  if (!own || e.closest("svg") || e.closest("script,style,[hidden]") || !e.offsetParent) { return; }
  var a = light(parse(getComputedStyle(e).color)), b = light(behind(e));
  var ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  if (ratio < 4.5) { bad.push(e.tagName + "." + e.className + " " + ratio.toFixed(2)); }
});
return bad;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", ["report.html", "merged.html", "live.html"])
def test_text_stands_out_from_its_ground(
    browser: Any, folder: Path, page: str, scheme: str
) -> None:
    preferred = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", preferred)
    try:
        browser.get((folder / page).as_uri())
        browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        assert browser.execute_script(CONTRAST) == []
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_the_keyboard_reaches_everything(browser: Any, folder: Path) -> None:
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    browser.get((folder / "report.html").as_uri())
    reached = []
    for _ in range(200):
        browser.switch_to.active_element.send_keys(keys.TAB)
        element = browser.switch_to.active_element
        if element.tag_name == "body":
            break
        reached.append((element.tag_name, element.get_attribute("class")))
    kinds = {tag for tag, _ in reached}
    assert reached[0] == ("a", "skip")
    assert {"a", "input", "summary", "div", "select", "button"} <= kinds
    closed = browser.find_element("css selector", "#checks")
    closed.find_element("css selector", "summary").send_keys(keys.ENTER)
    assert closed.get_attribute("open") is not None


def test_print_has_charts_and_no_tools(browser: Any, folder: Path) -> None:
    browser.get((folder / "merged.html").as_uri())
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": dark})
    paper = browser.find_element("css selector", "body").value_of_css_property("background-color")
    assert paper.replace(" ", "").startswith("rgba(255,255,255")
    assert any(e.is_displayed() for e in browser.find_elements("css selector", "figure svg"))
    assert not any(e.is_displayed() for e in browser.find_elements("css selector", ".tools, .link"))
    how_far = "const d = document.querySelector('.caveats'); d.open = false;"
    assert browser.execute_script(how_far + "return d.querySelector('li').checkVisibility()")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


def test_without_scripts_everything_is_there(folder: Path) -> None:
    with chromium(script=False) as quiet:
        quiet.get((folder / "report.html").as_uri())
        shown = [e for e in quiet.find_elements("css selector", "#kinds .bar") if e.is_displayed()]
        assert len(shown) == 10 and "ssd inference" in shown[0].text
        assert quiet.find_element("css selector", "#picture .plot").is_displayed()
        assert not quiet.find_elements("css selector", ".view:not([hidden])")


def test_several_results_on_one_page(browser: Any, folder: Path) -> None:
    browser.get((folder / "merged.html").as_uri())
    titles = [h.text for h in browser.find_elements("css selector", "main h2")]
    assert any(t.startswith("Over time") for t in titles) and "Machines beside each other" in titles
    for _ in range(100):  # drawn when it comes into view
        drawn = len(browser.find_elements("css selector", ".view .plot path"))
        if drawn > 2:
            break
        time.sleep(0.1)
    assert drawn > 2
    assert severe(browser) == []
    assert (folder / "merged.html").stat().st_size < 1_500_000

"""The page in a real browser: charts are drawn, filters work, nothing is refused or requested."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from migrator.model import to_json
from migrator.report import build, render
from tests.report import data, test_sets
from tests.report.browser import chromium


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
    return folder


@pytest.fixture(scope="module")
def browser(folder: Path) -> Iterator[Any]:
    with chromium() as driver:
        driver.get((folder / "report.html").as_uri())
        yield driver


def test_charts_are_drawn_and_the_policy_refuses_nothing(browser: Any) -> None:
    places = browser.find_elements("css selector", "[data-chart]")
    drawn = browser.find_elements("css selector", "[data-chart] svg.main-svg")
    assert places and len({d.find_element("xpath", "ancestor::figure").id for d in drawn}) == len(
        places
    )
    assert [e for e in browser.get_log("browser") if e["level"] == "SEVERE"] == []


def test_no_request_leaves_the_page(browser: Any) -> None:
    asked = browser.execute_script(
        "return performance.getEntriesByType('resource').map(e => e.name)"
    )
    assert [a for a in asked if not a.startswith(("data:", "blob:"))] == []


def test_filters_narrow_the_lists(browser: Any) -> None:
    items = browser.find_elements("css selector", ".remaining li")
    box = browser.find_element("css selector", "[data-filter=remaining]")
    box.send_keys("TF003")
    assert [i.is_displayed() for i in items].count(True) == 1 < len(items)


def test_it_fits_a_phone(browser: Any) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True},
    )
    browser.refresh()
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 392
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_charts_have_words_for_those_who_cannot_see_them(browser: Any) -> None:
    for place in browser.find_elements("css selector", "[data-chart]"):
        assert len(place.get_attribute("aria-label")) > 10


def test_page_is_one_file(browser: Any) -> None:
    folder = Path(browser.current_url.removeprefix("file://")).parent
    assert (folder / "report.html").stat().st_size < 6_000_000


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


@pytest.mark.parametrize("page", ["report.html", "merged.html"])
def test_text_stands_out_from_its_ground(browser: Any, folder: Path, page: str) -> None:
    browser.get((folder / page).as_uri())
    assert browser.execute_script(CONTRAST) == []


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
    assert reached[0] == ("a", "skip") and {"a", "input", "summary", "div"} <= kinds
    closed = browser.find_element("css selector", "details")
    opened = closed.get_attribute("open") is not None
    closed.find_element("css selector", "summary").send_keys(keys.ENTER)
    assert (closed.get_attribute("open") is not None) is not opened


def test_print_shows_static_charts(browser: Any, folder: Path) -> None:
    browser.get((folder / "merged.html").as_uri())
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = browser.find_elements("css selector", "figure .static svg")
    assert shown and all(s.is_displayed() for s in shown)
    assert not any(e.is_displayed() for e in browser.find_elements("css selector", ".live, nav"))
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_several_results_on_one_page(browser: Any, folder: Path) -> None:
    browser.get((folder / "merged.html").as_uri())
    titles = [h.text for h in browser.find_elements("css selector", "main h2")]
    assert any(t.startswith("Over time") for t in titles) and "Machines beside each other" in titles
    places = browser.find_elements("css selector", "[data-chart]")
    assert (
        len(browser.find_elements("css selector", "[data-chart] svg.main-svg")) >= len(places) > 8
    )
    assert [e for e in browser.get_log("browser") if e["level"] == "SEVERE"] == []
    assert (folder / "merged.html").stat().st_size < 6_000_000

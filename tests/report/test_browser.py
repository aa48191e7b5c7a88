"""The page in a real browser: charts are drawn, filters work, nothing is refused or requested."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from migrator.report import build
from tests.report import data
from tests.report.browser import chromium


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = data.write(tmp_path_factory.mktemp("results"))
    build.run(folder, folder / "report.html", "ssd")
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

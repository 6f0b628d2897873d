"""The page in a real browser: it sorts, filters and opens an entry; no console error, no request."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auditor.results.document import Document

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--window-size=1280,1600",
)  # fmt: skip

pytestmark = [
    pytest.mark.skipif(not BROWSER, reason="needs Chromium (Debian: apt-get install chromium)"),
    pytest.mark.skipif(not DRIVER, reason="needs chromedriver (Debian: apt-get install chromium-driver)"),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium (pip install 'dp-audit[dev]')")
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def opened(browser: Any, page: str, tmp_path: Path) -> Iterator[Any]:
    file = tmp_path / "index.html"
    file.write_text(page, encoding="utf-8")
    browser.get(file.as_uri())
    yield browser
    assert [entry["message"] for entry in browser.get_log("browser")] == []
    assert requests(browser) <= {file.as_uri()}


def requests(browser: Any) -> set[str]:
    """Every address that was asked for, but data: and the browser's own chrome://, which ask nobody."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    return {url.partition("#")[0] for url in sent if not url.startswith(("chrome:", "data:"))}


def column(browser: Any, place: int) -> list[str]:
    script = (
        "return [...document.querySelectorAll('#entries tbody tr:not([hidden])')]"
        ".map(row => row.cells[arguments[0]].textContent.trim())"
    )
    return list(browser.execute_script(script, place))


def test_sorts_by_a_number_and_by_words(opened: Any) -> None:
    stored = column(opened, 0)
    heads = opened.find_elements("css selector", "#entries thead button")
    certified = next(head for head in heads if head.text.startswith("certified"))
    certified.click()
    known = [float(value) for value in column(opened, 6) if value != "–"]
    assert known == sorted(known)
    assert column(opened, 6)[-1] == "–"  # what is missing stands last, either way
    certified.click()
    known = [float(value) for value in column(opened, 6) if value != "–"]
    assert known == sorted(known, reverse=True)
    assert column(opened, 6)[-1] == "–"
    heads[0].send_keys("\n")  # by keyboard
    assert column(opened, 0) == sorted(stored, key=str.lower)
    assert sorted(column(opened, 0)) == sorted(stored)


def test_filters_by_words_kind_and_outcome(opened: Any, notes: Document) -> None:
    search = opened.find_element("id", "search")
    search.send_keys("laplace half")
    assert column(opened, 0) == ["laplace/half-scale"]
    assert opened.find_element("id", "shown").text == "1 of 16 shown"
    search.clear()
    search.send_keys(" ")
    opened.find_element("css selector", "#kind option[value=mutant]").click()
    assert column(opened, 0) == [entry.id for entry in notes.entries if entry.kind == "mutant"]
    opened.find_element("css selector", "#kind option[value='']").click()
    opened.find_element("xpath", "//select[@id='outcome']/option[.='misprint']").click()
    assert column(opened, 0) == ["003-R1"]


def test_opens_the_entry_that_a_link_points_to(opened: Any) -> None:
    body = opened.find_element("id", "e-laplace-half-scale")
    assert not body.is_displayed()
    opened.find_element("css selector", "#entries a[href='#e-laplace-half-scale']").click()
    assert body.is_displayed()
    assert "ε ≥ 1.94" in body.text
    plot = body.find_element("css selector", "svg.plot")
    assert plot.size["width"] > 300
    opened.find_element("id", "close-all").click()
    assert not body.is_displayed()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_fits_the_screen_in_light_and_dark(opened: Any, width: int, scheme: str) -> None:
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    opened.find_element("id", "open-all").click()
    assert opened.execute_script("return document.documentElement.scrollWidth") <= width
    colours = opened.execute_script(
        "const of = (selector) => getComputedStyle(document.querySelector(selector));"
        "return [of('body').backgroundColor, of('.plot path[stroke*=claimed]').stroke]"
    )
    assert (
        colours
        == {
            "light": ["rgb(255, 255, 255)", "rgb(180, 83, 10)"],
            "dark": ["rgb(18, 22, 28)", "rgb(240, 163, 94)"],
        }[scheme]
    )


def test_reads_without_its_script(opened: Any) -> None:
    opened.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        opened.refresh()
        rows = opened.find_elements("css selector", "#entries tbody tr")
        assert len(rows) == 16
        assert not opened.find_element("id", "search").is_displayed()
        opened.find_element("xpath", "//summary[contains(., 'laplace/half-scale')]").click()
        assert "ε ≥ 1.94" in opened.find_element("id", "e-laplace-half-scale").text
    finally:
        opened.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_a_hostile_file_runs_nothing(browser: Any, hostile_page: str, tmp_path: Path) -> None:
    file = tmp_path / "hostile.html"
    file.write_text(hostile_page, encoding="utf-8")
    browser.get(file.as_uri())  # an alert would make the next call fail
    assert browser.title.startswith("<script>alert(1)</script>")
    assert len(browser.find_elements("tag name", "script")) == 1
    assert browser.get_log("browser") == []
    assert requests(browser) <= {file.as_uri()}

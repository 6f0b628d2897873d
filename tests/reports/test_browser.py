"""The page in a real browser: it filters, sorts, opens and prints; it fits a phone; no console error, no request."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import reports
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


SHOWN = "#entries details.entry:not([hidden])"


def shown(browser: Any) -> list[str]:
    """The ids of the entries that the filter leaves, in the page's order."""
    script = "return [...document.querySelectorAll(arguments[0])].map(one => one.querySelector('code').textContent)"
    return list(browser.execute_script(script, SHOWN))


def cells(browser: Any, chapter: str, place: int) -> list[str]:
    """One column of numbers of the entries in a chapter."""
    script = (
        "return [...document.getElementById(arguments[0]).closest('section').querySelectorAll('details.entry')]"
        ".map(one => one.querySelectorAll('summary .cell')[arguments[1]].dataset.sort)"
    )
    return list(browser.execute_script(script, chapter, place))


def choose(browser: Any, field: str, words: str) -> None:
    browser.find_element("xpath", f"//select[@id='{field}']/option[.='{words}']").click()


def test_sorts_each_chapter_by_a_number_and_by_id(opened: Any) -> None:
    stored = shown(opened)
    choose(opened, "order", "certified")
    values = cells(opened, "chapter-broken-twins", 2)
    known = [float(value) for value in values if value]
    assert known == sorted(known, reverse=True)
    assert len(set(known)) > 1
    assert "" not in values[: len(known)]  # what is missing stands last
    choose(opened, "order", "id")
    assert sorted(shown(opened)) == sorted(stored)
    choose(opened, "order", "as stored")
    assert shown(opened) == stored


def test_filters_by_words_kind_and_outcome(opened: Any, notes: Document) -> None:
    search = opened.find_element("id", "search")
    opened.find_element("tag name", "body").send_keys("/")  # by keyboard
    assert opened.switch_to.active_element == search
    search.send_keys("laplace half")
    assert shown(opened) == ["laplace/half-scale"]
    assert opened.find_element("id", "shown").text == "1 of 16 shown"
    assert not opened.find_element("id", "chapter-misprints").is_displayed()
    search.send_keys("\ue00c")  # Escape
    assert len(shown(opened)) == 16
    choose(opened, "kind", "broken twin")
    assert sorted(shown(opened)) == sorted(entry.id for entry in notes.entries if entry.kind == "mutant")
    choose(opened, "kind", "all")
    choose(opened, "outcome", "misprint")
    assert shown(opened) == ["003-R1"]


def test_opens_the_entry_that_a_link_points_to(opened: Any) -> None:
    body = opened.find_element("id", "e-laplace-half-scale")
    assert not body.is_displayed()
    opened.find_element("css selector", ".chapter > .more > summary").click()  # the twins in one picture
    opened.find_element("css selector", ".chart a[href='#e-laplace-half-scale']").click()
    assert body.is_displayed()
    assert "ε ≥ 1.94" in body.text
    assert opened.switch_to.active_element.tag_name == "summary"
    assert body.find_element("css selector", "svg.plot").size["width"] > 300
    opened.find_element("id", "close-all").click()
    assert not body.is_displayed()


def test_a_link_finds_an_entry_that_the_filter_hides(opened: Any) -> None:
    opened.find_element("id", "search").send_keys("nothing has these words")
    assert shown(opened) == []
    opened.execute_script("location.hash = 'e-laplace'")
    assert "laplace" in shown(opened)
    assert opened.find_element("id", "e-laplace").is_displayed()


def test_findings_are_open_on_paper_and_the_rest_as_on_the_screen(opened: Any) -> None:
    state = "return [...document.querySelectorAll(arguments[0])].map(fold => fold.open)"
    before, rest = opened.execute_script(state, "details"), ".entry:not(.paper *)"
    assert not all(before)
    opened.find_element("xpath", "//summary[contains(., 'laplace/half-scale')]").click()
    chosen, kept = opened.execute_script(state, "details"), opened.execute_script(state, rest)
    assert sum(kept) == 1
    opened.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert all(opened.execute_script(state, ".paper details"))
    assert opened.execute_script(state, rest) == kept
    opened.execute_script("dispatchEvent(new Event('afterprint'))")
    assert opened.execute_script(state, "details") == chosen


def test_the_answer_fits_the_first_screen(opened: Any) -> None:
    screen = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    bottom = "return document.querySelector(arguments[0]).getBoundingClientRect().bottom + scrollY"
    for part in (".answer .chart", ".answer .finding:last-of-type"):
        assert opened.execute_script(bottom, part) < 900


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_fits_the_screen_in_light_and_dark(opened: Any, width: int, scheme: str) -> None:
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    opened.find_element("id", "open-all").click()
    assert opened.execute_script("return document.documentElement.scrollWidth") <= width
    assert opened.find_element("css selector", ".answer .strip").size["width"] > width / 3
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
        assert len(opened.find_elements("css selector", "#entries details.entry")) == 16
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


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 2600)])
def test_a_page_for_one_audit_is_one_screen(
    browser: Any, run: Document, tmp_path: Path, width: int, height: int
) -> None:
    file = tmp_path / "one.html"
    file.write_text(reports.render(Document((run.entries[0],), "1", alpha=0.01), "html"), encoding="utf-8")
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    browser.get(file.as_uri())
    root = "const root = document.documentElement; return [root.scrollWidth, root.scrollHeight]"
    wide, high = browser.execute_script(root)
    assert wide <= width
    assert high <= height

"""The site in a real browser: screenshots of every page kind, and what only a browser can tell."""

import os
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page

from tests.site.built import BuiltSite, kinds

WIDTHS = (390, 768, 1280, 1920)
SCHEMES = ("light", "dark")


def test_every_page_kind_fits_every_width_in_both_schemes(
    browser: Browser, site: BuiltSite, address: str, tmp_path: Path
) -> None:
    """No page is wider than its window, none complains, and each can be looked at afterwards.

    Set SCREENSHOTS to a folder to keep the pictures.
    """
    folder = Path(os.environ.get("SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    for width in WIDTHS:
        for scheme in SCHEMES:
            context = _context(browser, width, scheme)
            page = _listening(context, wrong)
            for name, path in kinds(site).items():
                page.goto(address + path)
                beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                if beyond > 0:
                    wrong.append(f"{name} at {width}: {beyond} px too wide")
                page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
            context.close()
    assert wrong == []


def test_nothing_hostile_runs_or_hides(browser: Browser, site: BuiltSite, address: str) -> None:
    """Markup in names, answers, logs and reports is text; direction marks are made visible."""
    wrong: list[str] = []
    context = _context(browser, 1280, "light")
    page = _listening(context, wrong)
    names = site.names
    for path in ("benchmarks/feedfacecafe/", names.attempt, names.report, "models/maker1/model-1/"):
        page.goto(address + path)
        assert "owned" not in page.title().split("·")[0] or "<script>" in page.title()
        text = page.inner_text("body")
        assert "\u202e" not in page.content()
        assert "{{ 7*7 }}" in text
        assert "⟦U+202E⟧" in text
        assert page.locator("main script, main img, main iframe").count() == 0
    context.close()
    assert wrong == []


def test_sort_and_filter_stand_in_the_address(browser: Browser, address: str) -> None:
    """A head is sorted by keyboard, the address remembers it, and opening it shows the same."""
    wrong: list[str] = []
    context = _context(browser, 1280, "light")
    page = _listening(context, wrong)
    page.goto(address)
    head = page.locator("th[data-key='002-queries'] button")
    head.focus()
    page.keyboard.press("Enter")
    assert page.get_attribute("th[data-key='002-queries']", "aria-sort") == "descending"
    page.keyboard.press("Enter")
    assert page.get_attribute("th[data-key='002-queries']", "aria-sort") == "ascending"
    first = page.locator("tbody tr:not(.group) th").first.inner_text()
    page.get_by_label("Filter rows").fill("codex")
    assert page.locator("tbody tr:not(.group):visible").count() == 2
    page.goto(page.url)
    assert page.get_attribute("th[data-key='002-queries']", "aria-sort") == "ascending"
    assert page.locator("tbody tr:not(.group):visible").count() == 2
    page.get_by_label("Filter rows").fill("")
    assert page.locator("tbody tr:not(.group) th").first.inner_text() == first
    assert page.url == address + "?sort=002-queries+up"
    context.close()
    assert wrong == []


def test_columns_are_chosen_and_remembered(browser: Browser, address: str) -> None:
    """A column can be put away; the address keeps that."""
    wrong: list[str] = []
    context = _context(browser, 1280, "light")
    page = _listening(context, wrong)
    page.goto(address)
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("Clients").uncheck()
    assert page.locator("th[data-key='006-clients']").is_hidden()
    page.goto(page.url)
    assert page.locator("th[data-key='006-clients']").is_hidden()
    context.close()
    assert wrong == []


def test_compare_shows_only_where_the_chosen_differ(browser: Browser, address: str) -> None:
    """Two models chosen: their pair and the evals that one passes and the other does not."""
    wrong: list[str] = []
    context = _context(browser, 1280, "light")
    page = _listening(context, wrong)
    page.goto(f"{address}compare/")
    boxes = page.locator("[data-compare] input")
    boxes.nth(2).check()
    boxes.nth(3).check()
    rows = page.locator("table[data-table='differences'] tbody tr:not(.group):visible")
    count = rows.count()
    assert page.get_by_role("status").inner_text() == f"They differ in {count} evals."
    assert 0 < count < 66
    for row in rows.all():
        kinds_shown = {cell.get_attribute("class") for cell in row.locator("td.m:visible").all()}
        assert len(kinds_shown) == 2
    assert "models=" in page.url
    context.close()
    assert wrong == []


def test_every_number_is_there_without_javascript(browser: Browser, address: str) -> None:
    """With JavaScript off the table is whole and no dead control shows."""
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 1280, "height": 900}
    )
    page = context.new_page()
    page.goto(address)
    assert page.locator("tbody tr:not(.group)").count() == 7
    assert page.locator("input:visible, button:visible, form:visible").count() == 0
    assert "90.9%" in page.inner_text("table.board")
    context.close()


def _context(browser: Browser, width: int, scheme: str) -> BrowserContext:
    return browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
    )


def _listening(context: BrowserContext, wrong: list[str]) -> Page:
    page = context.new_page()
    page.on("console", lambda message: wrong.append(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
    page.on("dialog", lambda dialog: wrong.append(f"{page.url}: {dialog.message}"))
    return page

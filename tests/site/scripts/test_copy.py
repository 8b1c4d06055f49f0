"""The copy of a table as Markdown: by keyboard, as the table is in sight, without moving it."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.site.watching import disable_scripts, open_window

pytestmark = pytest.mark.integration

_BUTTON = "button.copy"
_HOLD_TIMERS = "() => { window.held = []; window.setTimeout = (act) => held.push(act); }"
_RELEASE_TIMERS = "() => held.forEach((act) => act())"
_PLACES = """() => [...document.querySelectorAll('.tools > *, table.board th')]
    .map((one) => one.getBoundingClientRect().toJSON())"""


def read_copied_cells(page: Page) -> list[list[str]]:
    """The cells of the table in the clipboard."""
    text: str = page.evaluate("navigator.clipboard.readText()")
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def copy_table(page: Page) -> None:
    """Copy the table, and wait for the words of the button, which stay until the test ends."""
    page.evaluate(_HOLD_TIMERS)
    page.locator(_BUTTON).click()
    page.locator(f"{_BUTTON}.done").wait_for()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_table_is_copied_by_keyboard_and_confirms_it(
    page: Page, address: str, width: int
) -> None:
    """The copy has heads, a row for each model in sight and the address; the button reports it."""
    page.set_viewport_size({"width": width, "height": 900})
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(address)
    page.evaluate(_HOLD_TIMERS)
    page.locator(_BUTTON).focus()
    before = page.evaluate(_PLACES)
    page.keyboard.press("Enter")
    page.locator(f"{_BUTTON}.done").wait_for()
    expect(page.locator(".tools [role=status].vh")).to_have_text("Table copied as Markdown.")
    assert page.evaluate(_PLACES) == before
    heads, rule, *rows = read_copied_cells(page)
    assert heads[:3] == ["Rank", "Model", "Score"]
    assert rule[:3] == ["---:", "---", "---:"]
    assert {len(row) for row in rows} == {len(heads)}
    names = [row[1].partition(" Google")[0] for row in rows]
    assert "Gemini 3 Flash Preview" in names
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.endswith(f"]({address})\n")
    page.evaluate(_RELEASE_TIMERS)
    page.locator(f"{_BUTTON}:not(.done)").wait_for()


def test_rows_and_columns_that_are_hidden_are_not_copied(page: Page, address: str) -> None:
    """The filter and the choice of columns hold for the copy, too."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{address}?filter=codex&without=attributed,002-queries")
    copy_table(page)
    heads, _, *rows = read_copied_cells(page)
    assert not any(head.startswith("Queries") for head in heads)
    models = [row[1] for row in rows if row[1]]
    assert models
    assert all("Codex" in model for model in models)


def test_a_name_that_means_harm_is_text_in_the_copy(page: Page, address: str) -> None:
    """Characters of Markdown and HTML stay as they are."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{address}models/")
    copy_table(page)
    text: str = page.evaluate("navigator.clipboard.readText()")
    assert r"\<script\>" in text
    assert "<script>" not in text.replace(r"\<script\>", "")


def test_without_a_clipboard_or_a_script_there_is_no_button(browser: Browser, address: str) -> None:
    """A button without an effect is worse than none; a refusal is reported."""
    window = open_window(browser, 1280, "light")
    page = window.new_page()
    with disable_scripts(page):
        page.goto(address)
        assert page.locator(_BUTTON).count() == 0
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.goto(address)
    assert page.locator(_BUTTON).count() == 0
    page = window.new_page()
    page.add_init_script(
        "navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))"
    )
    page.goto(address)
    page.locator(_BUTTON).click()
    refusal = "Not copied: the browser did not allow it."
    page.get_by_text(refusal).wait_for(state="visible")
    window.close()

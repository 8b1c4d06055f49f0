"""Every kind of page of the desk fits its window and has no fault that axe finds."""

from collections.abc import Generator
from typing import Final

import pytest
from playwright.sync_api import Browser, Page

from tests.review.desk.browsed_desk import PLACE
from tests.review.desk.looks import LOOKS, Look, name_look, open_look

pytestmark = pytest.mark.integration


KINDS: Final = {
    "sessions": "",
    "evals": "evals",
    "nothing-found": "?q=nobody+says+this",
    "session": "sessions/session-0100",
    "turns": "sessions/session-0000",
    "found": "sessions/session-0100?find=export",
    "attempt": PLACE,
    "hostile": "sessions/session-0200",
    "export": "export?examples=no",
    "export-nothing": "export?tag=none",
    "refused": "?sort=title",
    "attempt-without": "attempts/7777777777777777/001-queries/001-list/1",
}


def _open_pages(page: Page, address: str) -> Generator[str]:
    """Open every kind of page, one after the other; yield its name."""
    for name, path in KINDS.items():
        page.goto(address + path)
        yield name
        if name == "sessions":
            page.locator(".who summary").click()
            page.keyboard.press("j")
            page.keyboard.press("J")
            yield "checked"
        if name == "turns":
            page.locator(".turn summary").click()
            yield "turn"
        if name == "session":
            page.keyboard.press("?")
            yield "keys"
            page.keyboard.press("Escape")
            page.keyboard.press("o")
            page.keyboard.press("d")
            page.locator("details.history summary").click()
            yield "session-open"
            blind = page.get_by_role("link", name="Judge blind").get_attribute("href") or ""
            page.goto(address.removesuffix("/review/") + blind)
            yield "blind"
    page.goto(f"{address}sessions/session-0120")
    page.locator("input[name=version]").evaluate("field => { field.value = '0'.repeat(64); }")
    page.locator("#notes").fill("written while somebody else wrote")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("heading", name="Somebody changed this session meanwhile").wait_for()
    yield "conflict"
    page.goto(f"{address}evals?tag=kept")
    page.get_by_label("all 3 that the filter selects").check()
    page.get_by_label("Add tags").fill("kept")
    page.get_by_role("button", name="Change").click()
    page.get_by_role("heading", name="sessions changed").wait_for()
    yield "changed"


@pytest.mark.parametrize("look", LOOKS, ids=name_look)
def test_axe_finds_nothing_and_every_page_fits(browser: Browser, address: str, look: Look) -> None:
    """Pages are checked on a phone, on a desk and at 200%, in either scheme."""
    with open_look(browser, look) as looked:
        for name in _open_pages(looked.page, address):
            looked.examine(name)

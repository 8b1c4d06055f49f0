"""The desk in a real browser: keys, forms, hostile texts, and pages that fit and are accessible."""

import re
from collections.abc import Generator
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from records.sessions.session import EvalStatus
from review.store import SessionStore
from tests.review.desk.browsed_desk import PLACE, press, press_to_save, wait_for_change
from tests.review.desk.looks import LOOKS, Look, name_look, open_look
from tests.review.desking import make_attempt_session
from tests.review.labelling import give_labels
from tests.site.watching import disable_scripts

pytestmark = pytest.mark.integration


def test_checked_sessions_are_marked_and_exported(
    page: Page, address: str, store: SessionStore
) -> None:
    """The bar that stays in sight does it, and `y` does it without the mouse."""
    page.goto(f"{address}?tag=auth&order=title")
    page.keyboard.press("j")
    page.keyboard.press("J")
    bar = page.get_by_role("button", name="Mark as eval ready")
    expect(bar).to_be_in_viewport()
    ids = page.locator("tbody [name=id]:checked").evaluate_all("all => all.map(box => box.value)")
    with wait_for_change(page):
        page.get_by_role("button", name="Export").click()
    assert [value for name, value in parse_qsl(urlsplit(page.url).query) if name == "ids"] == ids
    expect(page.locator("h2").first).to_contain_text("of 2 sessions")
    page.goto(f"{address}?tag=auth&order=title")
    page.keyboard.press("j")
    page.keyboard.press("J")
    press(page, "y")
    expect(page.get_by_role("heading", level=1)).to_have_text("2 sessions changed")
    assert [store.read(session_id).session.eval_ready for session_id in ids] == [True, True]


def test_enter_in_a_field_saves_and_judges_nothing(
    page: Page, address: str, store: SessionStore
) -> None:
    """Enter presses the form's first button."""
    record = make_attempt_session(51)
    page.goto(f"{address}sessions/{record.id}")
    page.keyboard.press("t")
    page.keyboard.type("by enter")
    press_to_save(page, "Enter")
    saved = store.read(record.id)
    assert saved.session.eval_tags == ("by enter",)
    assert [event.field for event in saved.events] == ["evalTags"]


def test_typed_texts_are_not_lost_by_undo(page: Page, address: str, store: SessionStore) -> None:
    """Undo would load the page anew: with unsaved text, it warns and does nothing."""
    record = make_attempt_session(53)
    give_labels(store, record.id, {"evalReady": True})
    page.goto(f"{address}sessions/{record.id}")
    before = len(store.read(record.id).events)
    page.keyboard.press("n")
    page.keyboard.type("half a thought")
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    expect(page.locator("#told")).to_contain_text("not saved yet")
    assert page.locator("#notes").input_value() == "half a thought"
    assert len(store.read(record.id).events) == before
    press(page, "Control+Enter")


def test_forms_work_without_a_script(page: Page, address: str, store: SessionStore) -> None:
    """Judging, undoing and changing many sessions need no script."""
    record = make_attempt_session(52)
    with disable_scripts(page):
        page.goto(f"{address}sessions/{record.id}")
        page.locator("#notes").fill("without a script")
        page.get_by_role("button", name="golden").first.click()
        expect(page).not_to_have_url(re.compile(record.id))
        stored = store.read(record.id).session
        assert (stored.eval_status, stored.eval_notes) == (EvalStatus.GOLDEN, "without a script")
        page.get_by_role("button", name="Undo").click()
        expect(page).to_have_url(f"{address}sessions/{record.id}")
        assert store.read(record.id).session.eval_status is EvalStatus.INCORRECT
        page.goto(f"{address}?q=number+111")
        page.get_by_role("checkbox", name="Check Query number 111").check()
        page.get_by_label("Add tags").fill("checked")
        page.get_by_role("button", name="Change").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("1 session changed")
        assert "checked" in store.read("session-0111").session.eval_tags


def test_hostile_sessions_do_nothing(page: Page, address: str) -> None:
    """No script runs, no request goes to another host, no link leads to a script."""
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    for path in ("?q=script", "sessions/session-0200", "export?examples=no&q=script"):
        page.goto(address + path, wait_until="networkidle")
        links = page.locator("main a").evaluate_all("all => all.map((one) => one.href)")
        assert not [url for url in links if re.match(r"(?i)javascript|data", url)]
        assert page.locator("main :is(img, iframe, script, style)").count() == 0
        expect(page.locator("main")).to_contain_text("alert(1)")
    root = address.removesuffix("review/")
    assert [url for url in requested if not url.startswith(root)] == []


KINDS = {
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

"""A reviewer's minute: sessions judged by keyboard, counted in keys and loads; no key is lost."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, expect

from records.sessions.session import EvalStatus
from review.store import SessionStore
from tests.review.corpus import make_message, make_session, store_of
from tests.review.desking import ANSWER, make_talk, serve_desk
from tests.site.watching import LentWindow, paste_clipboard

pytestmark = pytest.mark.integration

STATUSES = {
    "1": EvalStatus.GOLDEN,
    "2": EvalStatus.CORRECT,
    "3": EvalStatus.INCORRECT,
    "0": EvalStatus.NEEDS_REVIEW,
}


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """A store of thirty talks that nobody judged."""
    return store_of(tmp_path / "data", [make_talk(number) for number in range(100, 130)])


def _parse_id(address: str) -> str:
    match = re.search(r"/sessions/([\w-]+)", address)
    assert match is not None, address
    return match[1]


def _judge_one(page: Page, key: str) -> str:
    """Press a status key, and wait for the next session; return the judged session."""
    session_id = _parse_id(page.url)
    page.keyboard.press(key)
    page.wait_for_url(lambda url: session_id not in url)
    return session_id


def test_ten_sessions_take_twelve_keys_and_twelve_loads_at_most(
    page: Page, address: str, store: SessionStore
) -> None:
    """From the list to ten judged sessions: each takes one key; loads count the desk's answers."""
    loads: list[str] = []
    keys = 0

    def count(request: Request) -> None:
        if request.method == "GET" and request.resource_type in {"document", "xhr", "fetch"}:
            loads.extend([request.url] if request.redirected_from is None else [])

    page.on("request", count)
    page.goto(address)
    page.get_by_role("link", name="Judge the next").focus()
    page.keyboard.press("Enter")
    keys += 1
    page.wait_for_url("**/sessions/*")
    judged: dict[str, EvalStatus] = {}
    for number in range(10):
        key = "123"[number % 3]
        judged[_judge_one(page, key)] = STATUSES[key]
        keys += 1
    assert (len(judged), keys) == (10, 11)
    assert len([url for url in loads if "/review/" in url]) <= 12 + 1  # one is fetched ahead
    assert {
        session_id: store.read(session_id).session.eval_status for session_id in judged
    } == judged
    expect(page.locator("#progress")).to_contain_text("All sessions: 10 of 30 judged, 20 left; ")


def test_the_page_names_the_session_that_was_saved_and_the_one_that_keys_change(
    page: Page, address: str, store: SessionStore
) -> None:
    """So nobody takes `y` on the next page for a label of the last; `4` gives both labels."""
    page.goto(address + "next")
    title = page.locator("h1").inner_text()
    first = _judge_one(page, "1")
    told = page.locator("#told")
    expect(told).to_have_text(f"Saved as golden, not eval-ready: {title}. Key u leads back to it.")
    expect(page.locator(".labelled")).to_contain_text(page.locator("h1").inner_text())
    second = _judge_one(page, "4")
    expect(told).to_contain_text("Saved as golden and eval-ready: ")
    assert [store.read(name).session.eval_ready for name in (first, second)] == [False, True]
    assert store.read(second).session.eval_status is EvalStatus.GOLDEN
    page.keyboard.press("u")
    page.wait_for_url(f"**/sessions/{second}*")
    session = store.read(second).session
    assert (session.eval_status, session.eval_ready) == (EvalStatus.NEEDS_REVIEW, False)


def test_a_reviewer_can_stay_on_a_page(page: Page, address: str, store: SessionStore) -> None:
    """A switch that the browser keeps, or Save, does it; the page shows its new status."""
    page.goto(address + "next")
    session_id = _parse_id(page.url)
    page.get_by_label("Stay here after a status").check()
    page.keyboard.press("3")
    expect(page.locator("[aria-pressed=true]")).to_have_attribute("value", "incorrect")
    assert _parse_id(page.url) == session_id
    page.reload()
    page.keyboard.press("1")
    expect(page.locator(".status[aria-pressed=true]")).to_have_attribute("value", "golden")
    page.get_by_label("Stay here after a status").uncheck()
    _judge_one(page, "2")
    assert store.read(session_id).session.eval_status is EvalStatus.CORRECT


def test_a_session_that_is_put_off_comes_last(page: Page, address: str) -> None:
    """No event is written for it, and the others come first."""
    page.goto(address + "?q=number+10")
    page.get_by_role("link", name="Judge the next").click()
    page.wait_for_url("**/sessions/*")
    first = _parse_id(page.url)
    page.keyboard.press("s")
    page.wait_for_url(lambda url: first not in url)
    for _ in range(9):
        _judge_one(page, "1")
    assert _parse_id(page.url) == first
    expect(page.locator("#progress")).to_contain_text("“number 10”: 9 of 10 judged, 1 left; ")


def test_a_text_typed_into_a_turn_is_not_lost(
    page: Page, address: str, store: SessionStore
) -> None:
    """The status of the session waits until the text is saved; in the end both are there."""
    talks = [
        make_message("user", "Q1"),
        make_message("assistant", "A1"),
        make_message("user", "Q2"),
    ]
    store.write(make_session(300, *talks, make_message("assistant", "A2")))
    page.goto(address + "sessions/session-0300")
    page.locator(".turn summary").click()
    page.get_by_label("Note on this turn").fill("reads everything")
    page.keyboard.press("Escape")  # to the form of the turn
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(page.locator("#told")).to_contain_text("not saved yet")
    assert store.read("session-0300").events == []
    page.locator(".turn").get_by_role("button", name="incorrect").click()
    expect(page.locator(".turn summary")).to_contain_text("incorrect")
    _judge_one(page, "1")
    labeled = store.read("session-0300")
    assert labeled.session.eval_status is EvalStatus.GOLDEN
    assert labeled.turns == {1: {"evalStatus": "incorrect", "evalNotes": "reads everything"}}


def test_a_message_is_copied_as_it_was_written(page: Page, address: str) -> None:
    """The copy has its markdown, not the page's rendering."""
    page.context.grant_permissions(["clipboard-write"])
    page.goto(address + "sessions/session-0100")
    page.get_by_role("button", name="Copy message 5").click()
    expect(page.locator("#told")).to_have_text("Copied.")
    assert paste_clipboard(page) == ANSWER


def test_the_last_save_is_taken_back_where_nothing_is_left(
    lent_window: LentWindow, tmp_path: Path
) -> None:
    """The page after the last session of the queue has `u` as well."""
    store = store_of(tmp_path / "one", [make_talk(100)])
    with serve_desk(store) as address, lent_window.lend_page() as page:
        page.goto(address + "next")
        page.keyboard.press("1")
        expect(page.get_by_role("heading", level=1)).to_have_text("Nothing is left to judge")
        page.keyboard.press("u")
        page.wait_for_url("**/sessions/session-0100")
    assert store.read("session-0100").session.eval_status is EvalStatus.NEEDS_REVIEW

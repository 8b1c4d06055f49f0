"""Every key that pages of the desk advertise, pressed in a real browser."""

import re
from collections.abc import Callable, Sequence

import pytest
from playwright.sync_api import Page, expect

from records.sessions.session import EvalStatus
from review.index.session_index import SessionIndex
from review.store import SessionStore
from tests.review.desk.browsed_desk import (
    KEYED,
    PLACE,
    list_advertised_keys,
    press,
    press_to_save,
)
from tests.review.desking import ANSWER
from tests.review.labelling import give_labels

pytestmark = pytest.mark.integration


def _check_status(key: str, status: str) -> Callable[[Page, SessionStore], None]:
    def check(page: Page, store: SessionStore) -> None:
        press(page, key)
        assert store.read(KEYED.id).session.eval_status == status
        expect(page).not_to_have_url(re.compile(KEYED.id))

    return check


def _undo(page: Page, store: SessionStore) -> None:
    before = len(store.read(KEYED.id).events)
    press(page, "1")
    press(page, "u")
    expect(page).to_have_url(re.compile(KEYED.id))
    after = store.read(KEYED.id)
    assert after.session.eval_status is EvalStatus.INCORRECT
    assert [event.via for event in after.events[before:]] == ["desk", "desk"]


def _check_focus(key: str, field: str) -> Callable[[Page, SessionStore], None]:
    def check(page: Page, store: SessionStore) -> None:
        del store
        page.keyboard.press(key)
        expect(page.locator(field)).to_be_focused()
        from_the_desk: str = page.locator(field).evaluate("(field) => field.defaultValue")
        expect(page.locator(field)).to_have_value(from_the_desk)
        page.locator(field).blur()

    return check


def _check_later(page: Page, store: SessionStore) -> None:
    before = len(store.read(KEYED.id).events)
    press(page, "s")
    expect(page).not_to_have_url(re.compile(KEYED.id))
    assert len(store.read(KEYED.id).events) == before


def _check_ready(page: Page, store: SessionStore) -> None:
    for ready in (True, False):
        press_to_save(page, "y")
        assert store.read(KEYED.id).session.eval_ready is ready
        pressed = "true" if ready else "false"
        expect(page.locator("[data-key=y]")).to_have_attribute("aria-pressed", pressed)


def _check_golden_and_ready(page: Page, store: SessionStore) -> None:
    press(page, "4")
    session = store.read(KEYED.id).session
    assert (session.eval_status, session.eval_ready) == (EvalStatus.GOLDEN, True)
    give_labels(store, KEYED.id, {"evalReady": False})


def _check_answer(page: Page, store: SessionStore) -> None:
    press_to_save(page, "a")
    assert store.read(KEYED.id).session.expected_output == ANSWER


def _check_reference(page: Page, store: SessionStore) -> None:
    press_to_save(page, "a")
    press_to_save(page, "r")
    assert store.read(KEYED.id).session.expected_output == KEYED.expected_output


def _check_difference(page: Page, store: SessionStore) -> None:
    del store
    expect(page.locator("#diff .changed")).to_be_hidden()
    page.keyboard.press("d")
    expect(page.locator("#diff .changed")).to_be_visible()
    equal = page.locator("#diff .gap").first.bounding_box()
    assert equal is not None
    assert equal["height"] < 40  # a line of text: no row is stretched
    page.keyboard.press("d")
    expect(page.locator("#diff .changed")).to_be_hidden()


def _check_folds(page: Page, store: SessionStore) -> None:
    del store
    result = page.locator("details.tool pre").last
    expect(result).to_be_hidden()
    page.keyboard.press("o")
    expect(result).to_be_visible()
    page.keyboard.press("o")
    expect(result).to_be_hidden()


def _to_the_answer(page: Page, store: SessionStore) -> None:
    del store
    page.keyboard.press("g")
    expect(page.locator("#answer")).to_be_in_viewport()
    expect(page).to_have_url(re.compile("#answer$"))


def _check_link(key: str, relation: str) -> Callable[[Page, SessionStore], None]:
    def check(page: Page, store: SessionStore) -> None:
        del store
        there = page.locator(f".near a[rel={relation}]").get_attribute("href") or ""
        press(page, key)
        expect(page).to_have_url(re.compile(f"{re.escape(there)}$"))

    return check


def _save_and_next(page: Page, store: SessionStore) -> None:
    page.keyboard.press("n")
    page.keyboard.type("typed, 1 2 3 u j k ?")
    press(page, "Control+Enter")
    assert store.read(KEYED.id).session.eval_notes.startswith("typed, 1 2 3 u j k ?")
    expect(page).not_to_have_url(re.compile(KEYED.id))
    expect(page.locator("#judge")).to_be_visible()


def _leave(page: Page, store: SessionStore) -> None:
    del store
    page.keyboard.press("n")
    page.keyboard.press("Escape")
    expect(page.locator("#notes")).not_to_be_focused()


def _check_listing(page: Page, store: SessionStore) -> None:
    del store
    for closing in ("Escape", "?", "Enter"):
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()
        page.keyboard.press(closing)
        expect(page.locator("#keys")).to_be_hidden()
    expect(page.locator("#keys-on")).to_be_checked()


def _check_turn(key: str, number: int) -> Callable[[Page, SessionStore], None]:
    def check(page: Page, store: SessionStore) -> None:
        page.keyboard.press(key)
        form = page.get_by_role("form", name=f"Turn {number}")
        expect(form.get_by_role("button", name="golden")).to_be_focused()
        page.keyboard.press("e")
        page.keyboard.type("1 2 3")
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        page.keyboard.type("no index, 3 files")
        page.keyboard.press("Escape")
        press(page, "3")
        expect(form.get_by_role("button", name="incorrect")).to_have_attribute(
            "aria-pressed", "true"
        )
        assert store.read(KEYED.id).turns[number] == {
            "evalStatus": "incorrect",
            "evalNotes": "no index, 3 files",
            "expectedOutput": "1 2 3",
        }
        page.keyboard.press("e")  # the focus stays in the form
        page.keyboard.press("Home")
        page.keyboard.type("4 ")
        press(page, "Control+Enter")
        assert store.read(KEYED.id).turns[number]["expectedOutput"] == "4 1 2 3"
        page.keyboard.press("h")
        page.keyboard.press("l" if number == 2 else "h")
        expect(page.get_by_role("form", name=f"Turn {number}")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("body")).to_be_focused()
        assert store.read(KEYED.id).session.eval_status is EvalStatus.INCORRECT

    return check


OF_A_SESSION: dict[str, Callable[[Page, SessionStore], None]] = {
    "1": _check_status("1", "golden"),
    "2": _check_status("2", "correct"),
    "3": _check_status("3", "incorrect"),
    "0": _check_status("0", "needs_review"),
    "4": _check_golden_and_ready,
    "u": _undo,
    "s": _check_later,
    "y": _check_ready,
    "f": _check_focus("f", "#find"),
    "n": _check_focus("n", "#notes"),
    "t": _check_focus("t", "#more"),
    "e": _check_focus("e", "#expected"),
    "a": _check_answer,
    "r": _check_reference,
    "d": _check_difference,
    "o": _check_folds,
    "h": _check_turn("h", 2),
    "l": _check_turn("l", 1),
    "g": _to_the_answer,
    "j": _check_link("j", "next"),
    "ArrowRight": _check_link("ArrowRight", "next"),
    "k": _check_link("k", "prev"),
    "ArrowLeft": _check_link("ArrowLeft", "prev"),
    "Control+Enter": _save_and_next,
    "/": _check_focus("/", "#search"),
    "Escape": _leave,
    "?": _check_listing,
}


def test_every_key_that_a_session_advertises_is_tested(
    page: Page, address: str, store: SessionStore
) -> None:
    """A new key without a test below fails here; so does a removed key."""
    give_labels(store, KEYED.id, {"evalNotes": "something to take back"})
    SessionIndex(store).list_facets()  # a page without an index has no neighbours yet
    page.goto(address + PLACE)
    assert sorted(list_advertised_keys(page)) == sorted(OF_A_SESSION)


STAYING = (*"fnted/o", "Escape", "?", "g")
"""Keys that neither change the session nor leave its page."""


@pytest.mark.parametrize(
    "keys",
    [
        *((key,) for key in OF_A_SESSION if key not in STAYING),
        STAYING,
        *(pytest.param((key,), marks=pytest.mark.night) for key in STAYING),
    ],
    ids=" ".join,
)
def test_a_key_does_as_the_page_states(
    page: Page, address: str, store: SessionStore, keys: Sequence[str]
) -> None:
    """Each key is pressed on the page of an attempt; those that stay there, on one and the same."""
    give_labels(store, KEYED.id, {"evalStatus": "correct"})
    give_labels(store, KEYED.id, {"evalStatus": "incorrect"})
    give_labels(store, KEYED.id, {"expectedOutput": KEYED.expected_output})
    page.goto(address + PLACE)
    for key in keys:
        OF_A_SESSION[key](page, store)


def test_the_keys_of_a_list(page: Page, address: str) -> None:
    """Its keys move from session to session, search, and show the list of keys."""
    page.goto(f"{address}?tag=auth")
    tested = {"j", "k", "ArrowDown", "ArrowUp", "x", "J", "K", "y", "/", "Escape", "?"}
    assert set(list_advertised_keys(page)) == tested
    rows = page.locator("[data-row]")
    for forward, back in (("j", "k"), ("ArrowDown", "ArrowUp")):
        page.keyboard.press(forward)
        expect(rows.nth(0)).to_be_focused()
        page.keyboard.press(forward)
        expect(rows.nth(1)).to_be_focused()
        page.keyboard.press(back)
        expect(rows.nth(0)).to_be_focused()
        rows.nth(0).evaluate("row => row.blur()")
    boxes = page.locator("tbody [name=id]")
    for keys, checked in (("jx", [0]), ("JJ", [0, 1, 2]), ("K", [0, 1, 2]), ("x", [0, 2])):
        for key in keys:
            page.keyboard.press(key)
        for index in range(5):
            expect(boxes.nth(index)).to_be_checked(checked=index in checked)
        expect(page.locator("[data-count]")).to_have_text(f": {len(checked)}")
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("jk?")
    expect(page.locator("#search")).to_have_value("jk?")
    page.keyboard.press("Escape")
    expect(page.locator("#search")).not_to_be_focused()
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()


def test_keys_can_be_switched_off(page: Page, address: str, store: SessionStore) -> None:
    """They stay off on all pages until they are switched on again (WCAG 2.1.4)."""
    before = len(store.read(KEYED.id).events)
    page.goto(address + PLACE)
    page.keyboard.press("?")
    page.keyboard.press("1")  # a dialog is open: nothing happens
    page.locator("#keys-on").uncheck()
    page.keyboard.press("Escape")
    page.goto(address + PLACE)
    for key in OF_A_SESSION.keys() - {"Control+Enter", "Escape"}:
        page.keyboard.press(key)
    page.wait_for_load_state("networkidle")
    expect(page.locator("#keys")).to_be_hidden()
    assert page.url == address + PLACE
    assert len(store.read(KEYED.id).events) == before
    page.get_by_role("button", name="Keys").click()
    page.locator("#keys-on").check()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(page.locator("#notes")).to_be_focused()

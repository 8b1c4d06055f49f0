"""Keys, clicks and ways back while the desk answers slowly.

The browser holds a request until the test releases it; keys are pressed meanwhile. The page may
report no error (fixture `page`).
"""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from records.sessions.session import EvalStatus
from review.comparisons import ComparisonStore
from review.store import SessionStore
from tests.review.corpus import make_message, make_session, store_of
from tests.review.desk.held_requests import hold_request, press, press_before_script
from tests.review.desk.judged_pairs import MADE, PLACE, list_model_pairs
from tests.review.desk.judged_pairs import store_beside as store_of_pairs
from tests.review.desking import make_talk
from tests.review.labelling import give_labels

pytestmark = pytest.mark.integration

TURNS = make_session(
    99,
    make_message("user", "Q1"),
    make_message("assistant", "A1"),
    make_message("user", "Q2"),
    make_message("assistant", "A2"),
    eval_tags=("auth", "index"),
)


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """A store of six sessions without a judgement; the first has two turns."""
    store = store_of(tmp_path / "data", [TURNS, *(make_talk(number) for number in range(100, 105))])
    store_of_pairs(tmp_path / "data", MADE)
    return store


def read_session_id(page: Page) -> str:
    """Return the id of the session in sight, by the form that judges it."""
    action = page.locator("#judge").get_attribute("action") or ""
    return action.rpartition("/")[2]


def wait_to_leave(page: Page, session_id: str) -> None:
    """Wait until another session is in sight."""
    form = page.locator("#judge")
    expect(form).not_to_have_attribute("action", re.compile(session_id))


def wait_to_reach(page: Page, session_id: str) -> None:
    """Wait until a session is in sight."""
    form = page.locator("#judge")
    expect(form).to_have_attribute("action", re.compile(session_id))


def open_first(page: Page, address: str) -> str:
    """Open the first session to judge; return its id."""
    page.goto(address + "next")
    return read_session_id(page)


def judge(page: Page, key: str) -> str:
    """Judge the session in sight, and wait for the next; return the id of the judged session."""
    judged = read_session_id(page)
    page.keyboard.press(key)
    wait_to_leave(page, judged)
    return judged


def read_session_status(store: SessionStore, session_id: str) -> EvalStatus:
    """Return the status of a session."""
    return store.read(session_id).session.eval_status


def test_keys_before_the_script_are_obeyed_as_typed(
    page: Page, address: str, store: SessionStore
) -> None:
    """Escape and Backspace work as well: the status is no letter of the note."""
    keys = ("n", "w", "h", "x", "Backspace", "y", "Escape", "1")
    press_before_script(page, f"{address}sessions/{TURNS.id}", *keys)
    wait_to_leave(page, TURNS.id)
    judged = store.read(TURNS.id).session
    assert (judged.eval_status, judged.eval_notes) == (EvalStatus.GOLDEN, "why")


@pytest.mark.parametrize(
    ("keys", "later"),
    [
        (("n", "n", "o", "x", "Backspace", "Enter", "a", "Escape", "2"), ["correct", "no\na"]),
        (("d", "o"), []),
        pytest.param(tuple("32132"), ["correct"], marks=pytest.mark.more),
        pytest.param(("u", "3"), ["needs_review", "incorrect"], marks=pytest.mark.more),
    ],
    ids=["a note and a status", "looks", "statuses", "an undo and a status"],
)
def test_keys_during_a_save_are_obeyed_in_order(
    page: Page, address: str, store: SessionStore, keys: Sequence[str], later: list[str]
) -> None:
    """They edit the field they lead to; of several statuses, the last is saved in one go.

    No form is refused because of an older version.
    """
    first = open_first(page, address)
    with hold_request(page, first, "1"):
        press(page, *keys)
    wait_to_leave(page, first)
    after = [str(event.after) for event in store.read(first).events]
    assert after[0] == "golden"
    assert sorted(after[1:]) == sorted(later)


@pytest.mark.more
def test_u_twice_takes_two_saves_back(page: Page, address: str, store: SessionStore) -> None:
    """The second press comes before the page of the first undo."""
    first = open_first(page, address)
    judge(page, "1")
    second = judge(page, "2")
    with hold_request(page, "/undo$", "u"):
        press(page, "u", "u")  # the third press has no save to take back
    wait_to_reach(page, first)
    for session_id in (first, second):
        assert read_session_status(store, session_id) is EvalStatus.NEEDS_REVIEW
        assert len(store.read(session_id).events) == 2
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


@pytest.mark.parametrize("slow", ["session", "turn"])
def test_a_turn_and_its_session_are_judged_in_one_go(
    page: Page, address: str, store: SessionStore, slow: str
) -> None:
    """In either order, each save has the version that the other save left."""
    page.goto(f"{address}sessions/{TURNS.id}")
    with hold_request(page, f"{TURNS.id}(/turns/1)?$", *("y" if slow == "session" else "h2")):
        press(page, *("h2" if slow == "session" else ["n", "x", "Escape", "Control+Enter"]))
        press(page, "Escape", "1")
    wait_to_leave(page, TURNS.id)
    judged = store.read(TURNS.id)
    assert judged.session.eval_status is EvalStatus.GOLDEN
    assert judged.session.eval_ready is (slow == "session")
    note = {} if slow == "session" else {"evalNotes": "x"}
    assert judged.turns == {1: {"evalStatus": "correct", **note}}


def test_a_link_waits_for_the_save_before_it(page: Page, address: str, store: SessionStore) -> None:
    """The session is saved, and the page is that of the link, not the next to judge."""
    first = open_first(page, address)
    link = page.get_by_role("navigation", name="Sessions").get_by_role("link", name="List")
    with hold_request(page, first, "1"):
        link.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sessions")
    assert read_session_status(store, first) is EvalStatus.GOLDEN


@pytest.mark.more
def test_the_way_back_during_a_save_mixes_no_sessions(
    page: Page, address: str, store: SessionStore
) -> None:
    """The earlier page is shown in full: its transcript, and the form that judges it."""
    first = open_first(page, address)
    press(page, "j")
    wait_to_leave(page, first)
    second = read_session_id(page)
    with hold_request(page, second, "y"):
        page.go_back(wait_until="commit")
    wait_to_reach(page, first)
    expect(page.get_by_role("heading", level=1)).to_have_text(store.read(first).session.title)
    assert store.read(second).session.eval_ready


@pytest.mark.more
def test_a_form_that_is_made_anew_keeps_the_tags_and_the_cursor(
    page: Page, address: str, store: SessionStore
) -> None:
    """A tag is removed and a note begun during a save; later keys continue the note."""
    give_labels(store, TURNS.id, {"evalNotes": "ab"})
    page.goto(f"{address}sessions/{TURNS.id}")
    with hold_request(page, TURNS.id, "y"):
        page.get_by_label("auth").uncheck()
        page.locator("#notes").click()
        press(page, "Home", "ArrowRight")
    expect(page.locator("[data-key=y]")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_label("auth")).not_to_be_checked()
    press(page, "-")
    expect(page.locator("#notes")).to_have_value("a-b")
    judge(page, "Control+Enter")
    judged = store.read(TURNS.id).session
    assert (judged.eval_notes, judged.eval_tags) == ("a-b", ("index",))


def test_a_choice_between_answers_is_taken_back_at_once(
    page: Page, address: str, store: SessionStore
) -> None:
    """The key applies to the pair in sight, whose button comes with the choice."""
    page.goto(f"{address}{PLACE}/{list_model_pairs(MADE)[0].number}")
    with page.expect_response(re.compile("/undo$")), hold_request(page, "/comparisons/", "a"):
        press(page, "u")
    log = ComparisonStore(store.folder.local)
    expect(page.locator("[aria-pressed=true]")).to_have_count(0)
    assert [event.undoes is None for event in log.read_log(MADE.comparison_id)] == [True, False]


def test_many_are_changed_once(page: Page, address: str, store: SessionStore) -> None:
    """A second press of the key, before the answer to the first, sends no request."""
    page.goto(address)
    with hold_request(page, "/many$", "x", "y") as change:
        press(page, "y")
    expect(page.get_by_role("heading", level=1)).to_contain_text("1 session")
    assert len(change.routes) == 1
    assert sum(each.session.eval_ready for each in store) == 1

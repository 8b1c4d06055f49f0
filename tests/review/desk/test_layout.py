"""Layout and keys of the desk for a reviewer: blind pages, and rows of hostile text."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from records.sessions.audit import AuditState
from records.writer import write_record
from review.audits import AuditTasks
from review.index.indexed_session import make_alias
from review.store import SessionStore
from tests.records.sessions.audits import make_audit, make_audit_item
from tests.review.corpus import make_message, make_session, store_of
from tests.review.desk.browsed_desk import list_advertised_keys, press, wait_for_change
from tests.review.desking import make_attempt_session, make_talk
from tests.review.labelling import give_labels

pytestmark = pytest.mark.integration

BLIND = "blind/" + make_alias("session-0101")
WIDE = make_session(
    201,
    make_message("user", "x" * 20_000),
    make_message("assistant", "W" * 1_000_000),
    title="W" * 900,
    project="p" * 400,
    model="maker/" + "\u202e" + "ledom-" * 40,
    eval_tags=tuple("t" * 57 + str(number) for number in range(12)),
)


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """A store of three talks, an attempt that an audit drew, and a session of long words."""
    drawn = make_attempt_session(1)
    store = store_of(
        tmp_path / "data", [make_talk(100), make_talk(101), make_talk(102), drawn, WIDE]
    )
    write_record(store.folder.audits, make_audit(make_audit_item(0, session=drawn.id)))
    return store


def test_the_keys_of_a_blind_page(page: Page, address: str, store: SessionStore) -> None:
    """Each advertised key has an effect: there are no labels to change, but a reason."""
    page.goto(address + BLIND)
    moves = {"j", "ArrowRight", "k", "ArrowLeft"}
    assert set(list_advertised_keys(page)) == moves | set("1230sndgof/?") | {"Escape"}
    for key, field in (("n", "#reason"), ("/", "#search")):
        page.keyboard.press(key)
        expect(page.locator(field)).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator(field)).not_to_be_focused()
    page.keyboard.press("d")
    expect(page.locator("#diff .empty")).to_be_visible()
    page.keyboard.press("g")
    expect(page.locator("#answer")).to_be_in_viewport()
    for key in sorted(moves):
        page.goto(address + BLIND)
        press(page, key)
    page.goto(address + BLIND)
    page.keyboard.press("n")
    page.keyboard.type("reads the table")
    page.keyboard.press("Escape")
    press(page, "3")
    (event,) = store.read("session-0101").events
    assert (event.blind, event.after, event.reason) == (True, "incorrect", "reads the table")


def test_blind_judging_is_left_again(page: Page, address: str, store: SessionStore) -> None:
    """After an audit, sessions are judged with labels; a reviewer who chose blind may stop."""
    drawn = make_attempt_session(3)
    store.write(drawn)
    drawn_item = make_audit_item(0, session=drawn.id)
    write_record(store.folder.audits, make_audit(drawn_item, audit_id="9fdfa625ac2f-9", seed=9))
    page.goto(address + "blind/" + make_alias(drawn.id))
    assert "blind=1" not in (
        page.get_by_role("link", name="Next to judge").get_attribute("href") or ""
    )
    expect(page.get_by_role("link", name="Next, not blind")).to_have_count(0)
    give_labels(store, make_attempt_session(1).id, {"evalStatus": "correct"}, blind=True)
    press(page, "2")
    expect(page).to_have_url(re.compile("/sessions/"))
    page.goto(address + "blind/" + make_alias("session-0100"))
    page.get_by_role("link", name="Next, not blind").click()
    expect(page).to_have_url(re.compile("/sessions/"))


@pytest.mark.more
@pytest.mark.parametrize("width", [390, pytest.param(640, marks=pytest.mark.night), 1280])
def test_one_row_of_long_words_widens_no_column(page: Page, address: str, width: int) -> None:
    """At 1280 pixels the row does not widen the list; no page is wider than its window."""
    page.set_viewport_size({"width": width, "height": 900})
    widths: list[int] = []
    for path in ("?q=query", "", f"sessions/{WIDE.id}", "export?examples=no"):
        page.goto(address + path)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
        if "sessions" not in path and "export" not in path:
            widths.append(page.evaluate("document.querySelector('table.sessions').offsetWidth"))
    without, with_it = widths
    assert with_it <= max(without, 1280) + 450
    if width == 1280:
        assert with_it == without


def test_a_reason_is_asked_of_a_decision_only(
    page: Page, address: str, store: SessionStore
) -> None:
    """The status of a disputed attempt needs a reason; undo and notes do not."""
    drawn = make_attempt_session(2)
    store.write(drawn)
    drawn_item = make_audit_item(0, session=drawn.id, reviewers=2)
    write_record(store.folder.audits, make_audit(drawn_item, audit_id="9fdfa625ac2f-8", seed=8))
    for reviewer, status in (("p1", "correct"), ("p2", "incorrect")):
        give_labels(
            store, drawn.id, {"evalStatus": status}, via="desk", reviewer=reviewer, blind=True
        )
    page.goto(f"{address}blind/{make_alias(drawn.id)}")
    expect(page).to_have_url(f"{address}sessions/{drawn.id}")
    page.keyboard.press("n")
    page.keyboard.type("a note")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    expect(page.locator("#reason")).to_be_focused()
    assert store.read(drawn.id).session.eval_notes == ""
    page.keyboard.press("Escape")
    with wait_for_change(page):
        page.get_by_role("button", name="Save", exact=True).click()
    assert store.read(drawn.id).session.eval_notes == "a note"
    press(page, "u")
    assert store.read(drawn.id).session.eval_notes == ""
    expect(page.locator(".judges li")).to_have_text(["correct p1", "incorrect p2"])
    page.locator("#reason").fill("both read it in full")
    page.keyboard.press("Escape")
    press(page, "3")  # p2's last status, which the session has
    expect(page).not_to_have_url(re.compile(drawn.id))
    assert store.read(drawn.id).events[-1].reason == "both read it in full"
    (task,) = AuditTasks(store).list_session_tasks(drawn.id, store.read(drawn.id).events)
    assert task.state is AuditState.SETTLED


def test_all_that_judges_is_in_sight(page: Page, address: str) -> None:
    """At 1280 by 800 no scrolling is needed; on a phone the four statuses stay in sight."""
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(address + "sessions/session-0100")
    for name in ("golden", "needs review", "Eval-ready", "Save, next", "Later", "Undo"):
        expect(page.get_by_role("button", name=name).first).to_be_in_viewport(ratio=1)
    for field in ("#notes", "#more", ".expected summary"):
        expect(page.locator(field)).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 390, "height": 844})
    for offset in (0, 100_000):
        page.evaluate(f"scrollTo(0, {offset})")
        for status in ("golden", "correct", "incorrect", "needs_review"):
            expect(page.locator(f".status.{status}")).to_be_in_viewport(ratio=1)
    page.locator(".status.golden").click()
    page.wait_for_url(lambda url: "session-0100" not in url)

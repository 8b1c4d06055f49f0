"""The desk in a real browser: every key it advertises, ten sessions by keyboard, and access."""

import re
from collections.abc import Callable, Generator
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from records.session import EvalStatus
from review.index.index import SessionIndex
from review.store import SessionStore
from tests.review.corpus import NASTY, said, session
from tests.review.desking import ANSWER, HOSTILE, attempt, served_desk, store_of, talk
from tests.review.looks import LOOKS, faults_of, looked_at

pytestmark = pytest.mark.integration

EARLIER: Final = (
    said("user", "Which files?"),
    said("assistant", "One."),
    said("user", "And indexes?"),
    said("assistant", "None."),
)
"""Turns before the one that is judged."""
KEYED: Final = attempt(50).model_copy(update={"messages": (*EARLIER, *attempt(50).messages)})
PLACE: Final = f"sessions/{KEYED.id}"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> SessionStore:
    """The store of the desk: each test that changes a session has one of its own in it."""
    hostile = session(
        200,
        said("user", HOSTILE),
        said("assistant", HOSTILE),
        title=HOSTILE,
        eval_tags=(HOSTILE[:60],),
    )
    sessions = [
        *(talk(number, eval_tags=("auth",)) for number in range(100, 112)),
        *(talk(number, eval_ready=True, eval_tags=("kept",)) for number in range(120, 123)),
        KEYED,
        *(attempt(number) for number in (51, 52, 53)),
        hostile,
        *NASTY,
    ]
    return store_of(tmp_path_factory.mktemp("desk") / "data", sessions)


@pytest.fixture(scope="module")
def address(store: SessionStore) -> Generator[str]:
    """The address of the desk."""
    with served_desk(store) as address:
        yield address


def _pressed(page: Page, key: str) -> None:
    """Press a key, and wait for the page that it leads to."""
    with page.expect_navigation():
        page.keyboard.press(key)


def _saved(page: Page, key: str) -> None:
    """Press a key that saves and stays, and wait until the page shows what was saved."""
    version = page.locator("#judge [name=version]")
    before = version.input_value()
    with page.expect_response(lambda answer: answer.status == HTTPStatus.NO_CONTENT):
        page.keyboard.press(key)
    page.wait_for_load_state("networkidle")
    assert version.input_value() != before


def _status(key: str, status: str) -> Callable[[Page, SessionStore], None]:
    def check(page: Page, store: SessionStore) -> None:
        _pressed(page, key)
        assert store.read(KEYED.id).session.eval_status == status
        assert KEYED.id not in page.url

    return check


def _undo(page: Page, store: SessionStore) -> None:
    before = len(store.read(KEYED.id).events)
    _pressed(page, "1")
    _pressed(page, "u")
    assert KEYED.id in page.url
    after = store.read(KEYED.id)
    assert after.session.eval_status is EvalStatus.INCORRECT
    assert [event.via for event in after.events[before:]] == ["desk", "desk"]


def _focuses(key: str, field: str) -> Callable[[Page, SessionStore], None]:
    def check(page: Page, store: SessionStore) -> None:
        del store
        page.keyboard.press(key)
        expect(page.locator(field)).to_be_focused()
        assert page.locator(field).input_value() == page.locator(field).evaluate(
            "f => f.defaultValue"
        )

    return check


def _later(page: Page, store: SessionStore) -> None:
    before = len(store.read(KEYED.id).events)
    _pressed(page, "s")
    assert KEYED.id not in page.url
    assert len(store.read(KEYED.id).events) == before


def _ready(page: Page, store: SessionStore) -> None:
    for ready in (True, False):
        _saved(page, "y")
        assert store.read(KEYED.id).session.eval_ready is ready
        pressed = "true" if ready else "false"
        expect(page.locator("[data-key=y]")).to_have_attribute("aria-pressed", pressed)


def _answer(page: Page, store: SessionStore) -> None:
    _saved(page, "a")
    assert store.read(KEYED.id).session.expected_output == ANSWER


def _reference(page: Page, store: SessionStore) -> None:
    _saved(page, "a")
    _saved(page, "r")
    assert store.read(KEYED.id).session.expected_output == KEYED.expected_output


def _difference(page: Page, store: SessionStore) -> None:
    del store
    expect(page.locator("#diff .changed")).to_be_hidden()
    page.keyboard.press("d")
    expect(page.locator("#diff .changed")).to_be_visible()
    equal = page.locator("#diff .gap").first.bounding_box()
    assert equal is not None
    assert equal["height"] < 40  # a line of text: no row is stretched
    page.keyboard.press("d")
    expect(page.locator("#diff .changed")).to_be_hidden()


def _folds(page: Page, store: SessionStore) -> None:
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
    assert page.url.endswith("#answer")


def _leads(key: str, relation: str) -> Callable[[Page, SessionStore], None]:
    def check(page: Page, store: SessionStore) -> None:
        del store
        there = page.locator(f".near a[rel={relation}]").get_attribute("href") or ""
        _pressed(page, key)
        assert page.url.endswith(there)

    return check


def _save_and_next(page: Page, store: SessionStore) -> None:
    page.keyboard.press("n")
    page.keyboard.type("typed, 1 2 3 u j k ?")
    _pressed(page, "Control+Enter")
    assert store.read(KEYED.id).session.eval_notes.startswith("typed, 1 2 3 u j k ?")
    assert KEYED.id not in page.url
    expect(page.locator("#judge")).to_be_visible()


def _leave(page: Page, store: SessionStore) -> None:
    del store
    page.keyboard.press("n")
    page.keyboard.press("Escape")
    expect(page.locator("#notes")).not_to_be_focused()


def _listing(page: Page, store: SessionStore) -> None:
    del store
    for closing in ("Escape", "?", "Enter"):
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()
        page.keyboard.press(closing)
        expect(page.locator("#keys")).to_be_hidden()
    expect(page.locator("#keys-on")).to_be_checked()


def _turn(key: str, number: int) -> Callable[[Page, SessionStore], None]:
    def press(page: Page, store: SessionStore) -> None:
        page.keyboard.press(key)
        form = page.get_by_role("form", name=f"Turn {number}")
        expect(form.get_by_role("button", name="golden")).to_be_focused()
        page.keyboard.press("e")
        page.keyboard.type("1 2 3")
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        page.keyboard.type("no index, 3 files")
        page.keyboard.press("Escape")
        with page.expect_navigation():
            page.keyboard.press("3")
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
        with page.expect_navigation():
            page.keyboard.press("Control+Enter")
        assert store.read(KEYED.id).turns[number]["expectedOutput"] == "4 1 2 3"
        page.keyboard.press("h")
        page.keyboard.press("l" if number == 2 else "h")
        expect(page.get_by_role("form", name=f"Turn {number}")).to_be_visible()
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement === document.body")
        assert store.read(KEYED.id).session.eval_status is EvalStatus.INCORRECT

    return press


OF_A_SESSION: Final[dict[str, Callable[[Page, SessionStore], None]]] = {
    "1": _status("1", "golden"),
    "2": _status("2", "correct"),
    "3": _status("3", "incorrect"),
    "0": _status("0", "needs_review"),
    "u": _undo,
    "s": _later,
    "y": _ready,
    "f": _focuses("f", "#find"),
    "n": _focuses("n", "#notes"),
    "t": _focuses("t", "#more"),
    "e": _focuses("e", "#expected"),
    "a": _answer,
    "r": _reference,
    "d": _difference,
    "o": _folds,
    "h": _turn("h", 2),
    "l": _turn("l", 1),
    "g": _to_the_answer,
    "j": _leads("j", "next"),
    "ArrowRight": _leads("ArrowRight", "next"),
    "k": _leads("k", "prev"),
    "ArrowLeft": _leads("ArrowLeft", "prev"),
    "Control+Enter": _save_and_next,
    "/": _focuses("/", "#search"),
    "Escape": _leave,
    "?": _listing,
}


def _advertised(page: Page) -> list[str]:
    listed = page.locator("#keys [data-shortcut]").evaluate_all(
        "all => all.map((one) => one.dataset.shortcut)"
    )
    return [key for one in listed for key in one.split(" ")]


def test_every_key_that_a_session_advertises_is_tested(
    page: Page, address: str, store: SessionStore
) -> None:
    """A key that is added without a test below fails here; so does one that goes."""
    store.label(KEYED.id, {"evalNotes": "something to take back"}, via="cli")
    SessionIndex(store).facets()  # a page without an index has no neighbours yet
    page.goto(address + PLACE)
    assert sorted(_advertised(page)) == sorted(OF_A_SESSION)


@pytest.mark.parametrize("key", OF_A_SESSION)
def test_a_key_does_what_the_page_says(
    page: Page, address: str, store: SessionStore, key: str
) -> None:
    """Each is pressed on the page of an attempt."""
    store.label(KEYED.id, {"evalStatus": "correct"}, via="cli")
    store.label(KEYED.id, {"evalStatus": "incorrect"}, via="cli")
    store.label(KEYED.id, {"expectedOutput": KEYED.expected_output}, via="cli")
    page.goto(address + PLACE)
    OF_A_SESSION[key](page, store)


def test_the_keys_of_a_list(page: Page, address: str) -> None:
    """Each that it advertises: from session to session, search, and the list of keys."""
    page.goto(f"{address}?tag=auth")
    tested = {"j", "k", "ArrowDown", "ArrowUp", "x", "J", "K", "y", "/", "Escape", "?"}
    assert set(_advertised(page)) == tested
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
        assert [place for place in range(5) if boxes.nth(place).is_checked()] == checked
        expect(page.locator("[data-count]")).to_have_text(f": {len(checked)}")
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("jk?")
    assert page.locator("#search").input_value() == "jk?"
    page.keyboard.press("Escape")
    expect(page.locator("#search")).not_to_be_focused()
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()


def test_keys_can_be_switched_off(page: Page, address: str, store: SessionStore) -> None:
    """For all pages, until they are switched on again (WCAG 2.1.4)."""
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


def test_sessions_are_judged_in_full_by_keyboard(
    page: Page, address: str, store: SessionStore
) -> None:
    """From the list on: notes, tags, expected output, then a status that leads on; no mouse."""
    page.goto(f"{address}?tag=auth&status=needs_review")
    page.keyboard.press("j")
    _pressed(page, "Enter")
    statuses = {"1": "golden", "2": "correct", "3": "incorrect"}
    judged: dict[str, tuple[str, str]] = {}
    for number in range(4):
        found = re.search(r"/sessions/([\w-]+)", page.url)
        assert found is not None
        key = "123"[number % 3]
        page.keyboard.press("n")
        page.keyboard.type(f"note {number}")
        page.keyboard.press("Escape")
        page.keyboard.press("t")
        page.keyboard.type(f"tag {number}")
        page.keyboard.press("Escape")
        if number % 2:
            page.keyboard.press("e")
            page.keyboard.type(f"expected {number}")
            page.keyboard.press("Escape")
        judged[found[1]] = (statuses[key], f"{number}")
        _pressed(page, key)
    assert len(judged) == 4
    for session_id, (status, number) in judged.items():
        one = store.read(session_id).session
        assert (one.eval_status, one.eval_notes) == (status, f"note {number}")
        assert one.eval_tags == ("auth", f"tag {number}")
        assert one.expected_output == (f"expected {number}" if int(number) % 2 else None)
        assert one.reviewed_at is not None


def test_what_is_checked_is_marked_and_exported(
    page: Page, address: str, store: SessionStore
) -> None:
    """By the bar that stays in sight, and by `y` without the mouse."""
    page.goto(f"{address}?tag=auth&order=title")
    page.keyboard.press("j")
    page.keyboard.press("J")
    bar = page.get_by_role("button", name="Mark as eval ready")
    expect(bar).to_be_in_viewport()
    ids = page.locator("tbody [name=id]:checked").evaluate_all("all => all.map(box => box.value)")
    with page.expect_navigation():
        page.get_by_role("button", name="Export").click()
    assert [value for name, value in parse_qsl(urlsplit(page.url).query) if name == "ids"] == ids
    expect(page.locator("h2").first).to_contain_text("of 2 sessions")
    page.goto(f"{address}?tag=auth&order=title")
    page.keyboard.press("j")
    page.keyboard.press("J")
    _pressed(page, "y")
    expect(page.get_by_role("heading", level=1)).to_have_text("2 sessions changed")
    assert [store.read(one).session.eval_ready for one in ids] == [True, True]


def test_enter_in_a_field_saves_and_judges_nothing(
    page: Page, address: str, store: SessionStore
) -> None:
    """The form's first button is the one that Enter presses."""
    one = attempt(51)
    page.goto(f"{address}sessions/{one.id}")
    page.keyboard.press("t")
    page.keyboard.type("by enter")
    _saved(page, "Enter")
    saved = store.read(one.id)
    assert saved.session.eval_tags == ("by enter",)
    assert [event.field for event in saved.events] == ["evalTags"]


def test_what_is_typed_is_not_lost_by_undo(page: Page, address: str, store: SessionStore) -> None:
    """Undo would load the page anew: while something is not saved it says so and does nothing."""
    one = attempt(53)
    store.label(one.id, {"evalReady": True}, via="cli")
    page.goto(f"{address}sessions/{one.id}")
    before = len(store.read(one.id).events)
    page.keyboard.press("n")
    page.keyboard.type("half a thought")
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    expect(page.locator("#told")).to_contain_text("not saved yet")
    assert page.locator("#notes").input_value() == "half a thought"
    assert len(store.read(one.id).events) == before
    _pressed(page, "Control+Enter")


def test_forms_work_without_a_script(browser: Browser, address: str, store: SessionStore) -> None:
    """Judging, undoing and changing many."""
    one = attempt(52)
    window = browser.new_context(java_script_enabled=False)
    page = window.new_page()
    page.goto(f"{address}sessions/{one.id}")
    page.locator("#notes").fill("without a script")
    page.get_by_role("button", name="golden").click()
    found = store.read(one.id).session
    assert (found.eval_status, found.eval_notes) == (EvalStatus.GOLDEN, "without a script")
    assert one.id not in page.url
    page.get_by_role("button", name="Undo").click()
    assert page.url == f"{address}sessions/{one.id}"
    assert store.read(one.id).session.eval_status is EvalStatus.INCORRECT
    page.goto(f"{address}?q=number+111")
    page.get_by_role("checkbox", name="Check Query number 111").check()
    page.get_by_label("Add tags").fill("checked")
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("1 session changed")
    assert "checked" in store.read("session-0111").session.eval_tags
    window.close()


def test_hostile_sessions_do_nothing(page: Page, address: str) -> None:
    """No script runs, nothing is asked of another host, no link leads to a script."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path in ("?q=script", "sessions/session-0200", "export?examples=no&q=script"):
        page.goto(address + path, wait_until="networkidle")
        links = page.locator("main a").evaluate_all("all => all.map((one) => one.href)")
        assert not [one for one in links if re.match(r"(?i)javascript|data", one)]
        assert page.locator("main :is(img, iframe, script, style)").count() == 0
        expect(page.locator("main")).to_contain_text("alert(1)")
    root = address.removesuffix("review/")
    assert [one for one in asked if not one.startswith(root)] == []


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


def _pages(page: Page, address: str) -> Generator[str]:
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
    page.wait_for_load_state()
    yield "changed"


@pytest.mark.parametrize(("width", "zoom", "scheme"), LOOKS)
def test_axe_finds_nothing_and_every_page_fits(
    browser: Browser, address: str, width: int, zoom: int, scheme: str
) -> None:
    """On a phone, on a desk and at 200%, in either scheme."""
    with looked_at(browser, width, zoom, scheme) as page:
        faults = [
            fault
            for name in _pages(page, address)
            for fault in faults_of(page, name, width=width, scheme=scheme)
        ]
    assert faults == []

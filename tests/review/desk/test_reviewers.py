"""Several reviewers at one desk: their names, their open sessions, and their own judgements."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.applications import Starlette

from records.sessions.session import EvalStatus
from review.desk.queue import QueueProgress
from review.desk.visits import HELD_S, Visits
from review.index.indexed_session import make_alias
from review.label_service import LabelService, SavedLabels
from review.store import SessionStore
from tests.review.corpus import store_of
from tests.review.desking import (
    make_desk_client,
    make_desk_site,
    make_site_client,
    make_talk,
    read_form_fields,
)
from tests.review.labelling import give_labels

pytestmark = pytest.mark.unit


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """A store of four talks."""
    return store_of(tmp_path / "data", [make_talk(number) for number in range(100, 104)])


@contextmanager
def _open_browser(site: Starlette, reviewer: str) -> Generator[httpx.Client]:
    """Yield a browser at the desk in which a reviewer chose a pseudonym."""
    with make_site_client(site) as client:
        token = read_form_fields(client, "sessions/session-0103")["token"]
        answer = client.post("reviewer", data={"token": token, "reviewer": reviewer})
        assert answer.status_code == 303
        yield client


def _find_next(client: httpx.Client, query: str = "") -> str:
    return client.get(f"next{query}").headers["location"].removeprefix("/review/")


def _judge(client: httpx.Client, path: str, status: str) -> httpx.Response:
    return client.post(path, data={**read_form_fields(client, path), "evalStatus": status})


def test_the_reviewer_is_shown_and_switched(store: SessionStore) -> None:
    """Labels get the pseudonym of the browser, kept in a cookie that no script reads."""
    site = make_desk_site(store)
    with _open_browser(site, "p1") as client:
        page = LexborHTMLParser(client.get("").text)
        assert page.css(".who summary")[0].text().split() == ["Reviewer", "p1"]
        _judge(client, "sessions/session-0100", "golden")
        token = read_form_fields(client, "sessions/session-0101")["token"]
        answer = client.post("reviewer", data={"token": token, "reviewer": "jörg.2"})
        cookie = answer.headers["set-cookie"].lower()
        assert all(part in cookie for part in ("httponly", "samesite=strict", "path=/review/"))
        _judge(client, "sessions/session-0101", "correct")
        client.post("reviewer", data={"token": token, "reviewer": ""})
        _judge(client, "sessions/session-0102", "correct")
    events = [store.read(f"session-010{number}").events[0] for number in range(3)]
    assert [event.reviewer for event in events] == ["p1", "jörg.2", None]


@pytest.mark.parametrize("name", ["two words", "x" * 41, "<b>", "a;b", "a\nb"])
def test_a_name_that_no_log_could_hold_is_refused(store: SessionStore, name: str) -> None:
    """The status is 400; a cookie with such a name counts as none."""
    with _open_browser(make_desk_site(store), "p1") as client:
        token = read_form_fields(client, "sessions/session-0101")["token"]
        answer = client.post("reviewer", data={"token": token, "reviewer": name})
        assert (answer.status_code, "set-cookie" in answer.headers) == (400, False)
    with make_desk_client(store) as client:
        page = client.get("", headers={"Cookie": "desk-reviewer=%3Cb%3E"})
        assert LexborHTMLParser(page.text).css(".who summary b") == []


@pytest.mark.parametrize("back", ["https://elsewhere.example/", "//elsewhere.example", "/runs/"])
def test_switching_leads_to_no_other_site(store: SessionStore, back: str) -> None:
    """Only pages of the desk are allowed."""
    with _open_browser(make_desk_site(store), "p1") as client:
        token = read_form_fields(client, "sessions/session-0101")["token"]
        answer = client.post("reviewer", data={"token": token, "reviewer": "p2", "back": back})
        assert answer.headers["location"] == "/review/"


def test_an_open_session_is_offered_to_nobody_else(store: SessionStore) -> None:
    """Two reviewers get different sessions; the page of an open session names its reviewer."""
    site = make_desk_site(store)
    with _open_browser(site, "p1") as first, _open_browser(site, "p2") as second:
        for client in (first, second):  # both opened a form above, which holds its session
            client.get(_find_next(client))
        mine, theirs = _find_next(first), _find_next(second)
        assert mine != theirs
        page = LexborHTMLParser(second.get(mine).text)
        assert "p1 has this session open" in page.css(".warning")[0].text()
        _judge(first, mine, "golden")
        assert mine not in {_find_next(first), _find_next(second)}


def test_all_that_is_left_may_be_open_elsewhere(tmp_path: Path) -> None:
    """The page then reports this, and does not claim that every session was judged."""
    store = store_of(tmp_path / "data", [make_talk(103)])
    site = make_desk_site(store)
    with _open_browser(site, "p1") as first, _open_browser(site, "p2") as second:
        first.get("sessions/session-0103")
        page = LexborHTMLParser(second.get("next").text)
        assert "1 is open at another reviewer" in " ".join(page.css("main")[0].text().split())
        assert "Every session was judged" not in page.css("main")[0].text()


def test_held_sessions_are_free_after_a_time() -> None:
    """Two other opened sessions free it at once; reviewers without a name count as one reviewer."""
    now = 0.0
    nameless = Visits(clock=lambda: now)
    first, second = map(nameless.copy_for_reviewer, ("p1", "p2"))
    first.hold("a")
    assert second.find_other_holders() == {"a": "p1"}
    assert first.find_other_holders() == {}
    now = HELD_S + 1
    assert second.find_other_holders() == {}
    for session_id in ("a", "b", "c"):
        nameless.hold(session_id)
    assert first.find_other_holders() == {"b": None, "c": None}
    assert nameless.find_other_holders() == {}


def _save(store: SessionStore, number: int) -> SavedLabels:
    return LabelService(store, "desk", "p1").label(make_talk(number).id, {"evalStatus": "golden"})


def test_the_pace_is_that_of_the_latest_judgements(tmp_path: Path) -> None:
    """Pauses, other labels, and judgements taken back do not count."""
    store = store_of(tmp_path, [make_talk(number) for number in range(10)])
    now = 0.0
    visits = Visits("p1", lambda: now)
    for number in range(3):
        assert visits.compute_pace() is None
        now += 60
        visits.remember(_save(store, number), blind=False)
    assert visits.compute_pace() == pytest.approx(60)
    noted = LabelService(store, "desk", "p1").label(make_talk(9).id, {"evalNotes": "x"})
    visits.remember(noted, blind=False)
    assert visits.compute_pace() == pytest.approx(60)
    assert visits.copy_for_reviewer("p2").compute_pace() is None
    now += 30
    last = visits.remember(_save(store, 3), blind=True)
    assert visits.compute_pace() == pytest.approx(72)
    visits.take_save(last.key)
    assert visits.compute_pace() == pytest.approx(60)
    now += 301
    assert visits.compute_pace() is None
    for number in range(4, 7):
        now += 10
        visits.remember(_save(store, number), blind=False)
    assert visits.compute_pace() == pytest.approx(360)


@pytest.mark.parametrize(
    ("pace", "left", "words"),
    [
        (None, 38, "38 left"),
        (90.4, 38, "38 left; 90 an hour: 25 min to go"),
        (360, 1, "1 left; 360 an hour: 1 min to go"),
        (100, 12_345, "12,345 left; 100 an hour: 123 h to go"),
        (90, 0, "0 left"),
    ],
)
def test_progress_states_the_remaining_time(pace: float | None, left: int, words: str) -> None:
    """The words need a pace, and remaining sessions."""
    total = left + 12
    assert QueueProgress("Tag auth", total, left, pace).words == (
        f"Tag auth: 12 of {total:,} judged, {words}"
    )


def test_own_judgements_are_listed(store: SessionStore) -> None:
    """A judgement taken back is not listed; the list names the reviewer."""
    with _open_browser(make_desk_site(store), "p1") as client:
        for number, status in ((100, "golden"), (101, "correct")):
            _judge(client, f"sessions/session-0{number}", status)
        give_labels(store, "session-0102", {"evalStatus": "correct"}, reviewer="p2")
        path = "sessions/session-0101"
        client.post(f"{path}/undo", data=read_form_fields(client, path))
        (mine,) = (
            str(link.attributes["href"])
            for link in LexborHTMLParser(client.get("").text).css(".counts a")
            if link.text() == "judged by me"
        )
        rows = LexborHTMLParser(client.get(mine.removeprefix("/review/")).text).css("tbody tr")
        assert [row.css("[data-row]")[0].text() for row in rows] == ["Query number 100"]
        assert rows[0].css("td")[-1].text().split()[-1] == "p1"


def test_a_save_is_taken_back_by_the_one_who_made_it(store: SessionStore) -> None:
    """The whole save is undone, not by another reviewer, and not after a later change."""
    site = make_desk_site(store)
    with _open_browser(site, "p1") as first, _open_browser(site, "p2") as second:
        path = "sessions/session-0100"
        sent = {"evalStatus": "golden", "evalNotes": "n", "onward": "yes"}
        onward = first.post(path, data={**read_form_fields(first, path), **sent}).headers[
            "location"
        ]
        following = first.get(onward.removeprefix("/review/")).headers["location"]
        fields = read_form_fields(first, following.removeprefix("/review/"))
        assert second.post("undo", data=fields).status_code == 409
        back = first.post("undo", data=fields)
        assert back.headers["location"] == f"/review/{path}"
        session = store.read("session-0100").session
        assert (session.eval_status, session.eval_notes) == (EvalStatus.NEEDS_REVIEW, "")
        assert first.post("undo", data=fields).status_code == 409
        first.post(path, data={**read_form_fields(first, path), **sent})
        fields = read_form_fields(first, path)
        give_labels(store, "session-0100", {"evalNotes": "of another"})
        assert first.post("undo", data=fields).status_code == 412
        assert store.read("session-0100").session.eval_notes == "of another"


def test_a_page_that_is_asked_for_late_changes_no_way_back(store: SessionStore) -> None:
    """A browser fetches the next page ahead; a slow browser does so after the undo."""
    with _open_browser(make_desk_site(store), "p1") as client:
        for number in (100, 101):
            _judge(client, f"sessions/session-0{number}", "golden")
            assert _find_next(client, f"?done={make_alias(f'session-0{number}')}").endswith(
                f"session-0{number + 1}"
            )
        fields = read_form_fields(client, "sessions/session-0102")
        assert client.post("undo", data=fields).headers["location"].endswith("session-0101")
        assert _find_next(client, f"?done={make_alias('session-0102')}").endswith("session-0101")
        back = client.post("undo", data=read_form_fields(client, "sessions/session-0101"))
    assert back.headers["location"] == "/review/sessions/session-0100"
    statuses = {each.session.eval_status for each in store}
    assert statuses == {EvalStatus.NEEDS_REVIEW}


def test_the_last_save_is_taken_back_behind_a_session_that_was_put_off(
    store: SessionStore,
) -> None:
    """That session has no save; without any save, the button is off."""
    with _open_browser(make_desk_site(store), "p1") as client:
        page = LexborHTMLParser(client.get("sessions/session-0102").text)
        assert "disabled" in page.css("[data-take-back]")[0].attributes
        assert page.css("#keys dl > [data-shortcut=u]") == []
        _judge(client, "sessions/session-0100", "golden")
        fields = read_form_fields(client, "sessions/session-0101")
        onward = client.post("sessions/session-0101/later", data=fields).headers["location"]
        following = _find_next(client, onward.removeprefix("/review/next"))
        back = client.post("undo", data=read_form_fields(client, following))
    assert following == "sessions/session-0102"
    assert back.headers["location"] == "/review/sessions/session-0100"


def test_an_own_change_is_taken_back_where_the_last_save_is_of_another_session(
    store: SessionStore,
) -> None:
    """The button undoes this session's change, unless that save led here."""
    with _open_browser(make_desk_site(store), "p1") as client:
        for number in (102, 100):
            _judge(client, f"sessions/session-0{number}", "golden")
        path = "sessions/session-0102"
        page = LexborHTMLParser(client.get(path).text)
        button = page.css("[data-key=u]")[0]
        assert button.attributes["formaction"] == f"/review/{path}/undo"


def test_a_status_without_a_script_leads_on_or_stays(store: SessionStore) -> None:
    """The box of the form decides; a short answer has the new version and no page."""
    with _open_browser(make_desk_site(store), "p1") as client:
        path = "sessions/session-0100"
        sent = {"evalStatus": "golden"}
        stays = client.post(path, data={**read_form_fields(client, path), **sent, "stay": "yes"})
        assert stays.headers["location"] == f"/review/{path}"
        leads = client.post(path, data={**read_form_fields(client, path), "evalStatus": "correct"})
        assert leads.headers["location"] == f"/review/next?done={make_alias('session-0100')}"
        short = client.post(
            path,
            data={**read_form_fields(client, path), "evalStatus": "incorrect", "answer": "short"},
        )
        assert (short.status_code, short.content) == (204, b"")
        assert short.headers["etag"] == f'"{store.read("session-0100").version}"'
        assert short.headers["cache-control"] == "no-store"

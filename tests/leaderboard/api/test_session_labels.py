"""`/api/sessions`: forms, lists and secrets; `tests/review/test_label_service.py` has the rules."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from leaderboard.api.app import build_api_app
from leaderboard.api.keys import KeyStore
from records.sessions.session import EvalStatus, Session
from records.writer import write_record
from review.store import SessionStore
from tests.leaderboard.api.serving import GENEROUS, make_bearer_header
from tests.records.sessions.audits import make_audit, make_audit_item
from tests.review.corpus import make_message, make_session, store_of
from tests.review.desking import make_attempt_session
from tests.review.labelling import give_labels
from tests.support.applications import ApplicationTransport

pytestmark = pytest.mark.unit

SECRET = "sk-ant-api03-" + "a1B2c3D4" * 8
DRAWN = make_attempt_session(2)
TALK = make_session(
    1,
    make_message("user", "Sort these"),
    make_message("assistant", "Sorted."),
    make_message("user", f"With the key {SECRET}"),
    make_message("assistant", "Done."),
    make_message("user", "/exit"),
)
PLACE = f"/api/sessions/{TALK.id}"


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return a store with a talk, and an attempt for two people to judge blind."""
    store = store_of(tmp_path, (TALK, DRAWN))
    write_record(store.folder.audits, make_audit(make_audit_item(2, reviewers=2, session=DRAWN.id)))
    return store


@pytest.fixture
def client(store: SessionStore) -> httpx.Client:
    """Return a client with a key that may label; the key's name is pat."""
    key = KeyStore(store.folder.keys_file).create("pat", ("sessions:write",), None)
    return _make_client(store, key)


def _make_client(store: SessionStore, key: str) -> httpx.Client:
    app = build_api_app(store.folder, GENEROUS)
    return httpx.Client(
        transport=ApplicationTransport(app),
        base_url="http://localhost",
        headers=make_bearer_header(key),
    )


def _post(client: httpx.Client, address: str, **body: object) -> dict[str, Any]:
    answer = client.post(address, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def _read_session(store: SessionStore, session: Session = TALK) -> Session:
    return store.read(session.id).session


def test_every_label_is_set_and_kept_in_the_log(client: httpx.Client, store: SessionStore) -> None:
    """Each label is an event of the API, with the reviewer's name; a repeated label is no event."""
    body = {
        "reviewer": "p1",
        "evalStatus": "golden",
        "evalReady": True,
        "evalNotes": "short",
        "expectedOutput": "All done.",
        "addTags": ["auth", "time"],
        "removeTags": ["time"],
        "reason": "read in full",
    }
    answer = _post(client, f"{PLACE}/labels", **body)
    assert (answer["changed"], answer["evalTags"], answer["blind"]) == (5, ["auth"], False)
    talk = _read_session(store)
    assert (talk.eval_status, talk.eval_ready, talk.eval_notes) == (
        EvalStatus.GOLDEN,
        True,
        "short",
    )
    assert (talk.expected_output, talk.eval_tags) == ("All done.", ("auth",))
    events = store.read(TALK.id).events
    origins = {(event.via, event.reviewer, event.reason, event.turn) for event in events}
    assert origins == {("api", "p1", "read in full", None)}
    assert _post(client, f"{PLACE}/labels", **body)["changed"] == 0
    assert _post(client, f"{PLACE}/labels", expectedOutput="", evalTags=[])["changed"] == 2
    assert (_read_session(store).expected_output, _read_session(store).eval_tags) == (None, ())
    assert store.read(TALK.id).events[-1].reviewer == "pat"  # the name of the key


def test_a_turn_is_labelled_by_itself(client: httpx.Client, store: SessionStore) -> None:
    """A labelled turn needs an answer; the label of the session stays.

    Labels that only sessions have are not shown, even if the log gives them to a turn.
    """
    sent = {"evalStatus": "incorrect", "evalNotes": "no", "expectedOutput": "1 2 3"}
    answer = _post(client, f"{PLACE}/turns/1/labels", **sent)
    assert answer["turns"] == [{"turn": 1, **sent}]
    assert answer["evalStatus"] == "needs_review"
    assert store.read(TALK.id).turns == {1: sent}
    for turn in (3, 4):
        refused = client.post(f"{PLACE}/turns/{turn}/labels", json=sent)
        assert (refused.status_code, refused.json()["parameter"]) == (404, "turn")
    assert client.post(f"{PLACE}/turns/1/labels", json={"evalReady": True}).status_code == 400
    give_labels(store, TALK.id, {"evalReady": True, "evalTags": ["auth"]}, turn=1)
    assert client.get(PLACE).json()["turns"] == answer["turns"]


def test_a_refusal_names_its_parameter(client: httpx.Client, store: SessionStore) -> None:
    """An attempt that is to be judged blind takes no empty change, and its labels are null."""
    path = f"/api/sessions/{DRAWN.id}"
    for body in ({"reviewer": "p1", "evalNotes": "x"}, {"reviewer": "p1"}):
        refused = client.post(f"{path}/labels", json=body)
        assert (refused.status_code, refused.json()["parameter"]) == (403, "reviewer")
    assert store.read(DRAWN.id).events == []
    answer = _post(client, f"{path}/labels", reviewer="p1", evalStatus="correct")
    assert (answer["blind"], answer["evalStatus"], answer["evalNotes"]) == (True, "correct", None)
    _post(client, f"{PLACE}/labels", reviewer="p1", evalNotes="theirs")
    undo = {"reviewer": "p2", "of": "p3", "reason": "x"}
    nothing_left = client.post(f"{PLACE}/undo", json=undo)
    assert (nothing_left.status_code, nothing_left.json()["parameter"]) == (409, "of")
    for change in (f"{PLACE}/labels", f"{PLACE}/undo"):
        gone = client.post(change, json={"version": "0" * 64})
        assert (gone.status_code, gone.json()["parameter"]) == (409, "version")
    others = client.post(f"{PLACE}/undo", json={"reviewer": "p2"})
    assert (others.status_code, others.json()["parameter"]) == (403, "reviewer")


def test_texts_leave_without_secrets(client: httpx.Client) -> None:
    """Transcripts, lists and labels leave without secrets; stored labels stay as they were sent."""
    _post(client, f"{PLACE}/labels", evalNotes=f"see {SECRET}", addTags=[SECRET])
    _post(client, f"{PLACE}/turns/1/labels", expectedOutput=SECRET)
    for address in (PLACE, "/api/sessions"):
        answer = client.get(address)
        assert answer.status_code == 200
        assert SECRET not in answer.text
    assert "Sort these" in client.get(PLACE).text


def test_lists_are_selected_and_come_in_pages(client: httpx.Client, store: SessionStore) -> None:
    """Pages are in the order of ids; each has the last id before the next page."""
    sessions = [make_session(number, make_message("user", "Why?")) for number in range(10, 15)]
    for entry in sessions:
        store.write(entry)
    _post(client, f"/api/sessions/{sessions[0].id}/labels", evalStatus="golden", evalReady=True)
    ids: list[str] = []
    after: dict[str, str] = {}
    while True:
        page = client.get("/api/sessions", params={"limit": 4, **after}).json()
        ids += [entry["id"] for entry in page["sessions"]]
        if page["after"] is None:
            break
        after = {"after": page["after"]}
    assert ids == sorted([TALK.id, *(entry.id for entry in sessions)])
    for params in ({"status": "golden"}, {"ready": "yes"}):
        rows = client.get("/api/sessions", params=params).json()["sessions"]
        assert [entry["id"] for entry in rows] == [sessions[0].id]
    rows = client.get("/api/sessions", params={"search": "sorted"}).json()["sessions"]
    assert [entry["id"] for entry in rows] == [TALK.id]


def test_a_key_for_exports_labels_nothing(client: httpx.Client, store: SessionStore) -> None:
    """A key for exports reads no single sessions; labels of missing sessions are not found."""
    reading = _make_client(
        store, KeyStore(store.folder.keys_file).create("r", ("sessions:read",), None)
    )
    assert reading.post(f"{PLACE}/labels", json={"evalNotes": "x"}).status_code == 403
    assert reading.get(PLACE).status_code == reading.get("/api/sessions").status_code == 403
    assert client.get("/api/export").status_code == 403
    gone = "/api/sessions/session-9999"
    assert client.get(gone).status_code == 404
    for address in (f"{gone}/labels", f"{gone}/undo", f"{gone}/turns/1/labels"):
        assert client.post(address, json={}).status_code == 404
    assert store.read(TALK.id).events == []

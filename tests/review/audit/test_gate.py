"""The gate: rights of a reviewer to see, change and take back, on every way to a session."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from records.files.data_folder import DataFolder
from records.sessions.audit import AuditState
from records.sessions.session import EvalStatus
from records.writer import write_audit
from review.audit.gate import ReviewGate, guard
from review.errors import GateError, OthersLabelError
from review.store import SessionStore
from tests.records.sessions.audits import make_audit, make_audit_item
from tests.review.corpus import make_session
from tests.review.desking import make_attempt_session, make_desk_client, make_talk, read_form_fields

pytestmark = pytest.mark.unit

DOUBLE: Final = make_attempt_session(1)
NAME: Final = "9fdfa625ac2f-7/1"


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return a guarded store, with an attempt for two reviewers, and a talk of no audit."""
    store = SessionStore(DataFolder(tmp_path / "data"))
    store.write(DOUBLE)
    store.write(make_talk(100))
    write_audit(store.folder, make_audit(make_audit_item(1, reviewers=2, session=DOUBLE.id)))
    guard(store)
    return store


@pytest.fixture
def gate(store: SessionStore) -> ReviewGate:
    """Return the gate of the store."""
    return ReviewGate(store)


def judge(store: SessionStore, status: str, reviewer: str | None) -> None:
    """Give the attempt a status, as the command line does."""
    store.label(DOUBLE.id, {"evalStatus": status}, via="cli", reviewer=reviewer)


def test_an_attempt_that_waits_takes_a_blind_status_alone(
    gate: ReviewGate, store: SessionStore
) -> None:
    """Notes and undo are refused; a status counts as blind; its event names the audit's item."""
    with pytest.raises(GateError, match=NAME):
        store.label(DOUBLE.id, {"evalNotes": "x"}, via="cli", reviewer="p1")
    with pytest.raises(GateError, match=NAME):
        store.undo(DOUBLE.id, via="cli", reviewer="p1", reason="a mistake")
    assert store.read(DOUBLE.id).events == []
    judge(store, "incorrect", "p1")
    (event,) = store.read(DOUBLE.id).events
    assert (event.blind, event.audit) == (True, NAME)
    assert gate.read(DOUBLE.id, "p2")[1].is_blind
    assert not gate.read(DOUBLE.id, "p1")[1].is_blind


def test_a_judgement_belongs_to_its_audit_by_name(gate: ReviewGate, store: SessionStore) -> None:
    """The clock of the audit's draw may be two hours ahead."""
    later = datetime.now(UTC) + timedelta(hours=2)
    items = (make_audit_item(2, session="session-0100"),)
    ahead = make_audit(*items, audit_id="9fdfa625ac2f-8", seed=8, drawn_at=later)
    write_audit(store.folder, ahead)
    store.label("session-0100", {"evalStatus": "correct"}, via="desk", reviewer="p1")
    task = gate.read("session-0100", "p2")[1].task
    assert task is not None
    assert task.state is AuditState.SETTLED
    store.undo("session-0100", via="desk", reviewer="p1")
    assert gate.read("session-0100", "p1")[1].is_blind


def test_parties_do_not_decide(gate: ReviewGate, store: SessionStore) -> None:
    """Another reviewer decides, before and after a decision; notes are free to all."""
    judge(store, "incorrect", "p1")
    judge(store, "correct", "p2")
    for reviewer in ("p1", "p2", "p3"):
        labeled, rights = gate.read(DOUBLE.id, reviewer)
        seen = rights.view(labeled.session)
        assert "secret-model" not in seen.model_dump_json()
        assert seen.totals.cost_usd is seen.totals.tokens.input is seen.created_at is None
        assert rights.is_party is (reviewer != "p3")
    for party in ("p1", "p2"):
        with pytest.raises(GateError, match="decide"):
            judge(store, "golden", party)
        store.label(DOUBLE.id, {"evalNotes": f"by {party}"}, via="cli", reviewer=party)
    judge(store, "incorrect", "p3")
    assert gate.read(DOUBLE.id, "p1")[1].view(DOUBLE) == DOUBLE
    with pytest.raises(GateError, match="decide"):
        judge(store, "correct", "p2")
    judge(store, "golden", "p3")
    assert store.read(DOUBLE.id).session.eval_status is EvalStatus.GOLDEN


def test_blind_judgements_that_differ_outside_of_audits_are_a_dispute_too(
    gate: ReviewGate, store: SessionStore
) -> None:
    """Labels given in sight of each other are no dispute."""
    session_id = "session-0100"
    for reviewer, status in (("p1", "golden"), ("p2", "incorrect")):
        store.label(session_id, {"evalStatus": status}, via="desk", reviewer=reviewer, blind=True)
    assert gate.read(session_id, "p3")[1].is_disputed
    with pytest.raises(GateError):
        store.label(session_id, {"evalStatus": "golden"}, via="desk", reviewer="p1")
    store.label(session_id, {"evalStatus": "golden"}, via="desk", reviewer="p3")
    store.label(session_id, {"evalStatus": "correct"}, via="desk", reviewer="p4")
    store.label(session_id, {"evalStatus": "golden"}, via="desk", reviewer="p3")
    assert not gate.read(session_id, "p1")[1].is_disputed


def test_undo_needs_a_reason_for_anothers_label(gate: ReviewGate, store: SessionStore) -> None:
    """A reviewer's own label needs none."""
    judge(store, "incorrect", "p1")
    judge(store, "incorrect", "p2")
    with pytest.raises(OthersLabelError):
        store.undo(DOUBLE.id, via="cli", reviewer="p3")
    store.undo(DOUBLE.id, via="cli", reviewer="p1")
    assert gate.read(DOUBLE.id, "p1")[1].is_blind
    assert gate.read(DOUBLE.id, "p2")[1].is_blind is False
    store.undo(DOUBLE.id, via="cli", reviewer="p2", reason="wrong attempt")


@pytest.fixture
def client(store: SessionStore) -> httpx.Client:
    """Return a client of the desk, without a pseudonym."""
    return make_desk_client(store)


def test_the_desk_refuses_by_id_what_waits(client: httpx.Client, store: SessionStore) -> None:
    """A form of its page, made up or older than the audit, writes nothing."""
    token = read_form_fields(client, "sessions/session-0100")["token"]
    fields = {"token": token, "version": store.read(DOUBLE.id).version}
    path = f"sessions/{DOUBLE.id}"
    for address, more in ((path, {"evalStatus": "golden"}), (path, {"whole": "1"})):
        answer = client.post(address, data={**fields, **more})
        assert answer.status_code == 403
        assert f"{NAME} is to be judged blind" in answer.text
    undo = {**fields, "undo_reason": "a mistake"}
    assert client.post(f"{path}/undo", data=undo).status_code == 403
    assert store.read(DOUBLE.id).events == []


def test_the_desk_hides_the_model_from_who_decides(
    client: httpx.Client, store: SessionStore
) -> None:
    """Cost, tokens, run and times are hidden as well, until the decision."""
    judge(store, "incorrect", "p1")
    judge(store, "correct", "p2")
    path = f"sessions/{DOUBLE.id}"
    page = LexborHTMLParser(client.get(path).raise_for_status().text)
    text = page.css("main")[0].html or ""
    assert not page.css("dl.known")
    for hidden in ("secret-model", "/runs/", "maker/model"):
        assert hidden not in text
    assert "secret-model" not in LexborHTMLParser(client.get("").text).css("table")[0].text()
    assert DOUBLE.title not in client.get("?model=maker/secret-model").text
    fields = {**read_form_fields(client, path), "evalStatus": "correct", "reason": "it works"}
    assert client.post(path, data=fields).status_code == 303
    assert "secret-model" in client.get(path).text
    assert store.read(DOUBLE.id).events[-1].reason == "it works"


def test_the_desk_takes_anothers_label_back_with_a_reason(
    client: httpx.Client, store: SessionStore
) -> None:
    """Without a reason the label stays."""
    store.label("session-0100", {"evalNotes": "theirs"}, via="cli", reviewer="p1")
    path = "sessions/session-0100"
    fields = read_form_fields(client, path)
    assert client.post(f"{path}/undo", data=fields).status_code == 403
    reasoned = {**fields, "undo_reason": "another session was meant"}
    assert client.post(f"{path}/undo", data=reasoned).status_code == 303
    event = store.read("session-0100").events[-1]
    assert json.loads(event.model_dump_json())["reason"] == "another session was meant"


def test_a_session_that_no_audit_drew_is_free(gate: ReviewGate, store: SessionStore) -> None:
    """Nothing is hidden, and every field may be changed."""
    store.write(make_session(5))
    labeled, rights = gate.read("session-0005", None)
    assert rights.view(labeled.session) == labeled.session
    assert (rights.is_blind, rights.is_disputed, rights.is_party) == (False, False, False)
    store.label("session-0005", {"evalReady": True}, via="api", reviewer=None)


def test_an_undo_may_name_the_event_of_another(store: SessionStore) -> None:
    """Such an undo needs a reason; the reviewer's own event stays."""
    for reviewer, notes in (("p1", "mine"), ("p2", "theirs")):
        store.label("session-0100", {"evalNotes": notes}, via="cli", reviewer=reviewer)
    theirs = store.read("session-0100").events[-1]
    with pytest.raises(OthersLabelError):
        store.undo("session-0100", via="cli", reviewer="p1", event_id=theirs.id)
    undone = store.undo(
        "session-0100", via="cli", reviewer="p1", event_id=theirs.id, reason="another session"
    )
    assert undone.session.eval_notes == "mine"

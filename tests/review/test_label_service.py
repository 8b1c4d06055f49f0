"""The rules of seeing and labelling sessions, which desk, command line and API keep alike."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from leaderboard.commands.session_labels import label_command
from records.sessions.audit import AuditState
from records.sessions.session import EvalStatus, SessionTotals
from records.shapes.attempt import Tokens
from records.writer import write_record
from review.audits import AuditTasks
from review.errors import GateError
from review.index.session_index import SessionIndex
from review.label_service import LabelService
from review.selection import SessionSelection
from review.store import SessionStore
from tests.records.examples import NOON
from tests.records.sessions.audits import make_audit, make_audit_item
from tests.review.corpus import make_message, make_session, store_of
from tests.review.desking import make_attempt_session
from tests.review.front_ends import ApiFrontEnd, Change, CommandFrontEnd, DeskFrontEnd, FrontEnd
from tests.review.labelling import give_labels, take_back

pytestmark = pytest.mark.unit

_USAGE = Tokens(input=7654321, cached_input=None, output=7654322, reasoning=None)
_ATTEMPT = make_attempt_session(1)
DRAWN = _ATTEMPT.model_copy(
    update={
        "project": "secret-project",
        "totals": SessionTotals(tokens=_USAGE, cost_usd=76.54, duration_s=7654.0),
        "messages": tuple(
            message.model_copy(
                update={"at": NOON, "tokens": _USAGE, "cost_usd": 76.54, "duration_s": 7654.0}
            )
            for message in _ATTEMPT.messages
        ),
    }
)
"""An attempt that two reviewers are to judge blind."""
NAME = "9fdfa625ac2f-7/1"
TALK = make_session(
    100,
    make_message("user", "Sort these"),
    make_message("assistant", "Sorted."),
    make_message("user", "never answered"),
    make_message("user", "And those"),
    make_message("assistant", "Done."),
)
RUN = (
    *("secret-model", "4p2bzjf5m6urabcd", "maker/model", "secret-project"),
    *("7654321", "7,654,321", "76.54", "7654.0", "7,654", "2 h 7 min", NOON.isoformat()[:10]),
)
"""Words that only run, model, project, usage, cost and times of the attempt have."""
OF_OTHERS = ("a-note", "a-tag", "of-a-turn", "someone", "their output")
"""Words that only labels of another person have."""


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return a store of an attempt, which another person labelled before the audit, and a talk."""
    store = store_of(tmp_path, [DRAWN, TALK])
    labels = {"evalNotes": "a-note", "evalTags": ["a-tag"], "expectedOutput": "their output"}
    give_labels(store, DRAWN.id, labels, reviewer="someone")  # pyright: ignore[reportArgumentType]
    give_labels(store, DRAWN.id, {"evalNotes": "of-a-turn"}, reviewer="someone", turn=1)
    write_record(store.folder.audits, make_audit(make_audit_item(1, reviewers=2, session=DRAWN.id)))
    return store


@pytest.fixture(params=[DeskFrontEnd, CommandFrontEnd, ApiFrontEnd])
def front(request: pytest.FixtureRequest, store: SessionStore) -> FrontEnd:
    """Return one of the three front ends."""
    front_end: type[FrontEnd] = request.param
    return front_end(store)


def count_events(store: SessionStore, session_id: str = DRAWN.id) -> int:
    """Return the number of changes of a session."""
    return len(store.read(session_id).events)


def judge(front: FrontEnd, status: str, reviewer: str) -> None:
    """Give the attempt a status."""
    assert front.label(DRAWN.id, reviewer, Change(status=status)).refusal is None


def test_labels_are_events_of_their_reviewer(front: FrontEnd, store: SessionStore) -> None:
    """Each has way, reviewer and reason; a label that changes nothing is no event."""
    change = Change(status="golden", notes="short", reason="read in full")
    for _ in range(2):
        assert front.label(TALK.id, "p1", change).refusal is None
    assert front.label(TALK.id, "p1", Change(tag="auth")).refusal is None
    labeled = store.read(TALK.id)
    assert (labeled.session.eval_status, labeled.session.eval_notes) == ("golden", "short")
    assert labeled.session.eval_tags == ("auth",)
    assert {(event.via, event.reviewer) for event in labeled.events} == {(front.via, "p1")}
    assert [event.reason for event in labeled.events] == ["read in full", "read in full", ""]
    assert front.read_status(TALK.id, "p2") == "golden"


def test_an_attempt_that_waits_is_shown_without_what_could_sway(front: FrontEnd) -> None:
    """No page, list or answer has its model, run, verdict and the labels of others."""
    shown = front.show(DRAWN.id, "p1")
    assert "I look at the files first." in shown
    for hidden in (*RUN, *OF_OTHERS, '"incorrect"'):
        assert hidden not in shown.replace('value="incorrect"', "")
    assert front.read_status(DRAWN.id, "p1") is None
    listed = front.list_all("p1")
    assert DRAWN.title not in listed
    assert "incorrect" not in listed


def test_the_first_label_of_an_attempt_that_waits_is_a_blind_status(
    front: FrontEnd, store: SessionStore
) -> None:
    """Other labels and undo are refused with its name in the audit; a status counts as blind."""
    before = count_events(store)
    for change in (
        Change(notes="x"),
        Change(ready=True),
        Change(tag="x"),
        Change(notes="x", turn=1),
        Change(status="golden", turn=1),
    ):
        assert front.label(DRAWN.id, "p1", change).refusal == "forbidden"
    refused = front.undo(DRAWN.id, "p1", reason="a mistake")
    assert refused.refusal == "forbidden"
    assert NAME in refused.text
    assert count_events(store) == before
    answer = front.label(DRAWN.id, "p1", Change(status="correct"))
    for hidden in (*RUN, *OF_OTHERS):  # they could influence later judgements of the eval
        assert hidden not in answer.text
    event = store.read(DRAWN.id).events[-1]
    assert (event.blind, event.audit, event.via) == (True, NAME, front.via)
    assert front.read_status(DRAWN.id, "p1") == "correct"
    assert front.read_status(DRAWN.id, "p2") is None
    assert [DRAWN.title in front.list_all(reviewer) for reviewer in ("p1", "p2")] == [True, False]


def test_parties_do_not_decide(front: FrontEnd, store: SessionStore) -> None:
    """A third reviewer does, without model and run until then; notes are free to all."""
    judge(front, "incorrect", "p1")
    judge(front, "correct", "p2")
    for reviewer in ("p1", "p2", "p3"):
        shown = front.show(DRAWN.id, reviewer)
        assert "secret-model" not in shown + front.list_all(reviewer)
        assert "a-tag" in shown or front.via == "cli"
    for party in ("p1", "p2"):
        refused = front.label(DRAWN.id, party, Change(status="golden"))
        assert refused.refusal == "forbidden"
        assert "decide" in refused.text
        assert front.label(DRAWN.id, party, Change(notes=f"by {party}")).refusal is None
    undecided = LabelService(store, "desk", "p3").show(DRAWN.id).session.model_dump_json()
    assert not any(hidden in undecided for hidden in RUN if hidden != RUN[1])
    judge(front, "incorrect", "p3")
    assert "secret-model" in front.show(DRAWN.id, "p1")
    assert front.label(DRAWN.id, "p2", Change(status="correct")).refusal == "forbidden"
    judge(front, "golden", "p3")
    assert store.read(DRAWN.id).session.eval_status is EvalStatus.GOLDEN


def test_who_decides_sees_both_judgements(front: FrontEnd) -> None:
    """They have their reviewers and reasons."""
    front.label(DRAWN.id, "p1", Change(status="incorrect", reason="no index"))
    front.label(DRAWN.id, "p2", Change(status="correct", reason="it works"))
    shown = front.show(DRAWN.id, "p3")
    assert all(word in shown for word in ("p1", "no index", "p2", "it works"))


def test_an_undone_blind_judgement_is_blind_again(front: FrontEnd) -> None:
    """The answer to the undo does not disclose the labels that are hidden again."""
    judge(front, "incorrect", "p1")
    answer = front.undo(DRAWN.id, "p1")
    assert answer.refusal is None
    for hidden in (*RUN, *OF_OTHERS, "incorrect"):
        assert hidden not in answer.text
    assert front.read_status(DRAWN.id, "p1") is None


def test_undo_needs_a_reason_for_anothers_label(front: FrontEnd, store: SessionStore) -> None:
    """A reviewer's own latest change needs none; the reason is kept."""
    for reviewer, notes in (("p1", "theirs"), ("p2", "mine")):
        front.label(TALK.id, reviewer, Change(notes=notes))
    assert front.undo(TALK.id, "p2").refusal is None
    assert store.read(TALK.id).session.eval_notes == "theirs"
    assert front.undo(TALK.id, "p2").refusal == "forbidden"
    assert store.read(TALK.id).session.eval_notes == "theirs"
    assert front.undo(TALK.id, "p2", reason="another session was meant").refusal is None
    last = store.read(TALK.id)
    assert (last.session.eval_notes, last.events[-1].reason) == ("", "another session was meant")
    assert front.undo(TALK.id, "p2").refusal is None
    assert count_events(store, TALK.id) == 4


@pytest.mark.parametrize("front", [CommandFrontEnd, ApiFrontEnd], indirect=True)
def test_an_undo_may_name_a_reviewer(front: FrontEnd, store: SessionStore) -> None:
    """The latest change of that reviewer is taken back, with a reason; own changes stay."""
    front.label(TALK.id, "p1", Change(status="correct"))
    front.label(TALK.id, "p2", Change(notes="mine"))
    assert front.undo(TALK.id, "p2", of="p1").refusal == "forbidden"
    assert front.undo(TALK.id, "p2", of="p1", reason="a mistake").refusal is None
    session = store.read(TALK.id).session
    assert (session.eval_status, session.eval_notes) == (EvalStatus.NEEDS_REVIEW, "mine")
    nothing_left = front.undo(TALK.id, "p2", of="p1", reason="a mistake")
    assert nothing_left.refusal in {"missing", "changed"}
    assert "no change of p1 is left" in nothing_left.text
    # Whoever must judge blind does not learn who has labelled the session.
    for reviewer in ("someone", "nobody"):
        refused = front.undo(DRAWN.id, "p1", of=reviewer, reason="x")
        assert (refused.refusal, NAME in refused.text) == ("forbidden", True)


def test_a_change_of_what_somebody_else_changed_is_refused(
    front: FrontEnd, store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A label that came after the reviewer saw the session is not overwritten unseen."""
    label = LabelService.label

    def label_second(service: LabelService, *arguments: object, **options: object) -> object:
        give_labels(store, TALK.id, {"evalStatus": "golden"}, reviewer="p9")
        return label(service, *arguments, **options)  # pyright: ignore[reportArgumentType]

    for change in (Change(status="incorrect"), Change(notes="x"), Change(status="golden", turn=1)):
        with monkeypatch.context() as patch:
            patch.setattr(LabelService, "label", label_second)
            assert front.label(TALK.id, "p1", change).refusal == "changed"
        labeled = store.read(TALK.id)
        assert {event.reviewer for event in labeled.events} == {"p9"}
        assert labeled.session.eval_status is EvalStatus.GOLDEN
        take_back(store, TALK.id, reviewer="p9")


def test_a_turn_is_labelled_by_itself(front: FrontEnd, store: SessionStore) -> None:
    """It needs an answer; the label of the session stays."""
    change = Change(status="incorrect", notes="no", turn=1)
    assert front.label(TALK.id, "p1", change).refusal is None
    labeled = store.read(TALK.id)
    assert labeled.turns == {1: {"evalStatus": "incorrect", "evalNotes": "no"}}
    assert labeled.session.eval_status is EvalStatus.NEEDS_REVIEW
    for turn in (2, 4):
        refused = front.label(TALK.id, "p1", Change(status="golden", turn=turn))
        assert refused.refusal == "missing"
    assert count_events(store, TALK.id) == 2


def test_a_session_that_is_named_twice_is_labelled_once(store: SessionStore) -> None:
    """For the command, the second name is no change that came between."""
    arguments = [TALK.id, TALK.id[:11], "--status", "golden", "--data", str(store.folder.root)]
    label_command.main(arguments, standalone_mode=False)
    assert count_events(store, TALK.id) == 1


def test_a_judgement_belongs_to_its_audit_by_name(store: SessionStore) -> None:
    """The clock of the audit's draw may be two hours ahead."""
    service = LabelService(store, "desk", "p1")
    later = datetime.now(UTC) + timedelta(hours=2)
    items = (make_audit_item(2, session=TALK.id),)
    write_record(
        store.folder.audits, make_audit(*items, audit_id="9fdfa625ac2f-8", seed=8, drawn_at=later)
    )
    service.label(TALK.id, {"evalStatus": "correct"})
    task = AuditTasks(store).find_task("9fdfa625ac2f-8/1")
    assert task is not None
    assert task.state is AuditState.SETTLED
    service.undo(TALK.id)
    assert service.show(TALK.id).must_be_blind


def test_blind_judgements_that_differ_outside_of_audits_are_a_dispute_too(
    store: SessionStore,
) -> None:
    """Labels given in sight of each other are no dispute."""
    services = {name: LabelService(store, "desk", name) for name in ("p1", "p2", "p3", "p4")}
    for reviewer, status in (("p1", "golden"), ("p2", "incorrect")):
        services[reviewer].label(TALK.id, {"evalStatus": status}, blind=True)
    assert services["p3"].show(TALK.id).is_disputed
    with pytest.raises(GateError):
        services["p1"].label(TALK.id, {"evalStatus": "golden"})
    for reviewer, status in (("p3", "golden"), ("p4", "correct"), ("p3", "golden")):
        services[reviewer].label(TALK.id, {"evalStatus": status})
    assert not services["p1"].show(TALK.id).is_disputed


def test_lists_hide_the_model_of_any_blind_dispute(front: FrontEnd, tmp_path: Path) -> None:
    """A list shows no model until a third reviewer decides, and a list by model lacks the row."""
    drawn = make_attempt_session(2)
    unaudited = store_of(tmp_path / "other", [drawn])
    other = type(front)(unaudited)
    for reviewer, status in (("p1", "golden"), ("p2", "incorrect")):
        service = LabelService(unaudited, "desk", reviewer)
        service.label(drawn.id, {"evalStatus": status}, blind=True)
    by_model = (
        AuditTasks(unaudited)
        .group_ids("p3")
        .restrict_selection(SessionSelection(model=drawn.model))
    )
    assert "secret-model" not in other.list_all("p3")
    assert SessionIndex(unaudited).list_ids(by_model) == []
    assert not by_model.selects(unaudited.read(drawn.id))
    LabelService(unaudited, "desk", "p3").label(drawn.id, {"evalStatus": "golden"})
    assert SessionIndex(unaudited).list_ids(by_model) == [drawn.id]
    assert by_model.selects(unaudited.read(drawn.id))


def test_who_chose_to_judge_blind_sees_no_labels_either(store: SessionStore) -> None:
    """The reference is the expected output before people's labels."""
    visible = LabelService(store, "desk", "someone").show(DRAWN.id, blind=True)
    for hidden in (*RUN, *OF_OTHERS, DRAWN.id):
        assert hidden not in visible.session.model_dump_json()
    assert visible.reference == visible.session.expected_output == DRAWN.expected_output
    assert (visible.turns, visible.events, visible.judgements, visible.judges) == ({}, (), (), ())


def test_an_undo_may_name_the_event_of_another(store: SessionStore) -> None:
    """Such an undo needs a reason; the reviewer's own event stays."""
    for reviewer, notes in (("p1", "mine"), ("p2", "theirs")):
        LabelService(store, "desk", reviewer).label(TALK.id, {"evalNotes": notes})
    service = LabelService(store, "desk", "p1")
    theirs = store.read(TALK.id).events[-1]
    with pytest.raises(GateError, match="reason"):
        service.undo(TALK.id, event_id=theirs.id)
    undone = service.undo(TALK.id, event_id=theirs.id, reason="another session")
    assert undone.visible.session.eval_notes == "mine"

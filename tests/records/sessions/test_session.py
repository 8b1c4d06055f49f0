"""Records of sessions, and faults of label logs that `check` finds."""

import json
from pathlib import Path
from typing import Any

import pytest

from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.sessions import session
from records.sessions.events import read_log
from records.sessions.labels import LabelEvent
from records.shapes.attempt import NO_TOKENS
from tests.records import examples
from tests.records.sessions.audits import make_status_event
from tests.review.corpus import make_message, make_session
from tests.support.sessions import write_session

pytestmark = pytest.mark.unit


def make_plain_session() -> session.Session:
    """Return a session in which a tool was called."""
    call = session.ToolCall(id="call-1", name="read", arguments='{"path": "a.ts"}')
    return session.Session(
        schema_version=1,
        id="session-0001",
        title="Fix the query",
        source=session.FromAttempt(
            kind="attempt", run_id="a" * 32, eval=examples.make_eval_name(0), sample=1
        ),
        model="gpt-example",
        project=None,
        created_at=examples.NOON,
        updated_at=examples.NOON,
        messages=(
            session.SessionMessage(role="user", text="Fix it"),
            session.SessionMessage(role="assistant", text="", tool_calls=(call,)),
            session.SessionMessage(role="tool", text="export {}", tool_call_id="call-1"),
            session.SessionMessage(role="assistant", text="Done", tokens=NO_TOKENS),
        ),
        totals=session.SessionTotals(tokens=NO_TOKENS, cost_usd=None, duration_s=None),
    )


def test_a_session_is_read_back_with_its_labels(tmp_path: Path) -> None:
    """Labels are written under the names of exports; labels without a value are left out."""
    judged = make_plain_session().model_copy(
        update={
            "eval_status": session.EvalStatus.GOLDEN,
            "eval_tags": ("auth",),
            "eval_ready": True,
        }
    )

    path = write_session(DataFolder(tmp_path), judged)

    assert read_record(session.Session, path) == judged
    written = json.loads(path.read_text())
    assert (written["evalStatus"], written["evalTags"], written["evalReady"]) == (
        "golden",
        ["auth"],
        True,
    )
    assert {"evalNotes", "expectedOutput", "reviewedAt"}.isdisjoint(written)


def test_a_new_session_waits_for_review() -> None:
    """No person has judged it, so no status is assumed."""
    assert make_plain_session().eval_status is session.EvalStatus.NEEDS_REVIEW
    assert make_plain_session().reviewed_at is None


def test_sessions_of_before_have_no_parts_left_out_and_no_name_at_their_source(
    tmp_path: Path,
) -> None:
    """Both fields are newer than such records, which are read, with nothing left out."""
    source = session.FromFile(kind="file", importer="chat", name="a.jsonl", digest="a" * 64)
    path = write_session(
        DataFolder(tmp_path), make_plain_session().model_copy(update={"source": source})
    )
    fields = json.loads(path.read_text())
    del fields["left_out"], fields["source"]["identity"]
    path.write_text(json.dumps(fields))
    old = read_record(session.Session, path)
    assert old.left_out == {}
    assert isinstance(old.source, session.FromFile)
    assert old.source.identity is None


MADE = make_session(1, make_message("user", "q"), make_message("assistant", "a"))


def format_log(*events: LabelEvent | dict[str, Any]) -> str:
    """Return events as the lines of a log."""
    plain = (
        event if isinstance(event, dict) else event.model_dump(mode="json") for event in events
    )
    return "".join(f"{json.dumps(event)}\n" for event in plain)


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    """Return a folder with one session."""
    folder = DataFolder(tmp_path)
    write_session(folder, MADE)
    return folder


FIRST = make_status_event("golden")
UNKNOWN = "01a2181d-ae06-7016-a40b-b0acbf75a759"
WRONG: dict[str, tuple[str, str]] = {
    "replaces nothing known": (
        format_log(make_status_event("golden", replaces=UNKNOWN)),
        "line 1.replaces",
    ),
    "takes back nothing known": (
        format_log(FIRST, make_status_event("x", undoes=UNKNOWN)),
        "line 2.undoes",
    ),
    "decides about nothing known": (
        format_log(FIRST, make_status_event("golden", blind=False, decides=(FIRST.id, UNKNOWN))),
        "line 2.decides",
    ),
    "an event without an id": (
        format_log(FIRST.model_dump(mode="json", exclude={"id"})),
        "line 1",
    ),
    "two events with one id": (
        format_log(FIRST, make_status_event("correct", id=FIRST.id)),
        "line 2.id",
    ),
    "an unknown label": (format_log(make_status_event("x", field="evalMood")), "line 1.field"),
    "an unknown way": (format_log(make_status_event("golden", via="phone")), "line 1.via"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_broken_chain_is_named(folder: DataFolder, case: str) -> None:
    """The message has file, line and field."""
    text, field = WRONG[case]
    log = folder.get_label_file(MADE.id)
    log.write_text(text)
    (problem,) = check_all(folder)
    assert problem.path == log
    assert problem.field.startswith(field)


def test_a_line_that_a_merge_doubled_is_no_fault(folder: DataFolder) -> None:
    """The two lines are the same event."""
    folder.get_label_file(MADE.id).write_text(format_log(FIRST, FIRST))
    assert check_all(folder) == []
    assert read_log(LabelEvent, folder.get_label_file(MADE.id)) == [FIRST]


def test_a_log_without_its_session_is_named(folder: DataFolder) -> None:
    """No command reads such a log."""
    folder.get_label_file("session-0009").write_text(format_log(FIRST))
    (problem,) = check_all(folder)
    assert (problem.path, problem.reason) == (
        folder.get_label_file("session-0009"),
        "there is no session of this id",
    )

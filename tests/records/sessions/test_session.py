import json
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.reader import read_record
from records.sessions.session import (
    EvalStatus,
    FromAttempt,
    FromFile,
    Session,
    SessionMessage,
    SessionTotals,
    ToolCall,
)
from records.shapes.attempt import Tokens
from tests.records import examples
from tests.support.sessions import write_session

pytestmark = pytest.mark.unit

NOTHING = Tokens(input=None, cached_input=None, output=None, reasoning=None)


def make_session() -> Session:
    """Return a session in which a tool was called."""
    call = ToolCall(id="call-1", name="read", arguments='{"path": "a.ts"}')
    return Session(
        schema_version=1,
        id="session-0001",
        title="Fix the query",
        source=FromAttempt(
            kind="attempt", run_id="a" * 32, eval=examples.make_eval_name(0), sample=1
        ),
        model="gpt-example",
        project=None,
        created_at=examples.NOON,
        updated_at=examples.NOON,
        messages=(
            SessionMessage(role="user", text="Fix it"),
            SessionMessage(role="assistant", text="", tool_calls=(call,)),
            SessionMessage(role="tool", text="export {}", tool_call_id="call-1"),
            SessionMessage(role="assistant", text="Done", tokens=NOTHING),
        ),
        totals=SessionTotals(tokens=NOTHING, cost_usd=None, duration_s=None),
    )


def test_a_session_is_read_back_with_its_labels(tmp_path: Path) -> None:
    """Labels are written under the names of exports; labels without a value are left out."""
    judged = make_session().model_copy(
        update={"eval_status": EvalStatus.GOLDEN, "eval_tags": ("auth",), "eval_ready": True}
    )

    path = write_session(DataFolder(tmp_path), judged)

    assert read_record(Session, path) == judged
    written = json.loads(path.read_text())
    assert (written["evalStatus"], written["evalTags"], written["evalReady"]) == (
        "golden",
        ["auth"],
        True,
    )
    assert {"evalNotes", "expectedOutput", "reviewedAt"}.isdisjoint(written)


def test_a_new_session_waits_for_review() -> None:
    """No person has judged it, so no status is assumed."""
    assert make_session().eval_status is EvalStatus.NEEDS_REVIEW
    assert make_session().reviewed_at is None


def test_sessions_of_before_have_no_parts_left_out_and_no_name_at_their_source(
    tmp_path: Path,
) -> None:
    """Both fields are newer than such records, which are read, with nothing left out."""
    source = FromFile(kind="file", importer="chat", name="a.jsonl", digest="a" * 64)
    path = write_session(DataFolder(tmp_path), make_session().model_copy(update={"source": source}))
    fields = json.loads(path.read_text())
    del fields["left_out"], fields["source"]["identity"]
    path.write_text(json.dumps(fields))
    old = read_record(Session, path)
    assert old.left_out == {}
    assert isinstance(old.source, FromFile)
    assert old.source.identity is None

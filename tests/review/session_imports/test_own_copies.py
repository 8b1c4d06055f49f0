"""Sessions that come back from exports of this program: the same ids, the same labels."""

import json
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.sessions.session import EvalStatus, Session
from review.exports.formats import FORMATS, ExportCounts
from review.exports.prepared import ExportOptions
from review.session_imports.common.source_file import SourceFile
from review.session_imports.session_importers import is_known_copy
from review.store import SessionStore
from tests.review.exports.exporting import encode_export
from tests.review.session_imports.reading_formats import (
    FORMATS as FIXTURES,
)
from tests.review.session_imports.reading_formats import (
    format_messages,
    read_fixture,
    read_row,
    read_source,
)

pytestmark = pytest.mark.unit


def make_labelled_sessions() -> list[Session]:
    """Return two sessions of another program, one of them judged."""
    sessions, _ = read_source(read_fixture("copilot-export.json"))
    more, _ = read_source(read_fixture("chatgpt.json"))
    labels = {
        "eval_status": EvalStatus.GOLDEN,
        "eval_notes": "clear",
        "eval_tags": ("auth", "slow"),
        "expected_output": "An ideal answer",
    }
    return [sessions[0].model_copy(update=labels), more[0]]


def export_unredacted(sessions: list[Session], name: str) -> bytes:
    """Return the file of an export of sessions."""
    options = ExportOptions(redact=False)
    return b"".join(encode_export(sessions, FORMATS[name], options, ExportCounts()))


@pytest.mark.parametrize("name", ["huggingface", "parquet"])
def test_a_session_comes_back_as_itself(name: str) -> None:
    """Its id, title, model, day, labels and messages; a program's messages stay behind."""
    sessions = make_labelled_sessions()
    again, problems = read_source(SourceFile(Path("rows"), export_unredacted(sessions, name)))
    assert problems == []
    assert [item.id for item in again] == [item.id for item in sessions]
    for copy, session in zip(again, sessions, strict=True):
        spoken = [text for text in format_messages(session) if not text.startswith("program")]
        assert format_messages(copy) == spoken
        assert (copy.title, copy.model, copy.created_at) == (
            session.title,
            session.model,
            session.created_at,
        )
        for label in ("eval_status", "eval_notes", "eval_tags", "expected_output"):
            assert getattr(copy, label) == getattr(session, label)


def test_a_copy_leaves_the_session_that_is_here(tmp_path: Path) -> None:
    """The session in the store has more: times, usage, and texts that an export takes out."""
    store = SessionStore(DataFolder(tmp_path))
    sessions = make_labelled_sessions()
    (copy, _), _ = read_source(SourceFile(Path("rows"), export_unredacted(sessions, "huggingface")))
    assert not is_known_copy(copy, store)
    store.write(sessions[0])
    assert is_known_copy(copy, store)
    assert not is_known_copy(sessions[0], store)


@pytest.mark.parametrize(
    "name",
    ["deepeval", "deepeval-goldens", "promptfoo", "inspect", "braintrust", "langsmith", "langfuse"],
)
def test_an_export_without_whole_conversations_is_refused(name: str) -> None:
    """Each row names the format that comes back."""
    sessions, problems = read_source(
        SourceFile(Path("rows.json"), export_unredacted(make_labelled_sessions(), name))
    )
    assert sessions == []
    assert problems
    for problem in problems:
        assert "--format huggingface" in problem.reason


def test_the_label_ready_comes_back() -> None:
    """The row has the value; a row of an older export has none, and is not ready."""
    row = json.loads((FIXTURES / "own-huggingface.jsonl").read_text("utf-8").splitlines()[0])
    assert read_row(row).eval_ready is True
    assert read_row(row | {"ready": False}).eval_ready is False
    del row["ready"]
    assert read_row(row).eval_ready is False

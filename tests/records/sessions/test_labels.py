"""Label logs on disk: faults that `check` finds, and old logs that `migrate` changes."""

import json
from pathlib import Path
from typing import Any

import pytest

from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.reader import read_labels, read_session
from records.rewriting import migrate_folder
from records.sessions.labels import LabelEvent
from records.sessions.session import EvalStatus
from records.writer import write_session
from tests.records.sessions.audits import judged
from tests.review.corpus import PLAIN, said, session

pytestmark = pytest.mark.unit

MADE = session(1, said("user", "q"), said("assistant", "a"))


def lines_of(*events: LabelEvent | dict[str, Any]) -> str:
    """Return events as the lines of a log."""
    plain = (
        event if isinstance(event, dict) else event.model_dump(mode="json") for event in events
    )
    return "".join(f"{json.dumps(event)}\n" for event in plain)


def old_line(minute: int, before: str, after: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of any kind
    """Return an event as older programs wrote it: without identity and links."""
    return {
        "at": f"2026-11-21T12:{minute:02}:00Z",
        "reviewer": "p1",
        "field": "evalStatus",
        "before": before,
        "after": after,
        "reason": "",
        "via": "desk",
        "blind": False,
        "seen": "a" * 64,
        "undoes": None,
        **more,
    }


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    """Return a folder with one session."""
    folder = DataFolder(tmp_path)
    write_session(folder, MADE)
    return folder


FIRST = judged("golden")
UNKNOWN = "01a2181d-ae06-7016-a40b-b0acbf75a759"
WRONG: dict[str, tuple[str, str]] = {
    "replaces nothing known": (lines_of(judged("golden", replaces=UNKNOWN)), "line 1.replaces"),
    "takes back nothing known": (lines_of(FIRST, judged("x", undoes=UNKNOWN)), "line 2.undoes"),
    "decides about nothing known": (
        lines_of(FIRST, judged("golden", blind=False, decides=(FIRST.id, UNKNOWN))),
        "line 2.decides",
    ),
    "a place without a line": (lines_of(old_line(1, "golden", "correct", undoes=7)), "line 1.und"),
    "a place of another label": (
        lines_of(old_line(1, "golden", "correct"), old_line(2, "incorrect", "golden", undoes=0)),
        "line 2.undoes",
    ),
    "two events with one id": (lines_of(FIRST, judged("correct", id=FIRST.id)), "line 2.id"),
    "an unknown label": (lines_of(judged("x", field="evalMood")), "line 1.field"),
    "an unknown way": (lines_of(judged("golden", via="phone")), "line 1.via"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_broken_chain_is_named(folder: DataFolder, case: str) -> None:
    """The message has file, line and field."""
    text, field = WRONG[case]
    log = folder.label_file(MADE.id)
    log.write_text(text)
    (problem,) = check_all(folder)
    assert problem.path == log
    assert problem.field.startswith(field)


def test_a_line_that_a_merge_doubled_is_no_fault(folder: DataFolder) -> None:
    """The two lines are the same event."""
    folder.label_file(MADE.id).write_text(lines_of(FIRST, FIRST))
    assert check_all(folder) == []
    assert read_labels(folder.label_file(MADE.id)) == [FIRST]


def test_a_log_without_its_session_is_named(folder: DataFolder) -> None:
    """No command reads such a log."""
    folder.label_file("session-0009").write_text(lines_of(FIRST))
    (problem,) = check_all(folder)
    assert (problem.path, problem.reason) == (
        folder.label_file("session-0009"),
        "there is no session of this id",
    )


def test_old_logs_and_records_are_migrated(folder: DataFolder) -> None:
    """Events get their identities, the record loses fields of the log; a second time does nothing.

    The migrated log and the old one hold the same events, so branches with either of them merge.
    """
    old = [
        old_line(1, "needs_review", "golden"),
        old_line(2, "golden", "incorrect"),
        old_line(3, "incorrect", "golden", undoes=1),
        {**old_line(4, "", "good"), "field": "evalNotes"},
    ]
    log = folder.label_file(MADE.id)
    log.write_text(lines_of(*old))
    labels = {"eval_status": EvalStatus.GOLDEN, "eval_notes": "good"}
    record = write_session(folder, MADE.model_copy(update=labels))
    before = read_labels(log)
    assert migrate_folder(folder.local) == [record, log]
    assert read_labels(log) == before
    assert read_session(record) == MADE
    assert [line["undoes"] for line in map(json.loads, log.read_text().splitlines())] == [
        *(None, None, before[1].id, None)
    ]
    assert check_all(folder) == []
    assert migrate_folder(folder.local) == []
    log.write_text(lines_of(*old) + log.read_text())
    assert read_labels(log) == before


def test_labels_that_came_with_a_session_stay_in_its_record(folder: DataFolder) -> None:
    """They are in no log."""
    record = write_session(folder, PLAIN)
    assert migrate_folder(folder.local) == []
    assert read_session(record) == PLAIN


def test_an_undo_by_place_is_read_after_a_merge_moved_it(folder: DataFolder) -> None:
    """An undo takes back the change that it reverses, not the line that is now in that place."""
    mine = old_line(1, "needs_review", "golden", reviewer="p1")
    theirs = old_line(2, "needs_review", "incorrect", reviewer="p2")
    undo = old_line(3, "incorrect", "needs_review", reviewer="p2", undoes=0)
    log = folder.label_file(MADE.id)
    for order in ([mine, theirs, undo], [theirs, undo, mine]):
        log.write_text(lines_of(*order))
        events = {event.reviewer: event for event in read_labels(log) if event.undoes is None}
        (taken_back,) = [event.undoes for event in read_labels(log) if event.undoes is not None]
        assert taken_back == events["p2"].id

"""Label logs on disk: faults that `check` finds."""

import json
from pathlib import Path
from typing import Any

import pytest

from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.sessions.events import read_log
from records.sessions.labels import LabelEvent
from tests.records.sessions.audits import make_status_event
from tests.review.corpus import make_message, make_session
from tests.support.sessions import write_session

pytestmark = pytest.mark.unit

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

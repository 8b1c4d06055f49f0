"""Label logs on disk: faults that `check` finds."""

import json
from pathlib import Path
from typing import Any

import pytest

from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.reader import read_labels
from records.sessions.labels import LabelEvent
from tests.records.sessions.audits import judged
from tests.review.corpus import said, session
from tests.support.sessions import write_session

pytestmark = pytest.mark.unit

MADE = session(1, said("user", "q"), said("assistant", "a"))


def lines_of(*events: LabelEvent | dict[str, Any]) -> str:
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


FIRST = judged("golden")
UNKNOWN = "01a2181d-ae06-7016-a40b-b0acbf75a759"
WRONG: dict[str, tuple[str, str]] = {
    "replaces nothing known": (lines_of(judged("golden", replaces=UNKNOWN)), "line 1.replaces"),
    "takes back nothing known": (lines_of(FIRST, judged("x", undoes=UNKNOWN)), "line 2.undoes"),
    "decides about nothing known": (
        lines_of(FIRST, judged("golden", blind=False, decides=(FIRST.id, UNKNOWN))),
        "line 2.decides",
    ),
    "an event without an id": (
        lines_of(FIRST.model_dump(mode="json", exclude={"id"})),
        "line 1",
    ),
    "two events with one id": (lines_of(FIRST, judged("correct", id=FIRST.id)), "line 2.id"),
    "an unknown label": (lines_of(judged("x", field="evalMood")), "line 1.field"),
    "an unknown way": (lines_of(judged("golden", via="phone")), "line 1.via"),
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
    folder.get_label_file(MADE.id).write_text(lines_of(FIRST, FIRST))
    assert check_all(folder) == []
    assert read_labels(folder.get_label_file(MADE.id)) == [FIRST]


def test_a_log_without_its_session_is_named(folder: DataFolder) -> None:
    """No command reads such a log."""
    folder.get_label_file("session-0009").write_text(lines_of(FIRST))
    (problem,) = check_all(folder)
    assert (problem.path, problem.reason) == (
        folder.get_label_file("session-0009"),
        "there is no session of this id",
    )

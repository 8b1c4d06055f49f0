"""Exports and versions of datasets from the command line."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.sessions.session import Session
from review.store import SessionStore
from tests.leaderboard.commanding import run_on_data
from tests.review.corpus import PLAIN, make_message, make_session
from tests.review.labelling import give_labels
from tests.support.warm_command import Ended

pytestmark = pytest.mark.integration

SECOND: Final = make_session(
    1, make_message("user", "Q"), make_message("assistant", "A"), eval_status="golden"
)
UNASKED: Final = make_session(2, make_message("assistant", "A"), expected_output="IDEAL")


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """Return three sessions, with a single session marked as an example."""
    folder = DataFolder(tmp_path / "data")
    store = SessionStore(folder)
    for stored in (PLAIN, SECOND, UNASKED):
        store.write(stored)
    give_labels(store, PLAIN.id, {"evalReady": True})
    return folder


def parse_ids(done: Ended) -> list[str]:
    """Return the ids of sessions in an export of Hugging Face rows."""
    return [json.loads(line)["id"] for line in done.stdout.splitlines()]


def test_sessions_are_exported_by_their_ids(data: DataFolder) -> None:
    """Named sessions are exported without a mark, too; an unknown id is a mistake."""
    rows = ("export", "--format", "huggingface")
    assert parse_ids(run_on_data(data, *rows)) == [PLAIN.id]
    assert parse_ids(run_on_data(data, *rows, SECOND.id, PLAIN.id)) == [PLAIN.id, SECOND.id]
    assert parse_ids(run_on_data(data, *rows, SECOND.id, PLAIN.id, "--tag", "auth")) == [PLAIN.id]
    assert "begins 0 sessions" in run_on_data(data, *rows, "session-9", code=2).stderr


def test_lost_or_damaged_sessions_are_errors_and_the_rest_is_written(
    data: DataFolder, tmp_path: Path
) -> None:
    """The error has the session's id or the file's path, and ends with exit code 1."""
    out = tmp_path / "out.json"
    done = run_on_data(data, "export", "--all", "--out", str(out), code=1)
    assert f"{UNASKED.id}: its expected output is in no row: it holds no request" in done.stderr
    assert len(json.loads(out.read_text())) == 3
    damaged = data.get_session_file(SECOND.id)
    damaged.write_text("{broken")
    done = run_on_data(data, "export", PLAIN.id, SECOND.id, "--out", str(out), code=1)
    assert f"cannot be exported: {damaged}: " in done.stderr
    assert len(json.loads(out.read_text())) == 2
    done = run_on_data(data, "export", "--format", "huggingface", "--all", code=1)
    assert parse_ids(done) == [PLAIN.id, UNASKED.id]


def test_strings_that_look_secret_are_named(data: DataFolder) -> None:
    """Such strings are named on standard error, with their session."""
    string = "Xq7Rk2Lm9Tz4Vb8Nc3Wd"
    give_labels(SessionStore(data), PLAIN.id, {"evalNotes": f"see {string}"})
    done = run_on_data(data, "export", "--format", "huggingface")
    assert "strings in the rows that may be secret: 1" in done.stderr
    assert f"{PLAIN.id}: {string}" in done.stderr


def test_rows_and_context_are_limited(data: DataFolder) -> None:
    """A limit counts rows; a context counts messages."""
    (row,) = json.loads(run_on_data(data, "export", "--limit", "1").stdout)
    assert row["input"] == "Fix the query"
    (row,) = json.loads(run_on_data(data, "export", "--turns", "last", "--context", "2").stdout)
    assert row["context"] == ["export {}", "Done."]
    rows = json.loads(run_on_data(data, "export", "--context", "none").stdout)
    assert [row["context"] for row in rows] == [[], []]
    assert (
        "must be all, none or a number"
        in run_on_data(data, "export", "--context", "x", code=2).stderr
    )


def test_a_version_keeps_labels_and_names_changes(data: DataFolder) -> None:
    """Its export is the same after new judgements; changed and removed members are reported."""
    created = run_on_data(data, "session", "version", "create", "first", "--all")
    assert created.stdout.startswith("first: 3 sessions")
    again = run_on_data(data, "session", "version", "create", "first", code=2)
    assert "first exists, and a version is never changed" in again.stderr
    assert check_all(data) == []
    store = SessionStore(data)
    give_labels(store, PLAIN.id, {"evalStatus": "incorrect", "evalReady": False})
    give_labels(store, SECOND.id, {"expectedOutput": "LATER"}, turn=1)
    exported = ("export", "--version", "first", "--status", "golden")
    rows = json.loads(run_on_data(data, *exported).stdout)
    assert [row["expected_output"] for row in rows] == ["Done.", "Added.", "A"]
    (listed,) = json.loads(run_on_data(data, "session", "version", "list", "--json").stdout)
    assert (listed["name"], listed["sessions"]) == ("first", 3)

    write(
        data,
        SECOND.model_copy(update={"messages": (*SECOND.messages, make_message("user", "more"))}),
    )
    data.get_session_file(UNASKED.id).unlink()
    done = run_on_data(data, *exported, code=1)
    assert len(json.loads(done.stdout)) == 2
    assert f"{SECOND.id}.json: the transcript changed since first was made" in done.stderr
    assert f"{UNASKED.id}.json: was deleted since first was made" in done.stderr
    result = run_on_data(data, "session", "version", "list", "first", "--json", code=1)
    assert len(json.loads(result.stdout)["problems"]) == 2
    missing = run_on_data(data, "export", "--version", "second", code=2)
    assert "there is no version 'second'; versions: first" in missing.stderr


def test_a_version_that_was_changed_by_hand_is_refused(data: DataFolder) -> None:
    """The digest of the version reveals the change, in `check` and in exports."""
    made = run_on_data(data, "session", "version", "create", "first", "--json")
    assert json.loads(made.stdout)["sessions"] == 1
    path = data.local.datasets.get_file("first")
    record: dict[str, Any] = json.loads(path.read_text())
    record["members"][0]["evalStatus"] = "incorrect"
    path.write_text(json.dumps(record))
    assert "digest does not fit" in run_on_data(data, "export", "--version", "first", code=2).stderr
    assert any("digest does not fit" in str(problem) for problem in check_all(data))


def write(data: DataFolder, changed: Session) -> None:
    """Write another transcript of an existing session."""
    SessionStore(data).write(changed)

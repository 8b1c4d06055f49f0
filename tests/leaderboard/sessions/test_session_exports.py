"""Lists, exports and versions of datasets from the command line, and an export imported again."""

import json
from pathlib import Path
from typing import Any

import pytest

from leaderboard.commands.sessions import read_session_rows
from leaderboard.terminal import streams
from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.sessions.session import Session
from review.index.indexed_session import make_index_row
from review.labeled_session import LabeledSession
from review.selection import SessionSelection
from review.store import SessionStore
from tests.leaderboard.commanding import run_on_data
from tests.review.corpus import NASTY, PLAIN, make_message, make_session, store_of
from tests.review.exports.exporting import export_sessions
from tests.review.labelling import give_labels
from tests.support.warm_command import Ended, run_command

pytestmark = pytest.mark.integration
SECOND = make_session(
    1, make_message("user", "Q"), make_message("assistant", "A"), eval_status="golden"
)
UNASKED = make_session(2, make_message("assistant", "A"), expected_output="IDEAL")


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """Return three sessions, with a single session marked as an example."""
    store = store_of(tmp_path / "data", (PLAIN, SECOND, UNASKED))
    give_labels(store, PLAIN.id, {"evalReady": True})
    return store.folder


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


SECRET = "sk-ant-api03-" + "a1B2" * 20


def import_file(data: Path, path: Path) -> Any:  # noqa: ANN401 - JSON of the command
    """Import a file into ``data``; return the counts that the command prints."""
    return json.loads(run_on_data(data, "session", "import", str(path), "--json").stdout)


def test_an_own_export_is_the_same_session(tmp_path: Path) -> None:
    """The session stays golden, ready and unchanged, with the texts that its export takes out."""
    data, chats, out = tmp_path / "data", tmp_path / "chats.jsonl", tmp_path / "x.jsonl"
    talk = [{"role": "user", "content": f"Use {SECRET}"}, {"role": "assistant", "content": "Hello"}]
    chats.write_text(json.dumps({"messages": talk}))
    import_file(data, chats)
    store = SessionStore(DataFolder(data))
    (first,) = store
    give_labels(store, first.session.id, {"evalStatus": "golden", "evalReady": True})
    (before,) = store
    text, _ = export_sessions("huggingface", [before.session])
    out.write_text(text, "utf-8")
    assert SECRET not in text
    assert import_file(data, out)["changed"] == 0
    (after,) = store
    assert after == before
    assert (after.session.eval_status.value, after.session.eval_ready) == ("golden", True)
    assert after.session.messages[0].text == f"Use {SECRET}"


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return a store of nasty sessions, one of them with labels."""
    made = store_of(tmp_path / "data", NASTY)
    give_labels(made, PLAIN.id, {"evalStatus": "golden", "evalTags": ["auth"]})
    return made


def test_a_damaged_session_is_named_and_hides_no_other(store: SessionStore) -> None:
    """The damaged session is on standard error, with exit code 1; others have recent labels."""
    damaged = store.folder.get_session_file(NASTY[1].id)
    damaged.write_text("{broken")
    done = run_command("session", "list", "--json", "--data", store.folder.root, code=1)
    assert damaged.name in done.stderr
    rows = json.loads(done.stdout)
    assert {row["id"] for row in rows} == {session.id for session in NASTY} - {NASTY[1].id}
    (golden,) = [row for row in rows if row["evalStatus"] == "golden"]
    assert (golden["id"], golden["evalTags"]) == (PLAIN.id, ["auth"])
    assert golden["reviewedAt"] is not None


@pytest.mark.unit
@pytest.mark.parametrize(
    "chosen",
    [SessionSelection(), SessionSelection(text="query", limit=2), SessionSelection(limit=1)],
)
def test_rows_are_those_of_the_files(store: SessionStore, chosen: SessionSelection) -> None:
    """Rows are the same with the index, and without an index that can be written."""
    selected = {each.session.id for each in [*filter(chosen.selects, store)][: chosen.limit]}
    expected = [
        make_index_row(entry)
        for entry in store.scan()
        if isinstance(entry, LabeledSession) and entry.session.id in selected
    ]
    assert read_session_rows(store, chosen) == (expected, [])
    for path in store.folder.cache.iterdir():
        path.unlink()
    store.folder.cache.rmdir()
    store.folder.cache.write_text("no folder")
    assert read_session_rows(store, chosen) == (expected, [])


@pytest.mark.unit
def test_progress_is_reported_of_long_work_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line comes every two seconds after the first, and one at the end."""
    clock = iter([0.0, 0.5, 1.5, 2.0, 4.0, 4.5])
    monkeypatch.setattr(streams, "monotonic", lambda: next(clock))
    lines = streams.ProgressLines("read")
    for done in (100, 2_000, 3_000, 4_000, 10_000):
        lines(done, 10_000)
    assert capsys.readouterr().err.splitlines() == [
        "read: 2,000 of 10,000",
        "read: 4,000 of 10,000",
        "read: 10,000 of 10,000",
    ]

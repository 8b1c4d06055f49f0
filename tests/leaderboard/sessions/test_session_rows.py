"""`session list` reads the index, with the same result as from the files."""

import json
from pathlib import Path

import pytest

from leaderboard.commands.sessions import read_session_rows
from leaderboard.terminal import streams
from leaderboard.terminal.streams import ProgressLines
from records.files.data_folder import DataFolder
from review.index.indexed_session import make_index_row
from review.labeled_session import LabeledSession
from review.selection import SessionSelection
from review.store import SessionStore
from tests.review.corpus import NASTY, PLAIN
from tests.review.labelling import give_labels
from tests.support.warm_command import run_command

pytestmark = pytest.mark.unit


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return a store of nasty sessions, one of them with labels."""
    made = SessionStore(DataFolder(tmp_path / "data"))
    for session in NASTY:
        made.write(session)
    give_labels(made, PLAIN.id, {"evalStatus": "golden", "evalTags": ["auth"]})
    return made


@pytest.mark.integration
def test_a_damaged_session_is_named_and_hides_no_other(store: SessionStore) -> None:
    """The damaged session is on standard error, with exit code 1; others have recent labels."""
    damaged = store.folder.get_session_file(NASTY[1].id)
    damaged.write_text("{broken")
    done = run_command("session", "list", "--json", "--data", store.folder.root)
    assert done.returncode == 1
    assert damaged.name in done.stderr
    rows = json.loads(done.stdout)
    assert {row["id"] for row in rows} == {session.id for session in NASTY} - {NASTY[1].id}
    (golden,) = [row for row in rows if row["evalStatus"] == "golden"]
    assert (golden["id"], golden["evalTags"]) == (PLAIN.id, ["auth"])
    assert golden["reviewedAt"] is not None


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


def test_progress_is_reported_of_long_work_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line comes every two seconds after the first, and one at the end."""
    clock = iter([0.0, 0.5, 1.5, 2.0, 4.0, 4.5])
    monkeypatch.setattr(streams, "monotonic", lambda: next(clock))
    lines = ProgressLines("read")
    for done in (100, 2_000, 3_000, 4_000, 10_000):
        lines(done, 10_000)
    assert capsys.readouterr().err.splitlines() == [
        "read: 2,000 of 10,000",
        "read: 4,000 of 10,000",
        "read: 10,000 of 10,000",
    ]

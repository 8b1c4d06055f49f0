from pathlib import Path

import pytest

from records.errors import AmbiguousRunError, MissingRecordError
from records.files.data_folder import DataFolder
from tests.records import examples

pytestmark = pytest.mark.unit


def test_every_kind_has_its_place(tmp_path: Path) -> None:
    """The tree of a data folder is the tree in the documents."""
    folder = DataFolder(tmp_path)
    run_id = "0123456789abcdef"
    day = examples.NOON.date()

    assert folder.models_file == tmp_path / "models.toml"
    assert folder.benchmarks.get_file("0123456789ab") == tmp_path / "benchmarks/0123456789ab.json"
    assert folder.get_run_file("a/b", run_id) == tmp_path / f"runs/a/b/{run_id}.json"
    assert folder.get_journal_file("a/b", run_id) == tmp_path / f"runs/a/b/{run_id}.journal.jsonl"
    assert folder.get_artifact_file("a/b", run_id) == tmp_path / f"artifacts/a/b/{run_id}.zip"
    assert folder.get_report_file("a/b", run_id, day) == (
        tmp_path / "reports/a/b/01234567_2026-11-21.md"
    )
    assert folder.get_session_file("session-1") == tmp_path / "local/sessions/session-1.json"
    assert folder.sessions.get_file("session-1") == tmp_path / "sessions/session-1.json"
    assert folder.local.get_run_file("a/b", run_id) == tmp_path / f"local/runs/a/b/{run_id}.json"


def test_a_session_has_two_places_and_one_log(tmp_path: Path) -> None:
    """The raw file is read before the published copy; the log lies beside the copy if it exists."""
    folder = DataFolder(tmp_path)
    raw, published = (
        folder.local.sessions.get_file("session-1"),
        folder.sessions.get_file("session-1"),
    )
    other = folder.sessions.get_file("session-0")
    assert folder.get_label_file("session-1") == folder.local.labels.get_file("session-1")
    for path in (published, other):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    assert list(folder.list_session_files()) == [other, published]
    assert folder.get_session_file("session-1") == published
    raw.parent.mkdir(parents=True)
    raw.touch()
    assert list(folder.list_session_files()) == [other, raw]
    assert folder.get_session_file("session-1") == raw
    assert folder.get_label_file("session-1") == folder.labels.get_file("session-1")


@pytest.mark.parametrize("slug", ["a", "a/b/c", "../b", "a/..", "a/b\n", "A/b", "a/b\0", ""])
def test_a_name_cannot_leave_its_folder(slug: str) -> None:
    """A name that is no slug is refused before it becomes a path."""
    with pytest.raises(ValueError, match="not of the form"):
        DataFolder(Path("data")).get_run_file(slug, "0123456789abcdef")


def test_listings_are_sorted_and_keep_kinds_apart(tmp_path: Path) -> None:
    """Records, journals and temporary files in the same folder are separated."""
    folder = DataFolder(tmp_path)
    second = folder.get_run_file("b/m", "b" * 16)
    first = folder.get_run_file("a/m", "c" * 16)
    journal = folder.get_journal_file("a/m", "a" * 16)
    for path in (second, first, journal, first.with_name(".x.json.tmp"), first.parent / ".y.json"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    assert list(folder.list_run_files()) == [first, second]
    assert list(folder.list_journal_files()) == [journal]
    assert list(folder.list_report_files()) == []


def test_a_run_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    """A single fit is the answer, none is missing, several are ambiguous, an exact id wins."""
    folder = DataFolder(tmp_path)
    paths = [
        folder.get_run_file("a/m", name) for name in ("abc" + "0" * 16, "abc" + "0" * 17, "b" * 16)
    ]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    assert folder.find_run("bb") == paths[2]
    assert folder.find_run("abc" + "0" * 16) == paths[0]
    with pytest.raises(AmbiguousRunError, match="begins several runs"):
        folder.find_run("abc")
    for nothing in ("", "zz"):
        with pytest.raises(MissingRecordError, match="no run whose id begins"):
            folder.find_run(nothing)

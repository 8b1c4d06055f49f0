from pathlib import Path

import pytest

from records.checks.check_data import check_data
from records.errors import RunInUseError
from records.files.data_folder import DataFolder, move_former_folders
from records.journal.entries import Opened
from records.runs.run_lookup import find_run
from records.writer import write_run
from tests.records import examples
from tests.records.examples import create_journal

pytestmark = pytest.mark.unit

SLUG = "maker/model:free"


def write_former(folder: DataFolder, run_id: str) -> Path:
    """Write a run where earlier programs wrote it, and return its record."""
    former = folder.root / "runs" / SLUG
    former.mkdir(parents=True, exist_ok=True)
    run = examples.make_run(run_id)
    run = run.model_copy(update={"model": run.model.model_copy(update={"slug": SLUG})})
    path = write_run(folder, run)
    return path.rename(former / path.name)


def test_a_run_is_read_and_written_at_its_former_path(tmp_path: Path) -> None:
    """Until it is moved, all its files stay together; other runs of the model get the new path."""
    folder = DataFolder(tmp_path)
    run_id = "a" * 32
    path = write_former(folder, run_id)
    assert find_run(folder, run_id).slug == SLUG
    assert folder.get_run_file(SLUG, run_id) == path
    assert folder.get_journal_file(SLUG, run_id).parent == path.parent
    assert folder.get_run_file(SLUG, "b" * 32).parent.name == "model~free"
    assert list(folder.list_model_run_files(SLUG)) == [path]


def test_former_folders_are_named_and_moved(tmp_path: Path) -> None:
    """`leaderboard check` has the command, after which nothing is left at the former path."""
    folder = DataFolder(tmp_path)
    run_id = "a" * 32
    path = write_former(folder, run_id)
    assert [problem for problem in check_data(folder) if "repair --names" in problem.reason]
    content = path.read_bytes()
    assert move_former_folders(folder) == [(path.parent, path.parent.with_name("model~free"))]
    assert folder.get_run_file(SLUG, run_id).read_bytes() == content
    assert not [path for path in tmp_path.rglob("*") if ":" in path.name]
    assert not [problem for problem in check_data(folder) if "repair --names" in problem.reason]
    assert move_former_folders(folder) == []


def test_a_run_under_way_and_another_file_are_left(tmp_path: Path) -> None:
    """A journal must not move under its writer, and no record is replaced."""
    folder = DataFolder(tmp_path)
    path = write_former(folder, "a" * 32)
    journal = folder.get_journal_file(SLUG, "a" * 32)
    plan = Opened(run=examples.make_run(planned_only=True))
    with create_journal(journal, plan), pytest.raises(RunInUseError, match="under way"):
        move_former_folders(folder)
    journal.unlink()
    other = path.parent.with_name("model~free") / path.name
    other.parent.mkdir(exist_ok=True)
    other.write_text("another")
    with pytest.raises(FileExistsError, match="delete one"):
        move_former_folders(folder)
    assert other.read_text() == "another"

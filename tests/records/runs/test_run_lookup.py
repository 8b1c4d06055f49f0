"""The beginning of an id finds a single run, or gives a list of the possible runs."""

from datetime import date
from pathlib import Path

import pytest

from records.errors import AmbiguousRunError, MissingRecordError
from records.files.data_folder import DataFolder
from records.runs.run_lookup import MOST_LISTED, find_run, list_stored_runs
from records.shapes.run import Run
from records.writer import write_run
from tests.records import examples

pytestmark = pytest.mark.unit


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """Return an empty data folder."""
    return DataFolder(tmp_path)


def write(folder: DataFolder, beginning: str, day: int = 1) -> Run:
    """Write a run of a day in March whose id has this beginning."""
    began = date(2026, 3, day)
    run = examples.make_run(beginning.ljust(32, "0")).model_copy(update={"date": began})
    write_run(folder, run)
    return run


def test_local_and_published_runs_are_one_list(data: DataFolder) -> None:
    """The beginning of two ids is refused: the list has each run with model, date and place."""
    write(data, "abcdaaaa", day=1)
    write(data.local, "abcdbbbb", day=2)
    assert not find_run(data, "abcda").is_local
    assert find_run(data, "abcdb").is_local
    with pytest.raises(AmbiguousRunError, match="2 runs") as raised:
        find_run(data, "abcd")
    newest, oldest = raised.value.details
    slug = examples.make_run("x" * 32).model.slug
    assert newest.split() == ["abcdbbbb", slug, "default", "2026-03-02", "local"]
    assert oldest.split() == ["abcdaaaa", slug, "default", "2026-03-01", "published"]


def test_ids_are_long_enough_to_differ(data: DataFolder) -> None:
    """Two runs that share more than eight characters are listed with longer ids."""
    write(data, "abcdabcdab1")
    write(data, "abcdabcdab2")
    with pytest.raises(AmbiguousRunError) as raised:
        find_run(data, "abcda")
    assert [line.split()[0] for line in raised.value.details] == ["abcdabcdab2", "abcdabcdab1"]


@pytest.mark.parametrize("beginning", ["", "a", "abc"])
def test_fewer_than_four_characters_mean_no_run(data: DataFolder, beginning: str) -> None:
    """The next run may begin the same, even where a single run fits now."""
    write(data, "abcd")
    with pytest.raises(AmbiguousRunError, match="at least 4 characters"):
        find_run(data, beginning)


def test_many_candidates_are_cut(data: DataFolder) -> None:
    """The ten newest are listed, with the number of further runs."""
    for number in range(13):
        write(data, f"same{number:02}", day=number + 1)
    with pytest.raises(AmbiguousRunError, match="13 runs") as raised:
        find_run(data, "same")
    *runs, note = raised.value.details
    assert len(runs) == MOST_LISTED
    assert "2026-03-13" in runs[0]
    assert note == "and 3 more: leaderboard runs"


def test_a_misspelt_id_is_answered_with_the_nearest_and_the_newest(data: DataFolder) -> None:
    """An id with a wrong or a capital letter finds the intended run."""
    write(data, "jn7fgntk", day=1)
    for number in range(6):
        write(data.local, f"{number}" * 8, day=number + 2)
    with pytest.raises(
        MissingRecordError, match="no run whose id begins with 'jn7fgnTx'"
    ) as raised:
        find_run(data, "jn7fgnTx")
    lines = raised.value.details
    assert lines[0] == "nearest ids:"
    assert lines[1].startswith("  jn7fgntk  ")
    assert lines[2] == "newest runs:"
    days = [line.split()[3] for line in lines[3:]]
    assert days == [f"2026-03-0{day}" for day in (7, 6, 5, 4, 3)]


def test_an_empty_folder_has_no_proposals(data: DataFolder) -> None:
    """An empty folder gives no proposals."""
    with pytest.raises(MissingRecordError) as raised:
        find_run(data, "abcd")
    assert raised.value.details == ()


def test_a_whole_id_is_its_run(data: DataFolder) -> None:
    """A longer id with the same beginning does not matter."""
    short = examples.make_run("a" * 16)
    write_run(data, short)
    write(data.local, "a" * 20)
    assert find_run(data, "a" * 16).read() == short


def test_a_run_in_both_folders_is_one_run(data: DataFolder) -> None:
    """A publication that was killed leaves such a run: the published copy counts."""
    run = write(data, "abcd")
    write_run(data.local, run)
    assert not find_run(data, "abcd").is_local
    assert len(list_stored_runs(data)) == 1


def test_a_record_that_cannot_be_read_hides_no_other(data: DataFolder) -> None:
    """The list has the unreadable record by the name of its folder."""
    run = write(data, "abcdaaaa")
    data.get_run_file(run.model.slug, "abcdbbbb".ljust(32, "0")).write_text("no JSON")
    with pytest.raises(AmbiguousRunError) as raised:
        find_run(data, "abcd")
    broken = [line for line in raised.value.details if line.startswith("abcdbbbb")]
    assert broken == [f"abcdbbbb  {run.model.slug}  unknown experiment  unknown date  published"]

import json
import shutil
from itertools import product
from pathlib import Path

import pytest

from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from runner.published_results import board_import
from tests.runner.published_results.results import FILES, catch_refusal, import_files, read_runs

pytestmark = pytest.mark.unit

HEAD = "model,task,sample,outcome"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of three answers."""
    path = tmp_path / "results.csv"
    path.write_text(f"{HEAD}\na,t,1,1\na,t,2,0\nb,t,1,1\n")
    return path


def test_models_times_samples_are_limited(folder: DataFolder, table: Path) -> None:
    """A file of 800 answers would make 640,000 attempts: it is refused before any is made."""
    rows = (f"model-{number},t,sample-{number},1" for number in range(800))
    table.write_text("\n".join((HEAD, *rows)))
    assert catch_refusal(folder, table) == (
        "makes 640000 attempts, at each sample and repetition by each model: the most are 500000"
    )


def test_repetitions_count_as_attempts(folder: DataFolder, table: Path) -> None:
    """One answer of number 100 makes 100 attempts at each sample."""
    rows = (f"model-{number % 3},t,sample-{number},1,100" for number in range(2000))
    table.write_text("\n".join((f"{HEAD},repetition", *rows)))
    assert "makes 600000 attempts" in catch_refusal(folder, table)


def test_all_files_of_a_command_count_together(
    folder: DataFolder, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many files do not take more memory than a single file."""
    monkeypatch.setattr(board_import, "MOST_ROWS", 7)
    other = table.with_name("other.csv")
    other.write_text(table.read_text().replace("t,", "u,"))
    reason = catch_refusal(folder, table, other)
    assert reason.startswith("with the files before it makes 8 attempts")
    import_files(folder, table)


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ("MOST_ITEMS", "holds more than 50 names and values"),
        ("LARGEST_RECORD", "would be larger than 50 bytes"),
    ],
)
def test_nothing_is_written_that_could_not_be_read_again(
    folder: DataFolder, table: Path, monkeypatch: pytest.MonkeyPatch, limit: str, reason: str
) -> None:
    """The limits of reading hold for the files of an import, too."""
    monkeypatch.setattr(board_import, limit, 50)
    message = catch_refusal(folder, table)
    assert message.startswith("cannot be imported as a whole, import fewer results at once")
    assert message.endswith(reason)


@pytest.mark.parametrize("change", ["other samples twice", "broken analyses"])
def test_an_error_in_one_file_leaves_nothing_of_the_others(
    folder: DataFolder, table: Path, change: str
) -> None:
    """A refused command changes nothing."""
    other = table.with_name("other")
    other.write_text(
        f"{HEAD}\na,t,1,1\na,t,1,0\n"
        if change == "other samples twice"
        else '{"about": "", "suites": {}, "runs": [{}]}'
    )
    catch_refusal(folder, table, other)


def test_the_same_run_in_two_files_is_planned_once(folder: DataFolder) -> None:
    """Both forms of a log in one command are one run."""
    imported = import_files(folder, FILES / "inspect-sums.eval", FILES / "inspect-sums.json")
    assert (len(imported.runs), imported.known, len(read_runs(folder))) == (1, 1, 1)


def test_other_results_of_a_run_in_two_files_are_refused(folder: DataFolder) -> None:
    """Otherwise the order of the files would decide which results are kept."""
    whole, invalidated = FILES / "inspect-sums.eval", FILES / "inspect-invalidated.eval"
    for paths in ((whole, invalidated), (invalidated, whole)):
        reason = catch_refusal(folder, *paths)
        assert reason.startswith("has other results of run ")
        assert reason.endswith(" of model than another file of this command: name one of them")
    import_files(folder, whole)
    with pytest.raises(InvalidRecordError, match="has other results of run"):
        import_files(folder, whole, invalidated)


@pytest.mark.parametrize("identity", ["same", ""])
def test_two_runs_of_one_identity_are_refused(
    folder: DataFolder, table: Path, identity: str
) -> None:
    """A copy of the facts that somebody changed would lose a run, and nobody would notice."""
    import_files(folder, table)
    (copy,) = folder.imports.iterdir()
    facts = json.loads(copy.read_bytes())
    facts["runs"] = [{**facts["runs"][0], "identity": identity}] * 2
    changed = table.with_name("changed.json")
    changed.write_text(json.dumps(facts))
    with pytest.raises(InvalidRecordError, match="runs: has two runs of a with the same identity"):
        import_files(folder, changed)


def test_copies_of_a_file_are_read_once(folder: DataFolder, table: Path) -> None:
    """Neither a second name nor a second path of the same content makes anything new."""
    copy = table.with_name("copy.csv")
    copy.write_bytes(table.read_bytes())
    imported = import_files(folder, table, copy, table.parent / "." / table.name)
    assert (len(imported.runs), imported.known) == (2, 0)


def test_copies_of_results_and_samples_are_one_board(folder: DataFolder, tmp_path: Path) -> None:
    """Results of lm-evaluation-harness that are named in two folders count once."""
    for name in ("one", "two"):
        shutil.copytree(FILES / "lm-eval", tmp_path / name)
    paths = (path for name in ("one", "two") for path in (tmp_path / name).iterdir())
    imported = import_files(folder, *paths, score="exact_match,strict")
    assert (len(imported.runs), imported.known) == (1, 0)


def test_copies_of_samples_are_no_repetitions(folder: DataFolder, tmp_path: Path) -> None:
    """Samples of Every Eval Ever that are named in two folders count once."""
    names = ("eee-own.json", "eee-own_samples.jsonl")
    for subfolder, name in product(("one", "two"), names):
        path = tmp_path / subfolder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes((FILES / name).read_bytes())
    import_files(
        folder, *(tmp_path / subfolder / name for subfolder in ("one", "two") for name in names)
    )
    assert len(read_runs(folder)) == 1

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.reader import read_run
from records.shapes.run import Withdrawal
from records.writer import encode_run
from runner.runs.publish import undo_withdrawal
from tests.runner.published_results.results import GONE, Change, catch_refusal, import_files

pytestmark = pytest.mark.unit

DATA = DataFolder(Path(__file__).parents[3] / "data")
SOURCE = DATA.imports / "published_analyses-9fde8650886d.json"
KEY = f"sk-ant-{'a1B2' * 20}"


@pytest.fixture
def imported(folder: DataFolder) -> DataFolder:
    """Return a folder with the files of the importer and no others."""
    import_files(folder, SOURCE)
    return folder


def test_importing_again_writes_the_same_bytes(imported: DataFolder) -> None:
    """The published files equal the importer's files, to the byte."""
    files = [path for path in imported.root.rglob("*") if path.is_file()]

    assert len(files) == 3 + 16 + 15 + 1
    for path in files:
        assert (DATA.root / path.relative_to(imported.root)).read_bytes() == path.read_bytes()


FAILURE = "runs.0.failures.0"
CONTRADICTIONS: list[tuple[Change, str]] = [
    ({"runs.0.passed": 69}, "says 69 of 74 passed, its failures give 68"),
    ({"runs.0.suite": "75"}, "no suite 75"),
    (lambda d: d["runs"][0]["failures"].append(d["runs"][0]["failures"][0]), "failed twice"),
    ({f"{FAILURE}.eval": "000-x/000-y"}, "outside its suite"),
    ({f"{FAILURE}.failed_step": "vitest"}, "failed_step"),
    ({"runs.0.tokens": 5}, "tokens"),
    ({f"{FAILURE}.reason": "refused, api_key=abcdefgh"}, f"{FAILURE}.reason: has a secret"),
    ({"runs.0.provider": KEY}, "runs.0.provider: has a"),
    ({"about": "made in /home/somebody/tables"}, "about: has a secret, or the path"),
    (lambda d: d["suites"].update({KEY: d["suites"]["74"]}), "suites: has a secret"),
    ({"suites.74.evals.0": GONE}, "signature"),
    (lambda d: d["runs"].append(d["runs"][0]), "has the id of another run"),
]


@pytest.mark.parametrize(("change", "reason"), CONTRADICTIONS)
def test_a_source_that_contradicts_itself_is_refused(
    folder: DataFolder, changed: Callable[[Path, Change], Path], change: Change, reason: str
) -> None:
    """A file that cannot be right is refused as a whole."""
    assert reason in catch_refusal(folder, changed(SOURCE, change))


def test_a_value_that_another_hides_is_refused(folder: DataFolder, tmp_path: Path) -> None:
    """A parser keeps the last value of a repeated name; the copy would keep the first, too."""
    source = tmp_path / "runs.json"
    source.write_text(SOURCE.read_text().replace("{", f'{{"about": "{KEY}",', 1))
    assert "about: is repeated in one object" in catch_refusal(folder, source)


def test_a_withdrawn_run_stays_withdrawn(imported: DataFolder) -> None:
    """The source counts the run: another import of it takes no withdrawal back."""
    withdrawal = Withdrawal(by="a maintainer", reason="its grader was wrong")
    path = next(path for path in imported.list_run_files() if read_run(path).withdrawn is None)
    path.write_bytes(encode_run(read_run(path).model_copy(update={"withdrawn": withdrawal})))

    import_files(imported, SOURCE)

    assert read_run(path).withdrawn == withdrawal


def test_a_withdrawal_that_was_taken_back_stays_so(imported: DataFolder) -> None:
    """The source withdrew the run, people decided that it counts."""
    path = next(path for path in imported.list_run_files() if read_run(path).withdrawn)
    undone = undo_withdrawal(
        read_run(path), by="a maintainer", reason="was right", at=datetime(2026, 11, 27, tzinfo=UTC)
    )
    path.write_bytes(encode_run(undone))

    import_files(imported, SOURCE)

    assert read_run(path) == undone


def test_a_withdrawal_of_the_source_arrives_later(imported: DataFolder) -> None:
    """Nobody decided on the run here, so the newer source withdraws it."""
    withdrawn = next(path for path in imported.list_run_files() if read_run(path).withdrawn)
    expected = read_run(withdrawn)
    withdrawn.write_bytes(encode_run(expected.model_copy(update={"withdrawn": None})))

    import_files(imported, SOURCE)

    assert read_run(withdrawn) == expected


def test_a_report_that_people_changed_stays(imported: DataFolder) -> None:
    """A report is imported once; later imports keep the changes that people made."""
    path = next(iter(imported.list_report_files()))
    changed = path.read_text() + "\nThe third failure was looked at again.\n"
    path.write_text(changed)

    import_files(imported, SOURCE)

    assert path.read_text() == changed


def test_two_editions_in_one_command_are_refused(
    folder: DataFolder, changed: Callable[[Path, Change], Path]
) -> None:
    """Otherwise the order of the files would decide which edition is kept."""
    other = changed(SOURCE, {"about": "another edition"})
    assert "than another file of this command" in catch_refusal(folder, SOURCE, other)

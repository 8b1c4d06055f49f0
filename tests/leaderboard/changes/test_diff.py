"""`leaderboard diff` over real records and real revisions of git."""

import json
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome
from tests.leaderboard.commanding import Terminal
from tests.records import examples
from tests.records.history import write_history
from tests.support.warm_command import ROOT, Ended, run_command

pytestmark = pytest.mark.integration

PASSED, FAILED, *_ = Outcome


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """Return a repository whose second commit adds a run that fails where the first passed."""
    return write_history(tmp_path, ("before", "after"))


def run_diff(data: DataFolder, *arguments: str, code: int | None = None) -> Ended:
    """Run the command over ``data``."""
    return run_command("diff", *arguments, "--data", data.root, code=code)


def test_two_runs(data: DataFolder) -> None:
    """The verdict comes first; --fail-on regression turns only a regression into exit code 1."""
    result = run_diff(data, "aaaa", "bbbb", "--fail-on", "regression", code=1)
    assert "8 broken of 8: worse, by more than chance" in result.stdout.splitlines()[1]
    run_diff(data, "bbbb", "aaaa", "--fail-on", "regression", code=0)


def test_two_revisions(data: DataFolder) -> None:
    """The new run is compared with the run before; the working tree plays no part."""
    for path in data.list_run_files():
        path.unlink()
    report = json.loads(run_diff(data, "before", "after", "--json").stdout)
    (pair,) = report["pairs"]
    assert pair["conclusion"] == "worse"
    assert (pair["before"]["runs"], pair["after"]["runs"]) == (["a" * 32], ["b" * 32])
    (moved,) = report["moved"]
    assert (moved["score_before"], moved["score_after"]) == (1.0, 0.5)
    same = run_diff(data, "after", "after")
    assert "no published result and no report changed" in same.stdout


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("nowhere", "after", "nowhere: no run, no guidelines file and no revision"),
        ("aaaa", "after", "aaaa is a run or guidelines, the other is not"),
        ("--output=/tmp/x", "after", "No such option"),
        (str(ROOT / "evals" / "guidelines.md"), "aaaa", "no run was sent this text"),
    ],
)
def test_mistakes_are_named(data: DataFolder, before: str, after: str, reason: str) -> None:
    """A mistake ends with exit code 2 and its reason."""
    result = run_diff(data, before, after, code=2)
    assert reason in result.stderr


@pytest.mark.parametrize("columns", [80, 120])
def test_a_terminal_gets_tables_that_fit(data: DataFolder, columns: int) -> None:
    """A terminal gets tables, for two runs and for two revisions, unless --markdown is given."""
    for sides in (("aaaa", "bbbb"), ("before", "after")):
        arguments = ["diff", *sides, "--data", str(data.root)]
        with Terminal(arguments, columns=columns) as terminal:
            assert terminal.wait_for_end() == 0
            lines = terminal.text.replace("\r", "").splitlines()
        assert "8 broken of 8" in terminal.text
        assert f"  {examples.make_eval_name(0)}" in terminal.text
        assert "|" not in terminal.text
        # The sentence that heads a comparison is wrapped by the terminal itself.
        assert max(len(line) for line in lines if line.startswith("  ")) <= columns
        with Terminal([*arguments, "--markdown"], columns=columns) as terminal:
            assert terminal.wait_for_end() == 0
        assert "| eval |" in terminal.text


def test_a_misspelt_run_is_reported_with_the_nearest(data: DataFolder) -> None:
    """A name that is no run, file or revision may be a misspelt id of a run."""
    (path,) = [path for path in data.list_run_files() if path.name.startswith("a")]
    done = run_command("diff", "aaab", "bbbb", "--data", data.root, code=2)
    assert "aaab" in done.stderr
    assert any(line.split()[:1] == [path.name[:8]] for line in done.stderr.splitlines())

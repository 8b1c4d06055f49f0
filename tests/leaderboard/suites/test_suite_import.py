"""`leaderboard suite import`: a suite from elsewhere gets a version, and pages show it."""

import json
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from leaderboard.terminal.streams import ExitCode
from tests.support.waiting import wait_until
from tests.support.warm_command import ROOT, WarmCommand, run_command

pytestmark = pytest.mark.integration

SUITE = Path(__file__).parents[2] / "runner" / "typescript_suite"
PYTHON = Path("000-fundamentals") / "000-dome_functions"
STATIC = Path("evals") / "000-kit" / "001-static_notes"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite of one eval whose grader reads files only."""
    root = tmp_path / "our-suite"
    shutil.copytree(SUITE / STATIC, root / STATIC)
    return root


def test_a_suite_is_imported_checked_and_shown(suite: Path, tmp_path: Path) -> None:
    """The pages need only the data folder afterwards, without project and suite."""
    folder = tmp_path / "empty"
    folder.mkdir()
    arguments = ("suite", "import", suite, "--no-grading", "--data", "data")

    done = run_command(*arguments, "--json", cwd=folder)
    again = run_command(*arguments, cwd=folder)
    checked = run_command("check", "--data", "data", cwd=folder)
    shutil.rmtree(suite)
    built = run_command("build", "--data", "data", "--out", "site", cwd=folder)

    imported = json.loads(done.stdout)
    assert (done.returncode, imported["evals"], imported["findings"]) == (0, 1, [])
    assert f"{imported['version']}  our-suite · " in again.stdout
    assert (checked.returncode, built.returncode) == (0, 0), checked.stdout + built.stderr
    page = (folder / "site" / "evals" / "000-kit" / "001-static_notes" / "index.html").read_text()
    assert "Static notes" in page
    assert "names Convex" in page
    assert "Not for training" not in page


def test_other_suites_are_refused(tmp_path: Path) -> None:
    """A suite with graders in Python is refused with the command that fits."""
    shutil.copytree(ROOT / "evals" / PYTHON, tmp_path / "suite" / PYTHON)
    shutil.copy(ROOT / "evals" / "guidelines.md", tmp_path / "suite")

    done = run_command("suite", "import", tmp_path / "suite", "--data", tmp_path / "data")

    assert (done.returncode, "leaderboard suite mint" in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.night
def test_an_answer_is_graded_at_each_change(suite: Path, tmp_path: Path) -> None:
    """`suite grade --watch` grades again when a file of the answer changes, until Ctrl-C."""
    answer = tmp_path / "answer"
    shutil.copytree(suite / STATIC / "answer", answer)
    arguments = ("suite", "grade", "static_notes", answer, "-v", "--watch", "--evals", suite)
    log = tmp_path / "log"
    with (
        log.open("w") as output,
        WarmCommand(arguments, stdout=output, stderr=subprocess.STDOUT) as ran,
    ):
        _wait_for(log, "Watching", times=1)
        (answer / "convex" / "notes.ts").write_text("export {};\n")
        _wait_for(log, "Watching", times=2)
        ran.send_signal(signal.SIGINT)
        code = ran.wait(60)

    text = log.read_text()
    assert code == ExitCode.CHECK_FAILED, "the code of the last verdict"
    assert "passed\n" in text
    assert "failed at tests" in text


def _wait_for(log: Path, word: str, *, times: int) -> None:
    wait_until(lambda: log.read_text().count(word) >= times, 120, describe=log.read_text)

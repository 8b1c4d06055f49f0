"""`leaderboard run` beside an unfinished run of the same kind: no question is repeated unasked."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.reader import read_run
from records.shapes.run import Run
from tests.leaderboard.commanding import PATIENCE_S, Terminal
from tests.leaderboard.conftest import Serve
from tests.runner.conftest import FIRST_STEP_ONLY, SlowProvider, write_prose_suite
from tests.support.warm_command import Ended, WarmCommand, run_command

pytestmark = pytest.mark.integration

PROSE = {"text": "Prose, no files."}


class Asking:
    """A suite of three evals and a provider that refuses one question once."""

    def __init__(self, folder: Path, serve: Serve) -> None:
        """Write the suite and serve."""
        write_prose_suite(folder / "evals", 3)
        self.folder = folder
        refusing = {"match": "<1>", "steps": [{"kind": "status", "status": 400}], "then": PROSE}
        self.provider: SlowProvider = serve({"rules": [refusing], "default": PROSE})

    def build_arguments(self, *more: str) -> Sequence[str | Path]:
        """Return the command line of a run."""
        folders = ("--evals", self.folder / "evals", "--data", self.folder / "data")
        model = ("-m", "openai/m", "--api-base", self.provider.address)
        return ("run", *model, "--graders", "1", *folders, *more)

    def run(self, *more: str) -> Ended:
        """Run the command with ``more`` options, without a terminal; return all its output."""
        arguments = self.build_arguments(*more)
        running = WarmCommand(
            arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, before=FIRST_STEP_ONLY
        )
        printed, _ = running.communicate(PATIENCE_S)
        return Ended([*map(str, arguments)], running.wait(), printed)

    def read_local_runs(self) -> list[Run]:
        """Return the development runs, the earliest first."""
        paths = DataFolder(self.folder / "data").local.list_run_files()
        return sorted(map(read_run, paths), key=lambda run: run.began)

    def take_asked(self) -> list[int]:
        """Return the numbers of the evals that were asked since the last call."""
        numbers = self.provider.list_asked()
        self.provider.log.unlink(missing_ok=True)
        return sorted(numbers)


@pytest.fixture
def asking(tmp_path: Path, serve: Serve) -> Asking:
    """A run that has just ended with a missing answer."""
    begun = Asking(tmp_path, serve)
    ended = begun.run("--resume-or-start")
    assert ended.returncode == 3, ended.stdout
    assert begun.take_asked() == [0, 1, 2]
    return begun


def test_an_unfinished_run_goes_on_and_a_whole_one_does_not(asking: Asking) -> None:
    """The second command asks for missing answers; the third begins a new run."""
    (begun,) = asking.read_local_runs()
    again = asking.run("--resume-or-start")
    assert again.returncode == 0, again.stdout
    assert f"Going on with run {begun.run_id[:8]} of local/m default" in again.stdout
    assert "2 of 3 with a verdict" in again.stdout
    assert asking.take_asked() == [1]
    (whole,) = asking.read_local_runs()
    assert (whole.run_id, whole.unjudged) == (begun.run_id, 0)
    assert asking.run("--resume-or-start").returncode == 0
    assert asking.take_asked() == [0, 1, 2]
    assert len(asking.read_local_runs()) == 2


@pytest.mark.parametrize(
    "other",
    [
        ("--set", "temperature=0.5"),
        pytest.param(("-e", "no_guidelines"), marks=pytest.mark.night),
        pytest.param(("--samples", "2"), marks=pytest.mark.night),
        ("-f", "000-task|001-task"),
    ],
)
def test_a_run_of_another_kind_begins(asking: Asking, other: tuple[str, ...]) -> None:
    """Other parameters, experiments, evals or samples are another run."""
    assert asking.run("--resume-or-start", *other).returncode == 0
    assert len(asking.read_local_runs()) == 2
    assert len(asking.take_asked()) > 1


def test_a_run_that_cannot_go_on_is_reported_and_a_new_one_begins(asking: Asking) -> None:
    """With other grading it would be another run; its answers stay in their place."""
    done = asking.run("--resume-or-start", "--sandbox", "none")
    assert done.returncode == 0, done.stdout
    assert "A new run begins: run " in done.stdout
    assert "--sandbox bwrap" in done.stdout
    assert len(asking.read_local_runs()) == 2


def test_a_person_chooses_before_anything_is_paid_twice(asking: Asking) -> None:
    """A terminal shows both ways and asks nobody; with --anew, a new run begins."""
    (begun,) = asking.read_local_runs()
    with Terminal([*map(str, asking.build_arguments())], columns=200) as terminal:
        assert terminal.wait_for_end() == 2
        assert f"--resume {begun.run_id[:8]}" in terminal.text
        assert "--anew" in terminal.text
    assert asking.take_asked() == []
    with Terminal([*map(str, asking.build_arguments("--anew"))], columns=200) as terminal:
        assert terminal.wait_for_end() == 0
    assert asking.take_asked() == [0, 1, 2]


def test_a_script_is_reported_and_goes_on(asking: Asking) -> None:
    """Without a terminal to choose on, the command begins a new run, with a message."""
    done = asking.run()
    assert done.returncode == 0
    assert "--resume-or-start" in done.stdout
    assert asking.take_asked() == [0, 1, 2]


def test_both_ways_at_once_are_refused(asking: Asking) -> None:
    """The two options contradict each other, and each contradicts --resume."""
    assert asking.run("--resume-or-start", "--anew").returncode == 2
    assert asking.take_asked() == []
    refused = run_command("run", "--resume", "abcd", "--resume-or-start")
    assert refused.returncode == 2

"""Ends of runs: Ctrl-C, errors and full disks lose no answer, and leave no half written file."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from records.checks.check_data import check_data
from records.files.data_folder import DataFolder
from records.journal.journal import read
from records.shapes.attempt import Outcome
from records.writer import find_leftovers, tidy_beside
from runner.evals.discovery import discover
from runner.runs.plan import Destination, write_version
from runner.runs.record import finish
from runner.runs.resume import finish_if_judged
from runner.suite.mint import make_benchmark
from tests.records.reading import read_local_run
from tests.runner.conftest import EVALS, Host, SlowProvider, write_prose_suite
from tests.runner.runs.planned import plan_run
from tests.runner.runs.test_record import write_journal
from tests.support.waiting import wait_until
from tests.support.warm_command import ROOT

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(
    "host",
    ["first step", pytest.param("all steps", marks=pytest.mark.night)],
    indirect=True,
)
def test_ctrl_c_records_finished_attempts_and_resume_does_the_rest(
    prose_suite: Path, slow_provider: SlowProvider, host: Host, tmp_path: Path
) -> None:
    """An interrupted run is aborted, not lost: resuming asks only for the missing answers."""
    data = DataFolder(tmp_path / "data")
    options = ["--evals", str(prose_suite), "--data", str(data.root), "--graders", "1"]
    server = ["--api-base", slow_provider.address]
    child = host.start(["run", "-m", "openai/scripted", "--concurrency", "1", *server, *options])
    slow_provider.wait_until_asked(4)
    _wait_for_verdict(data)
    os.kill(child, signal.SIGINT)
    assert host.wait() == 3
    run = read_local_run(data.root)
    judged = [attempt for attempt in run.attempts if attempt.outcome is Outcome.FAILED]
    assert run.status == "aborted"
    assert len(run.attempts) == EVALS
    assert 1 <= len(judged) < EVALS
    assert {attempt.outcome for attempt in run.attempts} == {Outcome.FAILED, Outcome.NOT_RUN}

    host.start(["run", "--resume", run.run_id[:8], *server, *options])
    assert host.wait() == 0
    resumed = read_local_run(data.root)
    assert resumed.status == "completed"
    assert resumed.run_id == run.run_id
    assert {attempt.outcome for attempt in resumed.attempts} == {Outcome.FAILED}
    assert [attempt for attempt in resumed.attempts if attempt in judged] == judged


def _wait_for_verdict(data: DataFolder) -> None:
    """Wait until the journal of the run has a verdict, which takes a busy machine longer."""

    def has_verdicts() -> bool:
        journals = data.local.root.rglob("*.journal.jsonl")
        return any(read(journal).attempts for journal in journals)

    wait_until(has_verdicts, 600, lambda: "no verdict came in time")


KILLED = """
import os, signal, sys
from pathlib import Path
from records.files.data_folder import DataFolder
from records.writer import open_atomic_file
from runner.runs.record import finish

fsync, left = os.fsync, [int(sys.argv[1])]

def killed_at_last(handle):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    fsync(handle)

os.fsync = killed_at_last
path = Path(sys.argv[3])
if path.name.endswith(".journal.jsonl"):
    finish(DataFolder(Path(sys.argv[2])), path)
else:
    with open_atomic_file(path) as file:
        file.write(b"half")
"""
"""Ends a run, or writes a file, and is killed at one of its writes to the disk."""


def kill_at(write: int, data: DataFolder, path: Path) -> list[Path]:
    """Kill a process at its n-th write; return its half written files."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(write), data.root, path], cwd=ROOT, check=False
    )
    assert done.returncode == -signal.SIGKILL
    return list(find_leftovers(data))


@pytest.fixture
def destination(tmp_path: Path) -> Destination:
    """Return a data folder for runs of a small suite."""
    suite = discover(write_prose_suite(tmp_path / "suite", 1))
    return Destination(suite, DataFolder(tmp_path / "data"))


@pytest.fixture
def journal(destination: Destination) -> Path:
    """Return the journal of a run with all verdicts."""
    plan = plan_run("baseline/stub", destination.suite.evals)
    return write_journal(plan, destination.folder, [Outcome.PASSED])


@pytest.mark.parametrize(("write", "written"), [(1, "artifacts"), (3, "runs")])
def test_killed_as_archive_or_record_is_written(
    destination: Destination, journal: Path, write: int, written: str
) -> None:
    """All verdicts are in: a resume has no attempt to do, and tidies up."""
    folder = destination.folder
    (leftover,) = kill_at(write, folder, journal)
    assert leftover.is_relative_to(folder.root / written)
    assert finish_if_judged(destination, read(journal).header.run) is not None
    assert list(find_leftovers(folder)) == []
    assert not journal.exists()
    assert [problem for problem in check_data(folder) if "killed" in problem.reason] == []


def test_killed_beside_a_finished_record(destination: Destination, journal: Path) -> None:
    """The journal is gone, and a file that was written beside the record is not."""
    folder = destination.folder
    run = finish(folder, journal)
    assert len(kill_at(1, folder, folder.get_run_file(*run.key))) == 1
    assert finish_if_judged(destination, run) == run
    assert list(find_leftovers(folder)) == []


def test_a_benchmark_version_is_tidied(destination: Destination) -> None:
    """The next local run of the suite removes it; until then the check says to delete it."""
    version = make_benchmark(destination.suite).version
    local = destination.data.local
    (leftover,) = kill_at(1, local, local.benchmarks.get_file(version))
    (problem,) = [problem for problem in check_data(local) if problem.path == leftover]
    assert problem.reason == "left by a writer that was killed; delete it"
    write_version(destination)
    assert list(find_leftovers(local)) == []
    assert local.benchmarks.get_file(version).exists()


def test_a_trial_is_tidied(destination: Destination) -> None:
    """Each resume writes the record of a trial, and tidies the files of that trial alone."""
    folder = destination.folder
    trial = folder.trials.get_file("b" * 32)
    assert len(kill_at(1, folder, trial)) == 1
    tidy_beside(folder.trials.get_file("c" * 32))
    assert len(list(find_leftovers(folder))) == 1
    tidy_beside(folder.trials.get_file("b" * 32))
    assert list(find_leftovers(folder)) == []

"""A driver that is killed leaves no process behind, and its run goes on without a lost answer."""

import signal
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.journal.journal import Journal, read
from records.runs.run_lookup import find_run
from records.shapes.attempt import Outcome
from runner.jail.kernel import processes
from tests.records import examples
from tests.runner.cluster.conftest import wait_until_gone
from tests.runner.conftest import SlowProvider
from tests.support.waiting import wait_until
from tests.support.warm_command import WarmCommand

pytestmark = pytest.mark.night

PATIENCE_S = 300.0


def test_a_killed_driver_is_resumed_without_a_question(
    prose_suite: Path, slow_provider: SlowProvider, tmp_path: Path
) -> None:
    """No process outlives it, each answer on the disk is kept, and every attempt has a verdict."""
    data = DataFolder(tmp_path / "data")
    folders = ["--evals", str(prose_suite), "--data", str(data.root)]
    asking = ["--api-base", slow_provider.address, "--cluster", "local:2", *folders]
    command = WarmCommand(["run", "-m", "openai/scripted", "--concurrency", "2", *asking])
    wait_for_verdicts(data, 2)
    below = {pid: processes.read_start_time(pid) for pid in processes.walk_members(command.pid)}
    command.kill()
    assert command.wait() == -signal.SIGKILL
    wait_until_gone(below, PATIENCE_S, reaped=False)
    state = read_journal(data)
    answered = [*examples.list_ungraded(state), *state.attempts]
    requests = {
        number: slow_provider.list_asked().count(number)
        for number in map(parse_eval_number, answered)
    }
    run_id = state.header.run.run_id
    assert WarmCommand(["run", "--resume", run_id, *asking]).wait() == 0
    run = find_run(data.local, run_id).read()
    assert [attempt.outcome for attempt in run.attempts] == [Outcome.FAILED] * 10
    assert {number: slow_provider.list_asked().count(number) for number in requests} == requests


def read_journal(data: DataFolder) -> Journal:
    """Return the state of the only run under way."""
    (path,) = data.local.list_journal_files()
    return read(path)


def parse_eval_number(place: tuple[str, int]) -> int:
    """Return the number of an eval, which is in its task."""
    return int(place[0].rpartition("/")[2].partition("-")[0])


def wait_for_verdicts(data: DataFolder, number: int) -> None:
    """Wait until the journal has that many verdicts."""

    def has_verdicts() -> bool:
        journals = data.local.list_journal_files()
        return any(len(read(journal).attempts) >= number for journal in journals)

    wait_until(has_verdicts, PATIENCE_S)

"""A run that is killed at any moment loses no reported attempt, and pays for no answer twice."""

import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from records.checks.check_data import check_data
from records.files.data_folder import DataFolder
from records.journal.journal import read
from records.reader import read_run
from records.runs.run_lookup import find_run
from records.shapes.attempt import Outcome
from records.shapes.run import Run
from records.writer import find_leftovers
from tests.records import examples
from tests.runner.conftest import Host, SlowProvider
from tests.support.running_processes import is_running

pytestmark = pytest.mark.integration


@pytest.mark.more
@pytest.mark.parametrize(
    ("host", "planned_kills"),
    [("first step", 10), pytest.param("all steps", 50, marks=pytest.mark.night)],
    indirect=["host"],
)
def test_killed_at_any_moment(
    prose_suite: Path, slow_provider: SlowProvider, host: Host, tmp_path: Path, planned_kills: int
) -> None:
    """After the kills every eval is there exactly once, and no finished answer was asked again."""
    data = DataFolder(tmp_path / "data")
    moments = random.Random(20261121)  # noqa: S311 - a seeded choice of moments
    kills = completed = 0
    latest_s = 1.1
    run_id: str | None = None
    answered: dict[int, int] = {}
    while kills < planned_kills or run_id is not None or not completed:
        child = host.start(_build_arguments(prose_suite, data, slow_provider, run_id))
        lives = kills >= planned_kills
        killed = not lives and _kill_after(child, moments.uniform(0.05, latest_s), data)
        ended = host.wait()
        _assert_valid(data)
        run_id = run_id or _find_unfinished(data)
        if run_id is None:
            # Killed before it had a record, which takes a busy machine longer; or ended in time.
            latest_s *= 1.3 if killed else 1
            completed += ended == 0
            continue
        kills += killed
        path = find_run(data, run_id).get_record_file()
        answered = _assert_not_asked_again(path, answered, slow_provider)
        if ended == 0:
            _assert_complete(read_run(path))
            run_id, answered, completed = None, {}, completed + 1
    assert kills == planned_kills
    assert list(find_leftovers(data.local)) == []


def _build_arguments(
    suite: Path, data: DataFolder, provider: SlowProvider, run_id: str | None
) -> list[str]:
    run_options = (
        ["--resume", run_id] if run_id else ["-m", "openai/scripted", "--concurrency", "2"]
    )
    return [
        *("run", *run_options, "--api-base", provider.address, "--graders", "1"),
        *("--evals", str(suite), "--data", str(data.root)),
    ]


def _kill_after(child: int, seconds: float, data: DataFolder) -> bool:
    """Kill the child unless it ends before; check meanwhile that every record always reads."""
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        _assert_readable(data)
        if not is_running(child):
            return False
        time.sleep(0.01)
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
        return True
    return False


def _assert_readable(data: DataFolder) -> None:
    for path in data.local.list_run_files():
        read_run(path)


def _assert_valid(data: DataFolder) -> None:
    """Assert that the only problems are a run to resume, and files that the next start removes."""
    leftovers = list(find_leftovers(data.local))
    problems = check_data(data.local, shared=data)
    others = [problem for problem in problems if problem.path not in leftovers]
    assert [problem for problem in others if "resume it" not in problem.reason] == []


def _find_unfinished(data: DataFolder) -> str | None:
    """Return the run that has a record and is not complete; a kill may come before the record."""
    for path in data.local.list_run_files():
        if (run := read_run(path)).status != "completed":
            return run.run_id
    return None


def _assert_not_asked_again(
    record: Path, answered: dict[int, int], provider: SlowProvider
) -> dict[int, int]:
    """Compare the requests with the answers at the previous kill; return the answers of now.

    ``answered`` maps an eval's number to the number of requests for it when its answer was first
    seen on the disk.
    """
    requests = provider.list_asked()
    for number, times in answered.items():
        assert requests.count(number) == times, f"answer {number} was on the disk and asked again"
    journal = record.with_name(record.name.replace(".json", ".journal.jsonl"))
    if not journal.exists():
        return answered
    state = read(journal)
    numbers = [
        int(key.eval.rpartition("/")[2].partition("-")[0])
        for key in [*examples.list_ungraded(state), *state.attempts]
    ]
    return {number: answered.get(number, requests.count(number)) for number in numbers}


def _assert_complete(run: Run) -> None:
    assert run.status == "completed"
    assert [attempt.eval for attempt in run.attempts] == list(run.planned)
    assert {attempt.outcome for attempt in run.attempts} == {Outcome.FAILED}

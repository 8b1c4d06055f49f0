"""Ctrl-C ends a run gently: the reported attempts are recorded, and the next command is named."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.reader import read_run
from records.shapes.attempt import Outcome
from records.shapes.run import Run
from tests.runner.conftest import EVALS, Host, SlowProvider

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(
    "host",
    ["first step", pytest.param("all steps", marks=pytest.mark.night)],
    indirect=True,
)
def test_ctrl_c_records_what_is_done_and_resume_does_the_rest(
    prose_suite: Path, slow_provider: SlowProvider, host: Host, tmp_path: Path
) -> None:
    """An interrupted run is aborted, not lost: resuming asks only for the missing answers."""
    data = DataFolder(tmp_path / "data")
    places = ["--evals", str(prose_suite), "--data", str(data.root), "--graders", "1"]
    server = ["--api-base", slow_provider.address]
    child = host.start(["run", "-m", "openai/scripted", "--concurrency", "1", *server, *places])
    _wait_until(lambda: len(slow_provider.asked()) >= 4)
    os.kill(child, signal.SIGINT)
    assert host.wait() == 3
    run = _only_run(data)
    judged = [attempt for attempt in run.attempts if attempt.outcome is Outcome.FAILED]
    assert run.status == "aborted"
    assert len(run.attempts) == EVALS
    assert 1 <= len(judged) < EVALS
    assert {attempt.outcome for attempt in run.attempts} == {Outcome.FAILED, Outcome.NOT_RUN}

    host.start(["run", "--resume", run.run_id[:8], *server, *places])
    assert host.wait() == 0
    resumed = _only_run(data)
    assert resumed.status == "completed"
    assert resumed.run_id == run.run_id
    assert {attempt.outcome for attempt in resumed.attempts} == {Outcome.FAILED}
    assert [attempt for attempt in resumed.attempts if attempt in judged] == judged


def _only_run(data: DataFolder) -> Run:
    (path,) = data.local.run_files()
    return read_run(path)


def _wait_until(condition: Callable[[], bool], seconds: float = 300) -> None:
    ends_at = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends_at, "it did not happen in time"
        time.sleep(0.02)

"""Ctrl-C ends a run gently: the reported attempts are recorded, and the next command is named."""

import os
import signal
import time
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.journal.journal import read
from records.shapes.attempt import Outcome
from tests.records.reading import read_local_run
from tests.runner.conftest import EVALS, Host, SlowProvider

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
    ends_at = time.monotonic() + 600
    while not any(read(journal).attempts for journal in data.local.root.rglob("*.journal.jsonl")):
        assert time.monotonic() < ends_at, "no verdict came in time"
        time.sleep(0.01)

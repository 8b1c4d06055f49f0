"""A run has a single budget, however often the run is killed and resumed."""

import os
import signal
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from tests.records.reading import read_local_run
from tests.runner.conftest import EVALS, Host, Serve, SlowProvider

pytestmark = pytest.mark.integration

ALLOWED = 1000
"""The most tokens of a reply, which cost a dollar; the provider reports no token counts."""


@pytest.fixture
def silent_biller(serve: Serve) -> SlowProvider:
    """A provider that reports no usage, and so may bill the full limit of each request."""
    slow = {"text": "Prose, no files.", "delay_s": 0.2, "report_usage": False}
    return serve({"default": slow})


@pytest.mark.more
@pytest.mark.parametrize(
    "host",
    ["first step", pytest.param("all steps", marks=pytest.mark.night)],
    indirect=True,
)
def test_no_more_is_asked_than_the_budget_pays_for_through_kills_and_resumes(
    prose_suite: Path, silent_biller: SlowProvider, host: Host, tmp_path: Path
) -> None:
    """Cut off requests count, the record keeps the budget, and a larger budget resumes the run."""
    data = DataFolder(tmp_path / "data")
    options = [
        *("--api-base", silent_biller.address, "--price", "0/1000", "--max-tokens", str(ALLOWED)),
        *("--evals", str(prose_suite), "--data", str(data.root), "--graders", "1"),
        *("--concurrency", "4"),
    ]
    child = host.start(["run", "-m", "openai/scripted", "--budget", "6", *options])
    silent_biller.wait_until_asked(2)
    os.kill(child, signal.SIGKILL)
    host.wait()
    run = read_local_run(data.root)
    assert run.budget_usd == 6
    assert run.model.max_output_tokens == ALLOWED

    child = host.start(["run", "--resume", run.run_id, *options])
    silent_biller.wait_until_asked(4)
    os.kill(child, signal.SIGKILL)
    host.wait()
    host.start(["run", "--resume", run.run_id, *options])
    assert host.wait() == 3
    assert 4 <= len(silent_biller.list_asked()) <= 6
    assert read_local_run(data.root).status == "aborted"

    host.start(["run", "--resume", run.run_id, "--budget", "50", *options])
    assert host.wait() == 0
    resumed = read_local_run(data.root)
    assert resumed.status == "completed"
    assert resumed.budget_usd == 50
    assert len(resumed.attempts) == EVALS


def test_the_reply_that_used_the_budget_up_is_kept(
    prose_suite: Path, silent_biller: SlowProvider, host: Host, tmp_path: Path
) -> None:
    """The reply stays, though its tokens are still being counted when the money runs out."""
    data = DataFolder(tmp_path / "data")
    options = [
        *("--api-base", silent_biller.address, "--price", "0/1000", "--max-tokens", str(ALLOWED)),
        *("--evals", str(prose_suite), "--data", str(data.root), "--concurrency", "1"),
    ]
    host.start(["run", "-m", "openai/scripted", "--budget", "3", *options])
    assert host.wait() == 3
    assert len(silent_biller.list_asked()) == 3
    host.start(["run", "--resume", read_local_run(data.root).run_id, "--budget", "50", *options])
    assert host.wait() == 0
    assert sorted(silent_biller.list_asked()) == list(range(EVALS))

"""A run has a single budget, however often the run is killed and resumed."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.reader import read_run
from records.shapes.run import Run
from tests.runner.conftest import EVALS, Host, SlowProvider

pytestmark = pytest.mark.integration

ALLOWED = 1000
"""The most tokens of a reply, which cost a dollar; the provider reports no token counts."""


@pytest.fixture
def silent_biller(tmp_path: Path) -> Iterator[SlowProvider]:
    """A provider that reports no usage, and so may bill the full limit of each request."""
    slow = {"text": "Prose, no files.", "delay_s": 0.2, "report_usage": False}
    provider = SlowProvider(tmp_path, {"default": slow})
    yield provider
    provider.end()


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
    _kill_after(2, silent_biller, child)
    host.wait()
    run = _only_run(data)
    assert run.budget_usd == 6
    assert run.model.max_output_tokens == ALLOWED

    child = host.start(["run", "--resume", run.run_id, *options])
    _kill_after(4, silent_biller, child)
    host.wait()
    host.start(["run", "--resume", run.run_id, *options])
    assert host.wait() == 3
    assert 4 <= len(silent_biller.asked()) <= 6
    assert _only_run(data).status == "aborted"

    host.start(["run", "--resume", run.run_id, "--budget", "50", *options])
    assert host.wait() == 0
    resumed = _only_run(data)
    assert resumed.status == "completed"
    assert resumed.budget_usd == 50
    assert len(resumed.attempts) == EVALS


@pytest.mark.parametrize("host", ["first step"], indirect=True)
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
    assert len(silent_biller.asked()) == 3
    host.start(["run", "--resume", _only_run(data).run_id, "--budget", "50", *options])
    assert host.wait() == 0
    assert sorted(silent_biller.asked()) == list(range(EVALS))


def _kill_after(requests: int, provider: SlowProvider, child: int) -> None:
    ends_at = time.monotonic() + 300
    while len(provider.asked()) < requests:
        assert time.monotonic() < ends_at, "it did not ask in time"
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)


def _only_run(data: DataFolder) -> Run:
    (path,) = data.local.run_files()
    return read_run(path)

"""Work that is divided among forked processes gives the same results."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from generator.workers import FEW_RUNS, share_out

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module", autouse=True)
def one_process() -> None:
    """Leave this process without a thread, so that work is divided."""


@pytest.mark.parametrize("number", [0, 3, 100, 10_000])
def test_every_thing_is_worked_on_once(number: int) -> None:
    """Few items are processed here, many in workers."""
    results = share_out(lambda item: 2 * item, range(number), runs=FEW_RUNS)
    assert isinstance(results, Iterator)
    assert sorted(results) == [2 * item for item in range(number)]


def test_a_site_of_few_runs_is_built_by_one_process() -> None:
    """Workers would take more of the processors' time than they save."""
    pids = set(share_out(lambda _: os.getpid(), range(100), runs=199))
    assert pids == {os.getpid()}


def test_results_that_fill_the_pipe_wait() -> None:
    """No result is lost when a worker is far ahead of its reader."""
    large = 100_000
    results = share_out(lambda number: f"{number:{large}}", range(200), runs=FEW_RUNS)
    assert {int(result) for result in results} == set(range(200))


def test_workers_leave_ctrl_c_to_their_caller() -> None:
    """The signal reaches the whole group: workers ignore it and are ended by their parent."""
    before = signal.getsignal(signal.SIGINT)

    def work(_: int) -> tuple[int, object]:
        return os.getpid(), signal.getsignal(signal.SIGINT)

    handlers = set(share_out(work, range(100), runs=FEW_RUNS))
    assert {of for pid, of in handlers if pid != os.getpid()} <= {signal.SIG_IGN}
    assert signal.getsignal(signal.SIGINT) is before


def test_an_exception_of_one_is_raised_where_results_are_awaited() -> None:
    """The exception is the worker's own, and no process stays behind."""

    def work(thing: int) -> int:
        if thing == 50:
            raise LookupError("fifty")
        return thing

    with pytest.raises(LookupError, match="fifty"):
        list(share_out(work, range(100), runs=FEW_RUNS))


_DIES = """
import os
from generator.workers import FEW_RUNS, share_out

def work(thing):
    if thing == 50:
        os._exit(9)
    return thing

list(share_out(work, range(100), runs=FEW_RUNS))
"""


def test_a_worker_that_dies_is_an_error() -> None:
    """A process that the system kills does not leave a build waiting.

    The test uses its own process: threads left by earlier tests would prevent forks.
    """
    done = subprocess.run(
        [sys.executable, "-c", _DIES], capture_output=True, check=False, text=True
    )
    assert done.returncode == 1
    assert "ChildProcessError: a worker of the build ended before its work did" in done.stderr

"""The processes of a local cluster: none is left behind, and one that goes on ending is told of."""

import errno
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runner.cluster import local_cluster
from runner.cluster.local_cluster import open_local_cluster
from runner.errors import ClusterBrokenError
from runner.jail.kernel import processes

pytestmark = pytest.mark.integration

_PATIENCE_S = 120.0


def test_workers_that_go_on_ending_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask refuses an option of the workers: they are started again a few times, not for ever.

    If somebody has deleted the log, the message has no other reason.
    """
    monkeypatch.setattr(local_cluster, "_WORKER", ("--no-such-option",))
    monkeypatch.setattr(local_cluster, "_MINUTE_S", _PATIENCE_S)
    reason = r"the worker .* again and again: .*no-such-option"
    with open_local_cluster(1, "bwrap", None) as (cluster, settings):
        with pytest.raises(ClusterBrokenError, match=reason):
            keep_alive_for_long(cluster.keep_alive)
        settings.with_name("worker.log").unlink()
        with pytest.raises(ClusterBrokenError, match=r"again: its log cannot be read: No such"):
            cluster.keep_alive()


def keep_alive_for_long(keep_alive: Callable[[], None]) -> None:
    """Start ended processes again until that is an error."""
    ends_at = time.monotonic() + _PATIENCE_S
    while time.monotonic() < ends_at:
        keep_alive()
        time.sleep(0.05)


def test_a_cluster_that_does_not_start_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine has no process left for the workers: the scheduler ends as well."""
    before = set(processes.members(os.getpid()))
    start = subprocess.Popen

    def start_schedulers_only(command: list[str], **options: Any) -> object:  # noqa: ANN401 - those of the class
        if "worker" in command:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        return start(command, **options)

    monkeypatch.setattr(subprocess, "Popen", start_schedulers_only)
    with (
        pytest.raises(ClusterBrokenError, match="the worker did not start: Resource temporarily"),
        open_local_cluster(1, "bwrap", None),
    ):
        pytest.fail("there are no workers")
    assert set(processes.members(os.getpid())) <= before


def test_a_scheduler_that_does_not_start_has_its_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The last lines of its log are in the message."""
    monkeypatch.setattr(local_cluster, "_SCHEDULER", ("--host", str(tmp_path)))
    with (
        pytest.raises(ClusterBrokenError, match=r"the scheduler did not start: .*Error"),
        open_local_cluster(1, "bwrap", None),
    ):
        pytest.fail("there is no scheduler")

"""Processes of a local cluster: all are ended, and the user reads why a process goes on ending."""

import errno
import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
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
    with open_local_cluster(1, "bwrap", None) as (cluster, _):
        with pytest.raises(ClusterBrokenError, match=reason):
            keep_alive_for_long(cluster.keep_alive)
        (cluster.folder / "worker.log").unlink()
        with pytest.raises(ClusterBrokenError, match=r"again: its log cannot be read: No such"):
            cluster.keep_alive()


def keep_alive_for_long(keep_alive: Callable[[], None]) -> None:
    """Start ended processes again until that is an error."""
    ends_at = time.monotonic() + _PATIENCE_S
    while time.monotonic() < ends_at:
        keep_alive()
        time.sleep(0.05)


def test_a_process_that_was_started_again_outlives_the_thread_that_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The session's thread ends before the cluster, whose processes are to end in their order."""
    schedulers = list[Any]()
    start: Any = subprocess.Popen

    def start_no_worker(command: Sequence[str], **options: Any) -> Any:  # noqa: ANN401 - those of the class
        if "worker" in command:
            return start(["sleep", "600"], **options)
        schedulers.append(start(command, **options))
        return schedulers[-1]

    monkeypatch.setattr(subprocess, "Popen", start_no_worker)
    with open_local_cluster(1, "bwrap", None) as (cluster, _):
        schedulers[0].kill()
        schedulers[0].wait()

        def start_again() -> None:
            cluster.keep_alive()
            while not _is_listening(cluster.address) and schedulers[1].poll() is None:
                time.sleep(0.05)

        thread = threading.Thread(target=start_again)
        thread.start()
        thread.join(_PATIENCE_S)
        with pytest.raises(subprocess.TimeoutExpired):
            schedulers[1].wait(0.5)
        assert _is_listening(cluster.address)


def _is_listening(address: str) -> bool:
    """Return whether a connection to an address of Dask is accepted."""
    host, _, port = address.removeprefix("tls://").rpartition(":")
    with suppress(OSError), socket.create_connection((host, int(port)), 1.0):
        return True
    return False


def test_a_cluster_that_does_not_start_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine has no process left for the workers: the scheduler ends as well."""
    before = set(processes.walk_members(os.getpid()))
    start = subprocess.Popen

    def start_schedulers_only(command: Sequence[str], **options: Any) -> object:  # noqa: ANN401 - those of the class
        if "worker" in command:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        return start(command, **options)

    monkeypatch.setattr(subprocess, "Popen", start_schedulers_only)
    with (
        pytest.raises(ClusterBrokenError, match="the worker did not start: Resource temporarily"),
        open_local_cluster(1, "bwrap", None),
    ):
        pytest.fail("there are no workers")
    assert set(processes.walk_members(os.getpid())) <= before


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

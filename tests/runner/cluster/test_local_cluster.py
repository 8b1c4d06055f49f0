"""Processes of a local cluster: all are ended, and the user reads why a process goes on ending."""

import errno
import http.client
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
from runner.jail.kernel import cgroups, processes

pytestmark = pytest.mark.integration

_PATIENCE_S = 120.0


@pytest.mark.more
def test_workers_that_go_on_ending_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
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
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The session's thread ends before the cluster, whose processes are to end in their order.

    At the end, groups of killed workers are gone: `leaderboard check` names none.
    """
    monkeypatch.setattr(cgroups, "_find_parents", lambda: {"pids": tmp_path})
    schedulers = list[Any]()
    start: Any = subprocess.Popen

    def start_no_worker(command: Sequence[str], **options: Any) -> Any:  # noqa: ANN401 - those of the class
        if "worker" in command:
            return start(["sleep", "600"], **options)
        schedulers.append(start(command, **options))
        return schedulers[-1]

    monkeypatch.setattr(subprocess, "Popen", start_no_worker)
    with open_local_cluster(1, "bwrap", None) as (cluster, _):
        (tmp_path / "convex-leaderboard-1-0-0").mkdir()
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
        assert cgroups.list_left_over_groups() != []
    assert cgroups.list_left_over_groups() == []


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


@pytest.mark.more
def test_scheduler_and_workers_serve_no_pages() -> None:
    """Each of their ports refuses to speak HTTP, or answers 404 to every known page of Dask."""
    pages = ("/", "/status", "/health", "/metrics", "/info/main/workers.html", "/json/counts.json")
    pages += ("/statics/css/base.css", "/proxy/8787/127.0.0.1/status", "/api/v1")
    with open_local_cluster(1, "bwrap", None) as (cluster, _):
        ports = _wait_for_ports(cluster.folder, 4)
        answers = {(port, page): _get_status(port, page) for port in ports for page in pages}
    assert set(answers.values()) <= {404, None}
    assert 404 in answers.values()


def _wait_for_ports(folder: Path, least: int) -> set[int]:
    """Return the ports on which the cluster's processes listen, once there are ``least``."""
    ends_at = time.monotonic() + _PATIENCE_S
    ports = set[int]()
    while len(ports) < least and time.monotonic() < ends_at:
        time.sleep(0.1)
        ports = _list_ports(folder)
    return ports


def _list_ports(folder: Path) -> set[int]:
    """Return the TCP ports of all processes whose settings are in ``folder``."""
    sockets = dict[str, int]()
    for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]:
        fields = line.split()
        if fields[3] == "0A":  # listening
            sockets[f"socket:[{fields[9]}]"] = int(fields[1].partition(":")[2], 16)
    marker = f"DASK_CONFIG={folder}".encode()
    ports = set[int]()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if marker in (process / "environ").read_bytes():
                links = (str(link.readlink()) for link in (process / "fd").iterdir())
                ports |= {sockets[link] for link in links if link in sockets}
    return ports


def _get_status(port: int, page: str) -> int | None:
    """Return the status of an HTTP request; None if the port does not speak HTTP."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", page)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()

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
from runner.cluster.messages import GradingOrder, SentSubmission, write_order
from runner.cluster.worker import WorkerGrader
from runner.errors import ClusterBrokenError
from runner.evals.discovery import Suite
from runner.grading.worker.protocol import ALL_TESTS
from runner.jail.kernel import cgroups, processes
from runner.models.api_keys import find_key_variables
from runner.toolchain import find_toolchain
from tests.runner.cluster.conftest import write_small_suite
from tests.support.waiting import wait_until

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
    with local_cluster.open_local_cluster(1, "bwrap", None) as (cluster, _):
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
    with local_cluster.open_local_cluster(1, "bwrap", None) as (cluster, _):
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
        local_cluster.open_local_cluster(1, "bwrap", None),
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
        local_cluster.open_local_cluster(1, "bwrap", None),
    ):
        pytest.fail("there is no scheduler")


@pytest.mark.more
def test_scheduler_and_workers_serve_no_pages() -> None:
    """Each of their ports refuses to speak HTTP, or answers 404 to every known page of Dask."""
    pages = ("/", "/status", "/health", "/metrics", "/info/main/workers.html", "/json/counts.json")
    pages += ("/statics/css/base.css", "/proxy/8787/127.0.0.1/status", "/api/v1")
    with local_cluster.open_local_cluster(1, "bwrap", None) as (cluster, _):
        wait_until(lambda: len(_list_ports(cluster.folder)) >= 4, _PATIENCE_S)
        ports = _list_ports(cluster.folder)
        answers = {(port, page): _get_status(port, page) for port in ports for page in pages}
    assert set(answers.values()) <= {404, None}
    assert 404 in answers.values()


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


@pytest.fixture
def order(small_suite: Suite) -> GradingOrder:
    """The order of a driver with the same files."""
    toolchain = find_toolchain(small_suite.root)
    return write_order(small_suite, toolchain, "embedded", "bwrap", is_local=True)


@pytest.fixture(autouse=True)
def _without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in find_key_variables():
        monkeypatch.delenv(name)


def find_refusal(order: GradingOrder) -> str | None:
    """Return why this process does not grade under an order."""
    grader = WorkerGrader(order, 1, "tls://127.0.0.1:1")
    grader.close()
    return grader.refusal


def test_a_worker_without_the_suite_refuses(order: GradingOrder) -> None:
    """No grader is opened, and the reason names the folder."""
    assert "/nowhere" in (find_refusal(order.model_copy(update={"suite_root": "/nowhere"})) or "")


def test_a_key_in_the_environment_is_refused(
    order: GradingOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variable is named, its value is not; Python's fingerprint in containers is no key."""
    monkeypatch.setenv("GPG_KEY", "A035C8C19219BA821ECEA86B64E628F8D684696D")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")
    assert find_refusal(order) == "its environment has OPENAI_API_KEY: start it without keys"


def test_another_jail_than_the_owners_is_refused(
    order: GradingOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A driver cannot have model-written code run outside of the jail that the owner allows."""
    monkeypatch.setenv("LEADERBOARD_SANDBOX", "none")
    assert find_refusal(order) == "its jail is none, not bwrap"
    monkeypatch.setenv("LEADERBOARD_SANDBOX", "chroot")
    assert find_refusal(order) == "LEADERBOARD_SANDBOX=chroot: there is no such jail"


def test_a_toolchain_that_changes_later_is_refused(tmp_path: Path) -> None:
    """A file of the toolchain changes after a verdict: the worker gives no further verdict."""
    suite = write_small_suite(tmp_path / "evals")
    packages = suite.root / "admitted_packages.json"
    text = packages.read_text()
    packages.unlink()
    packages.write_text(text)
    order = write_order(suite, find_toolchain(suite.root), "embedded", "bwrap", is_local=True)
    grader = WorkerGrader(order, 1, "tls://127.0.0.1:1")
    try:
        prose = SentSubmission(
            eval=suite.evals[0].name, selection=ALL_TESTS, reply="Prose.", files=None
        )
        message = prose.model_dump_json().encode()
        assert grader.grade(message).result is not None
        packages.write_text('["left-pad"]\n')
        verdict = grader.grade(message)
        assert verdict.result is None
        assert verdict.refusal == "its toolchain has changed since it started"
    finally:
        grader.close()

"""A cluster on this machine: a scheduler and worker processes that live as long as the driver."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Generator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Literal

from distributed import Security

import runner
from runner.cluster.certificates import write_certificates
from runner.cluster.worker import SANDBOX
from runner.errors import ClusterBrokenError
from runner.jail import Kind
from runner.jail.folders import hold
from runner.jail.kernel.cgroups import list_left_over_groups, remove_left_over
from runner.jail.process import WATCH
from runner.models.api_keys import find_key_variables

_START_S = 60.0
_STOP_S = 10.0
_TICK_S = 0.05
_GROUPS_S = 2.0
"""The longest wait for the kernel to count no process in the groups of ended workers."""
_LOG_LINES = 5
_MOST_STARTS = 5
"""Times within a minute that a process is started again; one that goes on ending has a fault."""
_MINUTE_S = 60.0

_Command = Literal["scheduler", "worker"]


class LocalCluster:
    """The two processes of Dask's commands; the second one starts the workers."""

    def __init__(self, folder: Path, processes: int, environment: Mapping[str, str]) -> None:
        """Start a scheduler and ``processes`` workers whose files are in ``folder``."""
        self.folder = folder
        self._address_file = folder / "scheduler.json"
        self._environment = environment
        self._processes = processes
        self._restarts = deque[float](maxlen=_MOST_STARTS)
        self._running: dict[_Command, subprocess.Popen[bytes]] = {}
        with ExitStack() as stack:
            stack.callback(self.close)
            self._start(
                "scheduler", *_SCHEDULER, "--port", "0", "--scheduler-file", str(self._address_file)
            )
            self.address = self._wait_for_address()
            self._start_workers()
            stack.pop_all()

    def keep_alive(self) -> None:
        """Start the scheduler or the workers again if they ended.

        Raises:
            ClusterBrokenError: they end again and again.
        """
        if self._has_ended("scheduler"):
            port = self.address.rpartition(":")[2]
            self._start("scheduler", *_SCHEDULER, "--port", port)
        if self._has_ended("worker"):
            self._start_workers()

    def close(self) -> None:
        """End all processes, the workers first, and remove the groups of the workers' jails."""
        processes = list(reversed(self._running.values()))
        for process in processes:
            process.terminate()
        for process in processes:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_STOP_S)
            process.kill()
            process.wait()
        # Dask kills workers, so that `leaderboard check` would tell of killed runners.
        deadline = time.monotonic() + _GROUPS_S
        while list_left_over_groups() and time.monotonic() < deadline:
            remove_left_over()
            time.sleep(_TICK_S)

    def _has_ended(self, command: _Command) -> bool:
        """Return true if a process ended and is to be started again.

        Raises:
            ClusterBrokenError: it was started again too often.
        """
        if self._running[command].poll() is None:
            return False
        now = time.monotonic()
        if len(self._restarts) == _MOST_STARTS and now - self._restarts[0] < _MINUTE_S:
            raise ClusterBrokenError(
                f"the {command} of this machine ends again and again: {self._read_log(command)}"
            )
        self._restarts.append(now)
        return True

    def _start_workers(self) -> None:
        local = ("--local-directory", str(self.folder), "--name", "local")
        number = ("--nworkers", str(self._processes), "--nthreads", "1")
        self._start("worker", self.address, *number, *_WORKER, *local)

    def _start(self, command: _Command, *arguments: str) -> None:
        program = (sys.executable, "-m", "runner.cluster.tied_process", str(os.getpid()))

        def start() -> "subprocess.Popen[bytes]":
            with (self.folder / f"{command}.log").open("ab") as log:
                # A session of its own: Ctrl-C is for the driver, which lets gradings end.
                return subprocess.Popen(
                    (*program, command, *arguments),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    env=self._environment,
                    start_new_session=True,
                )

        try:
            # Processes die with the thread that starts them, and callers' threads end earlier.
            self._running[command] = WATCH.spawn(start)
        except OSError as error:
            raise ClusterBrokenError(f"the {command} did not start: {error.strerror}") from error

    def _wait_for_address(self) -> str:
        """Return the address of the scheduler once it listens.

        Raises:
            ClusterBrokenError: it ended, or does not listen in time.
        """
        ends_at = time.monotonic() + _START_S
        while time.monotonic() < ends_at and self._running["scheduler"].poll() is None:
            # The file may be half written.
            with suppress(FileNotFoundError, json.JSONDecodeError):
                return str(json.loads(self._address_file.read_text("utf-8"))["address"])
            time.sleep(_TICK_S)
        raise ClusterBrokenError(f"the scheduler did not start: {self._read_log('scheduler')}")

    def _read_log(self, command: _Command) -> str:
        """Return the last lines of a process, in one line."""
        try:
            log = (self.folder / f"{command}.log").read_text("utf-8", errors="replace")
        except OSError as error:
            return f"its log cannot be read: {error.strerror}"
        return " / ".join(log.splitlines()[-_LOG_LINES:])


_LOOPBACK = ("--host", "127.0.0.1", "--protocol", "tls")
_NO_PAGES = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0")
_NO_ROUTES = {f"DASK_DISTRIBUTED__{role}__HTTP__ROUTES": "[]" for role in ("SCHEDULER", "WORKER")}
"""Settings by which the ports for pages, which Dask opens anyway, answer 404 to everything.

The pages ask for no certificate, so every user of this machine could read them.
"""

_SCHEDULER = (*_LOOPBACK, *_NO_PAGES)
_WORKER = (*_LOOPBACK, *_NO_PAGES, "--memory-limit", "0")


@contextmanager
def open_local_cluster(
    processes: int, sandbox: Kind, workspaces: Path | None
) -> Generator[tuple[LocalCluster, Security]]:
    """Start a local cluster; yield it with its certificates.

    ``workspaces`` is where its workers make the folders of attempts.

    Raises:
        ClusterBrokenError: it does not start.
    """
    held = hold("cluster", Path(tempfile.gettempdir()))
    try:
        settings = held.path / "settings.yaml"
        security = write_certificates(settings)
        # Without keys, and with the settings of the cluster.
        keys = frozenset(find_key_variables())
        environment = {name: value for name, value in os.environ.items() if name not in keys}
        if workspaces is not None:
            environment["OUTPUT_TEMPDIR"] = str(workspaces.absolute())
        environment |= {
            "PYTHONPATH": str(Path(runner.__file__).parents[1]),
            "DASK_CONFIG": str(settings),
            SANDBOX: sandbox,
            **_NO_ROUTES,
        }
        with closing(LocalCluster(held.path, processes, environment)) as cluster:
            yield cluster, security
    finally:
        held.remove()

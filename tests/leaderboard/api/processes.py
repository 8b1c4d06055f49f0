"""The API as a process of its own, as it is deployed; after a kill it comes back at its port."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

import httpx
import uvicorn

from tests.leaderboard.commanding import PATIENCE_S
from tests.support.warm_command import ROOT, WarmCommand, make_command_environment

_HTTP = ("--http", "leaderboard.request_guards:TimedHeadersProtocol")
_UVICORN = (
    "--factory",
    "leaderboard.api.app:deployed",
    *_HTTP,
    "--log-level",
    "warning",
    "--port",
)


class ServerProcess:
    """A server that can be away; a context manager that ends it."""

    def __init__(self, data: Path, *, true_process: str | None = None) -> None:
        """Serve the data folder once it is started, always at the same port.

        ``true_process`` is the reason for a true process in place of a warm child.
        """
        self._data = data
        self._is_true_process = true_process is not None
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | WarmCommand | None = None

    @property
    def address(self) -> str:
        """The address of the running server."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start it, and return once it answers."""
        arguments = (*_UVICORN, str(self.port))
        env = make_command_environment(LEADERBOARD_DATA=str(self._data))
        self._process = (
            subprocess.Popen([sys.executable, "-m", "uvicorn", *arguments], cwd=ROOT, env=env)
            if self._is_true_process
            else WarmCommand(arguments, env=env, before=f"{__name__}:serve_as_uvicorn")
        )
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                httpx.get(f"{self.address}/openapi.json", timeout=PATIENCE_S).raise_for_status()
            except httpx.TransportError:
                assert self._process.poll() is None, "the server ended by itself"
                assert time.monotonic() < until, "the server does not answer"
                time.sleep(0.05)
            else:
                return

    def kill(self) -> None:
        """Kill it as a power cut would do."""
        if self._process is not None:
            os.kill(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None


def serve_as_uvicorn() -> None:
    """Be the program uvicorn, in a child of `tests.support.warm_command`."""
    uvicorn.main(sys.argv[1:], prog_name="uvicorn")

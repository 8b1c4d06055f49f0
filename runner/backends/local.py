"""The real backend: Convex's own `convex-local-backend` binary, deployed to with `npx convex`.

The binary runs model code in its own isolates, and functions with "use node" in a Node process
without a jail: use this backend only for machines and answers that you trust.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import httpx

from runner.backends.backend import Address, Deployment, Names
from runner.backends.codegen import write_generated
from runner.errors import (
    BackendBrokenError,
    BackendUnsupportedError,
    DeployFailedError,
    ToolchainMissingError,
)
from runner.jail.watch import WATCH
from runner.toolchain import Toolchain
from runner.workspace import Workspace

BINARY_VARIABLE: Final = "CONVEX_LOCAL_BACKEND"
RELEASES: Final = "https://github.com/get-convex/convex-backend/releases"

_NAME: Final = "convex-leaderboard"
_START_S: Final = 20.0
_STOP_S: Final = 5.0
_TAIL: Final = 4000


class LocalBackend:
    """Starts a new process of the binary for each answer."""

    def __init__(self, toolchain: Toolchain) -> None:
        """Find the binary.

        Raises:
            ToolchainMissingError: the binary is missing; the message explains how to install it.
        """
        self._toolchain = toolchain
        self._binary = find_binary()

    def deploy(
        self, workspace: Workspace, wall_s: float, names: Names | None = None
    ) -> "LocalDeployment":
        """Deploy as `Backend.deploy`; raises BackendUnsupportedError if ``names`` are given."""
        if names is not None:
            raise BackendUnsupportedError(
                "graders in TypeScript need the embedded backend: use `--backend embedded`"
            )
        write_generated(workspace.project)
        packages = workspace.project / "node_modules"
        if not packages.exists():
            packages.symlink_to(self._toolchain.node_modules)
        secret = secrets.token_hex(32)
        port, site_port = _find_free_port(), _find_free_port()
        address = Address(
            origin=f"http://127.0.0.1:{port}",
            site_origin=f"http://127.0.0.1:{site_port}",
            socket=None,
            admin_key=self._make_admin_key(secret),
        )
        process = self._start(workspace, address, secret, port, site_port)
        deployment = LocalDeployment(process, replace(address, pids=(process.pid,)))
        try:
            _await_answer(process, address)
            self._push(workspace, address, wall_s)
        except BaseException:
            deployment.close()
            raise
        return deployment

    def _make_admin_key(self, secret: str) -> str:
        """Return the admin key that the binary makes for an instance's secret."""
        keygen = subprocess.run(
            [
                *(self._binary, "keygen", "admin-key"),
                *("--instance-name", _NAME, "--instance-secret", secret),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if keygen.returncode != 0:
            raise BackendBrokenError(f"{self._binary} keygen failed: {keygen.stderr[-_TAIL:]}")
        return keygen.stdout.strip()

    def _start(
        self, workspace: Workspace, address: Address, secret: str, port: int, site_port: int
    ) -> "subprocess.Popen[bytes]":
        storage = workspace.scratch / "storage"
        options = {
            "--instance-name": _NAME,
            "--instance-secret": secret,
            "--interface": "127.0.0.1",
            "--port": str(port),
            "--site-proxy-port": str(site_port),
            "--convex-origin": address.origin,
            "--convex-site": address.site_origin,
            "--local-storage": str(storage),
        }
        log = (workspace.scratch / "backend.log").open("wb")
        with log:
            # On the thread that stays, because the backend dies with the thread that started it.
            return WATCH.spawn(
                lambda: subprocess.Popen(
                    [
                        *_find_death_signal_command(),
                        self._binary,
                        *(part for option in options.items() for part in option),
                        *("--disable-beacon", str(workspace.scratch / "backend.sqlite3")),
                    ],
                    cwd=workspace.scratch,
                    env={"PATH": os.environ.get("PATH", ""), "HOME": str(workspace.scratch)},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )

    def _push(self, workspace: Workspace, address: Address, wall_s: float) -> None:
        command = [
            str(self._toolchain.node),
            str(self._toolchain.node_modules / "convex" / "bin" / "main.js"),
            *("dev", "--once", "--typecheck", "disable", "--codegen", "disable"),
            *("--url", address.origin, "--admin-key", address.admin_key),
        ]
        try:
            pushed = subprocess.run(
                command,
                cwd=workspace.project,
                env={"PATH": os.environ.get("PATH", ""), "HOME": str(workspace.scratch)},
                capture_output=True,
                text=True,
                timeout=wall_s,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise DeployFailedError(f"the deploy did not end within {wall_s:g} s") from error
        if pushed.returncode != 0:
            raise DeployFailedError((pushed.stderr or pushed.stdout)[-_TAIL:].strip())


class LocalDeployment(Deployment):
    """A running deployment."""

    def __init__(self, process: "subprocess.Popen[bytes]", address: Address) -> None:
        """Take over the process of the backend."""
        super().__init__(address)
        self._process = process

    def describe_end(self) -> str | None:
        """Return how the process ended by itself; None while it runs."""
        code = self._process.poll()
        return None if code is None else f"ended with exit code {code}"

    def was_killed(self) -> bool:
        """Return true if SIGKILL ended the process; false while it runs."""
        return self._process.poll() == -signal.SIGKILL

    def close(self) -> None:
        """End the process by SIGTERM, then by SIGKILL if it still runs."""
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def find_binary() -> str:
    """Return the path of the binary that CONVEX_LOCAL_BACKEND names, else of the one on PATH.

    Raises:
        ToolchainMissingError: the variable names no file, or neither has a binary.
    """
    configured = os.environ.get(BINARY_VARIABLE)
    if configured and Path(configured).is_file():
        return configured
    if configured:
        raise ToolchainMissingError(f"{BINARY_VARIABLE} names {configured}, which is not a file")
    binary = shutil.which("convex-local-backend")
    if binary is None:
        raise ToolchainMissingError(
            f"--backend local needs Convex's own backend: download convex-local-backend from "
            f"{RELEASES} and set {BINARY_VARIABLE} to its path"
        )
    return binary


def _find_death_signal_command() -> Sequence[str]:
    """Return the program that has the kernel end the backend with a killed grader, if it is here.

    It becomes the backend, so the process id stays.
    """
    return ("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") else ()


def _find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await_answer(process: "subprocess.Popen[bytes]", address: Address) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise BackendBrokenError(f"convex-local-backend ended at once: {process.returncode}")
        try:
            if httpx.get(f"{address.origin}/version", trust_env=False).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise BackendBrokenError(f"convex-local-backend did not answer within {_START_S:g} s")

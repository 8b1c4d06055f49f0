"""The real backend: Convex's own `convex-local-backend` binary, deployed to with `npx convex`.

The binary runs model code in its own isolates, and functions with "use node" in a Node process
without a jail: use this backend only for machines and answers that you trust.
"""

import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingUnixStreamServer
from typing import NamedTuple

import httpx

from runner.backends.backend import Address, Deployment
from runner.backends.codegen import write_generated
from runner.errors import BackendBrokenError, DeployFailedError, ToolchainMissingError
from runner.jail.process import WATCH
from runner.toolchain import Toolchain
from runner.workspace import Workspace

_CHUNK = 1 << 16


class PortRelay:
    """A relay to a port on the loopback of this machine, until it is closed."""

    def __init__(self, port: int) -> None:
        """Listen at a new socket, whose path is short as paths of sockets must be."""
        self._folder = Path(tempfile.mkdtemp(prefix="relay-"))
        self._folder.chmod(0o755)
        self.path = self._folder / "port.sock"

        class RelayedConnection(BaseRequestHandler):
            def handle(self) -> None:
                with suppress(OSError), socket.create_connection(("127.0.0.1", port)) as to_port:
                    back = threading.Thread(
                        target=_pass_on, args=(to_port, self.request), daemon=True
                    )
                    back.start()
                    _pass_on(self.request, to_port)
                    back.join()

        self._server = ThreadingUnixStreamServer(str(self.path), RelayedConnection)
        self._server.daemon_threads, self._server.block_on_close = True, False
        # In a jail the user id is not ours.
        self.path.chmod(0o777)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Accept no further connection, and remove the socket."""
        self._server.shutdown()
        self._server.server_close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    """Send all bytes of one connection to the other, and end it as the first one ends."""
    with suppress(OSError):
        while chunk := source.recv(_CHUNK):
            target.sendall(chunk)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


BINARY_VARIABLE = "CONVEX_LOCAL_BACKEND"
RELEASES = "https://github.com/get-convex/convex-backend/releases"

_NAME = "convex-leaderboard"
_START_S = 20.0
_PUSH_S = 120.0
"""The least time limit of a deploy: a backend that is late is not the answer's fault."""
_REFUSAL = re.compile(
    r"\b400 Bad Request\b|\[ERROR\]|Schema validation failed|add `convex` to your package.json"
)
"""A finding about the project: of the backend, of esbuild, and of the schema."""
_READY = "Convex functions ready!"
"""The command line's last words after a deploy. It ends with 0 after errors that it does not
repeat, too, such as a refused key, so the exit code alone proves no deploy."""
_STOP_S = 5.0
_TAIL = 4000


class _Instance(NamedTuple):
    """The name and the secret of a backend, by which its admin keys are made."""

    name: str
    secret: str


_DEVELOPMENT = _Instance(
    "carnitas", "4361726e697461732c206c69746572616c6c79206d65616e696e6720226c6974"
)
"""Convex's public instance for development; the keys in the kits of suites are made for it."""


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
        self, workspace: Workspace, wall_s: float, names: Address | None = None
    ) -> "LocalDeployment":
        """Deploy as `Backend.deploy`."""
        write_generated(workspace.project)
        packages = workspace.project / "node_modules"
        if not packages.exists():
            packages.symlink_to(self._toolchain.node_modules)
        ports = _find_free_port(), _find_free_port()
        origin, site_origin = (f"http://127.0.0.1:{port}" for port in ports)
        address = names or Address(origin, site_origin, None, "")
        instance = _DEVELOPMENT
        if not address.is_key_of_suite:
            instance = _Instance(_NAME, secrets.token_hex(32))
            command = (
                *(self._binary, "keygen", "admin-key"),
                *("--instance-name", instance.name, "--instance-secret", instance.secret),
            )
            keygen = subprocess.run(command, capture_output=True, text=True, check=False)
            if keygen.returncode != 0:
                raise BackendBrokenError(f"{self._binary} keygen failed: {keygen.stderr[-_TAIL:]}")
            address = address._replace(admin_key=keygen.stdout.strip())
        process = self._start(workspace, address, instance, ports)
        deployment = LocalDeployment(process, address._replace(pids=(process.pid,)))
        try:
            _await_answer(process, ports[0])
            self._push(workspace, deployment, ports[0], max(wall_s, _PUSH_S))
            if names is not None:
                deployment.open_relays(*ports)
        except BaseException:
            deployment.close()
            raise
        return deployment

    def _start(
        self,
        workspace: Workspace,
        address: Address,
        instance: "_Instance",
        ports: tuple[int, int],
    ) -> "subprocess.Popen[bytes]":
        storage = workspace.scratch / "storage"
        options = {
            "--instance-name": instance.name,
            "--instance-secret": instance.secret,
            "--interface": "127.0.0.1",
            "--port": str(ports[0]),
            "--site-proxy-port": str(ports[1]),
            "--convex-origin": address.origin,
            "--convex-site": address.site_origin,
            "--local-storage": str(storage),
        }
        # The kernel ends the backend with a killed grader. setpriv becomes the backend, so the
        # process id stays.
        tied = ("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") else ()
        with (workspace.scratch / "backend.log").open("wb") as log:
            # On the thread that stays, because the backend dies with the thread that started it.
            return WATCH.spawn(
                lambda: subprocess.Popen(
                    [
                        *tied,
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

    def _push(
        self, workspace: Workspace, deployment: "LocalDeployment", port: int, wall_s: float
    ) -> None:
        """Deploy by Convex's command line.

        Raises DeployFailedError if the command line or the backend refuses the project, and
        BackendBrokenError for each other end.
        """
        origin = f"http://127.0.0.1:{port}"
        command = [
            *(str(self._toolchain.node), "--disable-sigusr1"),
            str(self._toolchain.node_modules / "convex" / "bin" / "main.js"),
            *("dev", "--once", "--typecheck", "disable", "--codegen", "disable"),
            *("--url", origin, "--admin-key", deployment.address.admin_key),
        ]
        try:
            pushed = subprocess.run(
                command,
                cwd=workspace.project,
                # With CI the command line sends no report of an error to its makers.
                env={
                    "PATH": os.environ.get("PATH", ""),
                    "HOME": str(workspace.scratch),
                    "CI": "1",
                },
                capture_output=True,
                text=True,
                timeout=wall_s,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise BackendBrokenError(f"the deploy did not end within {wall_s:g} s") from error
        if pushed.returncode == 0 and _READY in pushed.stderr:
            return
        output = (pushed.stderr or pushed.stdout)[-_TAIL:].strip()
        if deployment.describe_end() is None and _REFUSAL.search(output):
            raise DeployFailedError(output)
        raise BackendBrokenError(f"the deploy failed: {output}")


class LocalDeployment(Deployment):
    """A running deployment."""

    def __init__(self, process: "subprocess.Popen[bytes]", address: Address) -> None:
        """Take over the process of the backend."""
        super().__init__(address)
        self._process = process
        self._relays: list[PortRelay] = []

    def open_relays(self, port: int, site_port: int) -> None:
        """Open Unix sockets by which a jail without network reaches the two ports."""
        for number in (port, site_port):
            self._relays.append(PortRelay(number))
        first, second = self._relays
        self.address = self.address._replace(socket=first.path, site_socket=second.path)

    def describe_end(self) -> str | None:
        """Return how the process ended by itself; None while it runs."""
        code = self._process.poll()
        return None if code is None else f"ended with exit code {code}"

    def was_killed(self) -> bool:
        """Return true if SIGKILL ended the process; false while it runs."""
        return self._process.poll() == -signal.SIGKILL

    def close(self) -> None:
        """End the process by SIGTERM, then by SIGKILL if it still runs."""
        while self._relays:
            self._relays.pop().close()
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


def _find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await_answer(process: "subprocess.Popen[bytes]", port: int) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise BackendBrokenError(f"convex-local-backend ended at once: {process.returncode}")
        try:
            if httpx.get(f"http://127.0.0.1:{port}/version", trust_env=False).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise BackendBrokenError(f"convex-local-backend did not answer within {_START_S:g} s")

"""The embedded backend: a jailed Node process that serves one answer over a Unix socket."""

import json
import secrets
import time
from types import TracebackType
from typing import Final, Self

from runner.backends.base import Address, BackendKind
from runner.backends.codegen import write_generated
from runner.errors import (
    BackendBrokenError,
    BackendUnsupportedError,
    DeployFailedError,
    JailEndedError,
)
from runner.jail import (
    PROJECT,
    SCRATCH,
    Bind,
    Jail,
    JailedProcess,
    JailLimits,
    JailSpec,
)
from runner.programs import start
from runner.toolchain import Toolchain
from runner.workspace import Workspace

_SOCKET: Final = "backend.sock"
_ORIGIN: Final = "http://deployment.convex.test"
_SITE_ORIGIN: Final = "http://deployment.site.convex.test"
_LIMITS: Final = JailLimits(wall_s=600, cpu_s=300, memory_mb=1500)
_REASONS: Final = {
    "wall": "ran longer than is allowed",
    "cpu": "used more processor time than is allowed",
    "memory": "used more memory than is allowed",
    "processes": "started more processes than are allowed",
    "disk": "wrote more than is allowed",
    "output": "printed more than is allowed",
}


class EmbeddedBackend:
    """Deploys to Convex's own emulator, jailed together with the model's code."""

    kind: BackendKind = "embedded"

    def __init__(self, jail: Jail, toolchain: Toolchain, programs: Bind) -> None:
        """Deploy in this jail, with these packages and our programs as they were packed."""
        self._jail = jail
        self._toolchain = toolchain
        self._programs = programs

    def deploy(self, workspace: Workspace, wall_s: float) -> "EmbeddedDeployment":
        """See Backend."""
        write_generated(workspace.project)
        address = Address(
            origin=_ORIGIN,
            site_origin=_SITE_ORIGIN,
            socket=workspace.scratch / _SOCKET,
            admin_key=secrets.token_hex(16),
        )
        token = secrets.token_hex(16)
        process = self._jail.start(self._spec(workspace, address), stdin=True)
        try:
            _await_ready(process, token, wall_s)
        except BaseException:
            process.kill()
            raise
        return EmbeddedDeployment(process, address)

    def _spec(self, workspace: Workspace, address: Address) -> JailSpec:
        options = {
            "--project": PROJECT,
            "--scratch": SCRATCH,
            "--socket": f"{SCRATCH}/{_SOCKET}",
            "--admin-key": address.admin_key,
            "--origin": address.origin,
            "--site-origin": address.site_origin,
        }
        return JailSpec(
            command=(
                *start("server.cjs"),
                *(part for option in options.items() for part in option),
            ),
            binds=(
                *self._toolchain.binds(),
                self._programs,
                *workspace.binds(),
            ),
            limits=_LIMITS,
        )


class EmbeddedDeployment:
    """A deployment that runs; a context manager."""

    def __init__(self, process: JailedProcess, address: Address) -> None:
        """Hold the process that serves it."""
        self._process = process
        self._address = address

    @property
    def address(self) -> Address:
        """Where it answers."""
        return self._address

    def ended(self) -> str | None:
        """Say how it ended by itself, or None while it runs."""
        code = self._process.poll()
        return None if code is None else _how(self._process, code)

    def was_killed(self) -> bool:
        """See Deployment."""
        return self._process.killed_by_stranger

    def close(self) -> None:
        """End it."""
        self._process.kill()

    def __enter__(self) -> Self:
        """Use it until the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it."""
        self.close()


def _await_ready(process: JailedProcess, token: str, wall_s: float) -> None:
    deadline = time.monotonic() + wall_s
    try:
        process.send(f"{token}\n".encode())
        process.stdin.close()
        line = _line_of_ours(process, token.encode(), deadline)
    except TimeoutError as error:
        raise DeployFailedError(
            f"the deploy did not end within {wall_s:g} s: a module never finishes loading"
        ) from error
    except JailEndedError as error:
        raise _ended(process) from error
    _raise_if_failed(line)


def _ended(process: JailedProcess) -> DeployFailedError | BackendBrokenError:
    """Say how a deploy came to its end without a word of ours."""
    code = process.poll()
    if code is None:
        return DeployFailedError("the deploy closed its standard output, and went on")
    reason = f"the deploy {_how(process, code)}"
    return BackendBrokenError(reason) if process.killed_by_stranger else DeployFailedError(reason)


def _line_of_ours(process: JailedProcess, token: bytes, deadline: float) -> bytes:
    """Read on to the line that begins with the token: others were printed by modules that load."""
    while True:
        line = process.read_line(max(deadline - time.monotonic(), 0))
        if line.startswith(token):
            return line.removeprefix(token)


def _raise_if_failed(line: bytes) -> None:
    try:
        message: object = json.loads(line)
    except (ValueError, RecursionError):
        message = None
    match message:
        case {"ready": {}}:
            return
        case {"failed": {"kind": "deploy", "message": str(reason)}}:
            raise DeployFailedError(reason)
        case {"failed": {"kind": "unsupported", "message": str(reason)}}:
            raise BackendUnsupportedError(f"the embedded backend does not do this: {reason}")
        case {"failed": {"kind": "internal", "message": str(reason)}}:
            raise BackendBrokenError(f"the embedded backend failed: {reason}")
        case _:
            # Modules run beside the backend while they load, and may find its token.
            raise DeployFailedError("a module said something else in the backend's place")


def _how(process: JailedProcess, code: int) -> str:
    if process.killed is not None:
        return _REASONS[process.killed]
    said = process.stderr().decode("utf-8", "replace").strip().splitlines()
    tail = f": {said[-1][:500]}" if said else ""
    return f"ended with exit code {code}{tail}"

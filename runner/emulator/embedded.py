"""The embedded backend: a jailed Node process that serves an answer over a Unix socket."""

import json
import secrets
from pathlib import Path

from runner.backends.backend import Address, Deployment
from runner.backends.codegen import write_generated
from runner.errors import BackendBrokenError, DeployFailedError, JailEndedError
from runner.jail import Bind, Jail, JailedProcess, JailSpec, limits, paths
from runner.jail.deadlines import Deadline, ProcessorWaits, read_marked_line
from runner.jail.folders import make_shared_folder
from runner.jail.kernel.processes import Processors
from runner.toolchain import MAKING, Toolchain, find_programs
from runner.workspace import Workspace

_SOCKET = "backend.sock"
FIXTURES = "fixtures"
"""The folder below scratch with the socket to a grader's own servers."""
_LINK = "link"
_LINK_SOCKET = "code.sock"
_LINKED = "/link"
_END_S = 5.0
_CODE_GONE = 3
"""The backend's exit code when the process with the model's code has ended."""
_ORIGIN = "http://deployment.convex.test"
_SITE_ORIGIN = "http://deployment.site.convex.test"
_REASONS = {
    "wall": "ran longer than is allowed",
    "cpu": "used more processor time than is allowed",
    "memory": "used more memory than is allowed",
    "processes": "started more processes than are allowed",
    "disk": "wrote more than is allowed",
    "output": "printed more than is allowed",
}
PROGRAMS = f"{paths.HARNESS}/programs"
"""The folder of the packed programs in a jail."""


class EmbeddedBackend:
    """Deploys to our Convex emulator in a jail; the model's code runs in a second jail.

    The two processes exchange messages over a socket that no other program can reach.
    """

    def __init__(self, jail: Jail, toolchain: Toolchain, programs: Bind) -> None:
        """Prepare to deploy; ``programs`` is the bind of our packed programs."""
        self._jail = jail
        self._toolchain = toolchain
        self._programs = programs
        self._processors = Processors()

    def deploy(
        self, workspace: Workspace, wall_s: float, names: Address | None = None
    ) -> "EmbeddedDeployment":
        """Deploy as `Backend.deploy`."""
        for project in (workspace.project, *workspace.list_apps()):
            write_generated(project)
        names = names or Address(_ORIGIN, _SITE_ORIGIN, None, secrets.token_hex(16))
        address = names._replace(socket=workspace.scratch / _SOCKET)
        token = secrets.token_hex(16)
        make_shared_folder(workspace.scratch / _LINK)  # a jail makes the socket in it
        options = {
            "--project": paths.PROJECT,
            **({"--apps": paths.APPS} if workspace.list_apps() else {}),
            "--scratch": paths.SCRATCH,
            "--socket": f"{paths.SCRATCH}/{_SOCKET}",
            "--link": f"{paths.SCRATCH}/{_LINK}/{_LINK_SOCKET}",
            "--origin": address.origin,
            "--site-origin": address.site_origin,
            "--fixtures": f"{paths.SCRATCH}/{FIXTURES}/relay.sock",
        }
        binds = (*self._toolchain.list_binds(), self._programs)
        serving = JailSpec(
            command=(
                *begin_command("server.cjs"),
                *(part for option in options.items() for part in option),
            ),
            binds=(*binds, *workspace.list_binds()),
            limits=limits.EMULATOR,
        )
        process = self._jail.start(serving, stdin=True)
        try:
            # The jail of the model's code has no files of the project and no data.
            code = self._jail.start(
                JailSpec(
                    command=(*begin_command("inside.cjs"), "--link", f"{_LINKED}/{_LINK_SOCKET}"),
                    binds=(*binds, Bind(workspace.scratch / _LINK, _LINKED)),
                    limits=limits.EMULATOR,
                )
            )
        except BaseException:
            process.kill()
            raise
        address = address._replace(pids=(process.pid, code.pid))
        deployment = EmbeddedDeployment(process, code, address, self._processors)
        try:
            deployment.await_ready(token, wall_s)
        except BaseException:
            deployment.close()
            raise
        return deployment


class EmbeddedDeployment(Deployment):
    """A running deployment."""

    def __init__(
        self,
        process: JailedProcess,
        code: JailedProcess,
        address: Address,
        processors: Processors,
    ) -> None:
        """Take over the process of the backend and the process of the model's code."""
        super().__init__(address)
        self._process = process
        self._code = code
        self._processors = processors
        self._processor: int | None = None

    def describe_end(self) -> str | None:
        """Return how the deployment ended by itself; None while it runs."""
        if self._code.poll() is None and self._process.poll() is None:
            return None
        return self._await_end()

    def await_ready(self, token: str, wall_s: float) -> None:
        """Wait at most ``wall_s`` seconds until the project is deployed.

        Then both processes move to the same processor.

        The backend repeats ``token`` at the beginning of its report, so that no other printed line
        counts as the report. Raises DeployFailedError or another error of `Backend.deploy`.
        """
        deadline = Deadline(wall_s, ProcessorWaits(self._code.pid, trusted=(self._process.pid,)))
        try:
            # The key goes to standard input: every user of this machine can read a command line.
            self._process.send(f"{token}\n{self.address.admin_key}\n".encode())
            self._process.stdin.close()
            line = read_marked_line(self._process, token, deadline)
        except TimeoutError as error:
            raise DeployFailedError(
                f"the deploy did not end within {wall_s:g} s: a module never finishes loading"
            ) from error
        except JailEndedError as error:
            reason = f"the deploy {self._await_end()}"
            kind = BackendBrokenError if self.was_killed() else DeployFailedError
            raise kind(reason) from error
        try:
            message: object = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        match message:
            case {"ready": {}}:
                # After the deploy both processes work in turns.
                self._processor = self._processors.take(*self.address.pids)
            case {"failed": {"kind": "deploy", "message": str(reason)}}:
                raise DeployFailedError(reason)
            case {"failed": {"kind": "internal", "message": str(reason)}}:
                raise BackendBrokenError(f"the embedded backend failed: {reason}")
            case _:
                raise BackendBrokenError("the embedded backend sent a report of an unknown form")

    def _await_end(self) -> str:
        """Describe the end of the backend, or of the process with the model's code if it was first.

        The description continues a sentence, such as "ended with exit code 1".
        """
        try:
            if (status := self._process.wait(_END_S)) != _CODE_GONE:
                return _describe_process_end(self._process, status)
            return _describe_process_end(self._code, self._code.wait(_END_S))
        except TimeoutError:
            return "lost the process that runs its functions, which went on without it"

    def was_killed(self) -> bool:
        """Return true if a SIGKILL that we did not send ended one of the processes."""
        return self._process.killed_by_stranger or self._code.killed_by_stranger

    def close(self) -> None:
        """Kill both processes and give their processor back."""
        self._process.kill()
        self._code.kill()
        self._processors.give_back(self._processor)
        self._processor = None


def _describe_process_end(process: JailedProcess, code: int) -> str:
    if process.killed is not None:
        return _REASONS[process.killed]
    lines = process.get_stderr().decode("utf-8", "replace").strip().splitlines()
    tail = f": {lines[-1][:500]}" if lines else ""
    return f"ended with exit code {code}{tail}"


def prepare_programs(jail: Jail, toolchain: Toolchain) -> Bind:
    """Return a bind of the folder of the packed programs; pack them if the folder is missing.

    Raises:
        ToolchainBrokenError: the programs cannot be packed.
    """
    making = JailSpec(
        command=(*paths.RUN_NODE, f"{paths.HARNESS}/emulator/pack.mjs", MAKING),
        binds=(*toolchain.list_binds(), toolchain.make_harness_bind("emulator")),
    )
    versions = tuple(toolchain.get_versions().items())
    return Bind(find_programs(jail, "programs", making, Path(__file__).parent, versions), PROGRAMS)


def begin_command(program: str) -> tuple[str, ...]:
    """Return the beginning of a command that runs a packed program."""
    # No option of V8 is set: Node has its own modules compiled for a V8 without options, and with
    # an option each process would compile them again, which takes 20 to 40 ms.
    return *paths.RUN_NODE, "--no-warnings", f"{PROGRAMS}/{program}"

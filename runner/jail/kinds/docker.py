"""Docker jails, for machines without bubblewrap whose packages are those of Linux."""

import itertools
import os
import shutil
import subprocess

from runner.errors import SandboxUnavailableError
from runner.jail.process import Jail, JailedProcess
from runner.jail.spec import NODE, JailSpec, Kind, Launch

IMAGE = "node:24-bookworm-slim"
_NOBODY = "65534:65534"
_ANSWER_S = 20
_numbers = itertools.count()


class DockerJail(Jail):
    """Runs each program in a container of its own."""

    name: Kind = "docker"

    def start(self, spec: JailSpec, *, stdin: bool = False) -> JailedProcess:
        """Start a program and return at once."""
        return JailedProcess(_launch(spec), stdin=stdin)


def open_docker() -> DockerJail:
    """Return a jail if Docker's engine answers. Raises SandboxUnavailableError with the remedy."""
    if shutil.which("docker") is None:
        raise SandboxUnavailableError(
            "the command `docker` is not installed: install Docker, or use `--sandbox none`"
        )
    try:
        answer = subprocess.run(
            ["docker", "version", "--format", "{{.Server.Version}}"],
            capture_output=True,
            text=True,
            timeout=_ANSWER_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise SandboxUnavailableError(
            f"no Docker engine answered in {_ANSWER_S} s: start it, or use `--sandbox none`"
        ) from None
    if answer.returncode != 0:
        raise SandboxUnavailableError("no Docker engine answers: start it, or use `--sandbox none`")
    return DockerJail()


def _launch(spec: JailSpec) -> Launch:
    name = f"convex-leaderboard-{os.getpid()}-{next(_numbers)}"
    return Launch(
        command=make_docker_command(spec, name),
        cwd=None,
        env=dict(os.environ),  # of the docker client, which finds its engine by it
        limits=spec.limits,
        writable=tuple(bind.source for bind in spec.binds if bind.writable),
        kill=lambda _: _kill(name),
    )


def make_docker_command(spec: JailSpec, name: str) -> tuple[str, ...]:
    """Return the command that runs a program in a container called ``name``."""
    limits = spec.limits
    words = [
        *("docker", "run", "--rm", "--interactive", "--init", "--name", name),
        *("--network", "none"),
        "--read-only",
        *("--memory", f"{limits.memory_mb}m", "--memory-swap", f"{limits.memory_mb}m"),
        *("--pids-limit", str(limits.tasks)),
        *("--ulimit", f"fsize={limits.file_size_mb * 1_000_000}", "--ulimit", "core=0"),
        *("--ulimit", f"data={limits.data_bytes}"),
        *("--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
        *("--user", f"{os.getuid()}:{os.getgid()}" if os.getuid() else _NOBODY),
        *("--hostname", "jail", "--workdir", spec.cwd),
    ]
    if all(bind.target != "/tmp" for bind in spec.binds):  # noqa: S108 - of the jail
        words += ["--tmpfs", f"/tmp:size={limits.disk_mb}m,mode=1777"]  # noqa: S108
    for bind in spec.binds:
        if bind.target != NODE:  # the image has its own Node
            mode = "rw" if bind.writable else "ro"
            words += ["--volume", f"{bind.source}:{bind.target}:{mode}"]
    for key, value in spec.env.items():
        words += ["--env", f"{key}={value}"]
    program, *arguments = spec.command
    return (*words, IMAGE, "node" if program == NODE else program, *arguments)


def _kill(name: str) -> None:
    subprocess.run(["docker", "kill", name], capture_output=True, timeout=_ANSWER_S, check=False)

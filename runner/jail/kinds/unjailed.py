"""Plain processes instead of jails, for maintainers who choose them: models' code can do harm."""

import atexit
import math
import os
import shutil
import signal
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from runner.jail.folders import hold
from runner.jail.kernel import processes
from runner.jail.process import Jail, JailedProcess
from runner.jail.spec import (
    HARNESS,
    NODE_MODULES,
    Bind,
    JailLimits,
    JailSpec,
    Kind,
    Launch,
)


class NoJail(Jail):
    """Runs programs with an almost empty environment, in their own process group, under rlimits.

    Programs see the whole file system, and binds are not mounted. Instead, the path of a bind's
    source replaces its target in the command, the environment and the working folder.
    """

    name: Kind = "none"

    def __init__(self) -> None:
        self._stage = _Stage()

    def start(self, spec: JailSpec, *, stdin: bool = False) -> JailedProcess:
        """Start a program and return at once."""
        return JailedProcess(self._launch(spec), stdin=stdin)

    def _launch(self, spec: JailSpec) -> Launch:
        binds = self._stage.copy_programs(spec.binds)
        path = os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin")
        env = {"PATH": path, "LANG": "C.UTF-8", **spec.env}
        command = [replace_bind_target(word, binds) for word in spec.command]
        return Launch(
            command=("/bin/sh", "-c", _with_rlimits(spec.limits), "jail", *command),
            cwd=replace_bind_target(spec.cwd, binds),
            env={name: replace_bind_target(value, binds) for name, value in env.items()},
            limits=spec.limits,
            writable=tuple(bind.source for bind in spec.binds if bind.writable),
            kill=_kill,
            sweep=_sweep,
        )


def replace_bind_target(word: str, binds: Sequence[Bind]) -> str:
    """Return ``word`` with the source of a bind instead of its target, also after ``name=``."""
    option, equals, value = word.rpartition("=")
    for bind in sorted(binds, key=lambda bind: len(bind.target), reverse=True):
        if value == bind.target or value.startswith(f"{bind.target}/"):
            return option + equals + str(bind.source) + value[len(bind.target) :]
    return word


class _Stage:
    """Copies of our own programs beside a link to the packages that they import.

    Node searches the packages in the folders above a program. In other jails these have
    /node_modules; here only the folder of the copies has it.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None

    def copy_programs(self, binds: Sequence[Bind]) -> list[Bind]:
        """Return the binds, those of our own programs with copies as sources."""
        packages = next((bind.source for bind in binds if bind.target == NODE_MODULES), None)
        return [self._copy_program(bind, packages) for bind in binds]

    def _copy_program(self, bind: Bind, packages: Path | None) -> Bind:
        if packages is None or not bind.target.startswith(f"{HARNESS}/"):
            return bind
        if self._folder is None:
            held = hold("harness", Path(tempfile.gettempdir()))
            atexit.register(held.remove)
            self._folder = held.path
            (self._folder / "node_modules").symlink_to(packages)
        copy = self._folder / bind.target.lstrip("/")
        if not copy.exists():
            shutil.copytree(bind.source, copy, ignore=shutil.ignore_patterns("__pycache__"))
        return Bind(copy, bind.target)


def _with_rlimits(limits: JailLimits) -> str:
    settings = [
        "ulimit -c 0",
        f"ulimit -d {limits.data_bytes // 1024}",
        f"ulimit -f {limits.file_size_mb * 1_000_000 // 512}",
    ]
    if math.isfinite(limits.cpu_s):
        settings.append(f"ulimit -t {math.ceil(limits.cpu_s) + 1}")
    # The number of processes is not set: the kernel would count all processes of this user.
    return "; ".join([*settings, 'exec "$@"'])


def _kill(pid: int) -> None:
    everyone = list(processes.walk_members(pid))
    _sweep(pid)
    processes.kill_each(everyone)


def _sweep(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)

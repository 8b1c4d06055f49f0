"""The shared fixtures of the jail's tests: a jail, and a way to run JavaScript in it."""

import os
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from runner.jail import Bind, Finished, Jail, JailedProcess, JailLimits, JailSpec, open_jail, paths
from runner.toolchain import Toolchain

QUICK = JailLimits(wall_s=20, memory_mb=400, processes=60, file_size_mb=20, disk_mb=50, output_mb=1)


@dataclass(frozen=True)
class Prison:
    """A jail, its bound folders, and a mark that every program in it carries."""

    jail: Jail
    toolchain: Toolchain
    scratch: Path
    mark: str = field(default_factory=lambda: f"mark-{uuid.uuid4().hex}")

    def make_jail_spec(self, command: tuple[str, ...], limits: JailLimits = QUICK) -> JailSpec:
        """Describe a command in this jail."""
        return JailSpec(
            command=command,
            binds=(*self.toolchain.list_binds(), Bind(self.scratch, "/scratch", writable=True)),
            cwd="/scratch",
            env={"MARK": self.mark},
            limits=limits,
        )

    def run_javascript(self, source: str, limits: JailLimits = QUICK) -> Finished:
        """Run a JavaScript program to its end."""
        return self.jail.run(self.make_jail_spec((paths.NODE, "-e", source), limits))

    def run_shell(self, source: str, limits: JailLimits = QUICK) -> Finished:
        """Run a shell program to its end."""
        return self.jail.run(self.make_jail_spec(("/bin/sh", "-c", source), limits))

    def start(self, source: str, *, stdin: bool = False, **changed: float) -> JailedProcess:
        """Start a JavaScript program, and do not wait for its end."""
        limits = replace(QUICK, **changed)  # pyright: ignore[reportArgumentType]
        return self.jail.start(self.make_jail_spec((paths.NODE, "-e", source), limits), stdin=stdin)

    def list_survivors(self) -> list[int]:
        """List the processes of this machine that carry the mark."""
        return [pid for pid in _list_pids() if self.mark.encode() in _read_environment(pid)]


def run_in_child(work: Callable[[], bytes], *, ordinary: bool = False) -> bytes:
    """Return a function's result from a process of its own; ``ordinary`` drops root."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if ordinary and os.geteuid() == 0:
                os.setgroups([])
                os.setgid(54321)
                os.setuid(54321)
            os.write(write_end, work())
        finally:
            os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        result = pipe.read()
    os.waitpid(child, 0)
    return result


def _list_pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _read_environment(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/environ").read_bytes()
    return b""


@pytest.fixture
def prison(jail: Jail, toolchain: Toolchain, tmp_path: Path) -> Prison:
    """Bind an empty folder into the default jail."""
    return Prison(jail, toolchain, _make_scratch(tmp_path))


@pytest.fixture
def open_field(toolchain: Toolchain, tmp_path: Path) -> Prison:
    """Bind an empty folder into the kind of jail without isolation."""
    return Prison(open_jail("none"), toolchain, _make_scratch(tmp_path))


def _make_scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    folder.chmod(0o777)
    return folder

"""vitest processes that stay: each has graders run in turn, and keeps nothing of earlier graders.

Such a process reads and compiles files of two folders, which are filled for a grader and emptied
after it. It runs no code of suites or answers: a grader has a jail of its own, which ends with it.
"""

import json
import os
import secrets
import shutil
import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final, Literal, NoReturn, Self

from pydantic import BaseModel, RootModel

from runner.errors import JailBrokenError
from runner.grading.fixtures.vitest_process import await_ready, read_vitest_report
from runner.grading.steps.vitest_report import VitestReport
from runner.grading.worker.protocol import SelectedTests
from runner.jail import HARNESS, NODE, PROJECT, Bind, Jail, JailedProcess, JailSpec, limits
from runner.jail.folders import hold, remove_tree, temporary_folders
from runner.jail.warm_workers import Warm
from runner.toolchain import Toolchain

SUITE: Final = "/suite"
"""The suite's files, as jails have them."""
_PACKAGES: Final = "node_modules"
_BRIDGE: Final = "/bridge"
_SOCKET: Final = "vitest.sock"
_GRADERS: Final = 100
"""After so many graders a new process takes over: the memory of vitest grows."""
_END_S: Final = 10.0


class _SlotReady(BaseModel):
    taken: Literal[True]


class _Lost(BaseModel):
    lost: Literal[True]


class _SlotReply(RootModel[VitestReport | _Lost]):
    """The last line that comes for a grader."""


class VitestSlot:
    """One vitest in a jail, with the folders that it reads."""

    def __init__(
        self, jail: Jail, toolchain: Toolchain, place: Path | None, packages: Path | None
    ) -> None:
        """Start it; ``packages`` are a suite's own.

        Raises JailBrokenError or JailEndedError where it does not start.
        """
        place = place or temporary_folders()[0]
        place.mkdir(parents=True, exist_ok=True)
        self._held = hold("vitest", place)
        self._token = secrets.token_hex(16)
        self._graders = 0
        self._is_over = False
        for folder in (self.suite, self.project, self._bridge):
            folder.mkdir()
        self._bridge.chmod(0o777)
        # A jail of kind "none" finds packages from where a file stands.
        (self._held.path / _PACKAGES).symlink_to(toolchain.node_modules)
        self._packages = packages
        if packages is not None:
            (self.suite / _PACKAGES).mkdir()
        with ExitStack() as stack:
            stack.callback(self._held.remove)
            self._process = jail.start(self._spec(toolchain), stdin=True)
            stack.callback(self._process.kill)
            with name_timeout("vitest did not start"):
                await_ready(self._process, self._token, limits.VITEST_START_S)
            self._open = stack.pop_all()

    @property
    def suite(self) -> Path:
        """The folder of the suite's files."""
        return self._held.path / "suite"

    @property
    def project(self) -> Path:
        """The folder of the answer's project."""
        return self._held.path / "project"

    @property
    def _bridge(self) -> Path:
        return self._held.path / "bridge"

    @property
    def socket(self) -> Path:
        """The socket at which a grader's process finds vitest."""
        return self._bridge / _SOCKET

    @property
    def pid(self) -> int:
        """The process id, on this machine, of what holds vitest."""
        return self._process.pid

    @property
    def usable(self) -> bool:
        """Whether it may run another grader."""
        return not self._is_over and self._graders < _GRADERS and self._process.poll() is None

    def binds(self) -> tuple[Bind, ...]:
        """Show the two folders, where both jails have them, and the suite's own packages."""
        binds = (Bind(self.suite, SUITE), Bind(self.project, PROJECT))
        if self._packages is None:
            return binds
        return (*binds, Bind(self._packages, f"{SUITE}/{_PACKAGES}"))

    def show_project(self, project: Path) -> None:
        """Put an answer's project into its folder, by links to the same files."""
        shutil.copytree(
            project, self.project, symlinks=True, copy_function=_link, dirs_exist_ok=True
        )

    def ask(self, grader: str, limit_s: float, selection: SelectedTests) -> None:
        """Have vitest run the next grader that connects; ``grader`` is its path in the suite.

        Raises JailEndedError where the process is gone, JailBrokenError where it does not listen.
        """
        self._graders += 1
        self._is_over = True
        request = {"grader": grader, "seconds": limit_s, "only": selection.only}
        line = json.dumps({**request, "with_output": selection.with_output})
        self._process.send(f"{line}\n".encode())
        with name_timeout("vitest took no further grader"):
            read_vitest_report(self._process, self._token, _SlotReady, limits.VITEST_START_S)

    def read_report(self, grader: JailedProcess, limit_s: float) -> VitestReport:
        """Return the report on a grader, given the process in which it runs.

        Raises TimeoutError where none comes in time, JailEndedError where one of the processes
        ended, ValidationError where the line is no report.
        """
        answer = read_vitest_report(self._process, self._token, _SlotReply, limit_s).root
        if isinstance(answer, _Lost):
            _raise_end(grader)
        # A vitest whose grader did not end is not asked again.
        self._is_over = answer.timedOut
        return answer

    def clear(self) -> None:
        """Remove all files of the last grader."""
        for folder in (self.suite, self.project):
            for path in folder.iterdir():
                if path.is_symlink() or not path.is_dir():
                    path.unlink()
                elif path != self.suite / _PACKAGES:
                    remove_tree(path)

    def close(self) -> None:
        """End the process, and remove the folders."""
        self._open.close()

    def _spec(self, toolchain: Toolchain) -> JailSpec:
        return JailSpec(
            command=(
                *(NODE, "--no-warnings", f"{HARNESS}/vitest/serve_graders.mjs"),
                *(f"{_BRIDGE}/{_SOCKET}", SUITE),
            ),
            binds=(
                *toolchain.binds(),
                toolchain.harness("grading/fixtures/vitest"),
                *self.binds(),
                Bind(self._bridge, _BRIDGE, writable=True),
            ),
            cwd=SUITE,
            limits=limits.VITEST,
        )


class VitestSlots:
    """Lends a vitest to each grading; idle ones stay. Safe to use from several threads."""

    def __init__(self, jail: Jail, toolchain: Toolchain, place: Path | None) -> None:
        """Start nothing before a grader asks; folders of graders are made in ``place``."""
        self._start = partial(VitestSlot, jail, toolchain, place)
        self._lock = threading.Lock()
        self._by_packages: dict[Path | None, Warm[VitestSlot]] = {}

    def __enter__(self) -> Self:
        """Return this object; its processes start when first needed."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the processes that are idle; none is lent by now."""
        for slots in self._by_packages.values():
            slots.close()

    @contextmanager
    def lend(self, packages: Path | None) -> Generator[VitestSlot]:
        """Lend a vitest that sees a suite's own packages, or none; it is cleared afterwards.

        Raises what starting one raises.
        """
        with self._lock:
            start = partial(self._start, packages)
            slots = self._by_packages.setdefault(packages, Warm(start, wait_s=0))
        with slots.lend() as slot:
            yield slot
            slot.clear()


@contextmanager
def name_timeout(problem: str) -> Generator[None]:
    """Raise a TimeoutError of a start as a JailBrokenError that names the problem."""
    try:
        yield
    except TimeoutError:
        raise JailBrokenError(f"{problem} within {limits.VITEST_START_S:g} s") from None


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copyfile(source, target, follow_symlinks=False)


def _raise_end(process: JailedProcess) -> NoReturn:
    """Wait for the end of a process, and raise the JailedEndedError that explains it."""
    with suppress(TimeoutError):
        process.wait(_END_S)
    process.kill()
    while True:
        process.read_line(_END_S)

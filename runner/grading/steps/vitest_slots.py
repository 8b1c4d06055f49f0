"""vitest processes that are kept; each serves graders one after the other.

Such a process reads and compiles the files of two folders, which are filled for each grader and
emptied after it. It keeps nothing of earlier graders, and runs no code of suites or answers: each
grader runs in a jail of its own.
"""

import json
import os
import secrets
import shutil
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, RootModel

from runner.errors import JailBrokenError
from runner.grading.steps.vitest_report import VitestReport
from runner.grading.worker.protocol import SelectedTests
from runner.jail import Bind, Jail, JailedProcess, JailSpec, limits, paths
from runner.jail.deadlines import Deadline, read_marked_line
from runner.jail.folders import get_temporary_folder, hold, make_shared_folder, remove_tree
from runner.jail.warm_workers import Warm
from runner.toolchain import Toolchain

SUITE = "/suite"
"""The folder of the suite's files in jails."""
_PACKAGES = "node_modules"
_BRIDGE = "/bridge"
_SOCKET = "vitest.sock"
_GRADERS = 100
"""The number of graders after which a process is replaced, because the memory of vitest grows."""
_END_S = 10.0


class _SlotReady(BaseModel):
    taken: Literal[True]


class _Lost(BaseModel):
    lost: Literal[True]


class _SlotReply(RootModel[VitestReport | _Lost]):
    """The last line of vitest's process about a grader."""


class VitestSlot:
    """A vitest process in a jail, with the folders that it reads."""

    def __init__(
        self, jail: Jail, toolchain: Toolchain, parent: Path | None, packages: Path | None
    ) -> None:
        """Start the process.

        The folders are made in ``parent``; None means the system's temporary folder.
        ``packages`` is the folder of a suite's own packages; None if it has none. Raises
        JailBrokenError or JailEndedError if the process does not start.
        """
        parent = parent or get_temporary_folder()
        parent.mkdir(parents=True, exist_ok=True)
        self._held = hold("vitest", parent)
        self._token = secrets.token_hex(16)
        self._graders = 0
        self._is_over = False
        for folder in (self.suite, self.project):
            folder.mkdir()
        make_shared_folder(self._bridge)
        # Without a jail, Node searches packages in the folders above a file.
        (self._held.path / _PACKAGES).symlink_to(toolchain.node_modules)
        self._packages = packages
        if packages is not None:
            (self.suite / _PACKAGES).mkdir()
        with ExitStack() as stack:
            stack.callback(self._held.remove)
            self._process = jail.start(self._make_spec(toolchain), stdin=True)
            stack.callback(self._process.kill)
            with name_timeout("vitest did not start"):
                self._process.send(f"{self._token}\n".encode())
                self._read_report(limits.VITEST_START_S)
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
        """The Unix socket on which vitest waits for a grader's process."""
        return self._bridge / _SOCKET

    @property
    def programs_socket(self) -> Path:
        """The Unix socket at which the present grader asks for programs."""
        return self._held.path / "programs.sock"

    @property
    def pid(self) -> int:
        """The id, on this machine, of the process that holds the jail of vitest."""
        return self._process.pid

    @property
    def usable(self) -> bool:
        """True if this vitest may serve another grader."""
        return not self._is_over and self._graders < _GRADERS and self._process.poll() is None

    def list_binds(self) -> tuple[Bind, ...]:
        """Return the binds that both jails have: suite, project, and the suite's own packages."""
        return (Bind(self.suite, SUITE), *self.list_program_binds())

    def list_program_binds(self) -> tuple[Bind, ...]:
        """Return the binds without the suite's files: project, and the suite's own packages."""
        binds = (Bind(self.project, paths.PROJECT),)
        if self._packages is None:
            return binds
        return (*binds, Bind(self._packages, f"{SUITE}/{_PACKAGES}"))

    def show_project(self, project: Path) -> None:
        """Fill the folder of the project with hard links to the files of an answer's project."""
        shutil.copytree(
            project, self.project, symlinks=True, copy_function=_link, dirs_exist_ok=True
        )

    def ask(self, grader: str, limit_s: float, selection: SelectedTests) -> None:
        """Make vitest wait for a grader, whose path in the suite is ``grader``.

        Raises JailEndedError if the process has ended, JailBrokenError if it does not reply.
        """
        self._graders += 1
        self._is_over = True
        request = {"grader": grader, "seconds": limit_s, "only": selection.only}
        line = json.dumps({**request, "with_output": selection.with_output})
        self._process.send(f"{line}\n".encode())
        with name_timeout("vitest took no further grader"):
            _SlotReady.model_validate_json(self._read_report(limits.VITEST_START_S))

    def read_report(self, grader: JailedProcess, limit_s: float) -> VitestReport:
        """Wait for the report on a grader and return it; ``grader`` is the process of the grader.

        Raises TimeoutError if no report comes in ``limit_s`` seconds, JailEndedError if one of the
        processes has ended, ValidationError if the line is no report.
        """
        answer = _SlotReply.model_validate_json(self._read_report(limit_s)).root
        if isinstance(answer, _Lost):
            with suppress(TimeoutError):
                grader.wait(_END_S)
            grader.kill()
            while True:  # up to the JailEndedError that explains the end
                grader.read_line(_END_S)
        # If a grader did not end in time, this vitest is not used again.
        self._is_over = answer.timedOut
        return answer

    def _read_report(self, limit_s: float) -> bytes:
        return read_marked_line(self._process, self._token, Deadline(limit_s))

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

    def _make_spec(self, toolchain: Toolchain) -> JailSpec:
        return JailSpec(
            command=(
                *(*paths.RUN_NODE, "--no-warnings", f"{paths.HARNESS}/vitest/serve_graders.mjs"),
                *(f"{_BRIDGE}/{_SOCKET}", SUITE, paths.PROJECT),
            ),
            binds=(
                *toolchain.list_binds(),
                toolchain.make_harness_bind("grading/fixtures/vitest"),
                *self.list_binds(),
                Bind(self._bridge, _BRIDGE, writable=True),
            ),
            cwd=SUITE,
            limits=limits.VITEST,
        )


class VitestSlots(Warm[VitestSlot]):
    """A store of vitest processes, which lends them. Safe to use from several threads."""

    def __init__(self, jail: Jail, toolchain: Toolchain, parent: Path | None) -> None:
        """Prepare to start processes; their folders are made in ``parent``. None starts yet."""
        super().__init__(partial(VitestSlot, jail, toolchain, parent), wait_s=0)

    @contextmanager
    def lend_slot(self, packages: Path | None) -> Generator[VitestSlot]:
        """Lend a vitest process with a suite's own packages; afterwards its folders are emptied.

        ``packages`` is None for a suite without packages. Raises the errors of `VitestSlot`.
        """
        with self.lend(packages) as slot:
            yield slot
            slot.clear()


@contextmanager
def name_timeout(problem: str) -> Generator[None]:
    """Convert a TimeoutError of the block to a JailBrokenError that names the problem."""
    try:
        yield
    except TimeoutError:
        raise JailBrokenError(f"{problem} within {limits.VITEST_START_S:g} s") from None


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copyfile(source, target, follow_symlinks=False)

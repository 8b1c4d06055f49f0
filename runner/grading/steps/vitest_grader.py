"""The step tests for graders in TypeScript: vitest is kept, and each grader has a new jail.

From this jail a grader can reach the answer's deployment and, if it exists, the deployment of the
reference, but no other network. The programs that it starts are each in a jail without the grader,
with the answer's project, the packages, and a copy of the grader's folder /tmp. When the program
has ended, the files that it wrote are copied back. Only files and folders are copied: a link would
lead the grader to files of its own, and a pipe would stop it.
"""

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from records.shapes.attempt import FaultClass, StepName
from runner.backends.backend import Address
from runner.backends.codegen import write_generated
from runner.emulator.embedded import FIXTURES
from runner.errors import GraderMistakeError, JailBrokenError, JailEndedError
from runner.evals import typescript_suites
from runner.evals.discovery import Eval
from runner.grading.answer_programs import AnswerPrograms, ProgramRequest
from runner.grading.steps.step import StepClock, StepResult
from runner.grading.steps.vitest_report import Judge, judge_report
from runner.grading.steps.vitest_slots import SUITE, VitestSlot, VitestSlots, name_timeout
from runner.grading.worker.protocol import ALL_TESTS, SelectedTests
from runner.jail import Bind, Jail, JailSpec, limits, paths
from runner.jail.folders import make_shared_folder
from runner.toolchain import Toolchain
from runner.workspace import Workspace

TEMPORARY = "/tmp"  # noqa: S108 - of the jail
"""The folder for files of the grader and of the programs that it starts."""
OUTPUTS = "output_root"
"""A folder of the suite's copy, which leads to the answer's project."""
_SYSTEM_PROGRAMS = "/usr/local/bin:/usr/bin:/bin"
BASE_ENVIRONMENT = {
    "MODEL_OUTPUT_DIR": paths.PROJECT,
    "OUTPUT_TEMPDIR": f"{SUITE}/{OUTPUTS}",
    "HOME": TEMPORARY,
    "TMPDIR": TEMPORARY,
    "PATH": ":".join(
        (f"{paths.PROJECT}/node_modules/.bin", str(Path(paths.NODE).parent), _SYSTEM_PROGRAMS)
    ),
}
"""The variables of a grader and of the programs that it starts."""
DEPLOYMENT_VARIABLES = frozenset(
    {"CONVEX_ADMIN_KEY", "CONVEX_PORT", "CONVEX_SITE_PORT", "CONVEX_ANSWER_PORT"}
)
"""The variables of a grader that its programs do not get."""

_MOST_FILES = 10_000
"""The most files of the folder: each is copied."""
_WORD = re.compile(r"[^\s'\"`;|&()<>=]+")

_OTHER_KINDS = (FileExistsError, IsADirectoryError, NotADirectoryError)

_Stamps = dict[str, tuple[int, int]]
"""Times and sizes of files, by their path."""


@dataclass(frozen=True, slots=True)
class ProjectJail:
    """The jails of an attempt's programs."""

    jail: Jail
    toolchain: Toolchain
    slot: VitestSlot
    workspace: Workspace
    longest_s: float
    """The most seconds of a program."""

    @property
    def temporary(self) -> Path:
        """The grader's folder /tmp on this machine."""
        return self.workspace.root / "temporary"

    @contextmanager
    def open_spec(self, request: ProgramRequest) -> Generator[JailSpec]:
        """Return the jail of one program; after the block its files are copied back.

        Raises GraderMistakeError if the program needs a file of the suite, or wrote too many files.
        """
        self._refuse_suite_files(request)
        if self.jail.name == "none":
            yield self._make_spec(request, self.temporary)
            return
        copy = Path(tempfile.mkdtemp(prefix="program-", dir=self.workspace.root))
        copy.chmod(0o777)
        try:
            _copy_files(self.temporary, copy, {}, with_links=True)
            before = {
                os.path.relpath(path, copy): (state.st_mtime_ns, state.st_size)
                for path, state in _list_paths(copy)
            }
            yield self._make_spec(request, copy)
            _copy_files(copy, self.temporary, before, with_links=False)
        finally:
            shutil.rmtree(copy, ignore_errors=True)

    def _make_spec(self, request: ProgramRequest, temporary: Path) -> JailSpec:
        is_hidden = _is_below(request.cwd, SUITE) and not _is_below(
            request.cwd, f"{SUITE}/{OUTPUTS}"
        )
        env = {**BASE_ENVIRONMENT, **request.env}
        return JailSpec(
            command=request.command,
            binds=(
                *self.toolchain.list_binds(),
                *self.slot.list_program_binds(),
                Bind(self.slot.suite / OUTPUTS, f"{SUITE}/{OUTPUTS}"),
                Bind(temporary, TEMPORARY, writable=True),
            ),
            cwd=paths.PROJECT if is_hidden else request.cwd,
            env={name: value for name, value in env.items() if name not in DEPLOYMENT_VARIABLES},
            limits=limits.make_vitest_grader_limits(self.longest_s),
        )

    def _refuse_suite_files(self, request: ProgramRequest) -> None:
        """Raise GraderMistakeError if a word of the command is a file of the suite.

        The program would not find it, and the answer would be blamed.
        """
        for word in _WORD.findall(" ".join(request.command)):
            path = PurePosixPath(os.path.normpath(PurePosixPath(request.cwd, word)))
            if not path.is_relative_to(SUITE) or path == PurePosixPath(request.cwd):
                continue
            inside = path.relative_to(SUITE)
            if inside.parts[:1] not in {(OUTPUTS,), ("node_modules",)} and (
                (self.slot.suite / inside).is_file()
            ):
                raise GraderMistakeError(
                    f"the grader starts a program with {path}: programs see the answer's project "
                    f"and {TEMPORARY}, and no file of the suite; copy it to {TEMPORARY}"
                )


def _is_below(path: str, folder: str) -> bool:
    return PurePosixPath(os.path.normpath(path)).is_relative_to(folder)


def _list_paths(root: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield all paths below a folder with their states, each folder before its content.

    Raises GraderMistakeError if there are too many.
    """
    count = 0
    for place, folders, names in os.walk(root):
        for name in (*folders, *names):
            count += 1
            if count > _MOST_FILES:
                raise GraderMistakeError(
                    f"{TEMPORARY} has more than {_MOST_FILES:,} files, folders and links"
                )
            path = Path(place, name)
            yield path, path.lstat()


def _copy_files(source: Path, target: Path, known: _Stamps, *, with_links: bool) -> None:
    """Copy the files and folders of ``source`` that ``known`` does not have as they are now.

    Nothing is written through links of ``target``.
    """
    target = target.resolve()
    for path, state in _list_paths(source):
        copy = target / path.relative_to(source)
        stamp = (state.st_mtime_ns, state.st_size)
        if copy.parent.resolve() != copy.parent or copy.is_symlink():
            continue
        # A path that is closed or was removed meanwhile, or a file that is a folder on one side.
        with suppress(PermissionError, FileNotFoundError, *_OTHER_KINDS):
            if stat.S_ISLNK(state.st_mode) and with_links:
                copy.symlink_to(path.readlink())
            elif stat.S_ISDIR(state.st_mode):
                make_shared_folder(copy)
            elif stat.S_ISREG(state.st_mode) and known.get(os.path.relpath(path, source)) != stamp:
                copy.unlink(missing_ok=True)
                shutil.copyfile(path, copy, follow_symlinks=False)
                copy.chmod(0o777 if state.st_mode & 0o111 else 0o666)
                os.utime(copy, ns=(state.st_atime_ns, state.st_mtime_ns))


_OWN_KIT = Path(__file__).parents[1] / "fixtures" / "typescript" / "kit"
_JUDGE_MODULE = _OWN_KIT / "aiGrader.ts"
ANSWER_PORTS = (3210, 3211)
"""Ports on the loopback of a grader's jail: the answer's API and its HTTP actions."""
REFERENCE_PORTS = (3212, 3213)
"""Ports on the loopback of a grader's jail: the reference's API and its HTTP actions."""
_SOCKETS = "/sockets"
_VITEST = f"{_SOCKETS}/vitest.sock"
_PROGRAMS = f"{_SOCKETS}/programs.sock"
_FIXTURES = "/fixtures"
_HOSTS = Path(__file__).parents[1] / "fixtures" / "typescript" / "hosts"
"""The file /etc/hosts of the jail."""


def lay_out_suite(evaluation: Eval, root: Path) -> None:
    """Copy an eval, the kit and the modules that they import to the folder ``root``.

    Generated files are written into the copy, never into the suite.
    """
    folder = root / "evals" / evaluation.name
    _copy_tree(evaluation.folder, folder)
    _copy_tree(evaluation.kind.kit or _OWN_KIT, root / "grader")
    for module in (root / "grader").glob(f"{_JUDGE_MODULE.stem}.*"):
        # The jail has no connection to a model, so a suite's own module could not ask a judge.
        shutil.copyfile(_JUDGE_MODULE, module)
    shared = typescript_suites.find_shared_modules(evaluation.folder, evaluation.kind.kit)
    for path in (*shared, *typescript_suites.list_settings(evaluation.folder)):
        _place_file(path, root / typescript_suites.place_in_suite(path, evaluation.folder))
    if (folder / "answer" / "convex").is_dir():
        write_generated(folder / "answer")
    # Older graders search the project below a folder of outputs.
    output = root / "output_root" / "output" / "provider" / "model" / evaluation.name
    output.parent.mkdir(parents=True)
    output.symlink_to(paths.PROJECT)


def _copy_tree(source: Path, target: Path) -> None:
    """Copy a folder without packages and hidden files, which may have keys (``.env``).

    Copies of read-only files are writable.
    """
    for path, folders, names in os.walk(source):
        folders[:] = [name for name in folders if name[0] != "." and name != "node_modules"]
        for name in names:
            if not name.startswith("."):
                _place_file(Path(path) / name, target / Path(path).relative_to(source) / name)


def _place_file(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


@dataclass(frozen=True, slots=True)
class VitestGrading:
    """The run of a grader over an answer."""

    jail: Jail
    toolchain: Toolchain
    slots: VitestSlots
    evaluation: Eval
    workspace: Workspace
    answer: Address | None
    """The answer's deployment; None for evals that are not deployed."""
    reference: Address | None
    """The reference's deployment; None if it was not deployed."""
    files: Mapping[str, str]
    """The texts of the answer's files, by path."""
    judge: Judge | None = None
    """The judge of tests that a model decides; None if no model is asked."""
    selection: SelectedTests = ALL_TESTS

    def run(self) -> StepResult:
        """Run a grader over an answer; the message of the step has the first failed test."""
        clock = StepClock(StepName.TESTS)
        limit_s = self.evaluation.config.limits.tests_s
        try:
            # A suite's own kit may have packages beside it.
            kit = self.evaluation.kind.kit
            packages = None if kit is None else (kit.parent / "node_modules").resolve()
            with self.slots.lend_slot(
                packages if packages is not None and packages.is_dir() else None
            ) as slot:
                lay_out_suite(self.evaluation, slot.suite)
                link = self.workspace.project / "node_modules"
                if not link.exists() and not link.is_symlink():
                    link.symlink_to(paths.NODE_MODULES)
                slot.show_project(self.workspace.project)
                answer_jail = ProjectJail(self.jail, self.toolchain, slot, self.workspace, limit_s)
                make_shared_folder(answer_jail.temporary)
                slot.ask(
                    f"evals/{self.evaluation.name}/{typescript_suites.GRADER}",
                    limit_s,
                    self.selection,
                )
                with AnswerPrograms(answer_jail, slot.programs_socket) as programs:
                    process = self.jail.start(self._make_spec(slot, answer_jail.temporary))
                    try:
                        # The first line reports that the process is ready; no grader has run.
                        with name_timeout("the process of the grader did not start"):
                            process.read_line(limits.VITEST_START_S)
                        # vitest ends the grader at its limit; this limit ends a hanging vitest.
                        report = slot.read_report(process, limits.VITEST_START_S + limit_s)
                    finally:
                        process.kill()
                fault = programs.fault
        except TimeoutError:
            reason = f"the grader did not end within {limit_s:g} s"
            return clock.report_fault(FaultClass.GRADER, reason)
        except JailBrokenError as error:
            return clock.report_fault(FaultClass.SANDBOX, str(error))
        except (JailEndedError, ValidationError) as error:
            reason = f"the process of the grader ended: {error}"
            return clock.report_fault(FaultClass.GRADER, reason)
        if fault is not None:
            return clock.report_fault(fault.kind, fault.evidence)
        return judge_report(clock, report, self.evaluation, self.files, self.judge)

    def _make_spec(self, slot: VitestSlot, temporary: Path) -> JailSpec:
        ways: list[str] = []
        binds: list[Bind] = []
        for address, ports, name in (
            (self.answer, ANSWER_PORTS, "answer"),
            (self.reference, REFERENCE_PORTS, "reference"),
        ):
            if address is None:
                continue
            site_name = f"{name}_site" if address.site_socket else name
            ways += [
                f"{ports[0]}={_SOCKETS}/{name}.sock",
                f"{ports[1]}={_SOCKETS}/{site_name}.sock",
            ]
            for socket, target in ((address.socket, name), (address.site_socket, site_name)):
                if socket is not None:
                    binds.append(Bind(socket, f"{_SOCKETS}/{target}.sock"))
        # Kits make their clients when they are loaded, so they need the ports in any case.
        environment = {
            **BASE_ENVIRONMENT,
            "LEADERBOARD_PROGRAMS": _PROGRAMS,
            "CONVEX_PORT": str(ANSWER_PORTS[0]),
            "CONVEX_SITE_PORT": str(ANSWER_PORTS[1]),
        }
        if self.answer is not None:
            environment["CONVEX_ADMIN_KEY"] = self.answer.admin_key
        if self.reference is not None:
            environment["CONVEX_ANSWER_PORT"] = str(REFERENCE_PORTS[0])
        fixtures = self.workspace.scratch / FIXTURES
        make_shared_folder(fixtures)
        return JailSpec(
            command=(
                *(*paths.RUN_NODE, "--no-warnings", f"{paths.HARNESS}/vitest/run_grader.mjs"),
                *(_VITEST, f"{_FIXTURES}/relay.sock", *ways),
            ),
            binds=(
                *self.toolchain.list_binds(),
                self.toolchain.make_harness_bind("grading/fixtures/vitest"),
                *slot.list_binds(),
                Bind(slot.socket, _VITEST),
                Bind(fixtures, _FIXTURES, writable=True),
                Bind(temporary, TEMPORARY, writable=True),
                Bind(slot.programs_socket, _PROGRAMS),
                Bind(_HOSTS, "/etc/hosts"),
                *binds,
            ),
            cwd=f"{SUITE}/evals/{self.evaluation.name}",
            env=environment,
            limits=limits.make_vitest_grader_limits(self.evaluation.config.limits.tests_s),
        )


def name_deployment(evaluation: Eval, ports: tuple[int, int], admin_key: str) -> Address:
    """Return the addresses and the key that a grader in TypeScript expects of a deployment.

    If the source of a suite's own kit has an admin key, it is used instead of ``admin_key``.
    """
    port, site_port = ports
    suite_key = typescript_suites.read_admin_key(evaluation.kind.kit)
    return Address(
        origin=f"http://localhost:{port}",
        site_origin=f"http://localhost:{site_port}",
        socket=None,
        admin_key=suite_key or admin_key,
        is_key_of_suite=suite_key is not None,
    )

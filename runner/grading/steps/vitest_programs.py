"""The programs that a grader in TypeScript starts: each in a jail without the grader.

Such a jail has the answer's project, the packages, and a copy of the grader's folder /tmp. When
the program has ended, the files that it wrote are copied back. Only files and folders are copied: a
link would lead the grader to files of its own, and a pipe would stop it.
"""

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from runner.errors import GraderMistakeError
from runner.grading.answer_programs import ProgramRequest
from runner.grading.steps.vitest_slots import SUITE, VitestSlot
from runner.jail import Bind, Jail, JailSpec, limits, paths
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
                _make_folder(copy)
            elif stat.S_ISREG(state.st_mode) and known.get(os.path.relpath(path, source)) != stamp:
                _copy_file(path, copy, state)


def _make_folder(path: Path) -> None:
    """Make a folder that every user may write to, because each jail has another user."""
    path.mkdir(exist_ok=True)
    if path.stat().st_uid == os.geteuid():
        path.chmod(0o777)


def _copy_file(path: Path, copy: Path, state: os.stat_result) -> None:
    copy.unlink(missing_ok=True)
    shutil.copyfile(path, copy, follow_symlinks=False)
    copy.chmod(0o777 if state.st_mode & 0o111 else 0o666)
    os.utime(copy, ns=(state.st_atime_ns, state.st_mtime_ns))

"""The tests that a model wrote, run over versions of the code that they are to test.

What tests say about one version of the code means little: a suite can report whatever it likes. So
a grader has it run over several versions, right ones and ones with a planted bug, which it cannot
tell apart but by testing: each runs in a jail of its own, where it is the only one to be seen, and
which is which is known out here.
"""

import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from runner.backends.codegen import write_generated
from runner.errors import (
    GraderMistakeError,
    InfrastructureError,
    JailBrokenError,
    JailEndedError,
    WorkspaceError,
)
from runner.jail import HARNESS, NODE, Bind, Jail, JailedProcess, JailLimits, JailSpec
from runner.toolchain import Toolchain
from runner.workspace import Workspace

_START_S: Final = 30.0
_MEMORY_MB: Final = 1500
_PROCESS_MB: Final = 1000
"""Whoever fills the memory ends alone, before the jail ends all; tests need less than 100."""
_VERSION: Final = "/version"
_AT_ONCE: Final = 2
"""How many versions run at a time: what a machine that grades has of processors, at the least."""
_LIBRARY: Final = "convex-test"
_KILLED: Final = re.compile(r"^(?:was ended by SIGKILL|it ended with status 137)$", re.MULTILINE)
"""How the end of a process is told, of a test file or of the runner, that was killed so."""
_NAMES: Final = 4
"""How many failed tests a reason names."""

Outcome = Literal["passed", "failed", "no_tests", "not_loaded", "timed_out", "ended"]
_REASONS: Final[Mapping[Outcome, str]] = {
    "passed": "all {run.tests} tests passed",
    "failed": "{run.failed} of {run.tests} tests failed",
    "no_tests": "no test ran: there is none, or all are skipped",
    "not_loaded": "a test file could not be loaded",
    "timed_out": "the tests took too long",
    "ended": "the process that ran the tests ended before they did",
}


class WrittenTestsBroken(InfrastructureError):  # noqa: N818 - what happened, as UiBroken
    """The test runner could not be started: never the tests' failure."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that went wrong in a run."""

    name: str
    """The test's, with the groups it stands in; empty for what went wrong outside of tests."""
    message: str


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """What came of running all tests over one version of the code."""

    outcome: Outcome
    """``failed`` only where tests ran and found something: all else has a word of its own."""
    tests: int
    """How many ran to their end, passed or failed."""
    failures: tuple[Failure, ...]

    @property
    def passed(self) -> bool:
        """Whether there were tests, and nothing went wrong in or outside of them."""
        return self.outcome == "passed"

    @property
    def failed(self) -> int:
        """How many tests failed."""
        return sum(bool(failure.name) for failure in self.failures)

    @property
    def reason(self) -> str:
        """Say in a line what came of it."""
        shown = [f"{each.name}: {each.message}".lstrip(": ") for each in self.failures[:_NAMES]]
        return "; ".join([_REASONS[self.outcome].format(run=self), *shown])


@dataclass(frozen=True, slots=True)
class Bench:
    """What runs tests: a jail, the packages, and the folder that versions are laid out in.

    The folder must not exist yet, must be out of reach for jailed programs until then, and is
    removed by whoever owns the one above.
    """

    jail: Jail
    toolchain: Toolchain
    folder: Path
    patience_s: float = 10.0
    """What a test file gets on one version; an ordinary one takes half a second."""


Versions: TypeAlias = Mapping[str, Mapping[str, str]]
"""Sets of files, by the name of the version that they make of an answer."""


class WrittenTests:
    """The answer's tests; ``run`` has them run."""

    def __init__(self, bench: Bench, files: Mapping[str, str], *, as_asked: bool = False) -> None:
        """Take the answer's files; nothing runs yet.

        With ``as_asked`` a version runs when its result is read: for answers of our own, of which
        few tests are asked.
        """
        self._bench = bench
        self._files = files
        self._as_asked = as_asked
        self._known: dict[str, Mapping[str, SuiteRun]] = {}
        self.killed: str | None = None
        """What died of a SIGKILL that we did not send, in any run; None where nothing did."""
        self._spent_s = 0.0
        self._running_since: float | None = None

    @property
    def spent_s(self) -> float:
        """How long tests have run, and do: each run has a limit of its own."""
        since = self._running_since
        return self._spent_s + (0.0 if since is None else time.monotonic() - since)

    def run(self, versions: Versions) -> Mapping[str, SuiteRun]:
        """Run all tests of the answer over each version, and return what came of it by its name.

        A version is a set of files laid over those of the answer. Give all versions at once: two
        run side by side, and the same versions are not run again for another test.
        Raises WrittenTestsBroken when the runner does not work, GraderMistakeError for files that
        cannot be laid out.
        """
        asked = repr(versions)
        if asked not in self._known:
            self._known[asked] = (
                _AsAsked(self._run, versions) if self._as_asked else self._run(versions)
            )
        return self._known[asked]

    def _run(self, versions: Versions) -> dict[str, SuiteRun]:
        homes = {name: self._lay_out(files) for name, files in versions.items()}
        self._running_since = time.monotonic()
        try:
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                ran = list(pool.map(partial(_run_of, self._bench), homes.values()))
        finally:
            self._spent_s, self._running_since = self.spent_s, None
        runs = dict(zip(homes, ran, strict=True))
        ends = (failure.message for run in runs.values() for failure in run.failures)
        self.killed = self.killed or next(filter(_KILLED.search, ends), None)
        return runs

    def _lay_out(self, version: Mapping[str, str]) -> Path:
        # A random name: where the jail's folders stand can be read in it.
        home = self._bench.folder / secrets.token_hex(8)
        workspace = Workspace(home)
        try:
            workspace.write({**self._files, **version})
        except WorkspaceError as error:
            raise GraderMistakeError(f"a version of the code: {error}") from error
        write_generated(workspace.project)
        # By itself the library looks for modules beside the packages that it was installed with.
        shutil.copytree(
            self._bench.toolchain.node_modules / _LIBRARY,
            workspace.project / "node_modules" / _LIBRARY,
        )
        if self._bench.jail.name == "none":
            # There the packages do not stand at the root of the file system.
            (home / "node_modules").symlink_to(self._bench.toolchain.node_modules)
        return home


class _AsAsked(Mapping[str, SuiteRun]):
    """Results of versions, each run when it is first read."""

    def __init__(self, run: Callable[[Versions], dict[str, SuiteRun]], versions: Versions) -> None:
        self._run = run
        self._versions = versions
        self._known: dict[str, SuiteRun] = {}

    def __getitem__(self, name: str) -> SuiteRun:
        if name not in self._known:
            self._known |= self._run({name: self._versions[name]})
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._versions)

    def __len__(self) -> int:
        return len(self._versions)


def planted(text: str, old: str, new: str) -> str:
    """Return a text in which ``new`` stands for ``old``, which must be there exactly once."""
    if text.count(old) != 1:
        raise GraderMistakeError(f"to be planted once, found {text.count(old)} times: {old!r}")
    return text.replace(old, new)


# --- What the runner says ----------------------------------------------------------------------


class _Test(BaseModel):
    name: str
    state: Literal["passed", "failed", "skipped", "pending"]
    message: str | None


class _End(BaseModel):
    kind: Literal["timed_out", "ended"]
    how: str


class _File(BaseModel):
    end: _End | None
    tests: tuple[_Test, ...]
    errors: tuple[str, ...]
    """What went wrong outside of tests."""


class _Report(BaseModel):
    files: tuple[_File, ...]
    lost: _End | None
    """How a process ended that had no file yet."""


_Line = TypeVar("_Line", bound=BaseModel)


class _Ready(BaseModel):
    ready: Literal[True]


def _run_of(bench: Bench, home: Path) -> SuiteRun:
    """Run the tests of one version, in a jail that shows no other."""
    # An ordinary answer has one test file, a large one a few; each has its own time, too.
    limit_s = 3 * bench.patience_s
    token = secrets.token_hex(16)
    try:
        process = bench.jail.start(_spec(bench, home, limit_s), stdin=True)
    except JailBrokenError as error:
        raise WrittenTestsBroken(f"the test runner did not start: {error}") from error
    try:
        _await_ready(process, token)
        return _came_of(_read(process, token, _Report, limit_s))
    except TimeoutError:
        return _nothing("timed_out", f"they did not end within {limit_s:g} s")
    except JailEndedError as error:
        return _nothing("ended", str(error))
    except ValidationError:
        return _nothing("ended", "something else reported in its place")
    finally:
        process.kill()


def _await_ready(process: JailedProcess, token: str) -> None:
    """Wait until the runner is there: up to then, nothing of the model's has run."""
    try:
        process.send(f"{token}\n".encode())
        _read(process, token, _Ready, _START_S)
    except (TimeoutError, JailEndedError, ValidationError) as error:
        raise WrittenTestsBroken(f"the test runner did not start: {error}") from error


def _read(process: JailedProcess, token: str, kind: type[_Line], limit_s: float) -> _Line:
    deadline = time.monotonic() + limit_s
    prefix = token.encode()
    while not (line := process.read_line(max(deadline - time.monotonic(), 0))).startswith(prefix):
        pass
    return kind.model_validate_json(line.removeprefix(prefix))


def _spec(bench: Bench, home: Path, limit_s: float) -> JailSpec:
    return JailSpec(
        command=(NODE, f"{HARNESS}/vitest/run_suites.mjs", _VERSION, f"{bench.patience_s:g}"),
        binds=(
            *bench.toolchain.binds(),
            bench.toolchain.harness("vitest"),
            Bind(home, _VERSION),
        ),
        limits=JailLimits(wall_s=_START_S + limit_s, memory_mb=_MEMORY_MB, process_mb=_PROCESS_MB),
    )


def _nothing(outcome: Outcome, how: str) -> SuiteRun:
    return SuiteRun(outcome, 0, (Failure("", how),))


def _came_of(report: _Report) -> SuiteRun:
    """Put together what the test files came to."""
    files = report.files
    ended = [file.end for file in files if file.end]
    if report.lost and not files:
        ended = [report.lost]
    if ended:
        worst = min(ended, key=lambda end: end.kind == "ended")
        return _nothing(worst.kind, worst.how)
    ran = [test for file in files for test in file.tests if test.state in {"passed", "failed"}]
    failed = [Failure(test.name, test.message or "") for test in ran if test.state == "failed"]
    outside = [Failure("", error) for file in files for error in file.errors]
    failures = (*failed, *outside)
    if any(file.errors and not file.tests for file in files):
        return SuiteRun("not_loaded", len(ran), failures)
    if failures:
        return SuiteRun("failed", len(ran), failures)
    return SuiteRun("passed" if ran else "no_tests", len(ran), ())

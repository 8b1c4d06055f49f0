"""The steps typecheck and lint, which read the files of an answer and need no deployment.

TypeScript finds no error, by our settings and not the model's. ESLint, typescript-eslint and
Convex's own plugin find no fault of correctness. To load ESLint with types takes about two seconds
of processor time, so workers start from a snapshot of its memory. A worker gets quicker with each
answer, so workers are kept, each in its own jail. A worker lints one answer at a time.
"""

import json
import os
import platform
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from records.shapes.attempt import FaultClass, StepName
from records.shapes.base import OutsideText
from records.suites.given_app import GIVEN
from runner.answers.rules import GENERATED, SCRIPTS, is_script
from runner.backends.codegen import GENERATED_FILES
from runner.errors import InfrastructureError, JailBrokenError, JailEndedError
from runner.grading.steps.step import StepClock, StepResult, with_more
from runner.jail import Bind, Finished, Jail, JailedProcess, JailSpec, limits, paths
from runner.jail.deadlines import Deadline, ProcessorWaits, read_line
from runner.jail.warm_workers import Warm
from runner.toolchain import MAKING, Toolchain, find_programs
from runner.workspace import Workspace

# Few answers need the types of Node, so they are read only if an answer has errors without them.
_QUICK, _FULL = "tsconfig.json", "tsconfig.node.json"
_SETTINGS = "/settings"
# Errors in the declarations of packages are not faults of the answer.
_ERROR = re.compile(r"^(?!\.\./node_modules/)(?:\S.*\(\d+,\d+\): )?error TS\d+: .*", re.MULTILINE)
_OF_PACKAGES = re.compile(r"^\.\./node_modules/.*: error TS\d+: ", re.MULTILINE)
# Runs are short and projects small, so garbage collection and several threads cost more than they
# save: 0.29 s of processor time with them, 0.17 s without. Near the memory limit it is on.
_RUNTIME = {"GOGC": "off", "GOMEMLIMIT": "2000MiB"}
_MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}
_READ = SCRIPTS | {".json"}
_OTHER_SETTINGS = re.compile(r"[^/]+\.(?:config|workspace)\.[cm]?[jt]s")
"""Settings of other programs, such as ``vitest.config.ts``, which are no code of the answer."""
_OWN_SETTINGS = Path(__file__).parent / "typescript" / "tsconfig.json"
_SOURCES = Path(__file__).parent / "eslint"
_SNAPSHOT = f"{paths.HARNESS}/lint"
_OPTIONS = ("--max-semi-space-size=64", "--max-old-space-size=1500")
"""Options of Node: it starts from a snapshot only with the options with which it was written."""


class Typechecker:
    """A type checker of answers. Safe to use from several threads."""

    def __init__(self, jail: Jail, toolchain: Toolchain) -> None:
        """Choose the compiler; each check starts it."""
        self._jail = jail
        self._toolchain = toolchain
        # The native compiler, which starts without Node if possible.
        machine = _MACHINES.get(platform.machine().lower(), "")
        native = f"@typescript/typescript-{platform.system().lower()}-{machine}/lib/tsc"
        if (toolchain.node_modules / native).exists():
            self._compiler: tuple[str, ...] = (f"{paths.NODE_MODULES}/{native}",)
        else:
            self._compiler = (*paths.RUN_NODE, f"{paths.NODE_MODULES}/typescript-native/bin/tsc")

    def check(self, workspace: Workspace, limit_s: float) -> StepResult:
        """Check the types of all scripts of a project; the message has the first error.

        The project is checked without the types of Node and, if this finds errors, with them. The
        step passes if one of the checks finds no error. ``limit_s`` is the processor time of each
        check, in seconds. The apps after earlier steps of the answer are checked before.
        """
        clock = StepClock(StepName.TYPECHECK)
        steps = [app for app in workspace.list_apps() if app.name != GIVEN][:-1]
        result = clock.pass_step()
        # The settings are beside the project, so that the model's settings are never read. They are
        # not in the scratch folder, where the model's deployment could make a link of this name.
        folder = workspace.root / "settings"
        folder.mkdir(exist_ok=True)
        shutil.copyfile(_OWN_SETTINGS.with_name(_FULL), folder / _FULL)
        for project in (*steps, workspace.project):
            (folder / _QUICK).write_text(make_settings(read_sources(project)), "utf-8")
            done = self._compile(project, folder, _QUICK, limit_s)
            if done.returncode != 0 and not done.killed:
                done = self._compile(project, folder, _FULL, limit_s)
            result = _judge(clock, workspace, done, f"{project.name}/" if project in steps else "")
            if not result.passed:
                break
        return result

    def _compile(self, project: Path, folder: Path, name: str, limit_s: float) -> Finished:
        return self._jail.run(
            JailSpec(
                command=(
                    *self._compiler,
                    *("--singleThreaded", "--project", f"{_SETTINGS}/{name}"),
                ),
                binds=(
                    *self._toolchain.list_binds(),
                    Bind(project, paths.PROJECT),
                    Bind(folder, _SETTINGS),
                ),
                cwd=paths.PROJECT,
                env=_RUNTIME,
                # limit_s counts processor time; the limit of wall time is ten times as long,
                # because wall time depends on the machine's load.
                limits=limits.make_compiler_limits(limit_s),
            )
        )


def _judge(clock: StepClock, workspace: Workspace, done: Finished, step: str) -> StepResult:
    """Judge a check of an app; ``step`` is the folder of its files in the answer."""
    log = workspace.hide_paths((done.stdout + done.stderr).decode("utf-8", "replace"))
    if done.killed_by_stranger:
        return clock.report_fault(FaultClass.SANDBOX, "the type checker was killed", log)
    if done.killed:
        return clock.fail_step(f"the type checker passed its limit: {done.killed}", log)
    errors = _ERROR.findall(log)
    if errors:
        return clock.fail_step(with_more(f"{step}{errors[0]}", len(errors), "error"), log)
    if done.returncode != 0 and not _OF_PACKAGES.search(log):
        evidence = f"tsc ended with status {done.returncode}: {log}"
        return clock.report_fault(FaultClass.TOOLCHAIN, evidence, log)
    return clock.pass_step(None, log)


def read_sources(project: Path) -> dict[str, str]:
    """Return the texts of a project's scripts and JSON files, without links and packages."""
    texts: dict[str, str] = {}
    for folder, folders, files in os.walk(project):
        folders[:] = sorted(name for name in folders if name != "node_modules")
        for name in sorted(files):
            path = Path(folder, name)
            if path.suffix in _READ and not path.is_symlink():
                texts[path.relative_to(project).as_posix()] = path.read_text("utf-8", "replace")
    return texts


def make_settings(files: Mapping[str, str]) -> str:
    """Return the type checker's settings for an answer; its files are in ``../project``.

    The settings list all files: for a folder, the compiler skips a file if another file has the
    same name with another ending. Of the files that we generate only declarations are read: their
    code uses names of Node, and each answer would be checked twice. If the answer has declarations,
    all declarations are checked.
    """
    stated: dict[str, Any] = json.loads(_OWN_SETTINGS.read_text("utf-8"))
    # Components of the answer have such files, too.
    generated = tuple(f"/_generated/{name}" for name in GENERATED_FILES)
    scripts = [
        path
        for path in files
        if is_script(path) and not path.endswith(generated) and not _OTHER_SETTINGS.fullmatch(path)
    ]
    if any(path.endswith((".d.ts", ".d.mts", ".d.cts")) for path in scripts):
        stated["compilerOptions"]["skipLibCheck"] = False
    if scripts:
        stated["files"] = [f"../project/{path}" for path in scripts]
    stated["include"] = [f"../project/{GENERATED}/*.d.ts"]
    return json.dumps(stated)


def find_snapshot(jail: Jail, toolchain: Toolchain) -> Bind:
    """Return a bind of the snapshot's folder; make the snapshot if it is missing.

    Raises:
        ToolchainBrokenError: the snapshot cannot be made.
    """
    making = JailSpec(
        command=(
            *(*paths.RUN_NODE, *_OPTIONS, f"{paths.HARNESS}/{_SOURCES.name}/snapshot.mjs"),
            *(MAKING, paths.NODE_MODULES),
        ),
        binds=(*toolchain.list_binds(), toolchain.make_harness_bind("grading/steps/eslint")),
    )
    parts = (
        tuple(toolchain.get_versions().items()),
        platform.machine(),
        _read_processor_features(),
        _OPTIONS,
        # A snapshot contains the path of the packages, which is the same in all jails.
        str(toolchain.node_modules) if jail.name == "none" else "",
    )
    return Bind(find_programs(jail, "linters", making, _SOURCES, parts), _SNAPSHOT)


def start_command() -> tuple[str, ...]:
    """Return the command that starts a worker from the snapshot."""
    return *paths.RUN_NODE, *_OPTIONS, "--snapshot-blob", f"{_SNAPSHOT}/lint_worker.blob"


@cache
def _read_processor_features() -> str:
    """Return the list of the processor's features; empty if the system does not have it."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith(("flags", "Features")):
                return line
    return ""


_REQUESTS = 2000
"""The number of answers after which a worker is replaced, because its memory grows."""
_TIDY_S = 2.0


class _Problem(BaseModel):
    path: OutsideText
    line: int
    column: int
    rule: OutsideText | None
    message: OutsideText
    fatal: bool

    def __str__(self) -> str:
        problem = f"does not parse: {self.message}" if self.fatal else self.message
        rule = f" ({self.rule})" if self.rule else ""
        return f"{self.path}:{self.line}:{self.column}: {problem}{rule}"


class _Reply(BaseModel):
    id: int
    problems: tuple[_Problem, ...] | None = None
    crashed: OutsideText | None = None


class _LintCrashedError(InfrastructureError):
    """ESLint or one of its rules broke on an answer."""


class _LintProcess:
    """A jailed ESLint process."""

    def __init__(self, jail: Jail, toolchain: Toolchain) -> None:
        self.asked = 0
        # Without a jail the process has no /tmp of its own: it removes its folder when its input
        # ends.
        self._tidies = jail.name == "none"
        snapshot = find_snapshot(jail, toolchain)
        self._process: JailedProcess = jail.start(
            JailSpec(
                command=start_command(),
                binds=(*toolchain.list_binds(), snapshot),
                limits=limits.LINTER,
            ),
            stdin=True,
        )
        self._waits = ProcessorWaits(self._process.pid)
        try:
            self._process.read_line(limits.LINTER_START_S)
        except TimeoutError:
            self._process.kill()
            raise JailBrokenError(
                f"the linter did not start within {limits.LINTER_START_S:g} s"
            ) from None
        except JailEndedError as error:
            self._process.kill()
            raise JailBrokenError(
                f"the linter did not start: {error}; remove {snapshot.source}, and it is made anew"
            ) from error

    @property
    def usable(self) -> bool:
        return self.asked < _REQUESTS and self._process.poll() is None

    def ask(self, files: dict[str, str], limit_s: float) -> tuple[_Problem, ...]:
        self.asked += 1
        self._process.send(json.dumps({"id": self.asked, "files": files}).encode() + b"\n")
        line = read_line(self._process, Deadline(limit_s, self._waits))
        reply = _Reply.model_validate(json.loads(line))
        if reply.problems is None or reply.id != self.asked:
            raise _LintCrashedError(reply.crashed or "the lint worker answered another request")
        return reply.problems

    def close(self) -> None:
        if self._tidies:
            with suppress(OSError, TimeoutError):
                self._process.stdin.close()
                self._process.wait(_TIDY_S)
        self._process.kill()


class Linter(Warm[_LintProcess]):
    """A linter of answers, with a few workers that are kept. Safe to use from several threads."""

    def __init__(self, jail: Jail, toolchain: Toolchain) -> None:
        """Prepare to start workers; none starts yet."""
        super().__init__(partial(_LintProcess, jail, toolchain))

    def lint(self, workspace: Workspace, limit_s: float) -> StepResult:
        """Lint the model's files; the message of the step has the first problem.

        If linting takes longer than ``limit_s`` seconds, the step fails and the worker is ended. If
        a worker dies, another worker lints the answer once more.
        """
        clock = StepClock(StepName.LINT)
        files = read_sources(workspace.project)
        try:
            problems = self.use(
                lambda worker: worker.ask(files, limit_s),
                *(JailEndedError, JailBrokenError, ValueError),
            )
        except TimeoutError:
            return clock.fail_step(f"linting did not end within {limit_s:g} s")
        except _LintCrashedError as error:
            return clock.report_fault(FaultClass.TOOLCHAIN, str(error))
        except (JailEndedError, InfrastructureError, ValueError) as error:
            return clock.report_fault(FaultClass.SANDBOX, f"the lint worker: {error}")
        log = "".join(f"{problem}\n" for problem in problems)
        if problems:
            return clock.fail_step(with_more(str(problems[0]), len(problems), "problem"), log)
        return clock.pass_step(None, log)

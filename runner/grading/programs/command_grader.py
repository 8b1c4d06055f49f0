"""The steps of suites with ``suite.toml``: files are unpacked, the author's program judges them.

The grader's jail has the answer's files as data only: one JSON file. It asks us to run programs of
the answer, which have a jail of their own (`runner/grading/answer_programs.py`). So standard
output, by which the grader reports, is out of the answer's reach.
"""

import itertools
import json
import shutil
import tempfile
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from records.shapes.attempt import FaultClass, StepName, Test
from records.suites.suite_config import GraderProgram, SuiteConfig
from runner import python_toolchain
from runner.answers.reader import ReplyReader
from runner.answers.rules import SuiteFileRules
from runner.errors import JailBrokenError
from runner.evals.discovery import Eval
from runner.evals.grader_kinds import get_program
from runner.grading.answer_programs import AnswerPrograms, ProgramRequest, end_after
from runner.grading.answer_steps import AnswerSteps, AttemptState
from runner.grading.programs.grader_reports import UnreadableReportError, read_report
from runner.grading.steps.step import StepClock, judge_tests
from runner.jail import Bind, Jail, JailSpec, Kind, limits, open_jail, paths
from runner.jail.deadlines import Deadline, ProcessorWaits
from runner.jail.folders import hold
from runner.workspace import Workspace

_GRADER = "/grader"
"""The grader's files, read-only, in its jail."""
_GRADING = "/grading"
_ANSWER = "answer.json"
_SOCKET = "answer.sock"
_SHOWN = 2000
_PYTHON_SETTINGS = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
_NAME_REPORT = (
    *("/bin/sh", "-c"),
    (
        "exec 3>&1; LEADERBOARD_REPORT=$(stat -L -c %d:%i /proc/self/fd/3); "
        'export LEADERBOARD_REPORT; exec 3>&-; exec "$@"'
    ),
    "grader",
)
"""Starts a grader that knows its report's pipe, to which `run-answer` writes nothing."""


class ProgramSteps(AnswerSteps):
    """Steps with a program of the suite's author, which judges the files in a jail."""

    def __init__(self, config: SuiteConfig, sandbox: Kind, stack: ExitStack) -> None:
        """Find Python and the suite's packages, and open the jail.

        Raises ToolchainMissingError or SandboxUnavailableError, with the remedy.
        """
        self.toolchain = python_toolchain.find_python_toolchain(config)
        self.rules = SuiteFileRules(config.answers)
        self._jail = open_jail(sandbox)
        self.reader = stack.enter_context(ReplyReader())
        # The path of a socket has 107 bytes at most: a workspace may be too deep for it.
        held = hold("grading", Path(tempfile.gettempdir()))
        stack.callback(held.remove)
        self._folder = held.path
        self._numbers = itertools.count()
        self.toolchain.lay_out(self._folder / "tools")

    def take(
        self, state: AttemptState, evaluation: Eval, workspace: Workspace, stack: ExitStack
    ) -> None:
        """Run the grader over the files; the first test that failed is the message."""
        del stack
        clock, limit_s = StepClock(StepName.TESTS), evaluation.config.limits.tests_s
        tools, asked_at = self._folder / "tools", self._folder / f"{next(self._numbers)}.sock"
        program = get_program(evaluation.config)
        try:
            answer_jail = _PythonJail(self._jail, workspace, tools, program)
            with AnswerPrograms(answer_jail, asked_at) as programs:
                spec = _make_spec(evaluation, workspace, state.files, tools, asked_at)
                process = self._jail.start(spec)
                waits = ProcessorWaits(process.pid)
                deadline = Deadline(limit_s, lambda: waits() + programs.compute_waited_s())
                try:
                    end_after(process, deadline)
                    finished, was_running = process.finish(), programs.is_running
                finally:
                    process.kill()
        except JailBrokenError as error:
            state.add(clock.report_fault(FaultClass.SANDBOX, str(error)))
            return
        printed, tests = finished.stderr.decode("utf-8", "replace"), tuple[Test, ...]()
        if (fault := programs.fault) is not None:
            step = clock.report_fault(fault.kind, fault.evidence, printed)
        # Where the answer's own program used the time up, the answer is to blame.
        elif finished.killed == "wall" and was_running:
            reason = f"a program of the answer still ran after the {limit_s:g} s of the tests"
            step = clock.fail_step(reason)
        elif finished.killed is not None:
            reason = f"the grader was ended for passing its limit: {finished.killed}"
            if finished.killed == "wall":
                reason = f"the grader did not end within {limit_s:g} s"
            step = clock.report_fault(FaultClass.GRADER, reason)
        elif finished.killed_by_stranger:
            step = clock.report_fault(FaultClass.SANDBOX, "the grader was killed, and not by us")
        else:
            try:
                tests = read_report(finished.stdout)
                lines = [f"{test.outcome:<15} {test.name}  {test.message or ''}" for test in tests]
                log = "\n".join([*map(str.rstrip, lines), "", printed])
                step = judge_tests(clock, tests, log)
            except UnreadableReportError as error:
                tail = f": {text}" if (text := printed.strip()[-_SHOWN:]) else ""
                reason = f"{error}; the grader ended with status {finished.returncode}{tail}"
                step = clock.report_fault(FaultClass.GRADER, reason, printed)
        shown = printed if state.selection.with_output else ""
        state.add(replace(step, tests=tests, printed=shown))


@dataclass(frozen=True, slots=True)
class _PythonJail:
    """The jails of an answer's programs: its files, a folder to write to, and Python."""

    jail: Jail
    workspace: Workspace
    tools: Path
    program: GraderProgram

    @property
    def longest_s(self) -> float:
        """The most seconds of a program."""
        return self.program.answer_s

    @contextmanager
    def open_spec(self, request: ProgramRequest) -> Generator[JailSpec]:
        """Return the jail of one program."""
        yield JailSpec(
            command=request.command,
            binds=(*self.workspace.list_binds(), *python_toolchain.list_python_binds(self.tools)),
            cwd=request.cwd,
            env={
                "PATH": python_toolchain.SEARCH_PATH,
                "HOME": paths.SCRATCH,
                **_PYTHON_SETTINGS,
                **request.env,
            },
            limits=limits.make_answer_program_limits(
                min(request.limit_s or self.longest_s, self.longest_s),
                self.program.answer_memory_mb,
                self.program.answer_processes,
            ),
        )


def _make_spec(
    evaluation: Eval, workspace: Workspace, files: Mapping[str, str], tools: Path, asked_at: Path
) -> JailSpec:
    """Return the grader's jail: its own files, the answer as data, Python and its packages.

    ``tools`` is the folder with Python and the packages of graders; ``asked_at`` the socket at
    which the grader asks for programs of the answer.
    """
    grader_folder = workspace.root / "grader"
    grading_folder = workspace.root / "grading"
    for path in evaluation.collect_grader_files():
        target = grader_folder / path.relative_to(evaluation.grader)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        # The digest of a grader has no modes, so none may decide a verdict.
        target.chmod(0o755)
    grading_folder.mkdir()
    (grading_folder / _ANSWER).write_text(json.dumps({"files": dict(files)}), "utf-8")
    return JailSpec(
        command=(*_NAME_REPORT, *get_program(evaluation.config).command),
        binds=(
            Bind(grader_folder, _GRADER),
            Bind(grading_folder / _ANSWER, f"{_GRADING}/{_ANSWER}"),
            Bind(asked_at, f"{_GRADING}/{_SOCKET}"),
            Bind(tools, python_toolchain.TOOLS),
            *python_toolchain.list_interpreter_binds(),
        ),
        cwd=_GRADER,
        env={
            "PATH": python_toolchain.SEARCH_PATH,
            "HOME": "/tmp",  # noqa: S108 - of the jail
            "PYTHONPATH": python_toolchain.PACKAGES,
            **_PYTHON_SETTINGS,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "LEADERBOARD_ANSWER": f"{_GRADING}/{_ANSWER}",
            "LEADERBOARD_SOCKET": f"{_GRADING}/{_SOCKET}",
        },
        limits=limits.make_command_grader_limits(evaluation.config.limits.tests_s),
    )

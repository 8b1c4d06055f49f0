"""The step lint: ESLint, typescript-eslint and Convex's own plugin find no fault of correctness.

To load ESLint with types takes about two seconds of processor time, so workers start from a
snapshot of its memory. A worker gets quicker with each answer, so workers are kept, each in its own
jail. A worker lints one answer at a time.
"""

import json
from contextlib import suppress
from functools import partial

from pydantic import BaseModel

from records.shapes.attempt import FaultClass, StepName
from records.shapes.base import OutsideText
from runner.errors import InfrastructureError, JailBrokenError, JailEndedError
from runner.grading.steps.lint_snapshot import find_snapshot, start_command
from runner.grading.steps.step import StepClock, StepResult, with_more
from runner.grading.steps.typescript.sources import read_sources
from runner.jail import Jail, JailedProcess, JailSpec, limits
from runner.jail.deadlines import Deadline, ProcessorWaits, read_line
from runner.jail.warm_workers import Warm
from runner.toolchain import Toolchain
from runner.workspace import Workspace

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
        request = json.dumps({"id": self.asked, "files": files})
        self._process.send(request.encode() + b"\n")
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
            first = with_more(str(problems[0]), len(problems), "problem")
            return clock.fail_step(first, log)
        return clock.pass_step(None, log)

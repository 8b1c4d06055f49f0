"""The grading service, which takes an answer through the six steps and returns its verdict.

The kind of graders decides the steps after filesystem (`answer_steps.py`). If a fault of ours keeps
a step from being judged, the attempt is not judged either (infrastructure).

An answer may break one of our programs that reads it, such as the bundler, the linter or the
grading worker. Then the eval's reference is graded as the control. If grading breaks on the
reference too, the attempt is infrastructure. If it breaks only on the answer, and a second time,
the answer has failed. An answer on which a judge model gave no verdict stays infrastructure.
Output from a jail does not need the control: the answer is responsible for all of it.

Limits that passed while this process stood still prove nothing about an answer either, so such an
answer is graded again.
"""

import math
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol, Self

from records.archives.archive import compute_answer_digest
from records.shapes.attempt import Attempt, Fault, GradingKey, Outcome, Step, StepName, Test
from records.shapes.base import compute_list_digest
from records.suites import canary
from records.text.visible import make_one_line
from runner.answers.rules import CONVEX_RULES, TYPESCRIPT_RULES
from runner.backends.backend import BackendKind
from runner.errors import UnsuitableBackendError, UnusableReplyError, WorkspaceError
from runner.evals.discovery import Eval, Suite
from runner.evals.grader_kinds import GraderKind, ProgramGraders, PythonGraders, VitestGraders
from runner.evals.text_files import read_grader_text
from runner.grading.answer_steps import AnswerSteps, AttemptState, GradingSettings
from runner.grading.convex_steps import ConvexPrograms, PythonSteps, VitestSteps
from runner.grading.programs.command_grader import ProgramSteps
from runner.grading.steps.step import LONGEST_MESSAGE, StepClock
from runner.grading.steps.vitest_report import Judge
from runner.grading.worker.protocol import ALL_TESTS, SelectedTests, TestOutput
from runner.python_toolchain import GradingToolchain
from runner.toolchain import INSTALL
from runner.workspace import create_workspace

_TRIES = 3
"""The most gradings of an answer if this process stands still during each of them."""
_TICK_S = 0.25
_LATE_S = 2.0
"""A tick that is later than this by seconds is a gap; it is less than grading's shortest limit."""


class Heartbeat:
    """A detector of times in which this process stood still, for a ``with`` block.

    A thread ticks regularly, and compares the times of two ticks. A late tick shows that the
    process was stopped, the interpreter blocked, or the machine suspended or far too busy.
    """

    def __init__(self, tick_s: float = _TICK_S, late_s: float = _LATE_S) -> None:
        """Prepare the thread without starting it."""
        self._tick_s = tick_s
        self._late_s = late_s
        self._last = time.monotonic()
        self._last_gap = -math.inf
        """The end of the last gap."""
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        """Start to tick."""
        self._last = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop ticking."""
        self._over.set()
        self._thread.join()

    def stood_still_since(self, moment: float) -> bool:
        """Return true if a gap ended after ``moment``, on the monotonic clock, or ends now."""
        # After a stop this thread may run before the ticking thread, so it also checks the gap.
        self._tick()
        with self._lock:
            return self._last_gap > moment

    def _beat(self) -> None:
        while not self._over.wait(self._tick_s):
            self._tick()

    def _tick(self) -> None:
        with self._lock:
            now = time.monotonic()
            if now - self._last > self._tick_s + self._late_s:
                self._last_gap = now
            self._last = now


@dataclass(frozen=True, slots=True)
class Submission:
    """An answer to grade: a model's reply, or files."""

    evaluation: Eval
    selection: SelectedTests
    reply: str | None = None
    """The model's reply, which contains the files; None for an answer without a reply."""
    files: Mapping[str, str] | None = None
    """The files of an answer without a reply, by path; None for the eval's reference answer."""


@dataclass(frozen=True, slots=True)
class GradingResult:
    """The verdict on an answer, with the steps, tests and texts that led to it."""

    outcome: Outcome
    failed_step: StepName | None
    """The first step that failed; None unless the outcome is failed."""
    reason: str | None
    """The message of the failed step, or the fault's evidence in a line; None after a pass."""
    fault: Fault | None
    """The fault of ours; None unless the outcome is infrastructure."""
    steps: tuple[Step, ...]
    tests: tuple[Test, ...] | None
    """The reported tests; None without a report of them."""
    files: Mapping[str, str]
    logs: dict[str, str]
    """The logs of steps, by step name; a step without a log is not listed."""
    key: GradingKey
    graded_at: datetime
    printed: str = ""
    """The printed texts of the grader's modules during import; empty if not requested."""
    outputs: Mapping[str, TestOutput] = field(default_factory=dict[str, TestOutput])
    """The printed and logged texts, by test; empty if not requested."""
    control: Outcome | None = None
    """The outcome of the reference; None if it was not graded, because grading did not break."""


def describe_verdict(verdict: GradingResult | Attempt) -> str:
    """Return a verdict in words."""
    step, reason = verdict.failed_step, verdict.reason
    return f"{verdict.outcome}{f' at {step}' if step else ''}{f': {reason}' if reason else ''}"


class Graders(Protocol):
    """Graders of submissions: a grading service of this process, or the workers of a cluster."""

    @property
    def window(self) -> int:
        """The number of submissions under way that keeps all graders busy; it may change."""
        ...

    @property
    def threads(self) -> int:
        """The number of submissions that are graded at once; it may change."""
        ...

    def submit(self, submission: Submission) -> Future[GradingResult]:
        """Have a submission graded; returns at once, whatever waits before it."""
        ...


class GradingService:
    """Grades answers to a suite in threads of its own, with programs that are kept warm.

    The service must be entered by ``with``, which starts the programs, before it is used.
    """

    def __init__(
        self, suite: Suite, settings: GradingSettings, judge_model: Judge | None = None
    ) -> None:
        """Check the settings.

        Without a ``judge_model``, the tests that graders leave to a model are not judged.

        Raises:
            UnsuitableBackendError: the suite's graders cannot judge over this backend.
        """
        if settings.backend == "local" and (problem := suite.kind.local_backend_problem):
            raise UnsuitableBackendError(
                f"--backend local is of use for suites in TypeScript, and {suite.root} "
                f"is none: {problem}; leave the option out"
            )
        self._suite = suite
        self._settings = settings
        self._judge_model = judge_model
        self._executor = ThreadPoolExecutor(settings.graders, thread_name_prefix="grading")
        self._open = ExitStack()

    def __enter__(self) -> Self:
        """Find the toolchain, open the jail, and start the programs that are kept warm.

        Raises ToolchainMissingError or SandboxUnavailableError, with the remedy, and
        ToolchainBrokenError.
        """
        with ExitStack() as stack:
            self._heartbeat = stack.enter_context(Heartbeat())
            self._steps: Mapping[type[GraderKind], AnswerSteps]
            if isinstance(kind := self._suite.kind, ProgramGraders):
                steps = ProgramSteps(kind.config, self._settings.sandbox, stack)
                self._steps = {ProgramGraders: steps}
            else:  # a service for one kind of graders over Convex has the steps for the other, too
                programs = ConvexPrograms(
                    self._suite.root, self._settings, self._judge_model, stack
                )
                self._steps = {
                    PythonGraders: PythonSteps(programs, CONVEX_RULES, stack),
                    VitestGraders: VitestSteps(programs, TYPESCRIPT_RULES, stack),
                }
            self._open = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Wait for the threads, unless an error ends the block; end the programs."""
        # The programs end also if the wait is interrupted; threads that nobody waits for end with
        # them.
        with self._open:
            self._executor.shutdown(wait=kind is None, cancel_futures=kind is not None)

    @property
    def threads(self) -> int:
        """The number of submissions that are graded at once."""
        return self._settings.graders

    @property
    def window(self) -> int:
        """The number of threads: a free thread takes the next submission at once."""
        return self.threads

    def submit(self, submission: Submission) -> Future[GradingResult]:
        """Grade in the next thread that is free."""
        return self._executor.submit(self.judge, submission)

    def grade(
        self, evaluation: Eval, files: Mapping[str, str], selection: SelectedTests = ALL_TESTS
    ) -> GradingResult:
        """Return the verdict on an answer's files, as `judge` does."""
        return self.judge(Submission(evaluation, selection, files=files))

    def compute_verdict_key(self, evaluation: Eval, files: Mapping[str, str]) -> GradingKey:
        """Return the digests of all that a verdict on these files depends on."""
        judge = self._judge_model
        return compute_grading_key(
            evaluation,
            files,
            self._steps[type(evaluation.kind)].toolchain,
            self._settings.backend,
            judge_name=judge.name if judge else None,
        )

    def judge(self, submission: Submission) -> GradingResult:
        """Grade an answer; if grading breaks, grade the reference, then perhaps the answer again.

        A fault of ours is no exception, but a verdict (infrastructure). The answer is graded again
        if the step that broke could judge the reference. If it breaks a second time, the answer has
        failed.
        """
        first = self._grade_undisturbed(submission)
        broken = _find_broken_step(first)
        if broken is None:
            return first
        control = self._grade_undisturbed(replace(submission, reply=None, files=None))
        judged = {step.name for step in control.steps}
        if broken not in judged or _find_broken_step(control) is not None:
            return _add_control(first, control)
        return _add_control(self._grade_undisturbed(submission, is_last=True), control)

    def _grade_undisturbed(self, submission: Submission, *, is_last: bool = False) -> GradingResult:
        """Grade an answer, and again if it did not pass and this process stood still meanwhile.

        A process stands still while it is stopped, its interpreter is blocked, or the machine is
        suspended. Time limits then pass without any fault of the answer.
        """
        for _ in range(_TRIES - 1):
            began = time.monotonic()
            verdict = self._grade(submission, is_last=is_last)
            is_passed = verdict.outcome is Outcome.PASSED
            if is_passed or not self._heartbeat.stood_still_since(began):
                return verdict
        return self._grade(submission, is_last=is_last)

    def _grade(self, submission: Submission, *, is_last: bool) -> GradingResult:
        """Write the files of an answer, which is the step filesystem, and take the other steps."""
        evaluation = submission.evaluation
        state = AttemptState(submission.selection, last=is_last)
        steps = self._steps[type(evaluation.kind)]
        try:
            with create_workspace(self._settings.workspaces) as workspace, ExitStack() as stack:
                clock = StepClock(StepName.FILESYSTEM)
                rules = steps.find_rules(evaluation)
                try:
                    if submission.reply is not None:
                        admitted = steps.reader.read(submission.reply, rules)
                    else:
                        files = submission.files
                        files = evaluation.read_answer() if files is None else files
                        admitted = rules.admit(files)
                    workspace.write_apps(evaluation.build_apps(admitted.files))
                except (UnusableReplyError, WorkspaceError) as error:
                    first = clock.fail_step(str(error))
                else:
                    state.files = admitted.files
                    sizes = [
                        f"{path}  {len(text.encode())} bytes"
                        for path, text in sorted(admitted.files.items())
                    ]
                    log = "".join(f"{line}\n" for line in [*admitted.notes, *sizes])
                    first = clock.pass_step("; ".join(admitted.notes) or None, log)
                if state.add(first):
                    steps.take(state, evaluation, workspace, stack)
        except Exception as error:  # noqa: BLE001 - an attempt that raises must not end a run
            state.break_down(error)
        results = state.results
        fault = next((result.fault for result in results if result.fault), None)
        failed = None if fault else next((each for each in results if not each.passed), None)
        outcome = Outcome.FAILED if failed else Outcome.PASSED
        reason = failed.step.message if failed else None
        tested = next((each for each in results if each.step.name is StepName.TESTS), None)
        return GradingResult(
            outcome=Outcome.INFRASTRUCTURE if fault else outcome,
            failed_step=failed.step.name if failed else None,
            reason=make_one_line(fault.evidence, LONGEST_MESSAGE) if fault else reason,
            fault=fault,
            steps=tuple(result.step for result in results),
            tests=tested.tests if tested else None,
            files=state.files,
            logs={result.step.name.value: result.log for result in results if result.log},
            key=self.compute_verdict_key(evaluation, state.files),
            graded_at=datetime.now(UTC),
            printed=tested.printed if tested else "",
            outputs=tested.outputs if tested else {},
        )


def _find_broken_step(verdict: GradingResult) -> StepName | None:
    """Return the first step that could not be judged; None if all could."""
    broken = (step.name for step in verdict.steps if step.outcome is Outcome.INFRASTRUCTURE)
    return next(broken, None)


def compute_grading_key(
    evaluation: Eval,
    files: Mapping[str, str],
    toolchain: GradingToolchain,
    backend: BackendKind,
    *,
    judge_name: str | None = None,
) -> GradingKey:
    """Return the digests of all that a verdict on ``files`` depends on; starts no program."""
    grader = compute_grader_digest(evaluation)
    if judge_name is not None and evaluation.asks_judge:
        grader = compute_list_digest(grader, judge_name)
    return GradingKey(
        answer=compute_answer_digest(files),
        grader=grader,
        toolchain=compute_tools_digest(evaluation.kind, toolchain, backend),
    )


def compute_tools_digest(
    kind: GraderKind, toolchain: GradingToolchain, backend: BackendKind
) -> str:
    """Return the digest of the emulator and of all tools that graders of a kind depend on."""
    of_answers = (backend, INSTALL) if kind.has_convex_answers else ()
    return compute_list_digest(toolchain.compute_digest(), *of_answers)


def compute_grader_digest(evaluation: Eval) -> str:
    """Return the digest of an eval's files that a verdict depends on: SHA-256, in hex.

    It covers the grader with the modules that it imports, the configuration and the given app. It
    covers the reference answer too if the grader's text has the word "reference".
    """
    files = evaluation.collect_grader_files()
    texts = [part for path in files for part in (path.name, read_grader_text(path))]
    if any("reference" in text for text in texts):
        texts += [part for item in evaluation.read_answer().items() for part in item]
    texts += [part for item in evaluation.read_given().items() for part in item]
    return compute_list_digest(
        evaluation.config.model_dump_json(), *map(canary.strip_canary, texts)
    )


def _add_control(verdict: GradingResult, control: GradingResult) -> GradingResult:
    """Return the verdict with the outcome of the reference, and in a fault also its reason."""
    verdict = replace(verdict, control=control.outcome)
    if verdict.fault is None:
        return verdict
    same = control.reason == make_one_line(verdict.fault.evidence, LONGEST_MESSAGE)
    beside = "the same of the reference answer" if same else f"of the reference: {control.reason}"
    evidence = f"{verdict.fault.evidence} ({beside})"
    fault = Fault.cut(verdict.fault.kind, evidence)
    return replace(verdict, fault=fault, reason=make_one_line(evidence, LONGEST_MESSAGE))

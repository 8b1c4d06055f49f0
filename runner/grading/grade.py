"""The grading service, which takes an answer through the six steps and returns its verdict.

A failure of filesystem, install or deploy ends the attempt. The steps typecheck, lint and tests
follow, even if one of them fails. An eval with the static pipeline has no deploy step. If a fault
of ours keeps a step from being judged, the attempt is not judged either (infrastructure).
"""

import secrets
import traceback
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Self

from records.archives.archive import compute_answer_digest, compute_list_digest
from records.shapes.attempt import Fault, FaultClass, GradingKey, Outcome, Step, StepName, Test
from records.suites import canary
from records.suites.eval_config import Pipeline
from records.text.visible import make_one_line
from runner.answers.reader import ReplyReader
from runner.answers.rules import CONVEX_RULES, TYPESCRIPT_RULES, FileRules
from runner.backends.backend import BackendKind, Deployment
from runner.backends.codegen import write_generated
from runner.errors import JailBrokenError, JailEndedError, RunnerError
from runner.evals.discovery import Eval
from runner.evals.grader_modules import read_grader_text
from runner.grading.backend_choice import open_backend
from runner.grading.blame.control import TRIES, find_broken_step, is_judged_at
from runner.grading.blame.heartbeat import Heartbeat
from runner.grading.fixtures.rendering import PageRendering
from runner.grading.references import References
from runner.grading.steps.deploy import deploy
from runner.grading.steps.filesystem import check_reply, write_files
from runner.grading.steps.install import install
from runner.grading.steps.lint import Linter
from runner.grading.steps.model_judge import Judge
from runner.grading.steps.step import LONGEST_MESSAGE, StepClock, StepResult
from runner.grading.steps.tests import TestsResult, run_tests
from runner.grading.steps.typecheck import Typechecker
from runner.grading.steps.vitest_grader import (
    ANSWER_PORTS,
    REFERENCE_PORTS,
    VitestGrading,
    name_deployment,
    run_vitest,
)
from runner.grading.steps.vitest_slots import VitestSlots
from runner.grading.worker.pool import GraderPool
from runner.grading.worker.protocol import (
    ALL_TESTS,
    GradingRequest,
    SelectedTests,
    ServiceQuestion,
    ServiceReply,
    TestOutput,
)
from runner.jail import Kind, open_jail
from runner.python_toolchain import GradingToolchain
from runner.toolchain import INSTALL, find_toolchain
from runner.workspace import Workspace, create_workspace

_OF_THE_JAIL = (JailBrokenError, JailEndedError)


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
    """The reported tests; None if the tests did not run."""
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


@dataclass(slots=True)
class AttemptState:
    """The results of an attempt during the steps."""

    selection: SelectedTests
    last: bool = False
    """True if a step that breaks is the answer's failure (see control.py)."""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    results: list[StepResult] = field(default_factory=list[StepResult])
    tests: tuple[Test, ...] | None = None
    printed: str = ""
    outputs: Mapping[str, TestOutput] = field(default_factory=dict[str, TestOutput])

    def add(self, result: StepResult) -> bool:
        """Append the result of a step; return true if the step passed."""
        self.results.append(result.blame_answer() if self.last else result)
        return result.passed

    def break_down(self, error: Exception) -> None:
        """Append the next step as not judged, because our code raised ``error``."""
        judged_steps = {result.step.name for result in self.results}
        name = next((step for step in StepName if step not in judged_steps), StepName.TESTS)
        kind = FaultClass.SANDBOX if isinstance(error, _OF_THE_JAIL) else FaultClass.OUTAGE
        evidence = f"{type(error).__name__}: {error}"
        log = "".join(traceback.format_exception(error))
        self.add(StepClock(name).report_fault(kind, evidence, log))

    def find_first_fault(self) -> Fault | None:
        """Return the first fault of ours, or None."""
        return next((result.fault for result in self.results if result.fault), None)

    def find_first_failed(self) -> StepResult | None:
        """Return the first step that did not pass, or None."""
        return next((result for result in self.results if not result.passed), None)


class GradingService:
    """Grades answers, in several threads at the same time, with programs that are kept warm.

    The service must be entered by ``with`` before it is used.
    """

    def __init__(  # noqa: PLR0913 - the user chooses each
        self,
        *,
        suite_root: Path,
        backend: BackendKind = "embedded",
        sandbox: Kind = "bwrap",
        workers: int = 2,
        workspaces: Path | None = None,
        judge_model: Judge | None = None,
    ) -> None:
        """Store the settings; ``__enter__`` starts the programs.

        ``workers`` is the number of attempts that are graded at the same time. ``workspaces`` is
        the parent of their folders, by default the system's temporary folder. ``judge_model``
        decides the tests that graders leave to a model; with None they are not judged.
        """
        self._suite_root = suite_root
        self._backend_kind: BackendKind = backend
        self._sandbox: Kind = sandbox
        self._workers = workers
        self._workspaces = workspaces
        self._judge_model = judge_model
        self._open = ExitStack()

    def __enter__(self) -> Self:
        """Find the toolchain, open the jail, and start the programs that are kept warm.

        Raises ToolchainMissingError or SandboxUnavailableError, with the remedy, and
        ToolchainBrokenError.
        """
        with ExitStack() as stack:
            self._toolchain = find_toolchain(self._suite_root)
            self._jail = open_jail(self._sandbox)
            self._heartbeat = stack.enter_context(Heartbeat())
            self._readers = {
                rules: stack.enter_context(ReplyReader(rules=rules))
                for rules in (CONVEX_RULES, TYPESCRIPT_RULES)
            }
            self._pool = stack.enter_context(GraderPool())
            self._linter = stack.enter_context(Linter(self._jail, self._toolchain))
            self._typechecker = Typechecker(self._jail, self._toolchain)
            self._vitest = stack.enter_context(
                VitestSlots(self._jail, self._toolchain, self._workspaces)
            )
            self._checks = stack.enter_context(
                ThreadPoolExecutor(self._workers, thread_name_prefix="checking")
            )
            # Each of these takes a second or more to start, so they start in parallel.
            self._pool.warm_up()
            linting = self._checks.submit(self._linter.prepare)
            self._backend = stack.enter_context(
                open_backend(self._backend_kind, self._jail, self._toolchain)
            )
            self._admin_key = secrets.token_hex(16)
            self._references = stack.enter_context(References(self._backend, self._workspaces))
            linting.result()
            self._open = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """End the programs that were kept warm."""
        self._open.close()

    def grade(
        self, evaluation: Eval, files: Mapping[str, str], selection: SelectedTests = ALL_TESTS
    ) -> GradingResult:
        """Return the verdict on an answer's files, as `judge` does."""
        return self.judge(Submission(evaluation, selection, files=files))

    def compute_verdict_key(self, evaluation: Eval, files: Mapping[str, str]) -> GradingKey:
        """Return the digests of all that a verdict on these files depends on."""
        judge_name = self._judge_model.name if self._judge_model else None
        return compute_grading_key(
            evaluation,
            files,
            self._toolchain,
            self._backend_kind,
            judge_name=judge_name,
        )

    def judge(self, submission: Submission) -> GradingResult:
        """Grade an answer; if grading breaks, grade the reference, then perhaps the answer again.

        A fault of ours is no exception, but a verdict (infrastructure). The answer is graded again
        if the step that broke could judge the reference. If it breaks a second time, the answer has
        failed (see control.py).
        """
        first = self._grade_undisturbed(submission)
        broken = find_broken_step(first)
        if broken is None:
            return first
        control = self._grade_undisturbed(replace(submission, reply=None, files=None))
        if not is_judged_at(control, broken):
            return _add_control(first, control)
        last = self._grade_undisturbed(submission, is_last=True)
        return _add_control(last, control)

    def _grade_undisturbed(self, submission: Submission, *, is_last: bool = False) -> GradingResult:
        """Grade an answer, and again if it did not pass and this process stood still meanwhile.

        A process stands still while it is stopped, its interpreter is blocked, or the machine is
        suspended. Time limits then pass without any fault of the answer.
        """
        for _ in range(TRIES - 1):
            began = self._heartbeat.read_time()
            verdict = self._grade(submission, is_last=is_last)
            is_passed = verdict.outcome is Outcome.PASSED
            if is_passed or not self._heartbeat.stood_still_since(began):
                return verdict
        return self._grade(submission, is_last=is_last)

    def _grade(self, submission: Submission, *, is_last: bool) -> GradingResult:
        state = AttemptState(submission.selection)
        try:
            with create_workspace(self._workspaces) as workspace, ExitStack() as stack:
                state.last = is_last
                self._take(state, submission, workspace, stack)
        except Exception as error:  # noqa: BLE001 - an attempt that raises must not end a run
            state.break_down(error)
        return self._make_verdict(state, submission.evaluation)

    def _take(
        self,
        state: AttemptState,
        submission: Submission,
        workspace: Workspace,
        stack: ExitStack,
    ) -> None:
        """Take an answer through the steps, up to the end or to a failure that ends the attempt."""
        evaluation = submission.evaluation
        limits = evaluation.config.limits
        first, state.files = self._write(submission, workspace)
        if not state.add(first):
            return
        if evaluation.is_typescript and evaluation.config.pipeline is Pipeline.STATIC:
            # In TypeScript suites the static pipeline runs the tests alone.
            done = self._run_tests(state, evaluation, workspace, None)
            state.add(done.result)
            state.tests, state.printed = done.tests, done.printed
            return
        is_typescript = evaluation.is_typescript
        if not state.add(install(workspace, self._toolchain, admits_unused=is_typescript)):
            return
        write_generated(workspace.project)
        deployment = None
        if evaluation.config.pipeline is Pipeline.FULL:
            names = name_deployment(evaluation, ANSWER_PORTS, self._admin_key)
            result, deployment = deploy(self._backend, workspace, limits.deploy_s, names)
            if not state.add(result) or deployment is None:
                return
            stack.enter_context(deployment)
        # The checks only read files, so they run at the same time as the tests. An answer that
        # does not deploy is not checked: with deep nesting the type checker would use up its limit.
        checks = self._checks.submit(self._check, evaluation, workspace)
        stack.callback(wait, [checks])
        done = self._run_tests(state, evaluation, workspace, deployment)
        for result in (*checks.result(), done.result):
            state.add(result)
        state.tests, state.printed, state.outputs = done.tests, done.printed, done.outputs

    def _write(
        self, submission: Submission, workspace: Workspace
    ) -> tuple[StepResult, Mapping[str, str]]:
        """Do the filesystem step: write the files of the answer, and return them by path."""
        rules, reader = self._choose_rules(submission.evaluation)
        if submission.reply is not None:
            return check_reply(workspace, submission.reply, reader)
        files = submission.files
        if files is None:
            files = submission.evaluation.read_answer()
        return write_files(workspace, files, rules)

    def _choose_rules(self, evaluation: Eval) -> tuple[FileRules, ReplyReader]:
        """Return the rules for the files of an answer, and the reader of replies that has them."""
        rules = TYPESCRIPT_RULES if evaluation.is_typescript else CONVEX_RULES
        return rules, self._readers[rules]

    def _check(self, evaluation: Eval, workspace: Workspace) -> tuple[StepResult, StepResult]:
        """Do the steps typecheck and lint, which need no deployment."""
        limits = evaluation.config.limits
        return (
            self._typechecker.check(workspace, limits.typecheck_s),
            self._linter.lint(workspace, limits.lint_s),
        )

    def _run_tests(
        self,
        state: AttemptState,
        evaluation: Eval,
        workspace: Workspace,
        deployment: Deployment | None,
    ) -> TestsResult:
        if evaluation.is_typescript:
            return self._run_vitest(state, evaluation, workspace, deployment)
        request = GradingRequest(
            grader=str(evaluation.grader.absolute()),
            deployment=deployment.address if deployment else None,
            rendering=PageRendering(
                sandbox=self._sandbox, toolchain=self._toolchain, project=workspace.project
            ),
            files=dict(state.files),
            time_limit_s=evaluation.config.limits.tests_s,
            selection=state.selection,
            last=state.last,
        )
        with ExitStack() as lent:
            respond = partial(self._respond, evaluation, deployment, lent)
            return run_tests(self._pool, request, respond)

    def _run_vitest(
        self,
        state: AttemptState,
        evaluation: Eval,
        workspace: Workspace,
        deployment: Deployment | None,
    ) -> TestsResult:
        """Run a grader in TypeScript.

        If the reference cannot be deployed, the grader runs without it.
        """
        with ExitStack() as lent:
            reference = None
            if deployment is not None:
                names = name_deployment(evaluation, REFERENCE_PORTS, self._admin_key)
                with suppress(RunnerError, OSError):
                    reference = lent.enter_context(self._references.lend(evaluation, names))
            grading = VitestGrading(
                evaluation,
                workspace,
                deployment.address if deployment else None,
                reference,
                state.files,
                self._judge_model,
                state.selection,
            )
            return run_vitest(self._jail, self._toolchain, self._vitest, grading)

    def _respond(
        self,
        evaluation: Eval,
        deployment: Deployment | None,
        lent: ExitStack,
        question: ServiceQuestion,
    ) -> ServiceReply:
        """Answer a question of the worker that runs the tests."""
        if question.what == "deployment_end":
            return _describe_end(deployment)
        try:
            return ServiceReply(deployment=lent.enter_context(self._references.lend(evaluation)))
        except (RunnerError, OSError) as error:
            return ServiceReply(
                fault=Fault(kind=FaultClass.GRADER, evidence=f"reference: {error}"[:4000])
            )

    def _make_verdict(self, state: AttemptState, evaluation: Eval) -> GradingResult:
        fault = state.find_first_fault()
        failed = None if fault else state.find_first_failed()
        outcome = Outcome.FAILED if failed else Outcome.PASSED
        reason = failed.step.message if failed else None
        return GradingResult(
            outcome=Outcome.INFRASTRUCTURE if fault else outcome,
            failed_step=failed.step.name if failed else None,
            reason=make_one_line(fault.evidence, LONGEST_MESSAGE) if fault else reason,
            fault=fault,
            steps=tuple(result.step for result in state.results),
            tests=state.tests,
            files=state.files,
            logs={result.step.name.value: result.log for result in state.results if result.log},
            key=self.compute_verdict_key(evaluation, state.files),
            graded_at=datetime.now(UTC),
            printed=state.printed,
            outputs=state.outputs,
        )


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
    is_deployed = evaluation.suite is None
    return GradingKey(
        answer=compute_answer_digest(files),
        grader=grader,
        toolchain=compute_list_digest(
            toolchain.compute_digest(), *((backend, INSTALL) if is_deployed else ())
        ),
    )


def compute_grader_digest(evaluation: Eval) -> str:
    """Return the digest of an eval's files that a verdict depends on: SHA-256, in hex.

    It covers the grader with the modules that it imports and the configuration. It covers the
    reference answer too if the grader's text has the word "reference".
    """
    files = evaluation.collect_grader_files()
    texts = [part for path in files for part in (path.name, read_grader_text(path))]
    if any("reference" in text for text in texts):
        texts += [part for item in evaluation.read_answer().items() for part in item]
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
    fault = Fault(kind=verdict.fault.kind, evidence=evidence[:4000])
    return replace(verdict, fault=fault, reason=make_one_line(evidence, LONGEST_MESSAGE))


def _describe_end(deployment: Deployment | None) -> ServiceReply:
    """Describe the end of a deployment that does not answer; a fault if a SIGKILL ended it."""
    ended = deployment.describe_end() if deployment else None
    if deployment and deployment.was_killed():
        evidence = f"the deployment was killed: it {ended}"
        return ServiceReply(
            ended=ended, fault=Fault(kind=FaultClass.SANDBOX, evidence=evidence[:4000])
        )
    return ServiceReply(ended=ended)

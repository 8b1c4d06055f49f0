"""The steps of answers that are projects for Convex: graders in Python, and in TypeScript.

A failure of install or deploy ends the attempt. The steps typecheck, lint and tests follow, even if
one of them fails. An eval with the static pipeline has no deploy step.
"""

import secrets
from abc import abstractmethod
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from records.shapes.attempt import Fault, FaultClass, StepName
from records.suites.eval_config import Pipeline
from records.suites.given_app import ANSWER
from runner import errors
from runner.answers.reader import ReplyReader
from runner.answers.rules import FileRules
from runner.backends.backend import Address, Backend, BackendKind, Deployment
from runner.backends.codegen import write_generated
from runner.emulator.embedded import EmbeddedBackend, prepare_programs
from runner.evals.discovery import Eval
from runner.grading.answer_steps import AnswerSteps, AttemptState, GradingSettings
from runner.grading.steps import vitest_grader
from runner.grading.steps.checks import Linter, Typechecker
from runner.grading.steps.install import install
from runner.grading.steps.step import StepClock, StepResult, judge_tests
from runner.grading.steps.vitest_report import Judge
from runner.grading.steps.vitest_slots import VitestSlots
from runner.grading.worker import protocol
from runner.grading.worker.pool import GraderPool
from runner.jail import Jail, open_jail
from runner.jail.warm_workers import Warm
from runner.toolchain import Toolchain, find_toolchain
from runner.workspace import Workspace, create_workspace

_MOST_IDLE = 4
"""The most idle deployments that are kept; each has two Node processes."""
_EMPTY_PROJECT = {"convex/empty.ts": "export {};\n"}
_EMPTY_DEPLOY_S = 60.0


class ConvexPrograms:
    """The programs that both kinds of graders use; they end with the stack that is given."""

    def __init__(
        self,
        suite_root: Path,
        settings: GradingSettings,
        judge_model: Judge | None,
        stack: ExitStack,
    ) -> None:
        """Find the toolchain, open the jail, and start the programs that are kept warm.

        Raises ToolchainMissingError or SandboxUnavailableError, with the remedy, and
        ToolchainBrokenError.
        """
        self.settings = settings
        self.judge_model = judge_model
        self.toolchain = find_toolchain(suite_root)
        self.jail = open_jail(settings.sandbox)
        self.pool = stack.enter_context(GraderPool())
        self.linter = stack.enter_context(Linter(self.jail, self.toolchain))
        self.typechecker = Typechecker(self.jail, self.toolchain)
        self.vitest = stack.enter_context(
            VitestSlots(self.jail, self.toolchain, settings.workspaces)
        )
        self.checks = stack.enter_context(
            ThreadPoolExecutor(settings.graders, thread_name_prefix="checking")
        )
        # Each of these takes a second or more to start, so they start in parallel.
        self.pool.warm_up()
        linting = self.checks.submit(self.linter.prepare)
        self.backend = make_backend(settings.backend, self.jail, self.toolchain)
        self.admin_key = secrets.token_hex(16)
        self.references = stack.enter_context(References(self.backend, settings.workspaces))
        linting.result()


class ConvexSteps(AnswerSteps):
    """Steps over a deployment of the answer. Subclasses run the graders."""

    def __init__(self, programs: ConvexPrograms, rules: FileRules, stack: ExitStack) -> None:
        """Use warm programs, which others may use at the same time."""
        self.programs = programs
        self.toolchain = programs.toolchain
        self.rules = rules
        self.reader = stack.enter_context(ReplyReader())

    def take(
        self, state: AttemptState, evaluation: Eval, workspace: Workspace, stack: ExitStack
    ) -> None:
        """Install, deploy, and then test, while types and lint are checked."""
        programs = self.programs
        admits_unused = evaluation.kind.is_of_others
        if not state.add(install(workspace, programs.toolchain, admits_unused=admits_unused)):
            return
        write_generated(workspace.project)
        deployment = None
        if evaluation.config.pipeline is Pipeline.FULL:
            clock, limit_s = StepClock(StepName.DEPLOY), evaluation.config.limits.deploy_s
            try:
                names = self.name_deployment(evaluation)
                deployment = stack.enter_context(programs.backend.deploy(workspace, limit_s, names))
                result = clock.pass_step()
            except errors.DeployFailedError as error:
                result = clock.fail_step(str(error))
            except errors.BackendBrokenError as error:
                result = clock.report_fault(FaultClass.BACKEND, str(error))
            except errors.JailBrokenError as error:
                result = clock.report_fault(FaultClass.SANDBOX, str(error))
            if not state.add(result):
                return
        # The checks only read files, so they run at the same time as the tests. An answer that
        # does not deploy is not checked: with deep nesting the type checker would use up its limit.
        checks = programs.checks.submit(self._check, evaluation, workspace)
        stack.callback(wait, [checks])
        tested = self.run_tests(state, evaluation, workspace, deployment)
        for result in (*checks.result(), tested):
            state.add(result)

    def name_deployment(self, evaluation: Eval) -> Address | None:
        """Return the addresses and the key that graders expect; None for the deployment's own."""
        del evaluation

    @abstractmethod
    def run_tests(
        self,
        state: AttemptState,
        evaluation: Eval,
        workspace: Workspace,
        deployment: Deployment | None,
    ) -> StepResult:
        """Run a grader over an answer; ``deployment`` is None if the answer is not deployed."""

    def _check(self, evaluation: Eval, workspace: Workspace) -> tuple[StepResult, StepResult]:
        """Do the steps typecheck and lint, which need no deployment."""
        limits = evaluation.config.limits
        return (
            self.programs.typechecker.check(workspace, limits.typecheck_s),
            self.programs.linter.lint(workspace, limits.lint_s),
        )


class PythonSteps(ConvexSteps):
    """Steps with a grader in Python, in a worker that is kept."""

    def run_tests(
        self,
        state: AttemptState,
        evaluation: Eval,
        workspace: Workspace,
        deployment: Deployment | None,
    ) -> StepResult:
        """Run a grader; the reference is deployed when a test first asks for it."""
        clock = StepClock(StepName.TESTS)
        request = protocol.GradingRequest(
            grader=str(evaluation.grader.absolute()),
            deployment=deployment.address if deployment else None,
            rendering=protocol.PageRendering(
                sandbox=self.programs.settings.sandbox,
                toolchain=self.programs.toolchain,
                project=workspace.project,
            ),
            files=evaluation.build_apps(state.files)[ANSWER],
            time_limit_s=evaluation.config.limits.tests_s,
            selection=state.selection,
            last=state.last,
        )
        with ExitStack() as lent:
            respond = partial(self._respond, evaluation, deployment, lent)
            report = self.programs.pool.run(request, respond)
        tests = tuple(report.tests)
        lines = [f"{test.outcome:<15} {test.name}  {test.duration_s:.2f} s" for test in tests]
        log = "\n".join([*lines, "", report.log])
        if report.fault is not None:
            step = clock.report_fault(report.fault.kind, report.fault.evidence, log)
        else:
            step = judge_tests(clock, tests, log)
        return replace(step, tests=tests, printed=report.printed, outputs=report.outputs)

    def _respond(
        self,
        evaluation: Eval,
        deployment: Deployment | None,
        lent: ExitStack,
        question: protocol.ServiceQuestion,
    ) -> protocol.ServiceReply:
        """Answer a question of the worker that runs the tests."""
        if question.what == "deployment_end":
            ended, fault = deployment.describe_end() if deployment else None, None
            if deployment and deployment.was_killed():
                evidence = f"the deployment was killed: it {ended}"
                fault = Fault.cut(FaultClass.SANDBOX, evidence)
            return protocol.ServiceReply(ended=ended, fault=fault)
        try:
            address = lent.enter_context(self.programs.references.lend_address(evaluation))
        except (errors.RunnerError, OSError) as error:
            return protocol.ServiceReply(fault=Fault.cut(FaultClass.GRADER, f"reference: {error}"))
        return protocol.ServiceReply(deployment=address)


class VitestSteps(ConvexSteps):
    """Steps with a grader in TypeScript, in a jail of its own."""

    def take(
        self, state: AttemptState, evaluation: Eval, workspace: Workspace, stack: ExitStack
    ) -> None:
        """Take the steps over a deployment; in the static pipeline run the tests alone."""
        if evaluation.config.pipeline is Pipeline.STATIC:
            state.add(self.run_tests(state, evaluation, workspace, None))
        else:
            super().take(state, evaluation, workspace, stack)

    def name_deployment(self, evaluation: Eval) -> Address | None:
        """Return the addresses and the key of the suite's kit."""
        return vitest_grader.name_deployment(
            evaluation, vitest_grader.ANSWER_PORTS, self.programs.admin_key
        )

    def run_tests(
        self,
        state: AttemptState,
        evaluation: Eval,
        workspace: Workspace,
        deployment: Deployment | None,
    ) -> StepResult:
        """Run a grader; if the reference cannot be deployed, the grader runs without it."""
        programs = self.programs
        with ExitStack() as lent:
            reference = None
            if deployment is not None:
                names = vitest_grader.name_deployment(
                    evaluation, vitest_grader.REFERENCE_PORTS, self.programs.admin_key
                )
                with suppress(errors.RunnerError, OSError):
                    reference = lent.enter_context(
                        programs.references.lend_address(evaluation, names)
                    )
            return vitest_grader.VitestGrading(
                programs.jail,
                programs.toolchain,
                programs.vitest,
                evaluation,
                workspace,
                deployment.address if deployment else None,
                reference,
                state.files,
                programs.judge_model,
                state.selection,
            ).run()


_Apps = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
"""The files of apps, by the names of the apps."""


class _Reference:
    """A deployment of a reference answer."""

    def __init__(
        self,
        backend: Backend,
        workspaces: Path | None,
        evaluation: Eval,
        apps: _Apps,
        names: Address | None,
    ) -> None:
        with ExitStack() as stack:
            workspace = stack.enter_context(create_workspace(workspaces))
            workspace.write_apps({name: dict(files) for name, files in apps})
            try:
                deployment = backend.deploy(workspace, evaluation.config.limits.deploy_s, names)
            except errors.DeployFailedError as error:
                raise errors.InvalidEvalError(
                    f"{evaluation.folder / 'answer'}: does not deploy: {error}"
                ) from error
            self.deployment = stack.enter_context(deployment)
            self.close = stack.pop_all().close

    @property
    def usable(self) -> bool:
        return self.deployment.describe_end() is None


class References(Warm[_Reference]):
    """Lends deployments of reference answers, each to a single grading at a time."""

    def __init__(self, backend: Backend, workspaces: Path | None) -> None:
        """Prepare without a deployment: the first grader that needs one starts it."""
        start = partial(_Reference, backend, workspaces)
        super().__init__(start, wait_s=0, most_idle=_MOST_IDLE)

    @contextmanager
    def lend_address(self, evaluation: Eval, names: Address | None = None) -> Generator[Address]:
        """Lend a deployment of an eval's reference answer; start a deployment if none is idle.

        A new deployment uses ``names``. If the reference answer was edited, it is deployed again.

        Raises InvalidEvalError if the reference does not deploy, InfrastructureError if the backend
        fails.
        """
        apps = evaluation.build_apps(evaluation.read_answer())
        key: _Apps = tuple((name, tuple(files.items())) for name, files in apps.items())
        with self.lend(evaluation, key, names) as reference:
            yield reference.deployment.address


def make_backend(kind: BackendKind, jail: Jail, toolchain: Toolchain) -> Backend:
    """Return a backend; the embedded backend is checked with an empty project.

    Raises:
        ToolchainMissingError: ``kind`` is the real backend and its binary is missing.
        ToolchainBrokenError: the embedded backend does not work.
    """
    if kind == "local":
        from runner.backends.local import (  # noqa: PLC0415 - its HTTP client takes 0.1 s
            LocalBackend,
        )

        return LocalBackend(toolchain)
    backend = EmbeddedBackend(jail, toolchain, prepare_programs(jail, toolchain))
    # A broken backend must not be blamed on answers.
    with create_workspace() as workspace:
        workspace.write(_EMPTY_PROJECT)
        try:
            backend.deploy(workspace, _EMPTY_DEPLOY_S).close()
        except errors.DeployFailedError as error:
            raise errors.ToolchainBrokenError(
                f"the backend deploys no empty project: {error}"
            ) from error
    return backend

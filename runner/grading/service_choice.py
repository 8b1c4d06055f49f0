"""The choice of the grading service: suites whose graders are programs have another one."""

from pathlib import Path

from runner.backends.backend import BackendKind
from runner.errors import UnsuitableBackendError
from runner.evals.discovery import Suite
from runner.grading.grade import GradingService
from runner.grading.programs.command_service import CommandGradingService
from runner.grading.steps.model_judge import Judge
from runner.jail import Kind


def choose_service(  # noqa: PLR0913 - the settings of both services
    suite: Suite,
    *,
    backend: BackendKind,
    sandbox: Kind,
    workers: int,
    workspaces: Path | None = None,
    judge_model: Judge | None = None,
) -> GradingService:
    """Return the service that grades answers to ``suite``; it must be entered before use.

    A service for programs has neither a backend nor a judge.

    Raises:
        UnsuitableBackendError: the suite's graders cannot judge over this backend.
    """
    if backend == "local" and not suite.is_typescript:
        reason = (
            "its graders use no backend"
            if suite.config is not None
            else "its graders call test controls such as `reset`, which only the emulator has"
        )
        raise UnsuitableBackendError(
            f"--backend local is of use for suites in TypeScript, and {suite.root} is none: "
            f"{reason}; leave the option out"
        )
    if suite.config is not None:
        return CommandGradingService(
            suite.config, suite.root, sandbox=sandbox, workspaces=workspaces
        )
    return GradingService(
        suite_root=suite.root,
        backend=backend,
        sandbox=sandbox,
        workers=workers,
        workspaces=workspaces,
        judge_model=judge_model,
    )

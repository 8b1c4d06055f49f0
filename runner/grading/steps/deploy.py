"""The step deploy: the backend accepts the model's files."""

from records.shapes.attempt import FaultClass, StepName
from runner.backends.backend import Backend, Deployment, Names
from runner.errors import (
    BackendBrokenError,
    DeployFailedError,
    JailBrokenError,
)
from runner.grading.steps.step import StepClock, StepResult
from runner.workspace import Workspace


def deploy(
    backend: Backend, workspace: Workspace, wall_s: float, names: Names | None = None
) -> tuple[StepResult, Deployment | None]:
    """Deploy the project of a workspace, with ``names`` if given.

    Returns the step and the deployment, which the caller closes; None if the step did not pass.
    """
    clock = StepClock(StepName.DEPLOY)
    try:
        deployment = backend.deploy(workspace, wall_s, names)
    except DeployFailedError as error:
        return clock.fail_step(str(error)), None
    except BackendBrokenError as error:
        return clock.report_fault(FaultClass.BACKEND, str(error)), None
    except JailBrokenError as error:
        return clock.report_fault(FaultClass.SANDBOX, str(error)), None
    return clock.pass_step(), deployment

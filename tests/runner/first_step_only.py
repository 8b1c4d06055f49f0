"""A grading that opens nothing: every reply fails at the first step, as prose does.

Tests that kill the command a hundred times are not about grading, which takes seconds to open.
"""

from dataclasses import replace
from typing import Self
from unittest import mock

from records.shapes.attempt import Outcome, Step, StepName
from runner.grading.answer_steps import GradingSettings
from runner.grading.grade import GradingResult, GradingService, Submission
from runner.runs import launch
from tests.runner.growing_graders import pass_at_once
from tests.runner.small_eval import SUITE


def grade_first_step_only() -> None:
    """Replace the grading of this process, a child of `tests.support.warm_command`."""
    mock.patch.object(launch, "open_grading", mock.Mock(return_value=_FirstStepOnly())).start()


class _FirstStepOnly(GradingService):
    """A grading that fails every reply at the first step, as the real one fails prose."""

    def __init__(self) -> None:
        super().__init__(SUITE, GradingSettings())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def judge(self, submission: Submission) -> GradingResult:
        """Return the verdict."""
        del submission
        first = Step(
            name=StepName.FILESYSTEM, outcome=Outcome.FAILED, duration_s=0.0, message="no files"
        )
        return replace(
            pass_at_once(),
            outcome=Outcome.FAILED,
            failed_step=StepName.FILESYSTEM,
            reason="no files",
            steps=(first,),
        )

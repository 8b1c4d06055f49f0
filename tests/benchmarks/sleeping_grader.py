"""A grading service that sleeps: measures show the cost of the way to workers and back.

Dask loads this module into workers by ``distributed.worker.preload``.
"""

import time
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final, Self

from records.shapes.attempt import GradingKey, Outcome, Step, StepName
from runner.evals.discovery import Eval
from runner.grading.grade import GradingResult, Submission, compute_grading_key
from runner.toolchain import find_toolchain

SLEEP_S: Final = 1.0
_LOG: Final = "x" * 40_000


class SleepingService:
    """A grading service whose every verdict takes a second and has a log of 40 kB."""

    def __init__(self, *, suite_root: Path, **_: Any) -> None:  # noqa: ANN401 - nothing else matters
        """Set the suite."""
        self._root = suite_root

    def __enter__(self) -> Self:
        """Open nothing."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close nothing."""

    def judge(self, submission: Submission) -> GradingResult:
        """Sleep, and return a verdict."""
        time.sleep(SLEEP_S)
        step = Step(name=StepName.FILESYSTEM, outcome=Outcome.PASSED, duration_s=1.0, message=None)
        return GradingResult(
            outcome=Outcome.PASSED,
            failed_step=None,
            reason=None,
            fault=None,
            steps=(step,),
            tests=(),
            files={},
            logs={"filesystem": _LOG},
            key=_compute_key(self._root, submission.evaluation),
            graded_at=datetime.now(UTC),
        )


@cache
def _compute_key(root: Path, evaluation: Eval) -> GradingKey:
    return compute_grading_key(evaluation, {}, find_toolchain(root), "embedded")


def dask_setup(worker: object) -> None:
    """Let the workers of this process grade by sleeping."""
    del worker
    from runner.grading import service_choice  # noqa: PLC0415 - of the worker's process

    service_choice.GradingService = SleepingService  # pyright: ignore[reportAttributeAccessIssue]

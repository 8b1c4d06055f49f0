"""Graders, as planners of attempts see them."""

from concurrent.futures import Future
from typing import Protocol

from runner.grading.grade import GradingResult, Submission


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


class DividedGraders:
    """Graders of a cluster, and graders of this process for tests that a judge model decides.

    Only this process has the key of the judge.
    """

    def __init__(self, cluster: Graders, judging: Graders) -> None:
        """Have ``judging`` grade the evals that ask the judge, and ``cluster`` all others."""
        self._cluster = cluster
        self._judging = judging

    @property
    def window(self) -> int:
        """The window of the cluster; the others keep further submissions waiting."""
        return self._cluster.window

    @property
    def threads(self) -> int:
        """The threads of the cluster."""
        return self._cluster.threads

    def submit(self, submission: Submission) -> Future[GradingResult]:
        """Have a submission graded where its eval can be graded."""
        graders = self._judging if submission.evaluation.asks_judge else self._cluster
        return graders.submit(submission)

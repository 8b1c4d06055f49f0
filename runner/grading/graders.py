"""Graders, as planners of attempts see them; and the graders that are threads of this process."""

from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from runner.grading.grade import GradingResult, GradingService, Submission


class Graders(Protocol):
    """Graders of submissions: threads of this process, or the workers of a cluster."""

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


@dataclass(frozen=True, slots=True)
class LocalGraders:
    """Threads that grade by the grading service of this process; the caller ends both."""

    service: GradingService
    executor: ThreadPoolExecutor
    threads: int

    @property
    def window(self) -> int:
        """The number of threads: a free thread takes the next submission at once."""
        return self.threads

    def submit(self, submission: Submission) -> Future[GradingResult]:
        """Grade in the next thread that is free."""
        return self.executor.submit(self.service.judge, submission)


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


@contextmanager
def open_local_graders(service: GradingService, number: int) -> Generator[LocalGraders]:
    """Start ``number`` threads; wait for them at the end, unless an error ends the block.

    Threads that nobody waits for end with the grading service, which the caller closes.
    """
    threads = ThreadPoolExecutor(number, thread_name_prefix="grading")
    try:
        yield LocalGraders(service, threads, number)
    except BaseException:
        threads.shutdown(wait=False, cancel_futures=True)
        raise
    threads.shutdown()

"""The workers of a cluster as graders: submissions go to them, verdicts come back.

The session, which has the only client of the scheduler, lives in an event loop of its own thread.
"""

import logging
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import cache
from typing import Self

from distributed import KilledWorker, Security

from records.shapes.attempt import Fault, FaultClass, GradingKey, Outcome
from records.text.visible import make_one_line
from runner.cluster.address import parse_cluster
from runner.cluster.local_cluster import open_local_cluster
from runner.cluster.messages import SentSubmission, write_order
from runner.cluster.session import ClusterSession
from runner.errors import BadClusterError
from runner.evals.discovery import Suite
from runner.grading.answer_steps import GradingSettings
from runner.grading.grade import GradingResult, Submission, compute_grading_key
from runner.grading.steps.step import LONGEST_MESSAGE
from runner.loop_thread import LoopThread
from runner.places import AttemptPlaces
from runner.python_toolchain import find_grading_toolchain

PER_THREAD = 2
"""Submissions under way for each thread of a worker, so that none waits for the driver."""
KILLS = 3
"""Times that an answer is sent though its workers died: they may have died for another reason."""
_GRADINGS = 3
"""The gradings of an answer that breaks something: twice its own, and once the reference's."""
_WAITS_S = 600.0
"""Seconds beyond the limits of an eval, in which a submission may wait for a worker."""


class ClusterGraders:
    """The workers of a cluster, as graders."""

    def __init__(self, session: ClusterSession, key: Callable[[str], GradingKey]) -> None:
        """Grade by the workers of ``session``.

        ``key`` returns the key of verdicts on an eval without files, by the driver's files as they
        first were.
        """
        self._session = session
        self._key = key
        self._thread = LoopThread("cluster")
        self._open = ExitStack()
        self._places = AttemptPlaces(lambda: self.window)
        self._under_way: set[Future[GradingResult]] = set()
        session.on_change = self._places.wake

    @property
    def window(self) -> int:
        """Two submissions for each thread of the present workers."""
        return max(1, PER_THREAD * self._session.threads)

    @property
    def threads(self) -> int:
        """The threads of the present workers."""
        return max(1, self._session.threads)

    def submit(self, submission: Submission) -> Future[GradingResult]:
        """Have a submission graded by a worker, as soon as it is among the first of the window."""
        verdict = self._thread.submit(self._grade(submission))
        self._under_way.add(verdict)
        verdict.add_done_callback(self._under_way.discard)
        return verdict

    def __enter__(self) -> Self:
        """Connect, and wait for the first worker that can grade.

        Raises:
            BadClusterError: there is no such scheduler, or all its workers are refused.
        """
        # Dask's log lines would break the view of a run; the session reports lost workers itself.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        with ExitStack() as stack:
            stack.enter_context(self._thread)
            stack.callback(self._end)
            self._thread.run(self._session.open())
            self._open = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """End the gradings under way, and disconnect; the workers stay warm."""
        self._open.close()

    def _end(self) -> None:
        for verdict in list(self._under_way):
            verdict.cancel()
        self._thread.run(self._session.close())

    async def _grade(self, submission: Submission) -> GradingResult:
        """Return the verdict on a submission; it is infrastructure if no worker gives any."""
        async with self._places.hold():
            try:
                return await self._ask_workers(submission)
            except Exception as error:  # noqa: BLE001 - one attempt's trouble must not end a run
                evidence = f"the cluster gave no verdict: {type(error).__name__}: {error}"
                return self._without_verdict(submission, evidence)

    async def _ask_workers(self, submission: Submission) -> GradingResult:
        """Send a submission until a worker with the driver's files has judged it.

        Raises:
            KilledWorker: workers died with it again and again.
            TimeoutError: no verdict came in time.
        """
        evaluation = submission.evaluation
        message = SentSubmission(
            eval=evaluation.name,
            selection=submission.selection,
            reply=submission.reply,
            files=submission.files,
        )
        sent, limits, kills = message.model_dump_json().encode(), evaluation.config.limits, 0
        # After this time a submission is given up, though there are workers.
        limit_s = limits.deploy_s + limits.typecheck_s + limits.lint_s + limits.tests_s
        patience_s = _GRADINGS * limit_s + _WAITS_S
        while True:
            try:
                verdict = await self._session.deliver(sent, patience_s)
            except KilledWorker:
                kills += 1
                if kills == KILLS:
                    raise
                continue
            refusal = verdict.refusal
            if verdict.result is not None and refusal is None:
                # A verdict counts only if it depends on the driver's own files.
                key, own = verdict.result.key, self._key(evaluation.name)
                if key.grader == own.grader and key.toolchain == own.toolchain:
                    return verdict.result
                refusal = "its toolchain has changed since it started"
                if key.grader != own.grader:
                    refusal = f"its grader of {evaluation.name} has changed since it started"
            self._session.leave_out(verdict.worker, refusal or "it gave no verdict")

    def _without_verdict(self, submission: Submission, evidence: str) -> GradingResult:
        fault = Fault.cut(FaultClass.GRADER, evidence)
        return GradingResult(
            outcome=Outcome.INFRASTRUCTURE,
            failed_step=None,
            reason=make_one_line(evidence, LONGEST_MESSAGE),
            fault=fault,
            steps=(),
            tests=None,
            files=submission.files or {},
            logs={},
            key=self._key(submission.evaluation.name),
            graded_at=datetime.now(UTC),
        )


@contextmanager
def open_cluster_graders(
    cluster: str, suite: Suite, settings: GradingSettings, tell: Callable[[str], None]
) -> Generator[ClusterGraders]:
    """Open the graders of ``--cluster``, whose value is ``cluster``.

    ``tell`` receives lines for the user; it may be called in any thread.

    Raises:
        UserError: the cluster cannot be used, or the toolchain is missing.
        ClusterBrokenError: the processes of a local cluster do not start.
    """
    address, toolchain = parse_cluster(cluster), find_grading_toolchain(suite.root)
    is_local = isinstance(address, int)
    backend, sandbox = settings.backend, settings.sandbox
    order = write_order(suite, toolchain, backend, sandbox, is_local=is_local)

    evals = {evaluation.name: evaluation for evaluation in suite.evals}

    @cache
    def compute_key_without_files(name: str) -> GradingKey:
        return compute_grading_key(evals[name], {}, toolchain, backend)

    with ExitStack() as stack:
        if isinstance(address, int):
            opening = open_local_cluster(address, sandbox, settings.workspaces)
            local, security = stack.enter_context(opening)
            scheduler, keep_alive = local.address, local.keep_alive
        else:
            scheduler, keep_alive, security = address, lambda: None, None
            if scheduler.startswith("tls://"):
                security = Security(require_encryption=True)
                if not (security.tls_ca_file and security.tls_client_cert):
                    raise BadClusterError(
                        f"--cluster {scheduler}: Dask's settings name no certificates: set "
                        "DASK_CONFIG to the file of `leaderboard cluster certificates`"
                    )
        sent_order = order.model_dump_json().encode()
        session = ClusterSession(scheduler, security, sent_order, tell, keep_alive)
        yield stack.enter_context(ClusterGraders(session, compute_key_without_files))

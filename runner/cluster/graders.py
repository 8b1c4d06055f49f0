"""The workers of a cluster as graders: submissions go to them, verdicts come back.

The session, which has the only client of the scheduler, lives in an event loop of its own thread.
If the connection breaks, the submissions under way wait for a new one, and are sent again.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from itertools import count
from typing import Any

from distributed import Client, KilledWorker, Security
from distributed.client import ClosedClientError, FutureCancelledError
from distributed.comm.core import CommClosedError

from records.shapes.attempt import Fault, FaultClass, GradingKey, Outcome
from records.text.numbers import format_count
from records.text.visible import make_one_line
from runner.cluster.address import parse_cluster
from runner.cluster.local_cluster import open_local_cluster
from runner.cluster.messages import TOPIC, SentSubmission, SentVerdict, WorkerReady, write_order
from runner.cluster.task import grade
from runner.cluster.worker import GradingPlugin, compute_order_digest
from runner.errors import BadClusterError, ClusterBrokenError
from runner.evals.discovery import Suite
from runner.grading.answer_steps import GradingSettings
from runner.grading.grade import GradingResult, Submission, compute_grading_key
from runner.grading.steps.step import LONGEST_MESSAGE
from runner.loop_thread import LoopThread
from runner.places import AttemptPlaces
from runner.python_toolchain import find_grading_toolchain

_CONNECT_S = 10.0
_TICK_S = 0.5
_CLOSE_S = 3.0
_PATIENT_TICK_S = 5.0
_BROKEN = (OSError, TimeoutError, ClosedClientError)
"""The errors of a connection that breaks."""
_LOOK_TICKS = 4
"""Ticks between two questions for the workers, of which there may be hundreds."""
_SHOWN = 3
"""The most names of workers in a line."""
_LONGEST_FAULT = 300
_SILENT_TICKS = 40
"""Ticks without a worker after which a line gives the reason of the wait."""


class ClusterSession:
    """A connection to a scheduler, opened again and again, and the workers of this driver."""

    def __init__(
        self,
        address: str,
        security: Security | None,
        order: bytes,
        tell: Callable[[str], None],
        keep_alive: Callable[[], None],
    ) -> None:
        """Prepare; nothing is connected yet.

        Args:
            address: the address of the scheduler.
            security: the certificates; None for a scheduler on loopback without TLS.
            order: the `GradingOrder`, on which verdicts depend.
            tell: the receiver of lines for the user.
            keep_alive: called now and then, to start ended processes of a local cluster.
        """
        self._address = address
        self._security = security
        self._order = order
        self._digest = compute_order_digest(order)
        self._tell = tell
        self._tell_once = cache(tell)
        self._keep_alive = keep_alive
        self._plugin = f"leaderboard-{secrets.token_hex(8)}"
        """A name for each driver: its end must not take the plugin of another driver."""
        self._client: Any = None
        self._connected = asyncio.Event()
        self._ready: Mapping[str, WorkerReady] = {}
        """The workers that reported, by address: able to grade, or refused.

        Replaced, never changed: other threads read it for the number of submissions.
        """
        self._present: frozenset[str] = frozenset()
        """The addresses of all workers that the scheduler knows."""
        self._counted: dict[str, str] = {}
        """The names of the workers in the last line about them, by address."""
        self._is_open = False
        self._is_failing = False
        """True while ended processes of a local cluster cannot be started again."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self.on_change: Callable[[], None] = lambda: None
        """Called when workers came or went."""

    @property
    def threads(self) -> int:
        """The number of submissions that the present workers grade at once."""
        return sum(worker.threads for worker in self._list_workers())

    async def open(self) -> None:
        """Connect, and wait for the first worker that can grade.

        Raises:
            BadClusterError: there is no such scheduler, or all its workers are refused.
            ClusterBrokenError: the processes of a local cluster end again and again.
        """
        try:
            await self._connect()
        except (OSError, TimeoutError) as error:
            raise BadClusterError(
                f"--cluster {self._address}: no scheduler answers with these certificates: {error}"
            ) from error
        for tick in count():
            await self._tend()
            await self._look()
            if self._list_workers():
                break
            refused = self._list_workers(refused=True)
            if refused and not self._present - self._ready.keys():
                lines = (f"{worker.name} is refused: {worker.refusal}" for worker in refused)
                reasons = "; ".join(dict.fromkeys(lines))
                raise BadClusterError(f"--cluster {self._address}: {reasons}")
            if tick == _SILENT_TICKS:
                self._tell(f"waiting for the first worker of {self._address}")
            await asyncio.sleep(_TICK_S)
        self._is_open = True
        self._counted = {worker.worker: worker.name for worker in self._list_workers()}
        self._tell(f"the cluster {self._address} grades: {self._describe_workers()}")
        self._spawn(self._watch())

    async def deliver(self, message: bytes, patience_s: float) -> SentVerdict:
        """Send a submission to any worker that can grade, and return its reply.

        Raises:
            KilledWorker: several workers died with it.
            TimeoutError: no verdict came for ``patience_s`` in which there were workers.
        """
        while True:
            await self._connected.wait()
            client, workers = self._client, None
            # Without a choice, submissions also go to workers that have not reported yet.
            if self._list_workers(refused=True):
                workers = [worker.worker for worker in self._list_workers()]
            if client is None or workers == []:
                await asyncio.sleep(_TICK_S)
                continue
            try:
                future = client.submit(
                    grade, self._digest, message, pure=False, retries=0, workers=workers
                )
                reply = await self._wait(future, workers, patience_s)
            except (FutureCancelledError, ClosedClientError, CommClosedError):
                self._connected.clear()
                continue
            if reply is not None:
                return SentVerdict.model_validate_json(reply)

    def leave_out(self, address: str, reason: str) -> None:
        """Send a worker no more submissions, and print the reason.

        The worker stays in the cluster: it may be right for other commands.
        """
        worker = self._ready.get(address) or WorkerReady(
            order=self._digest, worker=address, name=address, threads=0, refusal=reason
        )
        self._note(worker.model_copy(update={"refusal": reason}))
        self._tell_once(f"{worker.name} is left out: {reason}")

    async def close(self) -> None:
        """Disconnect; the workers stay, and their graders stay warm."""
        for task in self._tasks:
            task.cancel()
        await self._close_client()

    async def _connect(self) -> None:
        client: Any = await Client(
            self._address,
            asynchronous=True,
            security=self._security,
            timeout=_CONNECT_S,
            set_as_default=False,
        )
        self._client, self._ready = client, {}
        client.subscribe_topic(TOPIC, self._hear)
        # Not awaited: a frozen worker would not let it end. Workers report by themselves.
        self._spawn(self._register(client))
        self._connected.set()

    async def _register(self, client: Any) -> None:  # noqa: ANN401 - Dask's client has no types
        """Have the scheduler open graders in all workers, also if a worker dies meanwhile.

        If the connection breaks instead, have it made again.
        """
        while client is self._client and client.status == "running":
            try:
                await client.register_plugin(GradingPlugin(self._order), name=self._plugin)
            except _BROKEN:
                await asyncio.sleep(_TICK_S)
            else:
                return
        if client is self._client:
            self._connected.clear()

    async def _watch(self) -> None:
        """Look after the connection and the workers until the session is closed."""
        for tick in count():
            await asyncio.sleep(_TICK_S)
            try:
                await self._tend()
                if tick % _LOOK_TICKS == 0:
                    await self._look()
                    # One line for the workers that came and left since the last line.
                    now = {worker.worker: worker.name for worker in self._list_workers()}
                    came = [name for address, name in now.items() if address not in self._counted]
                    gone = [name for address, name in self._counted.items() if address not in now]
                    ways = ((came, "joined"), (gone, "left"))
                    changes = [f"{_format_names(names)} {way}" for names, way in ways if names]
                    if changes:
                        self._counted = now
                        self._tell(f"{', '.join(changes)}: {self._describe_workers()}")
                        self.on_change()
            except Exception as error:  # noqa: BLE001 - answers would wait for ever, in silence
                fault = make_one_line(f"{type(error).__name__}: {error}", _LONGEST_FAULT)
                self._tell_once(f"a fault in looking after the cluster {self._address}: {fault}")

    async def _tend(self) -> None:
        """Start processes that ended, and connect again if the connection is lost."""
        self._start_again()
        if self._connected.is_set() and self._client.status == "running":
            return
        self._connected.clear()
        if self._client is not None:  # None: an earlier attempt reported it, and failed
            self._tell(
                f"the scheduler {self._address} is gone: answers wait for it, none is judged"
            )
        await self._close_client()
        while not self._connected.is_set():
            self._start_again()
            with suppress(OSError, TimeoutError):
                await self._connect()
            await asyncio.sleep(_TICK_S)
        self._tell(f"the scheduler {self._address} is back")

    def _start_again(self) -> None:
        """Start ended processes of a local cluster.

        Raises:
            ClusterBrokenError: they end again and again, and no worker was ever there. Later the
                user gets only a line, and answers wait.
        """
        try:
            self._keep_alive()
        except ClusterBrokenError as error:
            if not self._is_open:
                raise
            if not self._is_failing:
                self._tell(str(error))
            self._is_failing = True
        else:
            self._is_failing = False

    async def _look(self) -> None:
        """Ask the scheduler for its workers."""
        if self._client.status != "running":
            return
        with suppress(*_BROKEN):
            async with asyncio.timeout(_CONNECT_S):
                identity = await self._client.scheduler.identity(n_workers=-1)
                self._present = frozenset(identity["workers"])

    async def _hear(self, event: tuple[float, str]) -> None:
        """Note the report of a worker."""
        ready = WorkerReady.model_validate_json(event[1])
        if ready.order != self._digest:
            return
        self._note(ready)
        self._present |= {ready.worker}
        if ready.refusal is not None:
            self.leave_out(ready.worker, ready.refusal)
        self.on_change()

    def _note(self, ready: WorkerReady) -> None:
        self._ready = {**self._ready, ready.worker: ready}

    async def _wait(
        self,
        future: Any,  # noqa: ANN401 - as above
        workers: Sequence[str] | None,
        patience_s: float,
    ) -> bytes | None:
        """Return the result of a future; None if all workers that could compute it have left.

        Time in which there is no worker does not count.
        """
        result = asyncio.ensure_future(future.result())
        try:
            while not result.done():
                await asyncio.wait({result}, timeout=_PATIENT_TICK_S)
                if result.done():
                    break
                if workers is not None and self._present.isdisjoint(workers):
                    return None
                patience_s -= _PATIENT_TICK_S if self.threads else 0.0
                if patience_s <= 0:
                    raise TimeoutError("no worker gave a verdict in time")
            return result.result()
        finally:
            result.cancel()
            future.release()

    async def _close_client(self) -> None:
        client, self._client = self._client, None
        if client is None:
            return
        with suppress(*_BROKEN):
            async with asyncio.timeout(_CLOSE_S):
                if client.status == "running":
                    await client.unregister_worker_plugin(self._plugin)
        # AttributeError: Dask itself stumbles over the rest of a broken connection.
        with suppress(*_BROKEN, AttributeError):
            async with asyncio.timeout(_CLOSE_S):
                await client.close(timeout=_CLOSE_S / 2)

    def _list_workers(self, *, refused: bool = False) -> list[WorkerReady]:
        """Return the workers that reported and are still there: able to grade, or ``refused``."""
        present = self._present
        return [
            worker
            for address, worker in self._ready.items()
            if address in present and (worker.refusal is not None) == refused
        ]

    def _describe_workers(self) -> str:
        workers = len(self._list_workers())
        if not workers:
            return "no worker is left, and answers wait for one"
        return (
            f"{format_count(workers, 'worker')} for {format_count(self.threads, 'answer')} at once"
        )

    def _spawn(self, work: Any) -> None:  # noqa: ANN401 - a coroutine of any result
        task: asyncio.Task[Any] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _format_names(names: list[str]) -> str:
    """Return the first of some names, and the number of the others."""
    more = f" and {format_count(len(names) - _SHOWN, 'other')}" if len(names) > _SHOWN else ""
    return f"{', '.join(sorted(names)[:_SHOWN])}{more}"


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

    def __init__(
        self, session: ClusterSession, key: Callable[[str], GradingKey], thread: LoopThread
    ) -> None:
        """Grade by the workers of ``session``, which lives in the loop of ``thread``.

        ``key`` returns the key of verdicts on an eval without files, by the driver's files as they
        first were.
        """
        self._session = session
        self._key = key
        self._thread = thread
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

    def close(self) -> None:
        """End the gradings under way, and disconnect; the workers stay warm."""
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
                return GradingResult(
                    outcome=Outcome.INFRASTRUCTURE,
                    failed_step=None,
                    reason=make_one_line(evidence, LONGEST_MESSAGE),
                    fault=Fault.cut(FaultClass.GRADER, evidence),
                    steps=(),
                    tests=None,
                    files=submission.files or {},
                    logs={},
                    key=self._key(submission.evaluation.name),
                    graded_at=datetime.now(UTC),
                )

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
    backend, sandbox = settings.backend, settings.sandbox
    is_local = isinstance(address, int)
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
        # Dask's log lines would break the view of a run; the session reports lost workers itself.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        thread = stack.enter_context(LoopThread("cluster"))
        graders = ClusterGraders(session, compute_key_without_files, thread)
        stack.callback(graders.close)
        thread.run(session.open())
        yield graders

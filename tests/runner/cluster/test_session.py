"""A session outlives its connection, and sends answers to workers of its own command alone."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, Self

import pytest
from distributed.comm.core import CommClosedError

from runner.cluster import graders
from runner.cluster.graders import ClusterSession
from runner.cluster.messages import SentVerdict, WorkerReady
from runner.cluster.worker import compute_order_digest
from runner.errors import BadClusterError, ClusterBrokenError

pytestmark = [pytest.mark.unit, pytest.mark.anyio]

LIMIT_S = 20.0
ORDER = b"{}"
ADDRESS = "tls://127.0.0.1:1"
VERDICT = SentVerdict(worker="tls://good", result=None, refusal="of a test")
Connect = Callable[..., ClusterSession]
"""Makes the session of a scheduler."""


class PlayedScheduler:
    """A scheduler without processes; a test decides what its workers report and return."""

    def __init__(self, *refusals: str | None) -> None:
        """Have a worker for each of ``refusals``; None for a worker that can grade."""
        self.refusals = {f"tls://worker-{number}": each for number, each in enumerate(refusals)}
        self.gone: set[str] = set()
        """Workers that report, and have left before anybody looks."""
        self.clients: list[PlayedClient] = []
        self.sent_to: list[Sequence[str] | None] = []
        self.registrations: list[Exception | None] = []
        """The errors with which the first registrations end; None for success."""
        self.client_faults: list[Exception] = []
        """Why the next clients do not connect."""
        self.is_losing_clients = False
        """True if an error of a registration is the end of the connection."""
        self.work: Callable[[], bytes | None] = lambda: VERDICT.model_dump_json().encode()
        """The work of a worker, which returns None if it leaves instead."""

    async def identity(self, n_workers: int) -> dict[str, Any]:
        """Return the addresses of the workers."""
        assert n_workers == -1
        return {"workers": dict.fromkeys(self.refusals.keys() - self.gone)}


class PlayedClient:
    """A client of such a scheduler, with as much of Dask's client as a session uses."""

    def __init__(self, scheduler: PlayedScheduler) -> None:
        self.status = "running"
        self.scheduler = scheduler
        self._hear: Any = None
        scheduler.clients.append(self)

    def __await__(self) -> Generator[Any, None, Self]:
        yield from asyncio.sleep(0).__await__()
        if self.scheduler.client_faults:
            raise self.scheduler.client_faults.pop()
        return self

    def subscribe_topic(self, _topic: str, handler: Any) -> None:  # noqa: ANN401 - as Dask's
        """Note who hears the reports."""
        self._hear = handler

    async def register_plugin(self, _plugin: object, name: str) -> None:
        """Have all workers report, or fail."""
        assert name
        fault = self.scheduler.registrations.pop(0) if self.scheduler.registrations else None
        if fault is not None:
            if self.scheduler.is_losing_clients:
                self.status = "closed"
            raise fault
        for address, refusal in self.scheduler.refusals.items():
            await self.report(address, refusal)

    async def report(self, address: str, refusal: str | None) -> None:
        """Have a worker report."""
        name = address.rpartition("/")[2]
        ready = WorkerReady(
            order=compute_order_digest(ORDER), worker=address, name=name, threads=1, refusal=refusal
        )
        await self._hear((0.0, ready.model_dump_json()))

    def submit(
        self, *_: object, workers: Sequence[str] | None, **_options: object
    ) -> "PlayedFuture":
        """Note to whom a submission goes."""
        self.scheduler.sent_to.append(workers)
        return PlayedFuture(self.scheduler)

    async def unregister_worker_plugin(self, _name: str) -> None:
        """Do nothing: there are no plugins."""

    async def close(self, **_limits: float) -> None:
        """Disconnect."""
        self.status = "closed"


class PlayedFuture:
    """The result of a worker."""

    def __init__(self, scheduler: PlayedScheduler) -> None:
        self._scheduler = scheduler

    async def result(self) -> bytes:
        """Return the worker's verdict, or wait for ever."""
        done = self._scheduler.work()
        if done is None:
            await asyncio.Event().wait()
        assert done is not None
        return done

    def release(self) -> None:
        """Forget the result."""


class KeepAlive:
    """Looks after the processes of a cluster, and fails while it has an error."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    def __call__(self) -> None:
        """Raise the error, if there is any."""
        if self.error is not None:
            raise self.error


class PausingAddress(str):
    """The address of a worker; another thread that compares it waits for the test."""

    __slots__ = ("is_compared", "maker", "may_go_on")

    def __init__(self, _address: str) -> None:
        self.maker = threading.get_ident()
        self.is_compared, self.may_go_on = threading.Event(), threading.Event()

    def __eq__(self, other: object) -> bool:
        if threading.get_ident() != self.maker:
            self.is_compared.set()
            assert self.may_go_on.wait(LIMIT_S)
        return super().__eq__(other)

    def __hash__(self) -> int:
        return super().__hash__()


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """The loop of Dask."""
    return "asyncio"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_TICK_S", "_PATIENT_TICK_S"):
        monkeypatch.setattr(graders, name, 0.01)


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> Connect:
    """A function that makes the session of a scheduler."""

    def connect(
        scheduler: PlayedScheduler,
        lines: list[str] | None = None,
        keep_alive: Callable[[], None] = lambda: None,
    ) -> ClusterSession:
        def make_client(*_: object, **_options: object) -> PlayedClient:
            return PlayedClient(scheduler)

        monkeypatch.setattr(graders, "Client", make_client)
        tell = ([] if lines is None else lines).append
        return ClusterSession(ADDRESS, None, ORDER, tell, keep_alive)

    return connect


@asynccontextmanager
async def open_session(made: ClusterSession) -> AsyncGenerator[ClusterSession]:
    """Open a session; close it at the end, also if it did not open."""
    try:
        async with asyncio.timeout(LIMIT_S):
            await made.open()
            yield made
    finally:
        await made.close()


async def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for something; `open_session` has the limit."""
    while not condition():  # noqa: ASYNC110 - the session has no event for it
        await asyncio.sleep(0.01)


async def assert_told_once(opened: ClusterSession, lines: list[str], fault: str) -> None:
    """Check that the user reads about a lasting fault once, and that answers are delivered."""
    await wait_until(lambda: fault in lines)
    await asyncio.sleep(0.05)
    assert await opened.deliver(b"{}", 1.0) == VERDICT
    assert lines.count(fault) == 1


async def test_an_error_of_a_worker_is_no_broken_connection(connect: Connect) -> None:
    """A worker raises AttributeError: the caller gets it, and the answer is sent once."""
    scheduler = PlayedScheduler(None)

    def raise_error() -> bytes:
        raise AttributeError("'NoneType' object has no attribute 'grade'")

    scheduler.work = raise_error
    async with open_session(connect(scheduler)) as opened:
        with pytest.raises(AttributeError, match="grade"):
            await opened.deliver(b"{}", 1.0)
    assert len(scheduler.sent_to) == 1


async def test_a_connection_lost_before_the_first_worker_is_made_again(connect: Connect) -> None:
    """The report of the workers gets lost: the session connects once more, and opens."""
    scheduler, lines = PlayedScheduler(None), list[str]()
    scheduler.registrations = [OSError("the scheduler is gone")]
    scheduler.is_losing_clients = True
    async with open_session(connect(scheduler, lines)) as opened:
        assert opened.threads == 1
    assert len(scheduler.clients) == 2
    assert any("is back" in line for line in lines)


async def test_a_worker_that_dies_while_graders_open_costs_no_connection(connect: Connect) -> None:
    """The scheduler reports its lost connection to a worker; it is asked again, by one client."""
    scheduler, lines = PlayedScheduler(None), list[str]()
    scheduler.registrations = [CommClosedError("a worker is gone"), TimeoutError()]
    async with open_session(connect(scheduler, lines)) as opened:
        assert await opened.deliver(b"{}", 1.0) == VERDICT
    assert len(scheduler.clients) == 1
    assert not any("is gone" in line for line in lines)


async def test_a_local_cluster_whose_processes_go_on_ending_does_not_open(connect: Connect) -> None:
    """Before the first worker, the error of the processes ends the command."""
    failing = KeepAlive(ClusterBrokenError("the worker ends again and again"))
    with pytest.raises(ClusterBrokenError, match="again and again"):
        async with open_session(connect(PlayedScheduler(), keep_alive=failing)):
            pytest.fail("there is no worker")


async def test_an_open_local_cluster_waits_while_processes_go_on_ending(connect: Connect) -> None:
    """The user reads the reason once, and answers are still delivered."""
    keep_alive, lines = KeepAlive(), list[str]()
    async with open_session(connect(PlayedScheduler(None), lines, keep_alive)) as opened:
        keep_alive.error = ClusterBrokenError("the worker ends again and again")
        await assert_told_once(opened, lines, "the worker ends again and again")


async def test_an_unknown_fault_is_reported_once_and_the_session_goes_on(connect: Connect) -> None:
    """A program that keeps the cluster alive breaks: workers are still watched, answers judged."""
    scheduler, keep_alive, lines = PlayedScheduler(None), KeepAlive(), list[str]()
    fault = f"a fault in looking after the cluster {ADDRESS}: ValueError: no such thing"
    async with open_session(connect(scheduler, lines, keep_alive)) as opened:
        keep_alive.error = ValueError("no such\nthing")
        await assert_told_once(opened, lines, fault)
        keep_alive.error = None
        del scheduler.refusals["tls://worker-0"]
        await wait_until(lambda: any("worker-0 left" in line for line in lines))
    assert lines.count(fault) == 1


async def test_an_unknown_fault_of_new_connections_is_reported_once(connect: Connect) -> None:
    """Until the scheduler is back, the user reads about its end once, and once about each fault."""
    scheduler, lines = PlayedScheduler(None), list[str]()
    async with open_session(connect(scheduler, lines)) as opened:
        scheduler.client_faults = [ValueError("no such certificate")] * 3
        await scheduler.clients[0].close()
        assert await opened.deliver(b"{}", 1.0) == VERDICT
        await wait_until(lambda: any("is back" in line for line in lines))
    assert sum("is gone" in line for line in lines) == 1
    assert sum("no such certificate" in line for line in lines) == 1


async def test_answers_go_to_the_workers_of_this_command_alone(connect: Connect) -> None:
    """A refused worker stays for other commands, and gets nothing from this command."""
    scheduler, lines = PlayedScheduler(None, "its suite differs"), list[str]()
    async with open_session(connect(scheduler, lines)) as opened:
        await opened.deliver(b"{}", 1.0)
    assert scheduler.sent_to == [["tls://worker-0"]]
    assert "worker-1 is left out: its suite differs" in lines


async def test_a_worker_that_left_is_not_refused(connect: Connect) -> None:
    """All workers that reported have left again: the command waits for the next worker."""
    scheduler, ticks = PlayedScheduler(None), count()
    scheduler.gone = {"tls://worker-0"}

    def come_back() -> None:
        if next(ticks) == 5:
            scheduler.gone = set()

    async with open_session(connect(scheduler, keep_alive=come_back)) as opened:
        assert opened.threads == 1


async def test_an_error_of_refused_workers_names_them_alone(connect: Connect) -> None:
    """A worker that could grade has left: the refused worker is still the reason."""
    scheduler = PlayedScheduler(None, "its suite differs")
    scheduler.gone = {"tls://worker-0"}
    with pytest.raises(BadClusterError, match=r": worker-1 is refused: its suite differs$"):
        async with open_session(connect(scheduler)):
            pytest.fail("the worker that is left is refused")


async def test_other_threads_count_workers_that_report_meanwhile(connect: Connect) -> None:
    """Another thread is in the middle of the workers when a second one reports.

    It gets the number from before the report, and no error.
    """
    scheduler, address = PlayedScheduler(), PausingAddress("tls://worker-0")
    scheduler.refusals[address] = None
    async with open_session(connect(scheduler)) as opened:
        counting = asyncio.ensure_future(asyncio.to_thread(lambda: opened.threads))
        assert await asyncio.to_thread(address.is_compared.wait, LIMIT_S)
        scheduler.refusals["tls://worker-1"] = None
        await scheduler.clients[0].report("tls://worker-1", None)
        address.may_go_on.set()
        assert await counting == 1
        assert opened.threads == 2


async def test_only_time_with_workers_counts_against_an_answer(connect: Connect) -> None:
    """An answer waits without a limit while there is no worker; then its patience begins."""
    scheduler = PlayedScheduler(None)
    scheduler.work = lambda: None
    async with open_session(connect(scheduler)) as opened:
        scheduler.refusals.clear()
        await wait_until(lambda: not opened.threads)
        verdict = asyncio.ensure_future(opened.deliver(b"{}", 0.01))
        await wait_until(lambda: bool(scheduler.sent_to))
        await asyncio.sleep(0.1)  # ten times its patience, by the clock of the same loop
        assert not verdict.done()
        scheduler.refusals["tls://worker-0"] = None
        await scheduler.clients[0].report("tls://worker-0", None)
        with pytest.raises(TimeoutError, match="no worker gave a verdict in time"):
            await verdict


async def test_answers_of_workers_that_left_go_to_others(connect: Connect) -> None:
    """The only worker that can grade leaves with an answer: a later worker gets it."""
    scheduler = PlayedScheduler(None, "its suite differs")

    def leave() -> None:
        del scheduler.refusals["tls://worker-0"]
        scheduler.work = lambda: VERDICT.model_dump_json().encode()

    scheduler.work = leave
    async with open_session(connect(scheduler)) as opened:
        verdict = asyncio.ensure_future(opened.deliver(b"{}", 100.0))
        await wait_until(lambda: not opened.threads)
        scheduler.refusals["tls://worker-2"] = None
        await scheduler.clients[0].report("tls://worker-2", None)
        assert await verdict == VERDICT
    assert scheduler.sent_to == [["tls://worker-0"], ["tls://worker-2"]]

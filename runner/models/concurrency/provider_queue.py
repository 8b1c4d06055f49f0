"""Queues of requests, one per provider: the order of requests, and the end of a failing provider.

Waiters are served in the order they came, those of a model in doubt later than others. A
provider's behavior changes its own queue and no other.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from records.shapes.registry import Dialect, ModelEntry
from runner.errors import GivenUpError
from runner.models.concurrency.limit import ConcurrencyLimit, Sent
from runner.models.faults.circuit_breaker import (
    LIMITED,
    CircuitBreaker,
    FailedRequest,
    Pace,
    Trouble,
    alike,
)
from runner.models.faults.diagnosis import Diagnosis

START: Final = 16
"""Requests in flight at the start to a provider without a concurrency limit in the registry."""

GROWTH: Final = 8
"""A concurrency limit grows to at most this many times its start, unless a ceiling was given."""

WIDEST: Final = 64
"""The ceiling of a concurrency limit that begins with one request and grows by measure."""


@dataclass(slots=True)
class Slot(Sent):
    """Permission for a request, held while it is in flight."""

    model: CircuitBreaker


@dataclass(slots=True, eq=False)
class _Waiter:
    place: asyncio.Future[None]
    model: CircuitBreaker


def _unsaid(line: str) -> None:
    del line


class ProviderQueue:
    """Requests to one provider. For one event loop; not thread-safe."""

    def __init__(
        self,
        start: int,
        ceiling: int,
        *,
        title: str = "the provider",
        noted: Callable[[str], None] = _unsaid,
        pace: Pace | None = None,
    ) -> None:
        """Begin with ``start`` requests at once, never more than ``ceiling``.

        ``noted`` receives one line per provider or model that is given up. ``pace`` has the lengths
        of pauses, and the patience with failures.
        """
        self.start: Final = start
        self._concurrency_limit = ConcurrencyLimit(start, ceiling)
        self._busy = 0
        self._waiting: deque[_Waiter] = deque()
        self._resting: list[_Waiter] = []
        self._paused_until = 0.0
        self._pauses = 0
        self._timer: asyncio.TimerHandle | None = None
        self._noted = noted
        self._pace = pace or Pace()
        self._provider = CircuitBreaker(title, self._pace)
        self._models: dict[str, CircuitBreaker] = {}
        self.dialects: dict[str, Dialect] = {}
        """Dialects of requests to models, by slug, where the usual dialect was refused."""

    @property
    def limit(self) -> int:
        """The number of requests that may be in flight now; at least 1."""
        return self._concurrency_limit.limit

    @property
    def busy(self) -> int:
        """The number of requests in flight now."""
        return self._busy

    @asynccontextmanager
    async def slot(self, model: str = "the model") -> AsyncGenerator[Slot]:
        """Wait for a place to ask ``model``, first come first served, and hold it.

        Raises:
            GivenUpError: the provider or the model failed too often in a row.
        """
        breaker = self._model(model)
        await self._take(breaker)
        try:
            yield Slot(time.monotonic(), self.limit, breaker)
        finally:
            self._count(breaker, -1)
            self._wake()

    def succeeded(self, slot: Slot, characters: int) -> None:
        """Forget failures, and raise the limit: a whole reply of so many characters came."""
        now = time.monotonic()
        self._provider.succeeded()
        slot.model.succeeded()
        self._pauses = 0
        self._concurrency_limit.succeeded(slot, characters, now)
        self._wake()

    def failed(self, slot: Slot, diagnosis: Diagnosis, prompt: str) -> None:
        """Update the queue after a failed request.

        ``diagnosis`` holds no key. ``prompt`` is the digest of the messages.
        """
        now = time.monotonic()
        if diagnosis.rule.slow:
            self._slow_down(slot, diagnosis.retry_after_s, now)
        elif diagnosis.rule.narrows:
            self._concurrency_limit.lost(slot, self._busy, now)
        failure = FailedRequest(diagnosis.rule.kind, diagnosis.evidence, prompt, slot.at)
        for trouble in _troubles(diagnosis):
            judged = self._provider if trouble.of_provider else slot.model
            judged.failed(trouble, failure, now)
            self._judge(judged, now, in_flight=1)
        if diagnosis.rule.trouble is LIMITED:
            # The pause holds for every model of this provider, so each has waited through it.
            for other in self._models.values():
                self._judge(other, now, in_flight=0)

    async def rest(self, model: str, seconds: float) -> None:
        """Sleep between two tries; wake early when the provider or the model is given up."""
        loop = asyncio.get_running_loop()
        waiter = _Waiter(loop.create_future(), self._model(model))
        timer = loop.call_later(seconds, _end, waiter.place)
        self._resting.append(waiter)
        try:
            if self._open_reason(waiter.model) is None:
                await waiter.place
        finally:
            timer.cancel()
            self._resting.remove(waiter)

    def _model(self, model: str) -> CircuitBreaker:
        if model not in self._models:
            self._models[model] = CircuitBreaker(model, self._pace)
        return self._models[model]

    def _open_reason(self, model: CircuitBreaker) -> GivenUpError | None:
        open_reason = self._provider.open_reason or model.open_reason
        return (
            None
            if open_reason is None
            else GivenUpError(open_reason.kind, f"not asked: {open_reason}")
        )

    def _slow_down(self, slot: Slot, retry_after_s: float | None, now: float) -> None:
        news = self._concurrency_limit.refused(slot, self._busy, now)
        if retry_after_s is not None:
            pause = min(retry_after_s, self._pace.longest_s)
        elif news:
            pause = min(2**self._pauses * self._pace.first_s, self._pace.longest_s)
        else:
            return
        self._pauses += news
        self._paused_until = max(self._paused_until, now + pause)

    def _judge(self, breaker: CircuitBreaker, now: float, *, in_flight: int) -> None:
        if not breaker.judge(now, self._paused_until, in_flight):
            return
        self._noted(f"{breaker.open_reason}; what is left for it is not asked, but on --resume")
        for waiter in [*self._waiting, *self._resting]:
            error = self._open_reason(waiter.model)
            if error is None or waiter.place.done():
                continue
            if waiter in self._resting:
                waiter.place.set_result(None)
            else:
                waiter.place.set_exception(error)
        self._waiting = deque(queued for queued in self._waiting if not queued.place.done())

    async def _take(self, model: CircuitBreaker) -> None:
        error = self._open_reason(model)
        if error is not None:
            raise error
        waiter = _Waiter(asyncio.get_running_loop().create_future(), model)
        self._waiting.append(waiter)
        self._wake()
        try:
            await waiter.place
        except asyncio.CancelledError:
            future = waiter.place
            if future.done() and not future.cancelled() and future.exception() is None:
                self._count(model, -1)  # the place was given while the wait was being cancelled
            else:
                with suppress(ValueError):  # passed over already, if others were cancelled too
                    self._waiting.remove(waiter)
            self._wake()
            raise

    def _count(self, model: CircuitBreaker, change: int) -> None:
        self._busy += change
        self._provider.in_flight += change
        model.in_flight += change

    def _wake(self) -> None:
        now = time.monotonic()
        for waiter in list(self._waiting):
            if self._busy >= self.limit or now < self._opens_at():
                break
            if waiter.place.done():
                self._waiting.remove(waiter)
            elif self._provider.admits(now) and waiter.model.admits(now):
                self._waiting.remove(waiter)
                self._count(waiter.model, 1)
                waiter.place.set_result(None)
        self._set_timer(now)

    def _opens_at(self) -> float:
        return max(self._paused_until, self._provider.opens_at)

    def _set_timer(self, now: float) -> None:
        """Wake again once the earliest of the waiters may go."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        opening = [max(self._opens_at(), waiter.model.opens_at) for waiter in self._waiting]
        later = [at for at in opening if at > now]
        if later:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(min(later) - now, self._wake)


def _troubles(diagnosis: Diagnosis) -> list[Trouble]:
    """Return the troubles by which a failed request concerns later requests."""
    troubles = [] if diagnosis.rule.trouble is None else [diagnosis.rule.trouble]
    return troubles if diagnosis.alike is None else [*troubles, alike(diagnosis.alike)]


def _end(place: asyncio.Future[None]) -> None:
    if not place.done():
        place.set_result(None)


class ProviderQueues:
    """A queue per provider, shared by all runs of one execution."""

    def __init__(
        self,
        concurrency: int | None = None,
        *,
        noted: Callable[[str], None] = _unsaid,
        pace: Pace | None = None,
    ) -> None:
        """Make queues on demand; ``concurrency`` replaces every model's own start and ceiling.

        A queue that begins with one request still does, and grows up to ``concurrency``. For
        ``noted`` and ``pace`` see `ProviderQueue`.
        """
        self._concurrency = concurrency
        self._noted = noted
        self._pace = pace
        self._queues: dict[str, ProviderQueue] = {}
        self._notes: set[str] = set()

    def note_once(self, line: str) -> None:
        """Print ``line`` for the user, unless it was printed before."""
        if line not in self._notes:
            self._notes.add(line)
            self._noted(line)

    def of(self, entry: ModelEntry) -> ProviderQueue:
        """Return the queue of the model's provider, by its address and key."""
        provider = entry.litellm_id.partition("/")[0]
        title = provider
        if entry.api_base is not None:
            # The part of the address before "@" may hold a user name and a password.
            title = urlsplit(entry.api_base).netloc.rpartition("@")[2] or "the server"
        name = f"{entry.api_base or provider} {entry.api_key_env or ''}"
        return self.queue(name, entry.limits.concurrency or START, title)

    def queue(self, name: str, start: int, title: str = "the provider") -> ProviderQueue:
        """Return the queue called ``name``, made with ``start`` requests at once if it is new."""
        queue = self._queues.get(name)
        if queue is None:
            own = self._concurrency
            ceiling = own or (WIDEST if start == 1 else start * GROWTH)
            queue = self._queues[name] = ProviderQueue(
                start if own is None or start == 1 else own,
                ceiling,
                title=title,
                noted=self._noted,
                pace=self._pace,
            )
        return queue

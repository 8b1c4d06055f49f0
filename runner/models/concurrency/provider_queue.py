"""Queues of requests, one per provider, which end the requests to a provider that keeps failing.

Requests are sent in the order in which they came; requests to a model that has failed may wait
longer. The behavior of a provider affects only its own queue.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Final
from urllib.parse import urlsplit

from records.shapes.attempt import Fault
from records.shapes.registry import Dialect, ModelEntry
from runner.errors import FaultyError
from runner.models.faults.circuit_breaker import (
    LIMITED,
    CircuitBreaker,
    Pace,
    Trouble,
)
from runner.models.faults.diagnosis import Diagnosis
from runner.models.tokens import Prompt

START = 16
"""The first concurrency limit of a provider for which the registry has none."""

GROWTH = 8
"""A concurrency limit grows to at most this many times its start, unless a ceiling was given."""

WIDEST = 64
"""The ceiling of a concurrency limit that begins with 1 and grows by measurement."""

HELPS = 1.1
"""A higher limit must multiply the text per second by this factor, or the old limit returns."""

SAMPLES = 2
"""The fewest replies that measure the speed at a limit, after a first reply that is ignored."""


@dataclass(slots=True)
class Slot:
    """The permission for a request, which is held while the request is in flight."""

    at: float
    """The time when the request was sent, on the monotonic clock."""
    width: int
    """The concurrency limit at that time."""
    model: CircuitBreaker


@dataclass(slots=True, eq=False)
class _Waiter:
    place: asyncio.Future[None]
    model: CircuitBreaker


class ProviderQueue:
    """The queue of requests to one provider. For one event loop; not thread-safe."""

    def __init__(
        self,
        start: int,
        ceiling: int,
        *,
        title: str = "the provider",
        noted: Callable[[str], None] = lambda _: None,
        pace: Pace | None = None,
    ) -> None:
        """Begin with ``start`` requests at once; there are never more than ``ceiling``.

        ``noted`` receives one line for each provider or model that gets no more requests. ``pace``
        has the lengths of pauses, and the patience with failures.
        """
        self.start: Final = start
        self._concurrency_limit = ConcurrencyLimit(start, ceiling)
        self._waiting: deque[_Waiter] = deque()
        self._resting: list[_Waiter] = []
        self._paused_until = 0.0
        self._pauses = 0
        self._timer: asyncio.TimerHandle | None = None
        self._noted = noted
        self.pace: Final = pace or Pace()
        self._provider = CircuitBreaker(title, self.pace)
        self._models: dict[str, CircuitBreaker] = {}
        self.dialects: dict[str, Dialect] = {}
        """Dialects of requests by the slugs of models whose server refused the usual dialect."""

    @property
    def limit(self) -> int:
        """The number of requests that may be in flight now; at least 1."""
        return self._concurrency_limit.limit

    @property
    def busy(self) -> int:
        """The number of requests in flight now."""
        return self._provider.in_flight

    @asynccontextmanager
    async def take_slot(self, model: str = "the model") -> AsyncGenerator[Slot]:
        """Wait until ``model`` may be asked, first come first served; the body is the request.

        Raises:
            FaultyError: the provider or the model failed too often in a row.
        """
        breaker = self._get_breaker(model)
        if (error := self._open_reason(breaker)) is not None:
            raise error
        waiter = _Waiter(asyncio.get_running_loop().create_future(), breaker)
        self._waiting.append(waiter)
        self._wake()
        try:
            await waiter.place
        except asyncio.CancelledError:
            future = waiter.place
            if future.done() and not future.cancelled() and future.exception() is None:
                self._count(breaker, -1)  # the slot was given while the wait was being cancelled
            else:
                with suppress(ValueError):  # removed already, if others were cancelled too
                    self._waiting.remove(waiter)
            self._wake()
            raise
        try:
            yield Slot(time.monotonic(), self.limit, breaker)
        finally:
            self._count(breaker, -1)
            self._wake()

    def record_success(self, slot: Slot, characters: int) -> None:
        """Update the queue after a complete reply of so many characters.

        Failures are forgotten, and the limit rises.
        """
        now = time.monotonic()
        self._provider.record_success()
        slot.model.record_success()
        self._pauses = 0
        self._concurrency_limit.record_success(slot.width, characters, now - slot.at)
        self._wake()

    def record_failure(self, slot: Slot, diagnosis: Diagnosis, messages: Prompt) -> None:
        """Update the queue after a failed request; ``diagnosis`` must contain no key."""
        now = time.monotonic()
        rule = diagnosis.rule
        news = False
        if rule.slow or (rule.narrows and self.busy > 1):  # some servers take few connections
            news = self._concurrency_limit.record_refusal(slot.at, self.busy, now)
        if rule.slow:
            pause = diagnosis.retry_after_s
            if pause is None and news:
                pause = 2**self._pauses * self.pace.first_s
            if pause is not None:
                self._pauses += news
                until = now + min(pause, self.pace.longest_s)
                self._paused_until = max(self._paused_until, until)
        fault = Fault.cut(rule.kind, diagnosis.evidence)
        # The troubles that the request predicts for later requests.
        essence = diagnosis.refusal_essence
        repeated = None if essence is None else Trouble(text=essence)
        for trouble in filter(None, (rule.trouble, repeated)):
            judged = self._provider if trouble.of_provider else slot.model
            judged.record_failure(trouble, fault, messages, slot.at, now)
            self._judge(judged, now, in_flight=1)
        if rule.trouble is LIMITED:
            # The pause applies to every model of this provider, so each has waited for its end.
            for other in self._models.values():
                self._judge(other, now, in_flight=0)

    async def sleep_between_tries(self, model: str, seconds: float) -> None:
        """Sleep for ``seconds`` between two tries; end early if the model gets no more requests."""
        place = asyncio.get_running_loop().create_future()
        waiter = _Waiter(place, self._get_breaker(model))
        self._resting.append(waiter)
        try:
            if self._open_reason(waiter.model) is None:
                await asyncio.wait({place}, timeout=seconds)
        finally:
            self._resting.remove(waiter)

    def _get_breaker(self, model: str) -> CircuitBreaker:
        if model not in self._models:
            self._models[model] = CircuitBreaker(model, self.pace)
        return self._models[model]

    def _open_reason(self, model: CircuitBreaker) -> FaultyError | None:
        open_reason = self._provider.open_reason or model.open_reason
        if open_reason is None:
            return None
        return FaultyError(Fault.cut(open_reason.kind, f"not asked: {open_reason.evidence}"))

    def _judge(self, breaker: CircuitBreaker, now: float, *, in_flight: int) -> None:
        if not breaker.judge(now, self._paused_until, in_flight) or breaker.open_reason is None:
            return
        self._noted(f"{breaker.open_reason.evidence}; its other questions are left for --resume")
        for waiter in [*self._waiting, *self._resting]:
            error = self._open_reason(waiter.model)
            if error is None or waiter.place.done():
                continue
            if waiter in self._resting:
                waiter.place.set_result(None)
            else:
                waiter.place.set_exception(error)
        self._waiting = deque(queued for queued in self._waiting if not queued.place.done())

    def _count(self, model: CircuitBreaker, change: int) -> None:
        self._provider.in_flight += change
        model.in_flight += change

    def _wake(self) -> None:
        now = time.monotonic()
        for waiter in list(self._waiting):
            if self.busy >= self.limit or now < self._opens_at():
                break
            if waiter.place.done():
                self._waiting.remove(waiter)
            elif self._provider.admits(now) and waiter.model.admits(now):
                self._waiting.remove(waiter)
                self._count(waiter.model, 1)
                waiter.place.set_result(None)
        # The next call comes when the first of the waiters may go on.
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        opening = [max(self._opens_at(), waiter.model.opens_at) for waiter in self._waiting]
        if later := [at for at in opening if at > now]:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(min(later) - now, self._wake)

    def _opens_at(self) -> float:
        return max(self._paused_until, self._provider.opens_at)


class ProviderQueues:
    """The queues of all providers, which all runs of an execution share."""

    def __init__(
        self,
        concurrency: int | None = None,
        *,
        noted: Callable[[str], None] = lambda _: None,
        pace: Pace | None = None,
    ) -> None:
        """Store the settings of queues, which are made when they are first needed.

        ``concurrency`` is the start and ceiling of every queue, except that a queue which begins
        with one request grows from 1 to it. For ``noted`` and ``pace`` see `ProviderQueue`.
        """
        self._concurrency = concurrency
        self._noted = noted
        self._pace = pace
        self._queues: dict[str, ProviderQueue] = {}
        self.note_once: Callable[[str], None] = cache(noted)
        """Prints a line for the user, unless it was printed before."""

    def find_queue(self, entry: ModelEntry) -> ProviderQueue:
        """Return the queue of the model's provider, which has the same address and key."""
        title = entry.litellm_provider
        if entry.api_base is not None:
            # The part of the address before "@" may hold a user name and a password.
            title = urlsplit(entry.api_base).netloc.rpartition("@")[2] or "the server"
        name = f"{entry.api_base or title} {entry.api_key_env or ''}"
        if name not in self._queues:
            start, own = entry.limits.concurrency or START, self._concurrency
            self._queues[name] = ProviderQueue(
                start if own is None or start == 1 else own,
                own or (WIDEST if start == 1 else start * GROWTH),
                title=title,
                noted=self._noted,
                pace=self._pace,
            )
        return self._queues[name]


class ConcurrencyLimit:
    """The number of requests that may be in flight to one provider.

    The limit rises with each success and is halved at each refusal. A limit that begins with 1 is
    for a server of unknown capacity. It is doubled as long as this brings more text per second,
    and never again exceeds the value to which a refusal or a lost connection reduced it.
    """

    def __init__(self, start: int, ceiling: int) -> None:
        """Set the limit to ``start``, or to the ceiling if this is lower."""
        self.ceiling = ceiling
        self._now = float(min(start, ceiling))
        self._climbing = start == 1
        self._before: tuple[int, float] | None = None
        """The last limit that brought more text, and its characters per second."""
        self._measured: list[tuple[int, float]] = []
        """The characters and seconds of the replies that came at the present limit."""
        self._shrunk_at = 0.0

    @property
    def limit(self) -> int:
        """The number of requests that may be in flight now; at least 1."""
        return max(1, int(self._now))

    def record_success(self, width: int, characters: int, seconds: float) -> None:
        """Raise the limit a little; a limit that began with 1 changes by measurement.

        The reply had so many characters and took so many seconds; ``width`` was the limit at its
        start.
        """
        if not self._climbing:
            self._now = min(self.ceiling, self._now + 1 / max(1.0, self._now))
        elif width == self.limit < self.ceiling:
            self._measure(characters, seconds)

    def record_refusal(self, sent_at: float, busy: int, now: float) -> bool:
        """Halve the limit, and return true, unless the refusal is old.

        It is old if the request was in flight already when the limit was last halved, because then
        it shows nothing new. A connection that is lost beside others counts as a refusal.
        """
        if sent_at < self._shrunk_at:
            return False
        self._now = max(1.0, min(self._now, busy) / 2)
        self._shrunk_at = now
        if self._climbing:
            self.ceiling = self.limit
        return True

    def _measure(self, characters: int, seconds: float) -> None:
        self._measured.append((max(1, characters), seconds))
        width, measured = self.limit, self._measured[1:]  # the first reply is ignored
        if len(measured) < max(SAMPLES, width):
            return
        # The characters per second of all requests together.
        texts, times = zip(*measured, strict=True)
        speed = width * sum(texts) / max(sum(times), 1e-9)
        self._measured = []
        if self._before is not None and speed < HELPS * self._before[1]:
            self.ceiling = self._before[0]
            self._now = float(self.ceiling)
            return
        self._before = (width, speed)
        self._now = float(min(2 * width, self.ceiling))

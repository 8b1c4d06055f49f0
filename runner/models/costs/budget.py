"""The budget of runs: dollars are reserved before each request, and settled after it."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from records.text.numbers import format_dollars
from runner.errors import BudgetSpentError

SLACK: Final = 1e-9
"""The most dollars by which rounding may change a sum of floats."""


@dataclass(slots=True)
class Reservation:
    """Dollars set aside for one request."""

    amount: float
    spent: float
    """The cost of the request; the whole amount until it is known."""


class Budget:
    """The dollars that runs may spend together. For one event loop; not thread-safe."""

    def __init__(self, limit_usd: float | None = None, spent_usd: float = 0.0) -> None:
        """Store the limit, None for no limit, and the dollars of it that are already spent."""
        self.limit_usd = limit_usd
        self.spent_usd = spent_usd
        self._reserved = 0.0
        self._open = 0
        self._made = 0
        self._overshot: dict[str, int] = {}
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def reserve(self, most: float | Callable[[], float]) -> AsyncGenerator[Reservation]:
        """Reserve the most dollars that a request may cost, while it is made.

        If less is left, the call waits for the requests under way, which mostly cost less than was
        reserved for them. If ``most`` is a function, it is called again after each wait, because a
        new reply may have shown that a server ignores its limit.

        Raises:
            BudgetSpentError: no request is under way, and the rest of the budget is not enough.
        """
        async with self._changed:
            while True:
                amount = most() if callable(most) else most
                after = self.spent_usd + self._reserved + amount
                if self.limit_usd is None or after <= self.limit_usd + SLACK:
                    break
                if not self._open:
                    raise BudgetSpentError(self._describe_spent(amount))
                await self._changed.wait()
            self._reserved += amount
            self._open += 1
            self._made += 1
        reservation = Reservation(amount, spent=amount)
        try:
            yield reservation
        finally:
            # The sums are updated before the first await, because a cancellation there would skip
            # the update.
            self._reserved -= amount
            self._open -= 1
            self.spent_usd += reservation.spent
            async with self._changed:
                self._changed.notify_all()

    def record_overshoot(self, model: str, output_tokens: int) -> None:
        """Note that a reply of ``model`` has more tokens than the sent limit."""
        self._overshot[model] = max(output_tokens, self.find_longest(model, 0))

    def find_longest(self, model: str, limit: int) -> int:
        """Return the most tokens that a reply of ``model`` may have with the sent ``limit``.

        If replies were longer than the limit, it is the length of the longest, because the server
        may ignore the limit again.
        """
        return max(limit, self._overshot.get(model, 0))

    def _describe_spent(self, amount: float) -> str:
        limit = format_dollars(self.limit_usd or 0.0)
        most = format_dollars(amount)
        cure = "raise --budget and resume to go on"
        if not self.spent_usd and not self._made:
            return f"the first request may cost {most}, the budget is {limit}; {cure}"
        return (
            f"the budget of {limit} is spent: {format_dollars(self.spent_usd)} went, and the next "
            f"request could cost {most}; {cure}"
        )

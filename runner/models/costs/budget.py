"""Dollars: reserved before each request from an upper estimate, settled after it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from runner.errors import BudgetSpentError

SLACK: Final = 1e-9
"""Dollars by which sums of floats may be off."""


class Reservation:
    """Dollars set aside for one request."""

    def __init__(self, amount: float) -> None:
        """Set ``amount`` dollars aside; they are spent unless settled otherwise."""
        self.amount = amount
        self.spent = amount

    def settle(self, cost: float) -> None:
        """Say what the request cost in the end, in dollars."""
        self.spent = cost


class Budget:
    """What may be spent. For one event loop; not thread-safe."""

    def __init__(self, limit_usd: float | None = None, spent_usd: float = 0.0) -> None:
        """Allow ``limit_usd`` dollars, of which ``spent_usd`` went before; None allows anything."""
        self.limit_usd = limit_usd
        self.spent_usd = spent_usd
        self._reserved = 0.0
        self._open = 0
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def reserve(self, amount: float) -> AsyncGenerator[Reservation]:
        """Set ``amount`` dollars aside while a request is made.

        Where that is more than is left, wait for the requests under way: they mostly cost less
        than was set aside for them.

        Raises:
            BudgetSpentError: nothing is under way, and what is left is not enough.
        """
        async with self._changed:
            while not self._fits(amount):
                if not self._open:
                    raise BudgetSpentError(self._spent_message(amount))
                await self._changed.wait()
            self._reserved += amount
            self._open += 1
        reservation = Reservation(amount)
        try:
            yield reservation
        finally:
            # The sums are updated before the first await: a cancellation there would lose them.
            self._reserved -= amount
            self._open -= 1
            self.spent_usd += reservation.spent
            async with self._changed:
                self._changed.notify_all()

    def _fits(self, amount: float) -> bool:
        if self.limit_usd is None:
            return True
        return self.spent_usd + self._reserved + amount <= self.limit_usd + SLACK

    def _spent_message(self, amount: float) -> str:
        return (
            f"the budget of ${self.limit_usd:.2f} is spent: ${self.spent_usd:.4f} went, and the "
            f"next request could cost ${amount:.4f}; raise --budget and resume to go on"
        )

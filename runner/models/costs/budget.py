"""The budget of runs, and the bill of each request: dollars are reserved, and settled after it."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from records.foreign.fields import join_surrogates
from records.shapes.attempt import CostBasis, Tokens, TokensBasis
from records.text.numbers import format_dollars
from runner.errors import BudgetSpentError
from runner.models.costs import prices
from runner.models.costs.prices import Rates
from runner.models.requests.heard import Heard, ReportedUsage
from runner.models.tokens import count_prompt, count_text

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
                    limit, spent = format_dollars(self.limit_usd), format_dollars(self.spent_usd)
                    words = (
                        f"the budget of {limit} is spent: {spent} went, and the next request could "
                        f"cost {format_dollars(amount)}"
                        if self.spent_usd or self._made
                        else f"the first request may cost {format_dollars(amount)}, the budget is "
                        f"{limit}"
                    )
                    raise BudgetSpentError(f"{words}; raise --budget and resume to go on")
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


@dataclass(frozen=True, slots=True)
class Bill:
    """Tokens and dollars of a reply, or of the part of it that came."""

    tokens: Tokens
    tokens_basis: TokensBasis
    usd: float | None
    """Dollars for the reply; None if unknown."""
    basis: CostBasis
    most_usd: float | None
    """The most dollars that the request may cost by the sent limit; None if unknown."""

    @property
    def is_reported(self) -> bool:
        """True if the provider reported the cost, or the tokens from which it is computed."""
        return self.usd is not None and (
            self.basis is CostBasis.REPORTED or self.tokens_basis is TokensBasis.REPORTED
        )

    @property
    def at_most_usd(self) -> float | None:
        """The most dollars that a complete reply may be billed; None if reported or unknown.

        A provider without a report may also bill reasoning that it does not show.
        """
        if self.is_reported or self.usd is None or self.most_usd is None:
            return None
        return max(self.usd, self.most_usd)

    def compute_failed_try_usd(self, *, whole: bool, billed: bool) -> float | None:
        """Return the dollars that the budget counts for a failed try; None if unknown.

        Args:
            whole: whether the reply has ended, so that its report of usage is final.
            billed: whether the provider may bill the request. It does not if it refused it.
        """
        if whole and self.is_reported:
            return self.usd
        if not billed:
            return 0.0
        # The provider may go on writing after the connection has ended. A server that ignores the
        # limit may have written more than the limit allows.
        return None if self.most_usd is None else max(self.most_usd, self.usd or 0.0)


def bill_of(
    heard: Heard,
    messages: Sequence[Mapping[str, str]],
    rates: Rates | None,
    most_usd: float | None,
) -> Bill:
    """Return the bill of the reply to ``messages``; tokens that are not reported are counted.

    The cost is that which the provider reports, if that can be all of it, else that of the tokens.
    """
    tokens, usage = heard.reported_tokens, heard.usage
    counted: dict[str, int] = {}
    if tokens.input is None:
        counted["input"] = count_prompt(messages)
    if tokens.output is None and heard.size:
        thought = count_text(join_surrogates("".join(heard.thoughts)))
        counted["output"] = thought + count_text(heard.text)
        if tokens.reasoning is None and heard.thoughts:
            counted["reasoning"] = thought
    tokens = tokens.model_copy(update=counted)
    estimated = prices.compute_cost(rates, tokens, usage.written_input or 0) if rates else None
    charge = heard.header_cost if usage.cost_usd is None else usage.cost_usd
    upstream = usage.upstream_cost_usd or 0.0
    # If a gateway uses the user's own key, the host bills the user, beside the gateway's fee.
    # A gateway that charges the host's price itself reports it again as the upstream cost.
    on_own_key = usage.own_key or (usage.own_key is None and not charge)
    usd, basis = charge, CostBasis.REPORTED
    if upstream and on_own_key:
        usd = round((charge or 0.0) + upstream, 9)
    elif usage.own_key or charge is None or (not charge and estimated is not None):
        fee = (charge or 0.0) if usage.own_key else 0.0
        usd = None if estimated is None else round(estimated + fee, 9)
        basis = CostBasis.UNKNOWN if usd is None else CostBasis.ESTIMATED
    counted_basis = TokensBasis.COUNTED if counted else TokensBasis.REPORTED
    return Bill(tokens, counted_basis, usd, basis, most_usd)


def compute_prompt_claim(usage: ReportedUsage) -> int | None:
    """Return the most tokens that a prompt has by a report; None if the report has no number.

    Tokens that were read from a cache or written to it are added, unless the report's total shows
    that the number of input tokens includes them.
    """
    if usage.input is None:
        return None
    out = usage.output or 0
    if usage.total in {usage.input + out, usage.input + out + (usage.reasoning or 0)}:
        return usage.input
    return usage.input + (usage.cached_input or 0) + (usage.written_input or 0)

"""The costs of requests: prices of tokens, the most that a request costs, bills, and the budget.

Prices come from the registry or litellm's map. Dollars are reserved before a request, and settled
after it.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from records.foreign.fields import join_surrogates
from records.shapes.attempt import CostBasis, Tokens, TokensBasis
from records.shapes.registry import LIMIT_PARAMETERS, ModelEntry, select_facts
from records.text.numbers import format_dollars
from runner.errors import BudgetSpentError, UnknownPriceError
from runner.models.requests.heard import Heard, ReportedUsage
from runner.models.requests.lazy_litellm import load_litellm
from runner.models.tokens import Prompt, count_prompt, count_text

MILLION = 1_000_000

_ABOVE = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")

UNKNOWN_LIMIT = 32_000
"""The limit in tokens for a model whose own output limit is unknown."""

AROUND_MESSAGE = 64
"""The most tokens that a provider adds to each message, to mark its start and end."""

AROUND_REQUEST = 256
"""The most tokens that a provider adds before all messages."""


class Rate(NamedTuple):
    """Dollars per token, for requests with more than ``above`` input tokens."""

    above: int
    input: float
    cached_input: float
    output: float
    written_input: float
    """Dollars per input token that is written to a cache."""

    @property
    def dearest_input(self) -> float:
        """The highest price, in dollars, of an input token."""
        return max(self.input, self.cached_input, self.written_input)


Rates = tuple[Rate, ...]
"""The rates of a model, sorted by `Rate.above`; never empty."""


def find_rates(entry: ModelEntry) -> Rates | None:
    """Return the rates of ``entry``; None if unknown."""
    price = entry.price
    if price is not None:
        cached = price.input if price.cached_input is None else price.cached_input
        fresh = price.input / MILLION
        return (Rate(0, fresh, cached / MILLION, price.output / MILLION, fresh),)
    if entry.api_base is not None:
        return None  # the user's own server: the map has only prices of providers
    return _read_mapped_rates(entry.litellm_id)


def require_rates(entry: ModelEntry) -> Rates:
    """Return the rates of ``entry``, which a budget needs.

    Raises:
        UnknownPriceError: the model's price is unknown.
    """
    rates = find_rates(entry)
    if rates is None:
        raise UnknownPriceError(
            f"--budget needs a price, and that of {entry.slug} is unknown: give dollars per "
            "million tokens with --price IN/OUT, or in the entry of the model in models.toml "
            "as price = { input = ..., output = ... }"
        )
    return rates


def compute_cost(rates: Rates, tokens: Tokens, written_input: int = 0) -> float | None:
    """Return the cost of ``tokens`` in dollars; None if their number is unknown.

    ``written_input`` is the number of input tokens that were written to a cache.
    """
    if tokens.input is None or tokens.output is None:
        return None
    rate = next(each for each in reversed(rates) if each.above == 0 or tokens.input > each.above)
    cached = min(tokens.cached_input or 0, tokens.input)
    written = min(written_input, tokens.input - cached)
    fresh = tokens.input - cached - written
    into = fresh * rate.input + cached * rate.cached_input + written * rate.written_input
    return into + tokens.output * rate.output


@cache
def _read_mapped_rates(litellm_id: str) -> Rates | None:
    facts = find_mapped_facts(litellm_id)
    if not facts:
        return None
    base = _rate(facts, 0, "")
    if base is None:
        return None
    tiers = [base]
    for name in facts:
        if threshold := _ABOVE.fullmatch(name):
            tier = _rate(facts, int(threshold[1]) * 1000, f"_above_{threshold[1]}k_tokens")
            tiers += [tier] if tier else []
    return tuple(sorted(tiers, key=lambda rate: rate.above))


def find_mapped_facts(litellm_id: str) -> Mapping[str, Any]:
    """Return the facts about a model in litellm's map, by its id; empty if the map has none."""
    return select_facts(load_litellm().model_cost, litellm_id)


def _rate(facts: Mapping[str, Any], above: int, suffix: str) -> Rate | None:
    fresh = facts.get(f"input_cost_per_token{suffix}")
    written = facts.get(f"output_cost_per_token{suffix}", facts.get("output_cost_per_token"))
    if fresh is None or written is None:
        return None
    cached = facts.get(f"cache_read_input_token_cost{suffix}", fresh)
    into_cache = facts.get(f"cache_creation_input_token_cost{suffix}", fresh)
    return Rate(above, float(fresh), float(cached), float(written), float(into_cache))


def bound_output(entry: ModelEntry) -> ModelEntry:
    """Return ``entry`` with a limit on replies, which a budget needs to bound their cost.

    An entry without a limit gets the limit from litellm's map, else `UNKNOWN_LIMIT`.

    Raises:
        UnknownPriceError: the entry's dialect sends no limit.
    """
    if entry.dialect is not None and entry.dialect.limit == "none":
        raise UnknownPriceError(
            f"--budget needs a limit on replies, and the dialect of {entry.slug} sends none"
        )
    if entry.output_limit is not None:
        return entry
    mapped_limit: object = None
    if entry.api_base is None:  # the map has no facts about the user's own server
        mapped_limit = find_mapped_facts(entry.litellm_id).get("max_output_tokens")
    limit = mapped_limit if isinstance(mapped_limit, int) and mapped_limit > 0 else UNKNOWN_LIMIT
    parameters = {
        name: value for name, value in entry.parameters.items() if name not in LIMIT_PARAMETERS
    }
    limits = entry.limits.model_copy(update={"max_output_tokens": limit})
    return entry.model_copy(update={"limits": limits, "parameters": parameters})


def compute_most_input(messages: Prompt) -> int:
    """Return the most tokens that ``messages`` may have; a token has at least one byte."""
    return AROUND_REQUEST + sum(
        AROUND_MESSAGE + len(message["content"].encode("utf-8", "surrogatepass"))
        for message in messages
    )


def estimate_upper_usd(
    entry: ModelEntry, messages: Prompt, output_tokens: int | None = None
) -> float | None:
    """Return the most dollars that a request may cost; None if unknown.

    ``output_tokens`` is the most tokens that the reply may have, by default the sent limit.
    """
    rates = find_rates(entry)
    longest = entry.output_limit if output_tokens is None else output_tokens
    if rates is None or longest is None:
        return None
    into = compute_most_input(messages)
    return max(
        into * rate.dearest_input + longest * rate.output
        for rate in rates
        if rate.above == 0 or into > rate.above
    )


SLACK = 1e-9
"""The most dollars by which rounding may change a sum of floats."""


@dataclass(slots=True)
class Reservation:
    """Dollars set aside for one request."""

    spent: float
    """The cost of the request; the most that it may be until it is known."""


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
    async def reserve(self, compute_most: Callable[[], float]) -> AsyncGenerator[Reservation]:
        """Reserve the most dollars that a request may cost, while it is made.

        If less is left, the call waits for the requests under way, which mostly cost less than was
        reserved for them. ``compute_most`` is called again after each wait, because a new reply may
        have shown that a server ignores its limit.

        Raises:
            BudgetSpentError: no request is under way, and the rest of the budget is not enough.
        """
        async with self._changed:
            while True:
                amount = compute_most()
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
        reservation = Reservation(amount)
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


class Bill(NamedTuple):
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
    messages: Prompt,
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
    estimated = compute_cost(rates, tokens, usage.written_input or 0) if rates else None
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

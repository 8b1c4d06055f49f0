"""The bill of one request: the same figure for the budget and for the record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from records.shapes.attempt import CostBasis, Tokens, TokensBasis
from runner.models.costs import prices, token_counts
from runner.models.costs.prices import Rates
from runner.models.requests import claims, stream
from runner.models.requests.heard import Heard, ReportedUsage


@dataclass(frozen=True, slots=True)
class Bill:
    """Tokens and dollars of a reply, as far as it came."""

    tokens: Tokens
    tokens_basis: TokensBasis
    usd: float | None
    """Dollars for the reply; None where unknown."""
    basis: CostBasis

    @property
    def is_reported(self) -> bool:
        """True where the provider reported the cost, or the tokens that it follows from."""
        return self.usd is not None and (
            self.basis is CostBasis.REPORTED or self.tokens_basis is TokensBasis.REPORTED
        )

    def at_most(self, most_usd: float | None) -> float | None:
        """Return the most that a whole reply may be billed; None where reported or unknown.

        ``most_usd`` is the most that the request may cost by the limit that was sent. A provider
        that reports nothing may bill reasoning that it does not show.
        """
        if self.is_reported or self.usd is None or most_usd is None:
            return None
        return max(self.usd, most_usd)


def bill_of(heard: Heard, messages: Sequence[Mapping[str, str]], rates: Rates | None) -> Bill:
    """Return the bill of the reply to ``messages``; counts the tokens that were not reported."""
    tokens, tokens_basis = _tokens(heard, messages)
    usd, basis = _cost(heard, tokens, rates)
    return Bill(tokens, tokens_basis, usd, basis)


def spent_by_whole_reply(bill: Bill, most_usd: float | None) -> float | None:
    """Return the dollars that a whole reply counts for; None where unknown."""
    at_most = bill.at_most(most_usd)
    return bill.usd if at_most is None else at_most


def spent_by_failed_try(
    bill: Bill, most_usd: float | None, *, whole: bool, billed: bool
) -> float | None:
    """Return the dollars that a request without a usable reply counts for; None if unknown.

    Args:
        bill: of the reply, as far as it came.
        most_usd: the most that the request may cost by the limit that was sent.
        whole: whether the reply came to its end, so that a report of usage is the last.
        billed: whether the provider may bill it; a provider that refuses a request does not.
    """
    if whole and bill.is_reported:
        return bill.usd
    if not billed:
        return 0.0
    # The provider may have gone on writing after the connection ended. A server that ignores the
    # limit has written more than the limit allows already.
    return None if most_usd is None else max(most_usd, bill.usd or 0.0)


def prompt_claim(usage: ReportedUsage) -> int | None:
    """Return the most tokens of the whole prompt by a report; None where it has no number.

    Cached tokens, read or written, are added unless the total shows that they are counted.
    """
    if usage.input is None:
        return None
    out = usage.output or 0
    if usage.total in {usage.input + out, usage.input + out + (usage.reasoning or 0)}:
        return usage.input
    return usage.input + (usage.cached_input or 0) + (usage.written_input or 0)


def _tokens(heard: Heard, messages: Sequence[Mapping[str, str]]) -> tuple[Tokens, TokensBasis]:
    """Return the reported numbers of tokens, and our count in place of missing numbers."""
    tokens = stream.tokens(heard)
    missing: dict[str, int] = {}
    if tokens.input is None:
        missing["input"] = token_counts.count_prompt(messages)
    if tokens.output is None and heard.size:
        thought = token_counts.count_text(claims.joined("".join(heard.thoughts)))
        missing["output"] = thought + token_counts.count_text(heard.text)
        if tokens.reasoning is None and heard.thoughts:
            missing["reasoning"] = thought
    if not missing:
        return tokens, TokensBasis.REPORTED
    return tokens.model_copy(update=missing), TokensBasis.COUNTED


def _cost(heard: Heard, tokens: Tokens, rates: Rates | None) -> tuple[float | None, CostBasis]:
    """Return the cost: by the provider's report where that can be all of it, else by tokens."""
    usage = heard.usage
    estimated = prices.cost(rates, tokens, usage.written_input or 0) if rates else None
    charge = heard.header_cost if usage.cost_usd is None else usage.cost_usd
    upstream = usage.upstream_cost_usd or 0.0
    # With the user's own key the host bills the user, beside the gateway's fee. A gateway that
    # charges the host's price itself repeats it as the upstream cost.
    on_own_key = usage.own_key or (usage.own_key is None and not charge)
    if upstream and on_own_key:
        return round((charge or 0.0) + upstream, 9), CostBasis.REPORTED
    if usage.own_key:
        fee = charge or 0.0
        return _estimate(None if estimated is None else estimated + fee)
    if charge is None or (not charge and estimated is not None):
        return _estimate(estimated)
    return charge, CostBasis.REPORTED


def _estimate(usd: float | None) -> tuple[float | None, CostBasis]:
    return (None, CostBasis.UNKNOWN) if usd is None else (round(usd, 9), CostBasis.ESTIMATED)

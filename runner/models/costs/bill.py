"""The bill of one request, which the budget and the record share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from records.foreign.fields import join_surrogates
from records.shapes.attempt import CostBasis, Tokens, TokensBasis
from runner.models.costs import prices
from runner.models.costs.prices import Rates
from runner.models.requests.heard import Heard, ReportedUsage
from runner.models.tokens import count_prompt, count_text


@dataclass(frozen=True, slots=True)
class Bill:
    """Tokens and dollars of a reply, or of the part of it that came."""

    tokens: Tokens
    tokens_basis: TokensBasis
    usd: float | None
    """Dollars for the reply; None if unknown."""
    basis: CostBasis

    @property
    def is_reported(self) -> bool:
        """True if the provider reported the cost, or the tokens from which it is computed."""
        return self.usd is not None and (
            self.basis is CostBasis.REPORTED or self.tokens_basis is TokensBasis.REPORTED
        )

    def find_upper_usd(self, most_usd: float | None) -> float | None:
        """Return the most dollars that a complete reply may be billed; None if reported or unknown.

        ``most_usd`` is the most that the request may cost by the sent limit. A provider without a
        report may also bill reasoning that it does not show.
        """
        if self.is_reported or self.usd is None or most_usd is None:
            return None
        return max(self.usd, most_usd)


def bill_of(heard: Heard, messages: Sequence[Mapping[str, str]], rates: Rates | None) -> Bill:
    """Return the bill of the reply to ``messages``; tokens that are not reported are counted."""
    tokens, tokens_basis = _count_tokens(heard, messages)
    usd, basis = _compute_cost(heard, tokens, rates)
    return Bill(tokens, tokens_basis, usd, basis)


def compute_failed_try_usd(
    bill: Bill, most_usd: float | None, *, whole: bool, billed: bool
) -> float | None:
    """Return the dollars that the budget counts for a failed try; None if unknown.

    Args:
        bill: the bill of the part of the reply that came.
        most_usd: the most that the request may cost by the sent limit; None if unknown.
        whole: whether the reply has ended, so that its report of usage is final.
        billed: whether the provider may bill the request. It does not if it refused the request.
    """
    if whole and bill.is_reported:
        return bill.usd
    if not billed:
        return 0.0
    # The provider may go on writing after the connection has ended. A server that ignores the limit
    # may have written more than the limit allows.
    return None if most_usd is None else max(most_usd, bill.usd or 0.0)


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


def _count_tokens(
    heard: Heard, messages: Sequence[Mapping[str, str]]
) -> tuple[Tokens, TokensBasis]:
    """Return the reported numbers of tokens, with our own counts for missing numbers."""
    tokens = heard.reported_tokens
    missing: dict[str, int] = {}
    if tokens.input is None:
        missing["input"] = count_prompt(messages)
    if tokens.output is None and heard.size:
        thought = count_text(join_surrogates("".join(heard.thoughts)))
        missing["output"] = thought + count_text(heard.text)
        if tokens.reasoning is None and heard.thoughts:
            missing["reasoning"] = thought
    if not missing:
        return tokens, TokensBasis.REPORTED
    return tokens.model_copy(update=missing), TokensBasis.COUNTED


def _compute_cost(
    heard: Heard, tokens: Tokens, rates: Rates | None
) -> tuple[float | None, CostBasis]:
    """Return the cost: as the provider reports it if that can be all of it, else by tokens."""
    usage = heard.usage
    estimated = prices.compute_cost(rates, tokens, usage.written_input or 0) if rates else None
    charge = heard.header_cost if usage.cost_usd is None else usage.cost_usd
    upstream = usage.upstream_cost_usd or 0.0
    # If a gateway uses the user's own key, the host bills the user, beside the gateway's fee.
    # A gateway that charges the host's price itself reports it again as the upstream cost.
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

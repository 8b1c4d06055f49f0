"""The prices of tokens, from the registry or litellm's map, and the most that a request costs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from records.shapes.attempt import Tokens
from records.shapes.registry import LIMIT_PARAMETERS, ModelEntry
from runner.errors import UnknownPriceError
from runner.models.requests.lazy_litellm import load_litellm

MILLION: Final = 1_000_000

_ABOVE: Final = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")

UNKNOWN_LIMIT: Final = 32_000
"""The limit in tokens for a model whose own output limit is unknown."""

AROUND_MESSAGE: Final = 64
"""The most tokens that a provider adds to each message, to mark its start and end."""

AROUND_REQUEST: Final = 256
"""The most tokens that a provider adds before all messages."""


@dataclass(frozen=True, slots=True)
class Rate:
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
    price_map: Mapping[str, Mapping[str, Any]] = load_litellm().model_cost
    if litellm_id in price_map:
        return price_map[litellm_id]
    provider, _, name = litellm_id.partition("/")
    facts = price_map.get(name, {})
    # The map also has families of a provider's models, such as vertex_ai-language-models.
    family = str(facts.get("litellm_provider", ""))
    return facts if family == provider or family.startswith(f"{provider}-") else {}


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


def compute_most_input(messages: Sequence[Mapping[str, str]]) -> int:
    """Return the most tokens that ``messages`` may have; a token has at least one byte."""
    return AROUND_REQUEST + sum(
        AROUND_MESSAGE + len(message["content"].encode("utf-8", "surrogatepass"))
        for message in messages
    )


def estimate_upper_usd(
    entry: ModelEntry, messages: Sequence[Mapping[str, str]], output_tokens: int | None = None
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

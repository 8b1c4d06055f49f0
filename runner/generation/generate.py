"""Asks a model until there is a reply, or until asking again is no use."""

import hashlib
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from records.registry import ModelEntry
from records.run import CostBasis, Fault, Generation, Tokens, TokensBasis
from runner.errors import GivenUpError
from runner.generation import prices, stream
from runner.generation.backend import litellm
from runner.generation.budget import Budget, Reservation
from runner.generation.faults import Diagnosis, diagnose, truncated
from runner.generation.keys import Redactor, key_for, redactor
from runner.generation.lanes import Lane, Lanes
from runner.generation.prices import Rates
from runner.progress import Tell, unheard

CHARACTERS_PER_TOKEN: Final = 4
"""A usual ratio; only for the budget, never recorded."""

DEFAULT_OUTPUT: Final = 32_000
"""Tokens set aside for the reply of a model whose limit is not known."""

OWN_LIMIT: Final = 0.95
"""Share of its declared limit from which a cut reply is the model's own doing."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait between tries, in seconds."""

    first_s: float = 1.0
    longest_s: float = 60.0
    longest_retry_after_s: float = 600.0
    """A provider that asks for more than this is given up on at once."""


@dataclass(frozen=True, slots=True)
class Generated:
    """What became of a request: a reply, or a fault, or both where a reply came cut off."""

    reply: str | None
    generation: Generation | None
    fault: Fault | None
    failed_tries_usd: float | None = None
    """The most that the requests without a usable reply may be billed; None where unknown."""


@dataclass(frozen=True, slots=True)
class _Question:
    entry: ModelEntry
    messages: Sequence[Mapping[str, str]]
    key: str | None
    rates: Rates | None
    redact: Redactor
    patience: Patience
    tell: Tell


async def generate(  # noqa: PLR0913 - each option stands alone
    entry: ModelEntry,
    messages: Sequence[Mapping[str, str]],
    *,
    lanes: Lanes,
    budget: Budget,
    patience: Patience | None = None,
    tell: Tell = unheard,
) -> Generated:
    """Ask ``entry`` and return its reply, or the fault that kept it from replying.

    Whatever a provider does ends in a result. ``tell`` hears what is waited for meanwhile.

    Raises:
        MissingKeyError: the model's key is not set.
        UnknownPriceError: there is a budget, and nobody knows what the model costs.
        BudgetSpentError: the budget does not allow the request.
    """
    key = key_for(entry)
    litellm()  # here, so that its import is no part of what is timed
    rates = _rates(entry, budget)
    question = _Question(entry, messages, key, rates, redactor(key), patience or Patience(), tell)
    lane = lanes.of(entry)
    tries = 0
    diagnosis = None
    while True:
        heard = stream.Heard(time.monotonic())
        try:
            diagnosis = await _try(question, heard, lane, budget)
        except GivenUpError as given_up:
            return _unasked(question, given_up, diagnosis, tries)
        tries += 1
        if diagnosis is None:
            return _reply(question, heard, tries)
        wait = _wait(diagnosis, tries, question.patience)
        if tries >= diagnosis.rule.tries or wait is None:
            return _fault(question, diagnosis, tries)
        tell(diagnosis.rule.kind.replace("_", " "), time.monotonic() + wait)
        await lane.rest(entry.slug, wait)


async def _try(
    question: _Question, heard: stream.Heard, lane: Lane, budget: Budget
) -> Diagnosis | None:
    """Make one request; return None where a whole reply came."""
    question.tell("its turn to ask")
    # The lane first: what waits there holds nothing back of the budget, which others need.
    async with (
        lane.slot(question.entry.slug) as slot,
        budget.reserve(_upper_estimate(question)) as reservation,
    ):
        heard.began = slot.at = time.monotonic()
        question.tell("the reply")
        diagnosis = None
        try:
            await stream.ask(question.entry, question.messages, question.key, heard)
        except Exception as error:  # noqa: BLE001 - the table has a last line for all the rest
            found = diagnose(error)
            diagnosis = replace(found, evidence=question.redact.evidence(found.evidence))
        finally:
            _settle(question, heard, reservation)
        if diagnosis is None:
            lane.succeeded(slot, heard.size)
        else:
            lane.failed(slot, diagnosis)
        return diagnosis


def _unasked(
    question: _Question, given_up: GivenUpError, last: Diagnosis | None, tries: int
) -> Generated:
    """Return the fault of an attempt that nobody asks any more: its own, where it had one."""
    if last is not None:
        return _fault(question, last, tries)
    return Generated(None, None, Fault(kind=given_up.kind, evidence=str(given_up)))


def _reply(question: _Question, heard: stream.Heard, tries: int) -> Generated:
    text = question.redact.known(heard.text)
    generation = _generation(question, heard, text, tries)
    if _cut_by_server(question.entry, generation):
        evidence = (
            f"finish reason length at {generation.tokens.output} of "
            f"{question.entry.limits.max_output_tokens} output tokens"
        )
        return Generated(text, generation, _fault(question, truncated(evidence), tries).fault)
    return Generated(text, generation, None)


def _generation(question: _Question, heard: stream.Heard, text: str, tries: int) -> Generation:
    tokens = stream.tokens(heard.usage)
    cost, basis = _cost(question.rates, heard, tokens)
    ended = time.monotonic() if heard.ended is None else heard.ended
    first = None if heard.first_at is None else heard.first_at - heard.began
    return Generation(
        duration_s=round(ended - heard.began, 3),
        time_to_first_token_s=None if first is None else round(first, 3),
        finish_reason=heard.finish_reason,
        answered_by=None,
        tries=tries,
        tokens=tokens,
        tokens_basis=TokensBasis.UNKNOWN if tokens == stream.UNKNOWN else TokensBasis.REPORTED,
        cost_usd=cost,
        cost_basis=basis,
        reply_digest=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(),
    )


def _cost(
    rates: Rates | None, heard: stream.Heard, tokens: Tokens
) -> tuple[float | None, CostBasis]:
    reported = stream.reported_cost(heard)
    if reported is not None:
        return reported, CostBasis.REPORTED
    estimated = prices.cost(rates, tokens) if rates else None
    if estimated is not None:
        return round(estimated, 9), CostBasis.ESTIMATED
    return None, CostBasis.UNKNOWN


def _cut_by_server(entry: ModelEntry, generation: Generation) -> bool:
    """Tell whether a reply ends early for another reason than the model's own declared limit."""
    limit = entry.output_limit
    if generation.finish_reason != "length" or limit is None:
        return False
    return (generation.tokens.output or 0) < OWN_LIMIT * limit


def _fault(question: _Question, diagnosis: Diagnosis, tries: int) -> Generated:
    again = f" (after {tries} tries)" if tries > 1 else ""
    evidence = question.redact.evidence(diagnosis.evidence) + again
    fault = Fault(kind=diagnosis.rule.kind, evidence=evidence)
    return Generated(None, None, fault)


def _wait(diagnosis: Diagnosis, tries: int, patience: Patience) -> float | None:
    """Return the seconds to wait before the next try; None to give up.

    Without a word from the provider, waits double up to a limit and are spread at random, so that
    requests that failed together do not come back together.
    """
    asked = diagnosis.retry_after_s
    if asked is not None:
        if asked > patience.longest_retry_after_s:
            return None
        return asked + random.uniform(0, patience.first_s / 4)  # noqa: S311 - no secret
    longest = min(patience.longest_s, patience.first_s * 2 ** (tries - 1))
    return random.uniform(longest / 2, longest)  # noqa: S311 - no secret


def _rates(entry: ModelEntry, budget: Budget) -> Rates | None:
    return prices.rates_of(entry) if budget.limit_usd is None else prices.known_rates(entry)


def _upper_estimate(question: _Question) -> float:
    if question.rates is None:
        return 0.0
    output = question.entry.output_limit or DEFAULT_OUTPUT
    return prices.upper_cost(question.rates, _input_estimate(question), output)


def _input_estimate(question: _Question) -> int:
    return sum(len(m["content"].encode()) for m in question.messages) // CHARACTERS_PER_TOKEN + 16


def _settle(question: _Question, heard: stream.Heard, reservation: Reservation) -> None:
    """Settle by what is known; a reply that broke off is billed for what came of it."""
    known, _ = _cost(question.rates, heard, stream.tokens(heard.usage))
    if known is not None:
        reservation.settle(known)
    elif question.rates is None or not heard.opened:
        reservation.settle(0.0)
    else:
        heard_tokens = heard.size // CHARACTERS_PER_TOKEN
        came = prices.upper_cost(question.rates, _input_estimate(question), heard_tokens)
        reservation.settle(came)

"""Asks a model until there is a reply, or until asking again is no use."""

import asyncio
import hashlib
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from records.registry import ModelEntry
from records.run import CostBasis, Fault, FaultClass, Generation, Tokens, TokensBasis
from runner.errors import GivenUpError, UserError
from runner.models.api_keys import Redactor, key_for, redactor
from runner.models.concurrency.provider_queue import ProviderQueue, ProviderQueues
from runner.models.costs import estimates, prices
from runner.models.costs.budget import Budget
from runner.models.costs.output_limits import bounded
from runner.models.costs.prices import Rates
from runner.models.faults import reply_ends
from runner.models.faults.diagnosis import FEW, Diagnosis, diagnose, unexpected
from runner.models.requests import claims, stream
from runner.models.requests.heard import Heard
from runner.models.requests.lazy_litellm import litellm
from runner.models.requests.traffic import Traffic
from runner.models.requests.wait_notices import TURN, Tell, unheard
from runner.models.retries import RetryPolicy, wait_s

EVIDENCE: Final = 1500
"""Characters of evidence kept of what a provider said."""

COUNTED_AT_ONCE: Final = 20_000
"""Characters given to the tokenizer at once: its time grows faster than the text."""

QUIET_STREAMS: Final = 2
"""Streams without anything in them, after which the reply is asked for in one piece, once."""


@dataclass(frozen=True, slots=True)
class GenerationResult:
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
    retry_policy: RetryPolicy
    tell: Tell
    asking: Callable[[float], None]
    note: Callable[[str], None]
    """Tells whoever watches one line, once."""

    @property
    def prompt(self) -> str:
        """Digest of the messages."""
        return hashlib.sha256(repr(self.messages).encode("utf-8", "replace")).hexdigest()


def _unsaid(at_most_usd: float) -> None:
    del at_most_usd


@dataclass(slots=True)
class _Failed:
    """The tries of one question that brought no reply."""

    tries: int = 0
    usd: float | None = 0.0
    """The most that they may have been billed; None where that is not known."""
    alike: str | None = None
    """How the provider finds fault with the request, without ids, digits and times."""
    times_alike: int = 0
    """Tries in a row in which it did so."""

    def add(self, usd: float | None, diagnosis: Diagnosis) -> None:
        self.tries += 1
        self.usd = None if self.usd is None or usd is None else self.usd + usd
        again = diagnosis.alike is not None and diagnosis.alike == self.alike
        self.alike, self.times_alike = diagnosis.alike, self.times_alike + 1 if again else 1

    @property
    def is_answered(self) -> bool:
        """Whether the provider has found the same fault with the request often enough."""
        return self.alike is not None and self.times_alike >= FEW


async def generate(  # noqa: PLR0913 - each option stands alone
    entry: ModelEntry,
    messages: Sequence[Mapping[str, str]],
    *,
    queues: ProviderQueues,
    budget: Budget,
    retry_policy: RetryPolicy | None = None,
    tell: Tell = unheard,
    asking: Callable[[float], None] = _unsaid,
) -> GenerationResult:
    """Ask ``entry`` and return its reply, or the fault that kept it from replying.

    Whatever a provider does ends in a result. ``tell`` hears what is waited for meanwhile,
    ``asking`` before each request how many dollars it may cost at most (0 where nobody knows).

    Raises:
        MissingKeyError: the model's key is not set.
        UnknownPriceError: there is a budget, and nobody knows what the model costs.
        BudgetSpentError: the budget does not allow the request.
    """
    if budget.limit_usd is not None:
        entry = bounded(entry)
    key = key_for(entry)
    litellm()  # here, so that its import is no part of what is timed
    rates = _rates(entry, budget)
    question = _Question(
        entry,
        messages,
        key,
        rates,
        redactor(key),
        retry_policy or RetryPolicy(),
        tell,
        asking,
        queues.note_once,
    )
    queue = queues.of(entry)
    failed = _Failed()
    try:
        return await _until_settled(question, queue, budget, failed)
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001 - one reply must not end the other attempts
        return _fault(question, unexpected(error), failed)


async def _until_settled(
    question: _Question, queue: ProviderQueue, budget: Budget, failed: _Failed
) -> GenerationResult:
    quiet = 0
    diagnosis = None
    while True:
        traffic = Traffic(unstreamed=quiet == QUIET_STREAMS)
        heard = Heard(time.monotonic(), traffic=traffic, tell=question.tell)
        try:
            diagnosis = await _try(question, heard, queue, budget, failed)
        except GivenUpError as given_up:
            return _unasked(question, given_up, diagnosis, failed)
        if diagnosis is None:
            return await _kept(_reply(question, heard, failed))
        wait = wait_s(diagnosis, failed.tries, question.retry_policy)
        if failed.tries >= diagnosis.rule.tries or failed.is_answered or wait is None:
            return _fault(question, diagnosis, failed)
        lost = diagnosis.rule.kind is FaultClass.CONNECTION_LOST
        quiet += traffic.unstreamed or (lost and heard.nothing)
        question.tell(_waited_for(diagnosis), time.monotonic() + wait)
        await queue.rest(question.entry.slug, wait)


async def _try(
    question: _Question, heard: Heard, queue: ProviderQueue, budget: Budget, failed: _Failed
) -> Diagnosis | None:
    """Make one request; return None where a whole reply came."""
    question.tell(TURN)
    most = estimates.most(question.entry, question.rates, question.messages)
    # The queue first: a request that waits there reserves nothing of the budget, which others need.
    async with (
        queue.slot(question.entry.slug) as slot,
        budget.reserve(most or 0.0) as reservation,
    ):
        question.asking(reservation.amount)
        heard.began = slot.at = time.monotonic()
        question.tell("first token")
        diagnosis = None
        try:
            await stream.ask(
                question.entry,
                question.messages,
                question.key,
                heard,
                question.retry_policy.longest_reply_s,
            )
            reply_ends.check(heard)
        except Exception as error:  # noqa: BLE001 - the table has a last line for all the rest
            found = diagnose(error)
            evidence = question.redact.evidence(found.evidence)[:EVIDENCE]
            diagnosis = replace(found, evidence=evidence)
        spent = _spent(question, heard, most, diagnosis)
        reservation.settle(spent or 0.0)
        if diagnosis is not None:
            queue.failed(slot, diagnosis, question.prompt)
            failed.add(spent, diagnosis)
        elif unknown := reply_ends.diagnosis_of_unknown(heard):
            evidence = question.redact.evidence(unknown.evidence)
            question.note(f"{question.entry.slug}: {evidence}")
            queue.failed(slot, replace(unknown, evidence=evidence), question.prompt)
        else:
            queue.succeeded(slot, heard.size)
        return diagnosis


def _waited_for(diagnosis: Diagnosis) -> str:
    """Say what an attempt waits for before its next try."""
    if diagnosis.rule.kind is FaultClass.RATE_LIMITED:
        return "rate limit"
    return f"another try after {diagnosis.rule.kind.replace('_', ' ')}"


def _unasked(
    question: _Question, given_up: GivenUpError, last: Diagnosis | None, failed: _Failed
) -> GenerationResult:
    """Return the fault of an attempt that nobody asks any more: its own, where it had one."""
    if last is not None:
        return _fault(question, last, failed)
    return GenerationResult(
        None, None, Fault(kind=given_up.kind, evidence=str(given_up)), failed.usd
    )


async def _kept(reply: Coroutine[Any, Any, GenerationResult]) -> GenerationResult:
    """Return what becomes of a whole reply, also where nobody is to be asked any more.

    To count its tokens takes a moment, in which the budget that it used up may stop all requests:
    a reply that was paid for would be lost.
    """
    task = asyncio.ensure_future(reply)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        return await task


async def _reply(question: _Question, heard: Heard, failed: _Failed) -> GenerationResult:
    text = question.redact.known(heard.text)
    generation = await _generation(question, heard, text, failed.tries + 1)
    fault = reply_ends.fault_of_end(heard, question.entry.output_limit, generation)
    if fault is None:
        return GenerationResult(text, generation, None, failed.usd)
    return replace(_fault(question, fault, failed), reply=text, generation=generation)


async def _generation(question: _Question, heard: Heard, text: str, tries: int) -> Generation:
    tokens, tokens_basis = await asyncio.to_thread(_tokens, question, heard)
    cost, basis = _cost(question.rates, heard, tokens)
    ended = time.monotonic() if heard.ended is None else heard.ended
    first = None if heard.first_at is None else heard.first_at - heard.began
    return Generation(
        duration_s=round(ended - heard.began, 3),
        time_to_first_token_s=None if first is None else round(first, 3),
        finish_reason=question.redact.known(heard.finish_reason or "") or None,
        answered_by=question.redact.known(heard.answered_by or "") or None,
        served_by=question.redact.known(heard.host or "") or None,
        system_fingerprint=question.redact.known(heard.fingerprint or "") or None,
        tries=tries,
        tokens=tokens,
        tokens_basis=tokens_basis,
        cost_usd=cost,
        cost_basis=basis,
        reply_digest=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(),
    )


def _tokens(question: _Question, heard: Heard) -> tuple[Tokens, TokensBasis]:
    """Return the reported numbers of tokens, and in place of those that are missing our count."""
    tokens = stream.tokens(heard)
    missing: dict[str, int] = {}
    if tokens.input is None:
        missing["input"] = sum(_counted(message["content"]) for message in question.messages)
    if tokens.output is None and heard.size:
        thought = _counted(claims.joined("".join(heard.thoughts)))
        missing["output"] = thought + _counted(heard.text)
        if tokens.reasoning is None and heard.thoughts:
            missing["reasoning"] = thought
    if not missing:
        return tokens, TokensBasis.REPORTED
    return tokens.model_copy(update=missing), TokensBasis.COUNTED


def _counted(text: str) -> int:
    from runner.models import tokens  # noqa: PLC0415 - loads a vocabulary, for providers without usage

    parts = range(0, len(text), COUNTED_AT_ONCE)
    return sum(tokens.count(text[at : at + COUNTED_AT_ONCE]) for at in parts)


def _cost(rates: Rates | None, heard: Heard, tokens: Tokens) -> tuple[float | None, CostBasis]:
    reported = stream.reported_cost(heard)
    if reported is not None:
        return reported, CostBasis.REPORTED
    estimated = prices.cost(rates, tokens) if rates else None
    if estimated is not None:
        return round(estimated, 9), CostBasis.ESTIMATED
    return None, CostBasis.UNKNOWN


def _fault(question: _Question, diagnosis: Diagnosis, failed: _Failed) -> GenerationResult:
    again = f" (after {failed.tries} tries)" if failed.tries > 1 else ""
    evidence = question.redact.evidence(diagnosis.evidence)[:EVIDENCE] + again
    fault = Fault(kind=diagnosis.rule.kind, evidence=evidence)
    return GenerationResult(None, None, fault, failed.usd)


def _rates(entry: ModelEntry, budget: Budget) -> Rates | None:
    return prices.rates_of(entry) if budget.limit_usd is None else prices.known_rates(entry)


def _spent(
    question: _Question, heard: Heard, at_most: float | None, diagnosis: Diagnosis | None
) -> float | None:
    """Return what a request that is over counts for, in dollars; None where nobody knows.

    One that is cancelled never gets here, and counts for all that was set aside.
    """
    known, _ = _cost(question.rates, heard, stream.tokens(heard))
    billed = diagnosis is None or heard.traffic.opened or diagnosis.rule.billed
    whole = heard.finish_reason is not None
    return estimates.settled(at_most, known, whole=whole, billed=billed)

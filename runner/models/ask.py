"""Questions to a model, repeated until there is a reply, or another request cannot help."""

import asyncio
import hashlib
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from records.shapes.attempt import Fault, FaultClass, Generation
from records.shapes.registry import ModelEntry
from runner.errors import GivenUpError, UserError
from runner.models.api_keys import make_redactor, read_key
from runner.models.charges import Paid, charge_failed_try, charge_reply
from runner.models.concurrency.provider_queue import ProviderQueue, ProviderQueues
from runner.models.costs import prices
from runner.models.costs.budget import Budget
from runner.models.costs.estimates import estimate_upper_usd
from runner.models.costs.output_limits import bound_output
from runner.models.dialects import without_refused
from runner.models.faults import reply_ends
from runner.models.faults.diagnosis import Diagnosis, diagnose, diagnose_unexpected, diagnose_unsent
from runner.models.question import FailedTries, Question
from runner.models.requests import stream
from runner.models.requests.heard import Heard
from runner.models.requests.lazy_litellm import load_litellm
from runner.models.requests.routes import describe_route
from runner.models.requests.traffic import Traffic
from runner.models.requests.wait_notices import TURN, Tell, ignore_wait
from runner.models.retries import RetryPolicy, wait_s

EVIDENCE: Final = 1500
"""The most characters of a provider's answer that are kept as evidence."""

QUIET_STREAMS: Final = 2
"""The number of empty streams after which the reply is requested once without streaming."""


_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class GenerationResult:
    """The result of a question: a reply, a fault, or both if a reply was cut off."""

    reply: str | None
    generation: Generation | None
    fault: Fault | None
    failed_tries_usd: float | None = None
    """The most dollars that requests without a usable reply may be billed; None if unknown."""


def _ignore_amount(at_most_usd: float) -> None:
    del at_most_usd


async def generate(  # noqa: PLR0913 - each option stands alone
    entry: ModelEntry,
    messages: Sequence[Mapping[str, str]],
    *,
    queues: ProviderQueues,
    budget: Budget,
    retry_policy: RetryPolicy | None = None,
    tell: Tell = ignore_wait,
    asking: Callable[[float], None] = _ignore_amount,
) -> GenerationResult:
    """Ask the model of ``entry``; return its reply, or the fault because of which there is none.

    A result is returned however the provider behaves. ``tell`` receives the reason of each wait.
    ``asking`` receives, before each request, the most dollars that it may cost (0 if unknown).

    Raises:
        MissingKeyError: the model's key is not set.
        UnknownPriceError: there is a budget, and the model's price is unknown.
        BudgetSpentError: the budget does not allow the request.
    """
    if budget.limit_usd is not None:
        entry = bound_output(entry)
    key = read_key(entry)
    load_litellm()  # here, so that the measured time does not include its import
    find_rates = prices.find_rates if budget.limit_usd is None else prices.require_rates
    queue = queues.find_queue(entry)
    dialect_is_set = entry.dialect is not None
    if not dialect_is_set:
        entry = entry.model_copy(update={"dialect": queue.dialects.get(entry.slug)})
    question = Question(
        entry,
        messages,
        key,
        find_rates(entry),
        make_redactor(key),
        retry_policy or RetryPolicy(),
        tell,
        asking,
        queues.note_once,
        dialect_is_set,
    )
    failed = FailedTries()
    try:
        return await _try_until_settled(question, queue, budget, failed)
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001 - one reply must not end the other attempts
        return _make_fault_result(question, diagnose_unexpected(error), failed)


async def _try_until_settled(
    question: Question, queue: ProviderQueue, budget: Budget, failed: FailedTries
) -> GenerationResult:
    quiet = 0
    diagnosis = None
    while True:
        traffic = Traffic(unstreamed=quiet == QUIET_STREAMS)
        heard = Heard(time.monotonic(), traffic=traffic, tell=question.tell)
        heard.longest = question.longest_reply
        try:
            result = await _try(question, heard, queue, budget, failed)
        except GivenUpError as given_up:
            return _give_up(question, given_up, diagnosis, failed)
        if isinstance(result, Paid):
            return await _finish_reply(_make_reply_result(question, heard, result, failed))
        diagnosis = result
        other = _adapt_question(question, queue, budget, diagnosis)
        if other is not None:
            question = other
            continue
        wait = wait_s(diagnosis, failed.tries, question.retry_policy)
        if failed.tries >= diagnosis.rule.tries or failed.is_answered or wait is None:
            return _make_fault_result(question, diagnosis, failed)
        lost = diagnosis.rule.kind is FaultClass.CONNECTION_LOST
        quiet += traffic.unstreamed or (lost and heard.nothing)
        question.tell(_name_wait(diagnosis), time.monotonic() + wait)
        await queue.sleep_between_tries(question.entry.slug, wait)


def _adapt_question(
    question: Question, queue: ProviderQueue, budget: Budget, diagnosis: Diagnosis
) -> Question | None:
    """Return the question without the part that the server refused.

    The dialect is stored for later questions. None if the refusal names no such part, or the
    registry sets the dialect.
    """
    entry = without_refused(
        question.entry, diagnosis.evidence, limit_needed=budget.limit_usd is not None
    )
    if entry is None or entry.dialect is None or question.dialect_is_set:
        return None
    queue.dialects[entry.slug] = entry.dialect
    return replace(question, entry=entry)


async def _try(
    question: Question, heard: Heard, queue: ProviderQueue, budget: Budget, failed: FailedTries
) -> Diagnosis | Paid:
    """Make one request; return its charges after a complete reply, else the diagnosis."""
    question.tell(TURN)

    def estimate() -> float | None:
        limit = question.entry.output_limit
        longest = None if limit is None else budget.find_longest(question.entry.slug, limit)
        return estimate_upper_usd(question.entry, question.rates, question.messages, longest)

    # The queue comes first, so that a request that waits in it reserves nothing of the budget.
    async with (
        queue.take_slot(question.entry.slug) as slot,
        budget.reserve(lambda: estimate() or 0.0) as reservation,
    ):
        most_usd = estimate()
        question.asking(reservation.amount)
        heard.began = slot.at = time.monotonic()
        question.tell("first token")
        diagnosis = await _ask(question, heard)
        if diagnosis is not None:
            queue.record_failure(slot, diagnosis, question.prompt)
            spent = await charge_failed_try(question, heard, budget, diagnosis, most_usd)
            reservation.spent = spent or 0.0
            failed.add(spent, diagnosis)
            return diagnosis
        if unknown := reply_ends.find_unknown_end_fault(heard):
            evidence = question.redact.hide_keys(unknown.evidence)
            question.note(f"{question.entry.slug}: {evidence}")
            queue.record_failure(slot, replace(unknown, evidence=evidence), question.prompt)
        else:
            queue.record_success(slot, heard.size)
        paid = Paid(await _finish_reply(charge_reply(question, heard, budget)), most_usd)
        reservation.spent = paid.usd or 0.0
        return paid


async def _ask(question: Question, heard: Heard) -> Diagnosis | None:
    """Make one request; return None after a complete reply, else the diagnosis."""
    try:
        await stream.ask(
            question.entry,
            question.messages,
            question.key,
            heard,
            question.retry_policy.longest_reply_s,
        )
        reply_ends.check_reply_end(heard)
    except Exception as error:  # noqa: BLE001 - the table has a last line for all the rest
        diagnosis = diagnose(error) if heard.traffic.written else diagnose_unsent(error)
        evidence = question.redact.hide_keys(diagnosis.evidence)[:EVIDENCE]
        if heard.traffic.status is None and heard.traffic.origin:
            evidence += f"; {question.redact.hide_keys(describe_route(heard.traffic.origin))}"
        return replace(diagnosis, evidence=evidence)
    return None


def _name_wait(diagnosis: Diagnosis) -> str:
    """Return the reason why an attempt waits before its next try."""
    if diagnosis.rule.kind is FaultClass.RATE_LIMITED:
        return "rate limit"
    return f"another try after {diagnosis.rule.kind.replace('_', ' ')}"


def _give_up(
    question: Question, given_up: GivenUpError, last: Diagnosis | None, failed: FailedTries
) -> GenerationResult:
    """Return the fault of a question that is not asked again, because its provider is given up.

    It is the fault of the last try; without a try, it is the reason of giving up.
    """
    if last is not None:
        return _make_fault_result(question, last, failed)
    return GenerationResult(
        None, None, Fault(kind=given_up.kind, evidence=str(given_up)), failed.usd
    )


async def _finish_reply(reply: Coroutine[Any, Any, _T]) -> _T:
    """Await work on a complete reply to its end, even if the attempt is cancelled meanwhile.

    The tokens of a reply are counted in this work, which takes a moment. If the budget is spent
    in this moment, all requests are cancelled, and a reply that was paid for would be lost.
    """
    task = asyncio.ensure_future(reply)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        return await task


async def _make_reply_result(
    question: Question, heard: Heard, paid: Paid, failed: FailedTries
) -> GenerationResult:
    text = question.redact.hide_known_keys(heard.text)
    generation = _make_generation(question, heard, paid, text, failed.tries + 1)
    fault = await asyncio.to_thread(reply_ends.find_prompt_fault, heard, question.messages)
    fault = fault or reply_ends.find_end_fault(heard, question.entry.output_limit, generation)
    if fault is None:
        return GenerationResult(text, generation, None, failed.usd)
    return replace(_make_fault_result(question, fault, failed), reply=text, generation=generation)


def _make_generation(
    question: Question, heard: Heard, paid: Paid, text: str, tries: int
) -> Generation:
    bill = paid.bill
    ended = time.monotonic() if heard.ended is None else heard.ended
    first = None if heard.first_at is None else heard.first_at - heard.began
    return Generation(
        duration_s=round(ended - heard.began, 3),
        time_to_first_token_s=None if first is None else round(first, 3),
        finish_reason=question.redact.hide_known_keys(heard.finish_reason or "") or None,
        answered_by=question.redact.hide_known_keys(heard.answered_by or "") or None,
        served_by=question.redact.hide_known_keys(heard.host or "") or None,
        system_fingerprint=question.redact.hide_known_keys(heard.fingerprint or "") or None,
        tries=tries,
        tokens=bill.tokens,
        tokens_basis=bill.tokens_basis,
        cost_usd=bill.usd,
        cost_basis=bill.basis,
        cost_at_most_usd=bill.find_upper_usd(paid.most_usd),
        reply_digest=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(),
        dialect=question.entry.dialect,
    )


def _make_fault_result(
    question: Question, diagnosis: Diagnosis, failed: FailedTries
) -> GenerationResult:
    again = f" (after {failed.tries} tries)" if failed.tries > 1 else ""
    evidence = question.redact.hide_keys(diagnosis.evidence)[: 2 * EVIDENCE] + again
    fault = Fault(kind=diagnosis.rule.kind, evidence=evidence)
    return GenerationResult(None, None, fault, failed.usd)

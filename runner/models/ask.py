"""Questions to a model, repeated until there is a reply, or another request cannot help."""

import asyncio
import hashlib
import random
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from records.shapes.attempt import Fault, FaultClass, Generation, TokensBasis
from records.shapes.registry import ModelEntry
from runner.errors import GivenUpError, UserError
from runner.models.api_keys import Redactor, make_redactor, read_key
from runner.models.concurrency.provider_queue import ProviderQueue, ProviderQueues
from runner.models.costs import prices
from runner.models.costs.bill import Bill, bill_of, compute_failed_try_usd
from runner.models.costs.budget import Budget
from runner.models.costs.prices import Rates, bound_output, estimate_upper_usd
from runner.models.faults import reply_ends
from runner.models.faults.diagnosis import (
    FEW,
    Diagnosis,
    diagnose,
    diagnose_unexpected,
    diagnose_unsent,
)
from runner.models.requests import stream
from runner.models.requests.body import without_refused
from runner.models.requests.heard import LARGEST_REPLY, TURN, Heard, Tell, Traffic, ignore_wait
from runner.models.requests.lazy_litellm import load_litellm
from runner.models.requests.routes import describe_route

EVIDENCE: Final = 1500
"""The most characters of a provider's answer that are kept as evidence."""

QUIET_STREAMS: Final = 2
"""The number of empty streams after which the reply is requested once without streaming."""

LONGEST_TOKEN: Final = 16
"""The most characters per token, on average; a longer reply must have ignored the sent limit."""

NOTABLE: Final = 1.05
"""A reply with more tokens than this many times the sent limit is noted to ignore the limit."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The limits of waits between tries and of replies, in seconds."""

    first_s: float = 1.0
    longest_s: float = 60.0
    longest_retry_after_s: float = 600.0
    """The longest wait that a provider may ask for; a longer wait ends the tries at once."""
    longest_reply_s: float = stream.LONGEST_REPLY_S
    """The longest time from a request to the end of its reply."""


@dataclass(frozen=True, slots=True)
class GenerationResult:
    """The result of a question: a reply, a fault, or both if a reply was cut off."""

    reply: str | None
    generation: Generation | None
    fault: Fault | None
    failed_tries_usd: float | None = None
    """The most dollars that requests without a usable reply may be billed; None if unknown."""


@dataclass(frozen=True, slots=True)
class _Question:
    """Messages for one model, with everything that their requests need."""

    entry: ModelEntry
    messages: Sequence[Mapping[str, str]]
    key: str | None
    rates: Rates | None
    redact: Redactor
    retry_policy: RetryPolicy
    tell: Tell
    asking: Callable[[float], None]
    note: Callable[[str], None]
    """Prints a line for the user of the run, unless it was printed before."""

    @property
    def longest_reply(self) -> int:
        """The most characters of a reply that obeys the sent limit."""
        limit = self.entry.output_limit
        return LARGEST_REPLY if limit is None else min(LARGEST_REPLY, LONGEST_TOKEN * limit)

    @property
    def prompt(self) -> str:
        """The digest of the messages."""
        return hashlib.sha256(repr(self.messages).encode("utf-8", "replace")).hexdigest()


@dataclass(slots=True)
class _FailedTries:
    """The tries of one question that brought no reply."""

    tries: int = 0
    usd: float | None = 0.0
    """The most dollars that these tries may have been billed; None if unknown."""
    alike: str | None = None
    """The last error of the provider, if it is about the request: without ids, digits, times."""
    times_alike: int = 0
    """The number of tries in a row with this error."""

    def add(self, usd: float | None, diagnosis: Diagnosis) -> None:
        """Count a failed try that may have been billed ``usd`` dollars."""
        self.tries += 1
        self.usd = None if self.usd is None or usd is None else self.usd + usd
        essence = diagnosis.refusal_essence
        again = essence is not None and essence == self.alike
        self.alike, self.times_alike = essence, self.times_alike + 1 if again else 1

    @property
    def is_answered(self) -> bool:
        """True if the same error about the request came so often that it will come again."""
        return self.alike is not None and self.times_alike >= FEW


@dataclass(frozen=True, slots=True)
class _Paid:
    """The charges of a complete reply, for the budget and the record."""

    bill: Bill
    most_usd: float | None
    """The most dollars that the request may cost by the sent limit; None if unknown."""

    @property
    def usd(self) -> float | None:
        """The dollars that the budget counts for the reply; None if unknown."""
        at_most = self.bill.find_upper_usd(self.most_usd)
        return self.bill.usd if at_most is None else at_most


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
    question = _Question(
        entry,
        messages,
        key,
        find_rates(entry),
        make_redactor(key),
        retry_policy or RetryPolicy(),
        tell,
        asking,
        queues.note_once,
    )
    failed = _FailedTries()
    last: Diagnosis | None = None
    quiet = 0
    try:
        while True:
            traffic = Traffic(unstreamed=quiet == QUIET_STREAMS)
            heard = Heard(time.monotonic(), traffic=traffic, tell=tell)
            heard.longest = question.longest_reply
            try:
                tried = await _try(question, heard, queue, budget, failed)
            except GivenUpError as given_up:
                if last is not None:
                    return _make_fault_result(question, last, failed)
                return GenerationResult(
                    None, None, Fault(kind=given_up.kind, evidence=str(given_up)), failed.usd
                )
            if isinstance(tried, _Paid):
                return await _finish_reply(_make_reply_result(question, heard, tried, failed))
            last = tried
            other = without_refused(
                question.entry, last.evidence, limit_needed=budget.limit_usd is not None
            )
            if other is not None and other.dialect is not None and not dialect_is_set:
                # Later questions to the model begin without the part that the server refused.
                queue.dialects[other.slug] = other.dialect
                question = replace(question, entry=other)
                continue
            wait = compute_wait_s(last, failed.tries, question.retry_policy)
            if failed.tries >= last.rule.tries or failed.is_answered or wait is None:
                return _make_fault_result(question, last, failed)
            lost = last.rule.kind is FaultClass.CONNECTION_LOST
            quiet += traffic.unstreamed or (lost and heard.nothing)
            limited = last.rule.kind is FaultClass.RATE_LIMITED
            reason = f"another try after {last.rule.kind.replace('_', ' ')}"
            tell("rate limit" if limited else reason, time.monotonic() + wait)
            await queue.sleep_between_tries(entry.slug, wait)
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001 - one reply must not end the other attempts
        return _make_fault_result(question, diagnose_unexpected(error), failed)


async def _try(
    question: _Question, heard: Heard, queue: ProviderQueue, budget: Budget, failed: _FailedTries
) -> Diagnosis | _Paid:
    """Make one request; return its charges after a complete reply, else the diagnosis."""
    entry, traffic = question.entry, heard.traffic
    question.tell(TURN)

    def estimate() -> float | None:
        limit = entry.output_limit
        longest = None if limit is None else budget.find_longest(entry.slug, limit)
        return estimate_upper_usd(entry, question.rates, question.messages, longest)

    # The queue comes first, so that a request that waits in it reserves nothing of the budget.
    async with (
        queue.take_slot(entry.slug) as slot,
        budget.reserve(lambda: estimate() or 0.0) as reservation,
    ):
        most_usd = estimate()
        question.asking(reservation.amount)
        heard.began = slot.at = time.monotonic()
        question.tell("first token")
        try:
            longest_s = question.retry_policy.longest_reply_s
            await stream.ask(entry, question.messages, question.key, heard, longest_s)
            reply_ends.check_reply_end(heard)
        except Exception as error:  # noqa: BLE001 - the table has a last line for all the rest
            diagnosis = diagnose(error) if traffic.written else diagnose_unsent(error)
            evidence = question.redact.hide_keys(diagnosis.evidence)[:EVIDENCE]
            if traffic.status is None and traffic.origin:
                evidence += f"; {question.redact.hide_keys(describe_route(traffic.origin))}"
            diagnosis = replace(diagnosis, evidence=evidence)
            queue.record_failure(slot, diagnosis, question.prompt)
            spent = await _charge_failed_try(question, heard, budget, diagnosis, most_usd)
            reservation.spent = spent or 0.0
            failed.add(spent, diagnosis)
            return diagnosis
        if unknown := reply_ends.find_unknown_end_fault(heard):
            evidence = question.redact.hide_keys(unknown.evidence)
            question.note(f"{entry.slug}: {evidence}")
            queue.record_failure(slot, replace(unknown, evidence=evidence), question.prompt)
        else:
            queue.record_success(slot, heard.size)
        paid = _Paid(await _finish_reply(_charge_reply(question, heard, budget)), most_usd)
        reservation.spent = paid.usd or 0.0
        return paid


async def _charge_reply(question: _Question, heard: Heard, budget: Budget) -> Bill:
    """Return the bill of a reply; note if it is longer than the sent limit."""
    bill = await asyncio.to_thread(bill_of, heard, question.messages, question.rates)
    limit, written = question.entry.output_limit, bill.tokens.output
    if limit is None or written is None or written <= limit:
        return bill
    budget.record_overshoot(question.entry.slug, written)
    if bill.tokens_basis is TokensBasis.REPORTED and written > NOTABLE * limit:
        question.note(
            f"{question.entry.slug}: the server ignores the limit of {limit:,} tokens, so that a "
            "budget sets aside as much as its longest reply costs"
        )
    return bill


async def _charge_failed_try(
    question: _Question,
    heard: Heard,
    budget: Budget,
    diagnosis: Diagnosis,
    most_usd: float | None,
) -> float | None:
    """Return the dollars that the budget counts for a failed try; None if unknown.

    Not called for a cancelled try: for this the budget counts everything that was set aside.
    """
    traffic = heard.traffic
    billed = traffic.written and (traffic.opened or diagnosis.rule.billed)
    if not heard.size and heard.usage.is_empty and heard.header_cost is None:
        return most_usd if billed else 0.0
    bill = await _charge_reply(question, heard, budget)
    return compute_failed_try_usd(bill, most_usd, whole=heard.is_over, billed=billed)


def compute_wait_s(diagnosis: Diagnosis, tries: int, retry_policy: RetryPolicy) -> float | None:
    """Return the seconds to wait before the next try; None if there should be no other try.

    If the provider names no time, waits double up to a limit. They have a random part, so that
    requests that failed together are not repeated together.
    """
    retry_after_s = diagnosis.retry_after_s
    if retry_after_s is not None:
        if retry_after_s > retry_policy.longest_retry_after_s:
            return None
        return retry_after_s + random.uniform(0, retry_policy.first_s / 4)  # noqa: S311 - no secret
    longest = min(retry_policy.longest_s, retry_policy.first_s * 2 ** (tries - 1))
    return random.uniform(longest / 2, longest)  # noqa: S311 - no secret


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
    question: _Question, heard: Heard, paid: _Paid, failed: _FailedTries
) -> GenerationResult:
    text = question.redact.hide_known_keys(heard.text)
    generation = _make_generation(question, heard, paid, text, failed.tries + 1)
    fault = await asyncio.to_thread(reply_ends.find_prompt_fault, heard, question.messages)
    fault = fault or reply_ends.find_end_fault(heard, question.entry.output_limit, generation)
    if fault is None:
        return GenerationResult(text, generation, None, failed.usd)
    return replace(_make_fault_result(question, fault, failed), reply=text, generation=generation)


def _make_generation(
    question: _Question, heard: Heard, paid: _Paid, text: str, tries: int
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
    question: _Question, diagnosis: Diagnosis, failed: _FailedTries
) -> GenerationResult:
    again = f" (after {failed.tries} tries)" if failed.tries > 1 else ""
    evidence = question.redact.hide_keys(diagnosis.evidence)[: 2 * EVIDENCE] + again
    fault = Fault(kind=diagnosis.rule.kind, evidence=evidence)
    return GenerationResult(None, None, fault, failed.usd)

"""Questions to a model, repeated until there is a reply, or another request cannot help."""

import asyncio
import hashlib
import random
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from records.shapes.attempt import Fault, FaultClass, Generation, TokensBasis
from records.shapes.registry import ModelEntry
from runner.errors import FaultyError, UserError
from runner.models import costs
from runner.models.api_keys import Redactor, make_redactor, read_key
from runner.models.concurrency.provider_queue import ProviderQueue, ProviderQueues
from runner.models.faults.circuit_breaker import Pace
from runner.models.faults.diagnosis import (
    FEW,
    Diagnosis,
    diagnose,
    diagnose_unexpected,
    diagnose_unsent,
    find_broken_end,
    find_end_fault,
    find_prompt_fault,
    find_unknown_end_fault,
)
from runner.models.requests import stream
from runner.models.requests.body import without_refused
from runner.models.requests.heard import LARGEST_REPLY, TURN, Heard, Tell, Traffic, ignore_wait
from runner.models.requests.lazy_litellm import load_litellm
from runner.models.requests.routes import describe_route
from runner.models.tokens import Prompt

EVIDENCE = 1500
"""The most characters of a provider's answer that are kept as evidence."""

QUIET_STREAMS = 2
"""The number of empty streams after which the reply is requested once without streaming."""

LONGEST_TOKEN = 16
"""The most characters per token, on average; a longer reply must have ignored the sent limit."""

NOTABLE = 1.05
"""A reply with more tokens than this many times the sent limit is noted to ignore the limit."""

LONGEST_RETRY_AFTER_S = 600.0
"""The longest wait that a provider may ask for; a longer wait ends the tries at once."""

_T = TypeVar("_T")


class GenerationResult(NamedTuple):
    """The result of a question: a reply, a fault, or both if a reply was cut off."""

    reply: str | None
    generation: Generation | None
    fault: Fault | None
    failed_tries_usd: float | None = None
    """The most dollars that requests without a usable reply may be billed; None if unknown."""


@dataclass(slots=True)
class _Question:
    """Messages for one model, with everything that their requests need, and the failed tries."""

    entry: ModelEntry
    messages: Prompt
    key: str | None
    redact: Redactor
    queue: ProviderQueue
    budget: costs.Budget
    tell: Tell
    asking: Callable[[float], None]
    note: Callable[[str], None]
    """Prints a line for the user of the run, unless it was printed before."""
    tries: int = 0
    """The number of tries that brought no reply."""
    failed_usd: float | None = 0.0
    """The most dollars that these tries may have been billed; None if unknown."""
    alike: str | None = None
    """The last error of the provider, if it is about the request: without ids, digits, times."""
    times_alike: int = 0
    """The number of tries in a row with this error."""

    @property
    def longest_reply(self) -> int:
        """The most characters of a reply that obeys the sent limit."""
        limit = self.entry.output_limit
        return LARGEST_REPLY if limit is None else min(LARGEST_REPLY, LONGEST_TOKEN * limit)

    def estimate_usd(self) -> float | None:
        """Return the most dollars that a request may cost; None if unknown."""
        limit = self.entry.output_limit
        longest = None if limit is None else self.budget.find_longest(self.entry.slug, limit)
        return costs.estimate_upper_usd(self.entry, self.messages, longest)

    async def try_once(self, heard: Heard) -> Diagnosis | costs.Bill:
        """Make one request; return its bill after a complete reply, else the diagnosis."""
        entry, traffic, queue = self.entry, heard.traffic, self.queue
        self.tell(TURN)
        # The queue comes first, so that a request that waits in it reserves nothing of the budget.
        async with (
            queue.take_slot(entry.slug) as slot,
            self.budget.reserve(lambda: self.estimate_usd() or 0.0) as reservation,
        ):
            most_usd = self.estimate_usd()
            self.asking(reservation.spent)
            heard.began = slot.at = time.monotonic()
            self.tell("first token")
            try:
                await stream.ask(entry, self.messages, self.key, heard)
                diagnosis = find_broken_end(heard)
            except Exception as error:  # noqa: BLE001 - the table has a last line for all the rest
                diagnosis = diagnose(error) if traffic.written else diagnose_unsent(error)
            if diagnosis is not None:
                evidence = self.redact.hide_keys(diagnosis.evidence)[:EVIDENCE]
                if traffic.status is None and traffic.origin:
                    evidence += f"; {self.redact.hide_keys(describe_route(traffic.origin))}"
                diagnosis = diagnosis._replace(evidence=evidence)
                queue.record_failure(slot, diagnosis, self.messages)
                # For a cancelled try the budget counts everything that was set aside.
                billed = traffic.written and (traffic.opened or diagnosis.rule.billed)
                spent = most_usd if billed else 0.0
                if heard.size or not heard.usage.is_empty or heard.header_cost is not None:
                    bill = await self.count_bill(heard, most_usd)
                    spent = bill.compute_failed_try_usd(whole=heard.is_over, billed=billed)
                reservation.spent = spent or 0.0
                self.tries += 1
                before = self.failed_usd
                self.failed_usd = None if before is None or spent is None else before + spent
                essence = diagnosis.refusal_essence
                again = essence is not None and essence == self.alike
                self.alike, self.times_alike = essence, self.times_alike + 1 if again else 1
                return diagnosis
            if unknown := find_unknown_end_fault(heard):
                evidence = self.redact.hide_keys(unknown.evidence)
                self.note(f"{entry.slug}: {evidence}")
                queue.record_failure(slot, unknown._replace(evidence=evidence), self.messages)
            else:
                queue.record_success(slot, heard.size)
            bill = await _finish_reply(self.count_bill(heard, most_usd))
            at_most = bill.at_most_usd
            reservation.spent = (bill.usd if at_most is None else at_most) or 0.0
            return bill

    async def count_bill(self, heard: Heard, most_usd: float | None) -> costs.Bill:
        """Return the bill of a reply; note if it is longer than the sent limit."""
        slug, limit = self.entry.slug, self.entry.output_limit
        rates = costs.find_rates(self.entry)
        bill = await asyncio.to_thread(costs.bill_of, heard, self.messages, rates, most_usd)
        written = bill.tokens.output
        if limit is None or written is None or written <= limit:
            return bill
        self.budget.record_overshoot(slug, written)
        if bill.tokens_basis is TokensBasis.REPORTED and written > NOTABLE * limit:
            self.note(
                f"{slug}: the server ignores the limit of {limit:,} tokens, so that a budget sets "
                "aside as much as its longest reply costs"
            )
        return bill

    async def make_reply_result(self, heard: Heard, bill: costs.Bill) -> GenerationResult:
        """Return the result of a complete reply; its end may show a fault."""
        hide = self.redact.hide_known_keys
        text = hide(heard.text)
        first = None if heard.first_at is None else heard.first_at - heard.began
        generation = Generation(
            duration_s=round(heard.ended - heard.began, 3),
            time_to_first_token_s=None if first is None else round(first, 3),
            finish_reason=hide(heard.finish_reason or "") or None,
            answered_by=hide(heard.answered_by or "") or None,
            served_by=hide(heard.host or "") or None,
            system_fingerprint=hide(heard.fingerprint or "") or None,
            tries=self.tries + 1,
            tokens=bill.tokens,
            tokens_basis=bill.tokens_basis,
            cost_usd=bill.usd,
            cost_basis=bill.basis,
            cost_at_most_usd=bill.at_most_usd,
            reply_digest=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(),
            dialect=self.entry.dialect,
        )
        fault = await asyncio.to_thread(find_prompt_fault, heard, self.messages)
        fault = fault or find_end_fault(heard, self.entry.output_limit, generation)
        if fault is None:
            return GenerationResult(text, generation, None, self.failed_usd)
        return self.make_fault_result(fault)._replace(reply=text, generation=generation)

    def make_fault_result(self, diagnosis: Diagnosis) -> GenerationResult:
        """Return the result of a question without a usable reply."""
        again = f" (after {self.tries} tries)" if self.tries > 1 else ""
        evidence = self.redact.hide_keys(diagnosis.evidence)[: 2 * EVIDENCE] + again
        fault = Fault(kind=diagnosis.rule.kind, evidence=evidence)
        return GenerationResult(None, None, fault, self.failed_usd)


async def generate(  # noqa: PLR0913 - each option stands alone
    entry: ModelEntry,
    messages: Prompt,
    *,
    queues: ProviderQueues,
    budget: costs.Budget,
    tell: Tell = ignore_wait,
    asking: Callable[[float], None] = lambda _: None,
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
        entry = costs.bound_output(entry)
        costs.require_rates(entry)
    key = read_key(entry)
    load_litellm()  # here, so that the measured time does not include its import
    queue = queues.find_queue(entry)
    dialect_is_set = entry.dialect is not None
    if not dialect_is_set:
        entry = entry.model_copy(update={"dialect": queue.dialects.get(entry.slug)})
    question = _Question(
        entry,
        messages,
        key,
        make_redactor(key),
        queue,
        budget,
        tell,
        asking,
        queues.note_once,
    )
    last: Diagnosis | None = None
    quiet = 0
    try:
        while True:
            traffic = Traffic(unstreamed=quiet == QUIET_STREAMS)
            heard = Heard(traffic=traffic, tell=tell, longest=question.longest_reply)
            try:
                tried = await question.try_once(heard)
            except FaultyError as given_up:
                if last is not None:
                    return question.make_fault_result(last)
                return GenerationResult(None, None, given_up.fault, question.failed_usd)
            if isinstance(tried, costs.Bill):
                return await _finish_reply(question.make_reply_result(heard, tried))
            last = tried
            other = without_refused(
                question.entry, last.evidence, limit_needed=budget.limit_usd is not None
            )
            if other is not None and not dialect_is_set:
                # Later questions to the model begin without the part that the server refused.
                queue.dialects[entry.slug] = other
                question.entry = entry.model_copy(update={"dialect": other})
                continue
            wait = compute_wait_s(last, question.tries, queue.pace)
            # An error about the request that came so often will come again.
            is_useless = question.tries >= last.rule.tries or question.times_alike >= FEW
            if is_useless or wait is None:
                return question.make_fault_result(last)
            lost = last.rule.kind is FaultClass.CONNECTION_LOST
            quiet += traffic.unstreamed or (lost and heard.nothing)
            limited = last.rule.kind is FaultClass.RATE_LIMITED
            reason = f"another try after {last.rule.kind.replace('_', ' ')}"
            tell("rate limit" if limited else reason, time.monotonic() + wait)
            await queue.sleep_between_tries(entry.slug, wait)
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001 - one reply must not end the other attempts
        return question.make_fault_result(diagnose_unexpected(error))


def compute_wait_s(diagnosis: Diagnosis, tries: int, pace: Pace) -> float | None:
    """Return the seconds to wait before the next try; None if there should be no other try.

    If the provider names no time, waits double up to a limit. They have a random part, so that
    requests that failed together are not repeated together.
    """
    retry_after_s = diagnosis.retry_after_s
    if retry_after_s is not None:
        if retry_after_s > LONGEST_RETRY_AFTER_S:
            return None
        return retry_after_s + random.uniform(0, pace.first_s / 4)  # noqa: S311 - no secret
    longest = min(pace.longest_s, pace.first_s * 2 ** (tries - 1))
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

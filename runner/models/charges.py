"""The charges of one request: its bill, and the dollars that the budget counts for it."""

import asyncio
from dataclasses import dataclass
from typing import Final

from records.shapes.attempt import TokensBasis
from runner.models.costs.bill import Bill, bill_of, compute_failed_try_usd
from runner.models.costs.budget import Budget
from runner.models.faults.diagnosis import Diagnosis
from runner.models.question import Question
from runner.models.requests.heard import Heard

NOTABLE: Final = 1.05
"""A reply with more tokens than this many times the sent limit is noted to ignore the limit."""


@dataclass(frozen=True, slots=True)
class Paid:
    """The charges of a complete reply, for the budget and the record."""

    bill: Bill
    most_usd: float | None
    """The most dollars that the request may cost by the sent limit; None if unknown."""

    @property
    def usd(self) -> float | None:
        """The dollars that the budget counts for the reply; None if unknown."""
        at_most = self.bill.find_upper_usd(self.most_usd)
        return self.bill.usd if at_most is None else at_most


async def charge_reply(question: Question, heard: Heard, budget: Budget) -> Bill:
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


async def charge_failed_try(
    question: Question,
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
    bill = await charge_reply(question, heard, budget)
    return compute_failed_try_usd(bill, most_usd, whole=heard.is_over, billed=billed)

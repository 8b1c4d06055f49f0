"""Questions to models, and their tries that brought no reply."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from records.shapes.registry import ModelEntry
from runner.models.api_keys import Redactor
from runner.models.costs.prices import Rates
from runner.models.faults.diagnosis import FEW, Diagnosis
from runner.models.requests.heard import LARGEST_REPLY
from runner.models.requests.wait_notices import Tell
from runner.models.retries import RetryPolicy

LONGEST_TOKEN: Final = 16
"""The most characters per token, on average; a longer reply must have ignored the sent limit."""


@dataclass(frozen=True, slots=True)
class Question:
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
    dialect_is_set: bool = False
    """True if the registry sets the dialect of requests, so that refusals do not change it."""

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
class FailedTries:
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

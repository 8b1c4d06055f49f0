"""Retries of failed requests: the wait before each, and the end of the tries."""

import random
from dataclasses import dataclass

from runner.models.faults.diagnosis import Diagnosis
from runner.models.requests import stream


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The limits of waits between tries and of replies, in seconds."""

    first_s: float = 1.0
    longest_s: float = 60.0
    longest_retry_after_s: float = 600.0
    """The longest wait that a provider may ask for; a longer wait ends the tries at once."""
    longest_reply_s: float = stream.LONGEST_REPLY_S
    """The longest time from a request to the end of its reply."""


def wait_s(diagnosis: Diagnosis, tries: int, retry_policy: RetryPolicy) -> float | None:
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

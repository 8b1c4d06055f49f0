"""Retries of failed requests: how long each waits, and when one is given up."""

import random
from dataclasses import dataclass

from runner.models.faults.diagnosis import Diagnosis
from runner.models.requests import stream


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to wait between tries, in seconds."""

    first_s: float = 1.0
    longest_s: float = 60.0
    longest_retry_after_s: float = 600.0
    """A provider that asks for more than this is given up on at once."""
    longest_reply_s: float = stream.LONGEST_REPLY_S
    """From a request to the end of its reply."""


def wait_s(diagnosis: Diagnosis, tries: int, retry_policy: RetryPolicy) -> float | None:
    """Return the seconds to wait before the next try; None to give up.

    Without a word from the provider, waits double up to a limit and are spread at random, so that
    requests that failed together do not come back together.
    """
    asked = diagnosis.retry_after_s
    if asked is not None:
        if asked > retry_policy.longest_retry_after_s:
            return None
        return asked + random.uniform(0, retry_policy.first_s / 4)  # noqa: S311 - no secret
    longest = min(retry_policy.longest_s, retry_policy.first_s * 2 ** (tries - 1))
    return random.uniform(longest / 2, longest)  # noqa: S311 - no secret

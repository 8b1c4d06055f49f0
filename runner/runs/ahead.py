"""The limit on answers without verdicts; a provider that reaches it gets no further requests.

The user of a run can thus stop it after the first bad verdicts, before all answers are paid for.
"""

from typing import Final

from runner.models.concurrency.provider_queue import ProviderQueue

CONCURRENCIES: Final = 2
"""The default limit is this number times the requests at once with which a provider begins."""

PER_GRADER: Final = 2
"""The answers that the default limit adds for each grader, which grades one answer at a time."""


def compute_default_limit(queue: ProviderQueue, graders: int) -> int:
    """Return the most answers of a provider without a verdict, if the user sets no limit.

    The limit grows with the number of requests at once that the provider was found to take.
    """
    return max(CONCURRENCIES * queue.start, queue.limit) + PER_GRADER * graders

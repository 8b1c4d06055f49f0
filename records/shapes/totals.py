"""Sums over the attempts of a run; each sum has only the known values."""

import math
from collections.abc import Iterable, Sequence

from records.shapes.attempt import Attempt, Tokens
from records.shapes.run import Totals


def compute_run_totals(attempts: Sequence[Attempt]) -> Totals:
    """Return the sums over ``attempts``; a sum without known values is null.

    Answers that were carried over count only for grading, because another run asked for them.
    """
    return _add_up([attempt for attempt in attempts if attempt.carried_over is None], attempts)


def sum_answers(attempts: Sequence[Attempt]) -> Totals:
    """Return the sums over ``attempts``, with the answers that were carried over."""
    return _add_up(attempts, attempts)


def _add_up(asked: Sequence[Attempt], graded: Sequence[Attempt]) -> Totals:
    generations = [attempt.generation for attempt in asked if attempt.generation is not None]
    costs = [generation.cost_usd for generation in generations if generation.cost_usd is not None]
    durations = [
        generation.duration_s for generation in generations if generation.duration_s is not None
    ]
    steps = [step.duration_s for attempt in graded for step in attempt.steps or ()]
    return Totals(
        tokens=sum_tokens(generation.tokens for generation in generations),
        cost_usd=_sum(costs),
        cost_known_for=len(costs),
        failed_tries_usd=_sum(
            attempt.failed_tries_usd for attempt in asked if attempt.failed_tries_usd is not None
        ),
        generation_s=_sum(durations),
        generation_known_for=len(durations),
        grading_s=_sum(duration for duration in steps if duration is not None),
    )


def sum_tokens(usages: Iterable[Tokens]) -> Tokens:
    """Return the sum over usages; each number is a sum over the usages in which it is known."""
    parts = list(usages)
    sums: dict[str, int | None] = {}
    for name in Tokens.model_fields:
        known = [number for part in parts if (number := getattr(part, name)) is not None]
        sums[name] = sum(known) if known else None
    return Tokens.model_validate(sums)


def _sum(values: Iterable[float]) -> float | None:
    """Return the sum of ``values``, which does not depend on their order; None without values."""
    amounts = list(values)
    return round(math.fsum(amounts), 9) if amounts else None

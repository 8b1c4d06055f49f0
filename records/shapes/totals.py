"""Sums over the attempts of a run; each sum has only the known values."""

import math
from collections.abc import Iterable, Sequence
from typing import TypeVar

from records.shapes.attempt import Attempt, Tokens
from records.shapes.run import Totals

_Number = TypeVar("_Number", int, float)


def compute_run_totals(attempts: Sequence[Attempt], *, with_carried: bool = False) -> Totals:
    """Return the sums over ``attempts``; a sum without known values is null.

    Answers that were carried over count only for grading, because another run asked for them,
    unless ``with_carried``.
    """
    asked = [each for each in attempts if with_carried or each.carried_over is None]
    generations = [attempt.generation for attempt in asked if attempt.generation is not None]
    costs = [generation.cost_usd for generation in generations if generation.cost_usd is not None]
    durations = [
        generation.duration_s for generation in generations if generation.duration_s is not None
    ]
    steps = [step.duration_s for attempt in attempts for step in attempt.steps or ()]
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
    return Tokens.model_validate(
        {name: sum_known(getattr(part, name) for part in parts) for name in Tokens.model_fields}
    )


def sum_known(numbers: Iterable[_Number | None]) -> _Number | None:
    """Return the sum of the known numbers; None if none is known."""
    terms = [number for number in numbers if number is not None]
    return sum(terms[1:], terms[0]) if terms else None


def _sum(values: Iterable[float]) -> float | None:
    """Return the sum of ``values``, which does not depend on their order; None without values."""
    amounts = list(values)
    return round(math.fsum(amounts), 9) if amounts else None

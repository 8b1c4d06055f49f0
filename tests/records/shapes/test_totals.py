import random

import pytest

from records.shapes.attempt import NO_TOKENS, Tokens
from records.shapes.run import Totals
from records.shapes.totals import compute_run_totals
from tests.records import examples

pytestmark = pytest.mark.unit


def test_sums_are_over_known_values() -> None:
    """An unknown cost is left out and counted; if all are unknown, the sum is unknown."""
    plain = examples.make_attempt(examples.make_eval_name(0))
    priced = plain.model_copy(update={"failed_tries_usd": 0.75})
    unpriced = plain.model_copy(update={"generation": examples.make_generation(cost_usd=None)})
    silent = plain.model_copy(update={"generation": None, "steps": None})

    assert compute_run_totals([priced, unpriced, silent]) == Totals(
        tokens=Tokens(input=2000, cached_input=None, output=1000, reasoning=200),
        cost_usd=0.25,
        cost_known_for=1,
        failed_tries_usd=0.75,
        generation_s=3.0,
        generation_known_for=2,
        grading_s=1.5,
    )


def test_nothing_known_is_null() -> None:
    """A sum over no values is not zero."""
    assert compute_run_totals([]) == Totals(
        tokens=NO_TOKENS,
        cost_usd=None,
        cost_known_for=0,
        failed_tries_usd=None,
        generation_s=None,
        generation_known_for=0,
        grading_s=None,
    )


def test_the_order_of_attempts_does_not_matter() -> None:
    """Sums of floats are exactly rounded."""
    attempts = [
        examples.make_attempt(examples.make_eval_name(number)).model_copy(
            update={"generation": examples.make_generation(cost_usd=0.1 * number)}
        )
        for number in range(40)
    ]
    mixed = random.Random(1).sample(attempts, len(attempts))  # noqa: S311 - not for secrets

    assert compute_run_totals(mixed) == compute_run_totals(attempts)

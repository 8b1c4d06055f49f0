"""Conclusions on differences in words, with a reason where the interval alone would show more."""

import pytest

from generator.facts.shares import conclude_in_words
from generator.scores.differences.difference import Conclusion
from generator.scores.intervals import Interval

pytestmark = pytest.mark.unit

_CHANCE = "may be chance"


@pytest.mark.parametrize(
    ("conclusion", "interval", "uncorrected", "expected"),
    [
        (Conclusion.BETTER, Interval(0.01, 0.2), 0.01, "better"),
        (Conclusion.TOO_FEW, Interval(0.01, 0.2), None, "too few evals"),
        (Conclusion.NOISE, Interval(-0.1, 0.2), 0.4, _CHANCE),
        (
            Conclusion.NOISE,
            Interval(0.01, 0.2),
            0.02,
            f"{_CHANCE}, because many pairs are compared",
        ),
        (
            Conclusion.NOISE,
            Interval(0.01, 0.2),
            0.057,
            f"{_CHANCE}, because only one of two tests shows it",
        ),
        (
            Conclusion.NOISE,
            Interval(-0.2, -0.01),
            0.057,
            f"{_CHANCE}, because only one of two tests shows it",
        ),
    ],
)
def test_a_difference_that_may_be_chance_has_its_reason_beside_an_interval_without_0(
    conclusion: Conclusion, interval: Interval, uncorrected: float | None, expected: str
) -> None:
    """A reader who sees a range above 0 or below it learns what else is missing."""
    assert conclude_in_words(conclusion, interval, uncorrected, "pairs") == expected

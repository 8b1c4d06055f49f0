"""A number that was estimated from a sample, with its interval."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IntervalEstimate:
    """A number with its 95% interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"

"""Error rates of graders, from an audit: attempts drawn at random and judged blind.

Within the attempts that failed, and within the attempts that passed, each was as likely to be
drawn as any other, so a share among the judged attempts is an unbiased estimate and has Wilson's
interval. The share among all attempts weighs the two by how many attempts there are of each; its
interval is put together from theirs (G. Y. Zou, W. Huang, X. Zhang (2009), A note on confidence
interval estimation for a linear function of binomial proportions, Computational Statistics & Data
Analysis 53). Drawing from each eval makes the true doubt smaller than the
formula knows, which takes the draw as one from all attempts: where mistakes gather in few evals,
the intervals are too wide rather than too narrow.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from generator.scores.agreement import Agreement, agreement
from generator.scores.intervals import Interval, wilson
from records.sessions.audit import (
    Audit,
    AuditItem,
    AuditState,
    Judgements,
    judged_status,
    judgements,
)
from records.sessions.labels import LabelEvent
from records.sessions.session import EvalStatus
from records.shapes.attempt import StepName

ORDER: Final = (EvalStatus.INCORRECT, EvalStatus.CORRECT, EvalStatus.GOLDEN)
"""People's judgements, from worst to best."""


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """How often a grader is wrong about some attempts."""

    wrong: int
    """Judged attempts that people judged the other way."""
    judged: int
    drawn: int
    population: int
    """Attempts that could be drawn."""
    share: float | None
    """Null where nothing was judged."""
    interval: Interval | None
    """At 95%."""


@dataclass(frozen=True, slots=True)
class AuditFindings:
    """The results of an audit so far."""

    audit: Audit
    judged: Sequence[tuple[AuditItem, Judgements]]
    """The drawn attempts, in their order."""
    false_fails: ErrorRate
    """Failed attempts that people judge right."""
    false_passes: ErrorRate
    """Passed attempts that people judge wrong."""
    errors: ErrorRate
    """Attempts of both kinds that people judge the other way."""
    steps: Mapping[StepName, ErrorRate]
    """False fails by the step that failed first, in the order of steps."""
    agreement: Agreement | None
    """Agreement of people on the same attempts; null where too few judged."""
    doubles: int
    """Attempts that at least two people judged."""

    def count(self, state: AuditState) -> int:
        """Return how many of the drawn attempts are so far."""
        return sum(judgement.state is state for _, judgement in self.judged)


def findings(audit: Audit, logs: Mapping[str, Sequence[LabelEvent]]) -> AuditFindings:
    """Return the results of ``audit``, from the label logs of its sessions by their ids."""
    judged = [(item, judgements(audit, item, logs.get(item.session, ()))) for item in audit.items]
    fails = _rate(judged, audit.population("failed"), lambda item: item.outcome == "failed")
    passes = _rate(judged, audit.population("passed"), lambda item: item.outcome == "passed")
    units = [
        [ORDER.index(judged_status(item)) for item in judgement.blind] for _, judgement in judged
    ]
    return AuditFindings(
        audit=audit,
        judged=judged,
        false_fails=fails,
        false_passes=passes,
        errors=_together(fails, passes),
        steps={
            step: _rate(judged, audit.steps[step], lambda item, step=step: item.failed_step == step)
            for step in StepName
            if step in audit.steps
        },
        agreement=agreement(units, len(ORDER)),
        doubles=sum(len(item) > 1 for item in units),
    )


def is_wrong(item: AuditItem, found: Judgements) -> bool | None:
    """Return whether the grader was wrong about an attempt; null while that is not known."""
    return None if found.acceptable is None else found.acceptable is (item.outcome == "failed")


def weighted_interval(parts: Sequence[tuple[float, float, Interval]]) -> Interval:
    """Return the interval of a weighted mean of independent shares.

    Args:
        parts: for each share its weight, the share, and its interval; weights add up to 1.
    """
    mean = sum(weight * share for weight, share, _ in parts)
    below = math.hypot(*(weight * (share - bounds.low) for weight, share, bounds in parts))
    above = math.hypot(*(weight * (bounds.high - share) for weight, share, bounds in parts))
    return Interval(max(0.0, mean - below), min(1.0, mean + above))


def _rate(
    judged: Sequence[tuple[AuditItem, Judgements]],
    population: int,
    having: Callable[[AuditItem], bool],
) -> ErrorRate:
    drawn = [item for item in judged if having(item[0])]
    verdicts = [item for item in (is_wrong(*both) for both in drawn) if item is not None]
    return error_rate(sum(verdicts), len(verdicts), len(drawn), population)


def error_rate(wrong: int, judged: int, drawn: int, population: int) -> ErrorRate:
    """Return the share of wrong verdicts among the judged, with Wilson's interval."""
    if not judged:
        return ErrorRate(0, 0, drawn, population, None, None)
    share = wrong / judged
    interval = wilson(np.array(share), np.array(float(judged))).one()
    return ErrorRate(wrong, judged, drawn, population, share, interval)


def _together(fails: ErrorRate, passes: ErrorRate) -> ErrorRate:
    """Weigh failed and passed attempts by how many there are; a missing attempt is unknown."""
    both = [rate for rate in (fails, passes) if rate.population]
    population = sum(rate.population for rate in both)
    rates = [
        (rate.population / population, rate.share, rate.interval)
        for rate in both
        if rate.share is not None and rate.interval is not None
    ]
    whole = bool(both) and len(rates) == len(both)
    return ErrorRate(
        wrong=fails.wrong + passes.wrong,
        judged=fails.judged + passes.judged,
        drawn=fails.drawn + passes.drawn,
        population=population,
        share=sum(weight * share for weight, share, _ in rates) if whole else None,
        interval=weighted_interval(rates) if whole else None,
    )

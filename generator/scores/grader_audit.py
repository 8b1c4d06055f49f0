"""Error rates of graders, from an audit: attempts drawn at random and judged blind.

Within the attempts that failed, and within those that passed, every attempt was as likely to be
drawn as any other, so a share among the judged ones is an unbiased estimate and has Wilson's
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
from records.attempt import StepName
from records.audit import Audit, AuditItem, AuditState, Judgements, judged_status, judgements
from records.labels import LabelEvent
from records.session import EvalStatus

ORDER: Final = (EvalStatus.INCORRECT, EvalStatus.CORRECT, EvalStatus.GOLDEN)
"""What people judge, from worst to best."""


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """How often a grader is wrong about some attempts."""

    wrong: int
    """Of the judged ones, how many people judged the other way."""
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
    """What an audit found so far."""

    audit: Audit
    judged: Sequence[tuple[AuditItem, Judgements]]
    """Everything that was drawn, in its order."""
    false_fails: ErrorRate
    """Of the failed attempts, those that people judge right."""
    false_passes: ErrorRate
    """Of the passed attempts, those that people judge wrong."""
    errors: ErrorRate
    """Of all attempts, those that people judge the other way."""
    steps: Mapping[StepName, ErrorRate]
    """False fails by the step that failed first, in the order of steps."""
    agreement: Agreement | None
    """Of those who judged the same attempt; null where too few did."""
    doubles: int
    """Attempts that at least two people judged."""

    def count(self, state: AuditState) -> int:
        """Return how many of the drawn attempts are so far."""
        return sum(one.state is state for _, one in self.judged)


def findings(audit: Audit, logs: Mapping[str, Sequence[LabelEvent]]) -> AuditFindings:
    """Return what ``audit`` found, from the label logs of its sessions by their ids."""
    judged = [(one, judgements(audit, one, logs.get(one.session, ()))) for one in audit.items]
    fails = _rate(judged, audit.population("failed"), lambda one: one.outcome == "failed")
    passes = _rate(judged, audit.population("passed"), lambda one: one.outcome == "passed")
    units = [[ORDER.index(judged_status(one)) for one in found.blind] for _, found in judged]
    return AuditFindings(
        audit=audit,
        judged=judged,
        false_fails=fails,
        false_passes=passes,
        errors=_together(fails, passes),
        steps={
            step: _rate(judged, audit.steps[step], lambda one, step=step: one.failed_step == step)
            for step in StepName
            if step in audit.steps
        },
        agreement=agreement(units, len(ORDER)),
        doubles=sum(len(one) > 1 for one in units),
    )


def is_wrong(item: AuditItem, found: Judgements) -> bool | None:
    """Say whether the grader was wrong about an attempt; null while that is not known."""
    return None if found.acceptable is None else found.acceptable is (item.outcome == "failed")


def weighted_interval(parts: Sequence[tuple[float, float, Interval]]) -> Interval:
    """Return the interval of a weighted mean of independent shares.

    Args:
        parts: for each share its weight, the share, and its interval; weights add up to 1.
    """
    mean = sum(weight * share for weight, share, _ in parts)
    below = math.hypot(*(weight * (share - one.low) for weight, share, one in parts))
    above = math.hypot(*(weight * (one.high - share) for weight, share, one in parts))
    return Interval(max(0.0, mean - below), min(1.0, mean + above))


def _rate(
    judged: Sequence[tuple[AuditItem, Judgements]],
    population: int,
    having: Callable[[AuditItem], bool],
) -> ErrorRate:
    drawn = [one for one in judged if having(one[0])]
    known = [one for one in (is_wrong(*both) for both in drawn) if one is not None]
    return error_rate(sum(known), len(known), len(drawn), population)


def error_rate(wrong: int, judged: int, drawn: int, population: int) -> ErrorRate:
    """Return the share of wrong ones among the judged, with Wilson's interval."""
    if not judged:
        return ErrorRate(0, 0, drawn, population, None, None)
    share = wrong / judged
    interval = wilson(np.array(share), np.array(float(judged))).one()
    return ErrorRate(wrong, judged, drawn, population, share, interval)


def _together(fails: ErrorRate, passes: ErrorRate) -> ErrorRate:
    """Weigh failed and passed attempts by how many there are; one that is missing is unknown."""
    both = [one for one in (fails, passes) if one.population]
    population = sum(one.population for one in both)
    known = [
        (one.population / population, one.share, one.interval)
        for one in both
        if one.share is not None and one.interval is not None
    ]
    whole = bool(both) and len(known) == len(both)
    return ErrorRate(
        wrong=fails.wrong + passes.wrong,
        judged=fails.judged + passes.judged,
        drawn=fails.drawn + passes.drawn,
        population=population,
        share=sum(weight * share for weight, share, _ in known) if whole else None,
        interval=weighted_interval(known) if whole else None,
    )

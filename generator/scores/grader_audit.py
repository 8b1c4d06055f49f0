"""Error rates of graders, from an audit: attempts drawn at random and judged blind.

All failed attempts were equally likely to be drawn, and so were all passed attempts. So a share
among the judged attempts of one kind is an unbiased estimate, with Wilson's interval. The share
among all attempts is the mean of both shares, weighted by the numbers of failed and passed
attempts. Its interval is computed from both intervals (G. Y. Zou, W. Huang, X. Zhang (2009), A note
on confidence interval estimation for a linear function of binomial proportions, Computational
Statistics & Data Analysis 53). The formula assumes a draw from all attempts together, although
attempts are drawn from each eval. So if mistakes occur in few evals, the intervals are too wide
rather than too narrow.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from generator.scores.agreement import Agreement, compute_agreement
from generator.scores.intervals import Interval, compute_share_interval
from records.sessions.audit import (
    Audit,
    AuditItem,
    Judgements,
    find_judgements,
    parse_status,
)
from records.sessions.labels import LabelEvent
from records.sessions.session import EvalStatus
from records.shapes.attempt import StepName

ORDER = (EvalStatus.INCORRECT, EvalStatus.CORRECT, EvalStatus.GOLDEN)
"""The judgements that people can give, from worst to best."""


class ErrorRate(NamedTuple):
    """The share of attempts of one kind about which graders are wrong."""

    wrong: int
    """The number of judged attempts about which people disagree with the grader."""
    judged: int
    drawn: int
    population: int
    """The number of attempts that could be drawn."""
    share: float | None
    """The share of wrong verdicts, from 0 to 1; None if nothing was judged."""
    interval: Interval | None
    """The 95% interval of the share; None if nothing was judged."""


class AuditFindings(NamedTuple):
    """The results of an audit so far."""

    audit: Audit
    judged: Sequence[tuple[AuditItem, Judgements]]
    """The drawn attempts in their order, each with its judgements so far."""
    false_fails: ErrorRate
    """Failed attempts that people judge right."""
    false_passes: ErrorRate
    """Passed attempts that people judge wrong."""
    errors: ErrorRate
    """Attempts of both kinds about which people disagree with the grader."""
    steps: Mapping[StepName, ErrorRate]
    """The rates of false fails by the step that failed first, in the order of steps."""
    agreement: Agreement | None
    """The agreement of people on the same attempts; None if too few attempts have two judges."""
    doubles: int
    """The number of attempts that at least two people judged."""

    def count(self, state: str) -> int:
        """Return the number of drawn attempts in ``state``, such as `open`."""
        return sum(judgement.state == state for _, judgement in self.judged)


def compute_findings(audit: Audit, logs: Mapping[str, Sequence[LabelEvent]]) -> AuditFindings:
    """Return the results of an audit; ``logs`` has the label logs of its sessions by id."""
    judged = [
        (item, find_judgements(audit, item, logs.get(item.session, ()))) for item in audit.items
    ]
    fails, passes = (
        _compute_rate(
            [drawn for drawn in judged if drawn[0].outcome == outcome],
            audit.count_population(outcome),
        )
        for outcome in ("failed", "passed")
    )
    units = [
        [ORDER.index(parse_status(item)) for item in judgement.blind] for _, judgement in judged
    ]
    return AuditFindings(
        audit=audit,
        judged=judged,
        false_fails=fails,
        false_passes=passes,
        errors=_combine_rates(fails, passes),
        steps={
            step: _compute_rate(
                [drawn for drawn in judged if drawn[0].failed_step == step], audit.steps[step]
            )
            for step in StepName
            if step in audit.steps
        },
        agreement=compute_agreement(units, len(ORDER)),
        doubles=sum(len(item) > 1 for item in units),
    )


def is_wrong(item: AuditItem, judgement: Judgements) -> bool | None:
    """Return whether the grader was wrong about an attempt; None while this is not known."""
    return (
        None if judgement.acceptable is None else judgement.acceptable is (item.outcome == "failed")
    )


def compute_weighted_interval(parts: Sequence[tuple[float, float, Interval]]) -> Interval:
    """Return the interval of a weighted mean of independent shares.

    Args:
        parts: the weight, share and interval of each part; the weights add up to 1.
    """
    mean = sum(weight * share for weight, share, _ in parts)
    below = math.hypot(*(weight * (share - bounds.low) for weight, share, bounds in parts))
    above = math.hypot(*(weight * (bounds.high - share) for weight, share, bounds in parts))
    return Interval(max(0.0, mean - below), min(1.0, mean + above))


def _compute_rate(drawn: Sequence[tuple[AuditItem, Judgements]], population: int) -> ErrorRate:
    verdicts = [item for item in (is_wrong(*both) for both in drawn) if item is not None]
    return compute_error_rate(sum(verdicts), len(verdicts), len(drawn), population)


def compute_error_rate(wrong: int, judged: int, drawn: int, population: int) -> ErrorRate:
    """Return the share of wrong verdicts among judged attempts, with Wilson's interval."""
    if not judged:
        return ErrorRate(0, 0, drawn, population, None, None)
    interval = compute_share_interval(wrong, judged)
    return ErrorRate(wrong, judged, drawn, population, wrong / judged, interval)


def _combine_rates(fails: ErrorRate, passes: ErrorRate) -> ErrorRate:
    """Return the rate over failed and passed attempts, weighted by their populations.

    The share is None if either kind has attempts and no judgement.
    """
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
        interval=compute_weighted_interval(rates) if whole else None,
    )

"""Findings of audits of the graders, as the method page shows them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from generator.scores.agreement import LEAST_UNITS
from generator.scores.grader_audit import AuditFindings, ErrorRate
from records.sessions.audit import AuditState


class AuditRateRow(NamedTuple):
    """One row of an audit's table; shares in percent."""

    label: str
    percent: float | None
    low: float | None
    high: float | None
    wrong: int
    judged: int
    drawn: int
    population: int


class AuditSection(NamedTuple):
    """One audit."""

    name: str
    version: str
    """The benchmark version, as the site calls it."""
    day: str
    rows: Sequence[AuditRateRow]
    settled: int
    disputed: int
    open: int
    doubles: int
    """Attempts that two people judged."""
    needed: int
    """With fewer of them, agreement is not shown."""
    agreed: float | None
    """Percent of them that were judged alike; None where agreement is not shown."""
    alpha: float | None
    alpha_low: float | None
    alpha_high: float | None


def audit_section(found: AuditFindings, version: str) -> AuditSection:
    """Gather the results of one audit; ``version`` is the benchmark version's title."""
    agreement = found.agreement
    bounds = agreement.interval if agreement else None
    return AuditSection(
        name=found.audit.audit_id,
        version=version,
        day=found.audit.drawn_at.date().isoformat(),
        rows=list(_rows(found)),
        settled=found.count(AuditState.SETTLED),
        disputed=found.count(AuditState.DISPUTED),
        open=found.count(AuditState.OPEN),
        doubles=found.doubles,
        needed=LEAST_UNITS,
        agreed=100 * agreement.raw if agreement else None,
        alpha=agreement.alpha if agreement else None,
        alpha_low=bounds.low if bounds else None,
        alpha_high=bounds.high if bounds else None,
    )


def _rows(found: AuditFindings) -> Iterator[AuditRateRow]:
    yield _row("Failed attempts that are right", found.false_fails)
    for step, rate in found.steps.items():
        yield _row(f"of these, failed at {step}", rate)
    yield _row("Passed attempts that are wrong", found.false_passes)
    yield _row("All attempts judged wrongly", found.errors)


def _row(label: str, rate: ErrorRate) -> AuditRateRow:
    return AuditRateRow(
        label=label,
        percent=None if rate.share is None else 100 * rate.share,
        low=rate.interval and 100 * rate.interval.low,
        high=rate.interval and 100 * rate.interval.high,
        wrong=rate.wrong,
        judged=rate.judged,
        drawn=rate.drawn,
        population=rate.population,
    )

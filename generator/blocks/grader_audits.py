"""The findings of audits of the graders, for the method page."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from generator.scores.agreement import LEAST_UNITS
from generator.scores.grader_audit import AuditFindings, ErrorRate
from records.sessions.audit import AuditState


class AuditRateRow(NamedTuple):
    """A row of an audit's table: a rate of wrong verdicts, in percent."""

    label: str
    percent: float | None
    low: float | None
    high: float | None
    wrong: int
    judged: int
    drawn: int
    population: int


class AuditSection(NamedTuple):
    """The section of an audit."""

    name: str
    version: str
    """The title of the benchmark version."""
    day: str
    rows: Sequence[AuditRateRow]
    settled: int
    disputed: int
    open: int
    doubles: int
    """The number of attempts that two people judged."""
    needed: int
    """Agreement is shown only if two people judged at least so many attempts."""
    agreed: float | None
    """Percent of these attempts that both judged alike; None if agreement is not shown."""
    alpha: float | None
    alpha_low: float | None
    alpha_high: float | None


def build_audit_section(findings: AuditFindings, version: str) -> AuditSection:
    """Return the section of an audit; ``version`` is the benchmark version's title."""
    agreement = findings.agreement
    bounds = agreement.interval if agreement else None
    return AuditSection(
        name=findings.audit.audit_id,
        version=version,
        day=findings.audit.drawn_at.date().isoformat(),
        rows=list(_build_rows(findings)),
        settled=findings.count(AuditState.SETTLED),
        disputed=findings.count(AuditState.DISPUTED),
        open=findings.count(AuditState.OPEN),
        doubles=findings.doubles,
        needed=LEAST_UNITS,
        agreed=100 * agreement.raw if agreement else None,
        alpha=agreement.alpha if agreement else None,
        alpha_low=bounds.low if bounds else None,
        alpha_high=bounds.high if bounds else None,
    )


def _build_rows(findings: AuditFindings) -> Iterator[AuditRateRow]:
    yield _build_row("Failed attempts that are right", findings.false_fails)
    for step, rate in findings.steps.items():
        yield _build_row(f"of these, failed at {step}", rate)
    yield _build_row("Passed attempts that are wrong", findings.false_passes)
    yield _build_row("All attempts judged wrongly", findings.errors)


def _build_row(label: str, rate: ErrorRate) -> AuditRateRow:
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
